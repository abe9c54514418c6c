#include "tools/serve/delta_subscription.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/search.h"

void gxds_delta_subscription_fini(gxds_delta_subscription *s) {
  for (size_t i = 0; i < s->count; i++) gxds_str_free(&s->entries[i].name);
  gxds_free(s->entries);
  *s = (gxds_delta_subscription){0};
}

static bool is_star(gxds_str s) { return gxds_str_equal(s, gxds_str_z("*")); }

/* Of equal names, subscribed ones come first. */
static int by_name(const void *a, const void *b) {
  const gxds_delta_name *x = a;
  const gxds_delta_name *y = b;
  int order = gxds_str_compare(x->name, y->name);
  return order ? order : (int)y->subscribe - (int)x->subscribe;
}

/* Reads a version, which is 16 hexadecimal digits; 0 for any other text. */
static uint64_t parse_version(gxds_str s) {
  uint64_t version;
  return s.size == 16 && gxds_str_to_uint64(s, 16, &version) ? version : 0;
}

/* A name that only has an initial version matters if the client subscribes to everything. */
static void subscribe(gxds_delta_subscription *s, gxds_delta_entry *e, const gxds_delta_name *n,
                      gxds_serve_event *added) {
  bool known = e->named || e->has;
  if (n->initial && !known) {
    e->has = true;
    s->held++;
    s->may_be_gone = true;
    e->version = parse_version(n->version);
  }
  if (!n->subscribe) return;
  gxds_serve_event_add_name(added, n->name);
  if (known) e->resend = true;
  e->named = true;
}

static void merge(gxds_delta_subscription *s, const gxds_delta_name *names, size_t count,
                  gxds_serve_event *added) {
  gxds_delta_entry *entries = gxds_calloc(s->count + count, sizeof *entries);
  size_t out = 0;
  size_t i = 0;
  for (size_t j = 0; j < count; j++) {
    const gxds_delta_name *n = &names[j];
    if (is_star(n->name) || (!n->subscribe && !s->wildcard)) continue;
    if (j > 0 && gxds_str_equal(n->name, names[j - 1].name)) continue;
    while (i < s->count && gxds_str_compare(s->entries[i].name, n->name) < 0) {
      entries[out++] = s->entries[i++];
    }
    bool known = i < s->count && gxds_str_equal(s->entries[i].name, n->name);
    gxds_delta_entry entry =
        known ? s->entries[i++] : (gxds_delta_entry){.name = gxds_str_dup(n->name)};
    if (!known && !gxds_name_is_canonical(s->type, entry.name)) s->odd_names = true;
    subscribe(s, &entry, n, added);
    entries[out++] = entry;
  }
  while (i < s->count) entries[out++] = s->entries[i++];
  gxds_free(s->entries);
  s->entries = entries;
  s->count = out;
}

/* Removes entries that the client does not subscribe to (any more). */
static void sweep(gxds_delta_subscription *s) {
  size_t kept = 0;
  for (size_t i = 0; i < s->count; i++) {
    gxds_delta_entry *e = &s->entries[i];
    if (e->named || (s->wildcard && e->has)) {
      s->entries[kept++] = *e;
    } else {
      s->held -= e->has;
      gxds_str_free(&e->name);
    }
  }
  s->count = kept;
}

static void give_up(gxds_delta_subscription *s, gxds_str *names, size_t count,
                    gxds_serve_event *dropped) {
  if (count) qsort(names, count, sizeof *names, gxds_str_compare_items);
  size_t i = 0;
  for (size_t j = 0; j < count; j++) {
    if (is_star(names[j]) && s->wildcard) {
      s->wildcard = false;
      gxds_serve_event_add_name(dropped, names[j]);
    }
    while (i < s->count && gxds_str_compare(s->entries[i].name, names[j]) < 0) i++;
    const bool known = i < s->count && gxds_str_equal(s->entries[i].name, names[j]);
    if (!known || !s->entries[i].named) continue; /* never subscribed to, which is no error */
    s->entries[i].named = false;
    gxds_serve_event_add_name(dropped, names[j]);
  }
  sweep(s);
}

void gxds_delta_subscription_update(gxds_delta_subscription *s, gxds_delta_name *names,
                                    size_t count, gxds_str *unsubscribed, size_t unsubscribed_count,
                                    gxds_serve_event *added, gxds_serve_event *dropped) {
  bool star = false;
  bool nothing = true;
  for (size_t i = 0; i < count; i++) {
    star = star || (names[i].subscribe && is_star(names[i].name));
    nothing = nothing && !names[i].subscribe;
  }
  if (!s->requested && nothing) star = true;
  s->requested = true;
  if (star && !s->wildcard) gxds_serve_event_add_name(added, gxds_str_z("*"));
  s->wildcard = s->wildcard || star;
  if (count) qsort(names, count, sizeof *names, by_name);
  if (count) merge(s, names, count, added);
  if (unsubscribed_count) give_up(s, unsubscribed, unsubscribed_count, dropped);
  if (star || count || unsubscribed_count) s->due.all = true;
}

