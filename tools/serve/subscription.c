#include "tools/serve/subscription.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/search.h"

/* True for LDS and CDS in SotW: a response has all resources, and the client deletes those that are
 * absent. */
static bool is_full_state(const gxds_ads_subscription *s) {
  return !s->delta && (s->type == GXDS_FILE_LISTENER || s->type == GXDS_FILE_CLUSTER);
}

static void free_entry(gxds_ads_entry *e) {
  gxds_str_free(&e->name);
  gxds_file_resource_unref(e->sent);
}

void gxds_ads_subscription_fini(gxds_ads_subscription *s) {
  for (size_t i = 0; i < s->count; i++) free_entry(&s->entries[i]);
  gxds_free(s->entries);
  *s = (gxds_ads_subscription){0};
}

/* The place of the entry of that name; the number of entries if there is none. */
static size_t place_of(const gxds_ads_subscription *s, gxds_str name) {
  const size_t at =
      GXDS_LOWER_BOUND(i, 0, s->count, gxds_str_compare(s->entries[i].name, name) < 0);
  return at < s->count && gxds_str_equal(s->entries[at].name, name) ? at : s->count;
}

/* ---- names ---- */

static bool is_star(gxds_str s) { return gxds_str_equal(s, gxds_str_z("*")); }

/* Of equal names, subscribed ones come first. */
static int by_name(const void *a, const void *b) {
  const gxds_ads_name *x = a;
  const gxds_ads_name *y = b;
  int order = gxds_str_compare(x->name, y->name);
  return order ? order : (int)y->subscribe - (int)x->subscribe;
}

/* Reads a version, which is 16 hexadecimal digits; 0 for any other text. */
static uint64_t parse_version(gxds_str s) {
  uint64_t version;
  return s.size == 16 && gxds_str_to_uint64(s, 16, &version) ? version : 0;
}

/* A name that only has an initial version matters if the client subscribes to everything. SotW
 * requests repeat the names of those before them. */
static void subscribe(gxds_ads_subscription *s, gxds_ads_entry *e, const gxds_ads_name *n,
                      gxds_serve_event *added) {
  bool known = e->named || e->has;
  if (n->initial && !known) {
    e->has = true;
    s->held++;
    s->may_be_gone = true;
    e->version = parse_version(n->version);
  }
  if (!n->subscribe) return;
  if (s->delta || !e->named) gxds_serve_event_add_name(added, n->name);
  if (s->delta && known) e->again = true;
  e->named = true;
}

static void merge(gxds_ads_subscription *s, const gxds_ads_name *names, size_t count,
                  gxds_serve_event *added) {
  gxds_ads_entry *entries = gxds_calloc(s->count + count, sizeof *entries);
  size_t out = 0;
  size_t i = 0;
  for (size_t j = 0; j < count; j++) {
    const gxds_ads_name *n = &names[j];
    if (!n->subscribe && !s->wildcard) continue;
    if ((n->subscribe || n->initial) && is_star(n->name)) continue;
    if (j > 0 && gxds_str_equal(n->name, names[j - 1].name)) continue;
    while (i < s->count && gxds_str_compare(s->entries[i].name, n->name) < 0) {
      entries[out++] = s->entries[i++];
    }
    bool known = i < s->count && gxds_str_equal(s->entries[i].name, n->name);
    gxds_ads_entry entry =
        known ? s->entries[i++] : (gxds_ads_entry){.name = gxds_str_dup(n->name)};
    const bool from_client = n->subscribe || n->initial; /* names of resources are canonical */
    if (!known && from_client && !gxds_name_is_canonical(s->type, entry.name)) s->odd_names = true;
    subscribe(s, &entry, n, added);
    entries[out++] = entry;
  }
  while (i < s->count) entries[out++] = s->entries[i++];
  gxds_free(s->entries);
  s->entries = entries;
  s->count = out;
}