/* The place of the entry of that name; the number of entries if there is none. */
static size_t place_of(const gxds_delta_subscription *s, gxds_str name) {
  const size_t at =
      GXDS_LOWER_BOUND(i, 0, s->count, gxds_str_compare(s->entries[i].name, name) < 0);
  return at < s->count && gxds_str_equal(s->entries[at].name, name) ? at : s->count;
}

static void look_at(gxds_delta_subscription *s, size_t i) {
  s->entries[i].look = true;
  gxds_due_add(&s->due, i);
}

bool gxds_delta_subscription_on_changes(gxds_delta_subscription *s,
                                        const gxds_set_changes *changes) {
  if (!s->requested) return false;
  if (changes->any_gone) s->may_be_gone = true;
  if (changes->all || (s->odd_names && changes->count > 0) || changes->count > s->count) {
    s->due.all = true;
  }
  for (size_t i = 0; i < changes->count && !s->due.all; i++) {
    const gxds_changed_name *c = &changes->items[i];
    const size_t at = place_of(s, c->name);
    if (at < s->count) look_at(s, at);
    if (at == s->count && s->wildcard && !c->alias && !c->gone) s->due.all = true;
  }
  return !gxds_due_is_empty(&s->due);
}

bool gxds_delta_subscription_resend(gxds_delta_subscription *s, gxds_str name) {
  const size_t at = place_of(s, name);
  if (at == s->count || !s->entries[at].has) return false;
  s->entries[at].resend = true;
  look_at(s, at);
  return true;
}

/* Adds an entry for each resource that comes with "*". */
static void add_everything(gxds_delta_subscription *s, const gxds_file_set *set) {
  const gxds_file_list *list = &set->types[s->type];
  gxds_delta_entry *entries = gxds_calloc(s->count + list->count, sizeof *entries);
  size_t out = 0;
  size_t i = 0;
  for (size_t j = 0; j < list->count; j++) {
    gxds_str name = list->entries[j].resource->name;
    while (i < s->count && gxds_str_compare(s->entries[i].name, name) < 0) {
      entries[out++] = s->entries[i++];
    }
    bool known = i < s->count && gxds_str_equal(s->entries[i].name, name);
    entries[out++] = known ? s->entries[i++] : (gxds_delta_entry){.name = gxds_str_dup(name)};
  }
  while (i < s->count) entries[out++] = s->entries[i++];
  gxds_free(s->entries);
  s->entries = entries;
  s->count = out;
}

void gxds_delta_response_fini(gxds_delta_response *r) {
  for (size_t i = 0; i < r->count; i++) gxds_file_resource_unref(r->resources[i]);
  gxds_strs_free(r->removed, r->removed_count);
  gxds_free(r->resources);
  *r = (gxds_delta_response){0};
}

static bool is_due(const gxds_delta_entry *e, const gxds_file_resource *now, bool with_removals) {
  if (now) return e->resend || !e->has || e->version != now->version;
  if (e->has) return with_removals || e->resend;
  return e->named && (e->resend || !e->sent_removed);
}

static void include(gxds_delta_subscription *s, gxds_delta_entry *e, const gxds_file_resource *now,
                    gxds_delta_response *out) {
  if (now) {
    out->resources[out->count++] = gxds_file_resource_ref(now);
    e->version = now->version;
    e->sent = true;
  } else {
    out->removed[out->removed_count++] = gxds_str_dup(e->name);
  }
  s->held -= e->has;
  e->has = now != NULL;
  s->held += e->has;
  e->sent_removed = now == NULL;
  e->resend = false;
}

/* Approximately how many bytes a resource takes in a response; 0 for NULL. */
static size_t size_of(const gxds_file_resource *r) {
  if (!r) return 0;
  size_t size = r->bytes.size;
  for (size_t i = 0; i < r->alias_count; i++) size += r->aliases[i].size + 4;
  return size;
}

static int by_resource_name(const void *a, const void *b) {
  return gxds_str_compare((*(const gxds_file_resource *const *)a)->name,
                          (*(const gxds_file_resource *const *)b)->name);
}