/* Removes entries that the client does not subscribe to (any more). */
static void sweep(gxds_ads_subscription *s) {
  size_t kept = 0;
  for (size_t i = 0; i < s->count; i++) {
    gxds_ads_entry *e = &s->entries[i];
    if (e->named || (s->wildcard && e->has)) {
      s->entries[kept++] = *e;
    } else {
      s->held -= e->has;
      free_entry(e);
    }
  }
  s->count = kept;
}

/* Ends the subscriptions to all names but these, which are sorted. */
static void drop_others(gxds_ads_subscription *s, const gxds_ads_name *names, size_t count,
                        gxds_serve_event *dropped) {
  size_t j = 0;
  for (size_t i = 0; i < s->count; i++) {
    gxds_ads_entry *e = &s->entries[i];
    while (j < count && gxds_str_compare(names[j].name, e->name) < 0) j++;
    if (!e->named || (j < count && gxds_str_equal(names[j].name, e->name))) continue;
    e->named = false;
    gxds_serve_event_add_name(dropped, e->name);
  }
}

void gxds_ads_subscription_replace(gxds_ads_subscription *s, const gxds_str *names, size_t count,
                                   gxds_serve_event *added, gxds_serve_event *dropped) {
  bool star = false;
  gxds_ads_name *sorted = gxds_calloc(count, sizeof *sorted);
  for (size_t i = 0; i < count; i++) {
    sorted[i] = (gxds_ads_name){.name = names[i], .subscribe = true};
    star = star || is_star(names[i]);
  }
  if (count) qsort(sorted, count, sizeof *sorted, by_name);
  /* The legacy wildcard is a request without names, if no request had names before. */
  if (count > 0) s->named_ever = true;
  if (!s->named_ever && is_full_state(s)) star = true;
  if (star != s->wildcard) gxds_serve_event_add_name(star ? added : dropped, gxds_str_z("*"));
  s->wildcard = star;
  s->requested = true;
  drop_others(s, sorted, count, dropped);
  merge(s, sorted, count, added);
  sweep(s);
  gxds_free(sorted);
  s->due.all = true;
}