/* A resource that is subscribed to by several of its names is in a response once. */
static void drop_repeated(gxds_delta_response *r) {
  if (r->count) qsort(r->resources, r->count, sizeof *r->resources, by_resource_name);
  size_t kept = 0;
  for (size_t i = 0; i < r->count; i++) {
    if (kept > 0 && r->resources[kept - 1] == r->resources[i]) {
      gxds_file_resource_unref(r->resources[i]);
    } else {
      r->resources[kept++] = r->resources[i];
    }
  }
  r->count = kept;
}

static const gxds_file_resource *find(const gxds_delta_subscription *s, const gxds_file_set *set,
                                      const gxds_delta_entry *e) {
  const gxds_file_entry *found = gxds_file_set_find_by_any_name(set, s->type, e->name);
  return found ? found->resource : NULL;
}

static bool is_due_in(const gxds_delta_subscription *s, const gxds_file_set *set, gxds_due at,
                      bool with_removals, size_t i) {
  const gxds_delta_entry *e = &s->entries[i];
  return (at.all || e->look) && is_due(e, find(s, set, e), with_removals);
}

static size_t count_due(const gxds_delta_subscription *s, const gxds_file_set *set, gxds_due at,
                        bool with_removals) {
  size_t due = 0;
  for (size_t i = at.first; i < at.end; i++) due += is_due_in(s, set, at, with_removals, i);
  return due;
}

bool gxds_delta_subscription_take(gxds_delta_subscription *s, const gxds_file_set *set,
                                  bool with_removals, gxds_delta_response *out) {
  const bool all = s->due.all || with_removals;
  if (all && s->wildcard) add_everything(s, set);
  const gxds_due at = all ? (gxds_due){true, 0, s->count} : s->due;
  const size_t due = count_due(s, set, at, with_removals);
  size_t i = at.first;
  if (due > 0) {
    *out = (gxds_delta_response){.resources = gxds_calloc(due, sizeof *out->resources),
                                 .removed = gxds_calloc(due, sizeof *out->removed)};
    size_t bytes = 0;
    for (; i < at.end && bytes < GXDS_DELTA_RESPONSE_BYTES; i++) {
      gxds_delta_entry *e = &s->entries[i];
      if (!is_due_in(s, set, at, with_removals, i)) continue;
      const gxds_file_resource *now = find(s, set, e);
      include(s, e, now, out);
      bytes += e->name.size + size_of(now);
    }
    if (set->types[s->type].alias_count > 0) drop_repeated(out);
  }
  if (due == 0 || i == at.end) {
    for (i = at.first; i < at.end; i++) s->entries[i].look = false;
    s->due = (gxds_due){0};
  }
  if (all && s->wildcard) sweep(s);
  return due > 0;
}

static bool any_gone(const gxds_delta_subscription *s, const gxds_file_set *set) {
  for (size_t i = 0; i < s->count; i++) {
    if (s->entries[i].has && !find(s, set, &s->entries[i])) return true;
  }
  return false;
}

bool gxds_delta_subscription_removal_due(gxds_delta_subscription *s, const gxds_file_set *set) {
  if (s->may_be_gone) s->may_be_gone = any_gone(s, set);
  return s->may_be_gone;
}

/* Checks that only entries in `due` are due. */
static void validate_due(const gxds_delta_subscription *s, const gxds_file_set *set) {
  GXDS_CHECK(s->due.all || (s->due.first <= s->due.end && s->due.end <= s->count));
  if (!set) return;
  const gxds_file_list *list = &set->types[s->type];
  for (size_t i = 0; i < s->count && !s->due.all; i++) {
    const bool looks = s->entries[i].look && i >= s->due.first && i < s->due.end;
    GXDS_CHECK(looks || !is_due_in(s, set, (gxds_due){true, i, i + 1}, false, i));
  }
  for (size_t i = 0; i < list->count && s->wildcard && !s->due.all; i++) {
    GXDS_CHECK(place_of(s, list->entries[i].resource->name) < s->count);
  }
  GXDS_CHECK(s->may_be_gone || !any_gone(s, set));
}

void gxds_delta_subscription_validate(const gxds_delta_subscription *s, const gxds_file_set *set) {
  size_t held = 0;
  validate_due(s, set);
  for (size_t i = 0; i < s->count; i++) {
    const gxds_delta_entry *e = &s->entries[i];
    GXDS_CHECK(i == 0 || gxds_str_compare(s->entries[i - 1].name, e->name) < 0);
    GXDS_CHECK(e->named || (s->wildcard && e->has));
    GXDS_CHECK(!e->sent_removed || !e->has);
    held += e->has;
  }
  GXDS_CHECK(s->held == held);
  GXDS_CHECK(s->requested || (s->count == 0 && !s->wildcard));
}