static void give_up(gxds_ads_subscription *s, gxds_str *names, size_t count,
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

void gxds_ads_subscription_update(gxds_ads_subscription *s, gxds_ads_name *names, size_t count,
                                  gxds_str *unsubscribed, size_t unsubscribed_count,
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

/* Adds an entry for each resource that comes with "*". */
static void add_everything(gxds_ads_subscription *s, const gxds_file_set *set) {
  const gxds_file_list *list = &set->types[s->type];
  gxds_ads_name *names = gxds_calloc(list->count, sizeof *names);
  for (size_t i = 0; i < list->count; i++) names[i].name = list->entries[i].resource->name;
  merge(s, names, list->count, NULL);
  gxds_free(names);
}

/* ---- what is due ---- */

static void look_at(gxds_ads_subscription *s, size_t i) {
  s->entries[i].look = true;
  gxds_due_add(&s->due, i);
}

bool gxds_ads_subscription_on_changes(gxds_ads_subscription *s, const gxds_set_changes *changes) {
  if (!s->requested) return false;
  if (changes->any_gone) s->may_be_gone = true;
  if (changes->all || (s->odd_names && changes->count > 0) || changes->count > s->count) {
    s->due.all = true;
  }
  for (size_t i = 0; i < changes->count && !s->due.all; i++) {
    const gxds_changed_name *c = &changes->items[i];
    const bool matters_to_star = !c->alias && !c->gone;
    if (!s->delta && !matters_to_star) continue; /* SotW has no aliases, and sends removals later */
    const size_t at = place_of(s, c->name);
    if (at < s->count) look_at(s, at);
    if (at == s->count && s->wildcard && matters_to_star) s->due.all = true;
  }
  return !gxds_due_is_empty(&s->due);
}

bool gxds_ads_subscription_resend(gxds_ads_subscription *s, gxds_str name) {
  const size_t at = place_of(s, name);
  if (at == s->count || !s->entries[at].has) return false;
  s->entries[at].resend = true;
  look_at(s, at);
  return true;
}

/* The resource that exists now; NULL: none. */
static const gxds_file_resource *find(const gxds_ads_subscription *s, const gxds_file_set *set,
                                      const gxds_ads_entry *e) {
  const gxds_file_entry *found = s->delta ? gxds_file_set_find_by_any_name(set, s->type, e->name)
                                          : gxds_file_set_find(set, s->type, e->name);
  return found ? found->resource : NULL;
}

static bool is_due(const gxds_ads_subscription *s, const gxds_ads_entry *e,
                   const gxds_file_resource *now, bool removals) {
  if (!now && e->has) return removals || (e->named && e->again);
  if (!now) return s->delta && e->named && (e->again || !e->sent_removed);
  if (e->again || e->resend || !e->has) return true;
  if (s->delta) return e->version != now->version;
  /* Often the same pointer, because sets share unchanged resources. */
  return e->sent != now && !gxds_str_equal(e->sent->bytes, now->bytes);
}

static bool any_due(const gxds_ads_subscription *s, const gxds_file_set *set, gxds_due at,
                    bool removals) {
  for (size_t i = at.first; i < at.end; i++) {
    const gxds_ads_entry *e = &s->entries[i];
    if ((at.all || e->look) && is_due(s, e, find(s, set, e), removals)) return true;
  }
  return false;
}

static bool any_gone(const gxds_ads_subscription *s, const gxds_file_set *set) {
  for (size_t i = 0; i < s->count; i++) {
    if (s->entries[i].has && !find(s, set, &s->entries[i])) return true;
  }
  return false;
}

bool gxds_ads_subscription_removal_due(gxds_ads_subscription *s, const gxds_file_set *set) {
  if (!s->delta && !is_full_state(s)) return false;
  if (s->may_be_gone) s->may_be_gone = any_gone(s, set);
  return s->may_be_gone;
}

/* ---- responses ---- */

void gxds_ads_response_fini(gxds_ads_response *r) {
  for (size_t i = 0; i < r->count; i++) gxds_file_resource_unref(r->resources[i]);
  gxds_strs_free(r->removed, r->removed_count);
  gxds_free(r->resources);
  gxds_free(r->changed);
  *r = (gxds_ads_response){0};
}

/* Records that the client is sent the resource, or its removal (NULL). */
static void record(gxds_ads_subscription *s, gxds_ads_entry *e, const gxds_file_resource *now) {
  const gxds_file_resource *old = e->sent;
  e->sent = now ? gxds_file_resource_ref(now) : NULL;
  gxds_file_resource_unref(old);
  s->held -= e->has;
  e->has = now != NULL;
  s->held += e->has;
  e->version = now ? now->version : 0;
  e->sent_removed = now == NULL;
  e->again = false;
  e->resend = false;
}

static void include(gxds_ads_subscription *s, gxds_ads_entry *e, const gxds_file_resource *now,
                    bool due, gxds_ads_response *out) {
  if (due && !now) {
    out->removed[out->removed_count++] = gxds_str_dup(e->name);
    record(s, e, NULL);
  } else if (due || (now && is_full_state(s))) {
    if (due) out->changed[out->changed_count++] = now;
    out->resources[out->count++] = gxds_file_resource_ref(now);
    record(s, e, now);
  } else if (e->has && is_full_state(s)) {
    out->resources[out->count++] = gxds_file_resource_ref(e->sent);
    out->kept++;
  }
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
static void drop_repeated(gxds_ads_response *r) {
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

/* Makes a response from the entries in `at`, and records it in them. Returns the index of the first
 * entry that does not fit. */
static size_t respond(gxds_ads_subscription *s, const gxds_file_set *set, gxds_due at,
                      bool removals, gxds_ads_response *out) {
  const size_t most = at.end - at.first;
  *out = (gxds_ads_response){.resources = gxds_calloc(most, sizeof *out->resources),
                             .changed = gxds_calloc(most, sizeof *out->changed),
                             .removed = gxds_calloc(most, sizeof *out->removed)};
  size_t bytes = 0;
  size_t i = at.first;
  for (; i < at.end && bytes < GXDS_DELTA_RESPONSE_BYTES; i++) {
    gxds_ads_entry *e = &s->entries[i];
    if (!at.all && !e->look) continue;
    const gxds_file_resource *now = find(s, set, e);
    const bool due = is_due(s, e, now, removals);
    include(s, e, now, due, out);
    if (s->delta && due) bytes += e->name.size + size_of(now);
  }
  const bool by_alias = s->delta && set->types[s->type].alias_count > 0;
  if (by_alias || s->odd_names) drop_repeated(out);
  s->responded = true;
  return i;
}

bool gxds_ads_subscription_take(gxds_ads_subscription *s, const gxds_file_set *set, bool removals,
                                gxds_ads_response *out) {
  const bool all = s->due.all || removals;
  if (all && s->wildcard) add_everything(s, set);
  gxds_due at = all ? (gxds_due){true, 0, s->count} : s->due;
  /* SotW: the first response is sent even if it is empty: the client may have resources that were
   * removed while it was away, and only their absence from a response deletes them. The same holds
   * for the first response to a wildcard. */
  const bool first = all && !s->delta && !s->responded && (s->wildcard || is_full_state(s));
  const bool due = first || any_due(s, set, at, removals);
  if (due && is_full_state(s)) at = (gxds_due){true, 0, s->count};
  const size_t end = due ? respond(s, set, at, removals, out) : at.end;
  if (end == at.end) {
    for (size_t i = at.first; i < at.end; i++) s->entries[i].look = false;
    s->due = (gxds_due){0};
  }
  if (all && s->wildcard) sweep(s);
  return due;
}

/* ---- the invariant ---- */

/* Checks that only entries in `due` are due. */
static void validate_due(const gxds_ads_subscription *s, const gxds_file_set *set) {
  GXDS_CHECK(s->due.all || (s->due.first <= s->due.end && s->due.end <= s->count));
  if (!set) return;
  const gxds_file_list *list = &set->types[s->type];
  for (size_t i = 0; i < s->count && !s->due.all; i++) {
    const bool looks = s->entries[i].look && i >= s->due.first && i < s->due.end;
    GXDS_CHECK(looks || !any_due(s, set, (gxds_due){true, i, i + 1}, false));
  }
  for (size_t i = 0; i < list->count && s->wildcard && !s->due.all; i++) {
    GXDS_CHECK(place_of(s, list->entries[i].resource->name) < s->count);
  }
  GXDS_CHECK(s->may_be_gone || !any_gone(s, set));
}

void gxds_ads_subscription_validate(const gxds_ads_subscription *s, const gxds_file_set *set) {
  size_t held = 0;
  validate_due(s, set);
  for (size_t i = 0; i < s->count; i++) {
    const gxds_ads_entry *e = &s->entries[i];
    GXDS_CHECK(i == 0 || gxds_str_compare(s->entries[i - 1].name, e->name) < 0);
    GXDS_CHECK(e->named || (s->wildcard && e->has));
    GXDS_CHECK(!e->sent_removed || !e->has);
    GXDS_CHECK(s->delta ? e->has || !e->sent : e->has == (e->sent != NULL));
    GXDS_CHECK(!e->sent || e->sent->type == s->type);
    GXDS_CHECK(!e->sent || s->delta || s->odd_names || gxds_str_equal(e->sent->name, e->name));
    held += e->has;
  }
  GXDS_CHECK(s->held == held);
  GXDS_CHECK(s->requested || (s->count == 0 && !s->wildcard));
}
