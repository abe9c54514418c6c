#include "tools/serve/subscription.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/search.h"

/* True for LDS and CDS: a response has all resources, and the client deletes those that are absent.
 */
static bool is_full_state(gxds_file_type type) {
  return type == GXDS_FILE_LISTENER || type == GXDS_FILE_CLUSTER;
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
static size_t find(const gxds_ads_subscription *s, gxds_str name) {
  const size_t at =
      GXDS_LOWER_BOUND(i, 0, s->count, gxds_str_compare(s->entries[i].name, name) < 0);
  return at < s->count && gxds_str_equal(s->entries[at].name, name) ? at : s->count;
}

/* Sorts the names, without duplicates. "*" is left out, and sets *star. */
static size_t sort_names(const gxds_str *names, size_t count, gxds_str *out, bool *star) {
  size_t kept = 0;
  if (count) memcpy(out, names, count * sizeof *out);
  if (count) qsort(out, count, sizeof *out, gxds_str_compare_items);
  for (size_t i = 0; i < count; i++) {
    if (gxds_str_equal(out[i], gxds_str_z("*"))) {
      *star = true;
    } else if (kept == 0 || !gxds_str_equal(out[i], out[kept - 1])) {
      out[kept++] = out[i];
    }
  }
  return kept;
}

/* An entry that the client does not subscribe to by name (any more) stays as long as "*" includes
 * it. */
static void keep_or_drop(gxds_ads_subscription *s, gxds_ads_entry *old, gxds_ads_entry *entries,
                         size_t *count, gxds_serve_event *dropped) {
  if (old->named) gxds_serve_event_add_name(dropped, old->name);
  old->named = false;
  if (s->wildcard && old->sent) {
    entries[(*count)++] = *old;
  } else {
    free_entry(old);
  }
}

void gxds_ads_subscription_update(gxds_ads_subscription *s, const gxds_str *names, size_t count,
                                  gxds_serve_event *added, gxds_serve_event *dropped) {
  bool star = false;
  gxds_str *sorted = gxds_calloc(count, sizeof *sorted);
  size_t sorted_count = sort_names(names, count, sorted, &star);
  /* The legacy wildcard is a request without names, if no request had names before. */
  if (count > 0) s->named_ever = true;
  if (!s->named_ever && is_full_state(s->type)) star = true;
  if (star != s->wildcard) gxds_serve_event_add_name(star ? added : dropped, gxds_str_z("*"));
  s->wildcard = star;
  s->requested = true;

  gxds_ads_entry *entries = gxds_calloc(s->count + sorted_count, sizeof *entries);
  size_t out = 0;
  size_t i = 0;
  for (size_t j = 0; j < sorted_count; j++) {
    while (i < s->count && gxds_str_compare(s->entries[i].name, sorted[j]) < 0) {
      keep_or_drop(s, &s->entries[i++], entries, &out, dropped);
    }
    bool known = i < s->count && gxds_str_equal(s->entries[i].name, sorted[j]);
    gxds_ads_entry entry =
        known ? s->entries[i++] : (gxds_ads_entry){.name = gxds_str_dup(sorted[j])};
    if (!entry.named) gxds_serve_event_add_name(added, entry.name);
    if (!known && !gxds_name_is_canonical(s->type, entry.name)) s->odd_names = true;
    entry.named = true;
    entries[out++] = entry;
  }
  while (i < s->count) keep_or_drop(s, &s->entries[i++], entries, &out, dropped);
  gxds_free(s->entries);
  gxds_free(sorted);
  s->entries = entries;
  s->count = out;
  s->due.all = true;
}

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
    if (c->alias || c->gone) continue; /* SotW has no aliases, and sends removals later */
    const size_t at = find(s, c->name);
    if (at < s->count) look_at(s, at);
    if (at == s->count && s->wildcard) s->due.all = true;
  }
  return !gxds_due_is_empty(&s->due);
}

/* A name that the client subscribes to: the resource that exists now, and the one that the client
 * has. */
typedef struct row {
  gxds_ads_entry *entry; /* NULL: the resource comes with "*" and was never sent */
  const gxds_file_resource *now;
} row;

static bool changed(const row *r) {
  if (!r->now) return false;
  const gxds_file_resource *sent = r->entry ? r->entry->sent : NULL;
  if (r->entry && r->entry->resend) return true;
  if (sent == r->now) return false; /* the same pointer, because sets share unchanged resources */
  return !sent || !gxds_str_equal(sent->bytes, r->now->bytes);
}

static bool gone(const row *r) { return !r->now && r->entry && r->entry->sent; }

static row row_of(const gxds_ads_subscription *s, const gxds_file_set *set, size_t i) {
  const gxds_file_entry *found = gxds_file_set_find(set, s->type, s->entries[i].name);
  return (row){&s->entries[i], found ? found->resource : NULL};
}

/* All names of the subscription, sorted. The cost is proportional to their number, or with "*" to
 * the number of all resources. */
static row *join(const gxds_ads_subscription *s, const gxds_file_set *set, size_t *count) {
  const gxds_file_list *list = &set->types[s->type];
  row *rows = gxds_calloc(s->count + (s->wildcard ? list->count : 0), sizeof *rows);
  size_t out = 0;
  size_t j = 0;
  for (size_t i = 0; i < s->count; i++) {
    gxds_ads_entry *entry = &s->entries[i];
    if (!s->wildcard) {
      rows[out++] = row_of(s, set, i);
      continue;
    }
    while (j < list->count && gxds_str_compare(list->entries[j].resource->name, entry->name) < 0) {
      rows[out++] = (row){NULL, list->entries[j++].resource};
    }
    bool exists = j < list->count && gxds_str_equal(list->entries[j].resource->name, entry->name);
    rows[out++] = (row){entry, exists ? list->entries[j++].resource : NULL};
  }
  while (s->wildcard && j < list->count) rows[out++] = (row){NULL, list->entries[j++].resource};
  *count = out;
  return rows;
}

void gxds_ads_response_fini(gxds_ads_response *r) {
  for (size_t i = 0; i < r->count; i++) gxds_file_resource_unref(r->resources[i]);
  gxds_strs_free(r->removed, r->removed_count);
  gxds_free(r->resources);
  gxds_free(r->changed);
  *r = (gxds_ads_response){0};
}

static void include(gxds_ads_response *out, const gxds_file_resource *r) {
  out->resources[out->count++] = gxds_file_resource_ref(r);
}

static void mark_sent(gxds_ads_entry *entry, const gxds_file_resource *r) {
  entry->resend = false;
  const gxds_file_resource *old = entry->sent;
  entry->sent = r ? gxds_file_resource_ref(r) : NULL;
  gxds_file_resource_unref(old);
}

/* Makes the response from the rows, and records it in the entries. removal: leave out resources
 * that are gone; otherwise keep them. */
static void respond(gxds_ads_subscription *s, row *rows, size_t count, bool removal,
                    gxds_ads_response *out) {
  bool full = is_full_state(s->type);
  gxds_ads_entry *entries = gxds_calloc(count, sizeof *entries);
  size_t entry_count = 0;
  *out = (gxds_ads_response){.resources = gxds_calloc(count, sizeof *out->resources),
                             .changed = gxds_calloc(count, sizeof *out->changed),
                             .removed = gxds_calloc(count, sizeof *out->removed)};
  for (size_t i = 0; i < count; i++) {
    GXDS_CHECK(rows[i].entry || rows[i].now);
    gxds_ads_entry entry =
        rows[i].entry ? *rows[i].entry : (gxds_ads_entry){.name = gxds_str_dup(rows[i].now->name)};
    if (rows[i].now && (full || changed(&rows[i]))) {
      if (changed(&rows[i])) out->changed[out->changed_count++] = rows[i].now;
      include(out, rows[i].now);
      mark_sent(&entry, rows[i].now);
    } else if (full && gone(&rows[i])) {
      if (removal) {
        out->removed[out->removed_count++] = gxds_str_dup(entry.name);
        mark_sent(&entry, NULL);
      } else {
        include(out, entry.sent);
        out->kept++;
      }
    }
    if (entry.named || entry.sent) {
      entries[entry_count++] = entry;
    } else {
      free_entry(&entry);
    }
  }
  gxds_free(s->entries);
  s->entries = entries;
  s->count = entry_count;
  s->responded = true;
}

bool gxds_ads_subscription_resend(gxds_ads_subscription *s, gxds_str name) {
  const size_t at = find(s, name);
  if (at == s->count || !s->entries[at].sent) return false;
  s->entries[at].resend = true;
  look_at(s, at);
  return true;
}

static bool any_changed(const gxds_ads_subscription *s, const gxds_file_set *set) {
  for (size_t i = s->due.first; i < s->due.end; i++) {
    if (!s->entries[i].look) continue;
    const row r = row_of(s, set, i);
    if (changed(&r)) return true;
  }
  return false;
}

/* RDS and EDS: makes a response with the changed resources of the entries in `due`. The list of
 * entries stays the same. */
static void respond_in_part(gxds_ads_subscription *s, const gxds_file_set *set,
                            gxds_ads_response *out) {
  const size_t most = s->due.end - s->due.first;
  *out = (gxds_ads_response){.resources = gxds_calloc(most, sizeof *out->resources),
                             .changed = gxds_calloc(most, sizeof *out->changed)};
  for (size_t i = s->due.first; i < s->due.end; i++) {
    if (!s->entries[i].look) continue;
    const row r = row_of(s, set, i);
    if (!changed(&r)) continue;
    out->changed[out->changed_count++] = r.now;
    include(out, r.now);
    mark_sent(r.entry, r.now);
  }
  s->responded = true;
}

static bool take_all(gxds_ads_subscription *s, const gxds_file_set *set, gxds_ads_response *out) {
  size_t count;
  row *rows = join(s, set, &count);
  /* The first response is sent even if it is empty: the client may have resources that were removed
   * while it was away, and only their absence from a response deletes them. The same holds for the
   * first response to a wildcard. */
  bool due = !s->responded && (s->wildcard || is_full_state(s->type));
  for (size_t i = 0; i < count && !due; i++) due = changed(&rows[i]);
  if (due) respond(s, rows, count, false, out);
  gxds_free(rows);
  return due;
}

bool gxds_ads_subscription_take_update(gxds_ads_subscription *s, const gxds_file_set *set,
                                       gxds_ads_response *out) {
  bool due = false;
  const gxds_due looked = s->due;
  if (!s->requested) return false;
  if (s->due.all) {
    due = take_all(s, set, out);
  } else if (any_changed(s, set)) {
    due = true;
    if (is_full_state(s->type)) {
      due = take_all(s, set, out);
    } else {
      respond_in_part(s, set, out);
    }
  }
  for (size_t i = looked.first; i < looked.end && i < s->count; i++) s->entries[i].look = false;
  s->due = (gxds_due){0};
  return due;
}

static bool any_gone(const gxds_ads_subscription *s, const gxds_file_set *set) {
  for (size_t i = 0; i < s->count; i++) {
    if (s->entries[i].sent && !row_of(s, set, i).now) return true;
  }
  return false;
}

bool gxds_ads_subscription_removal_due(gxds_ads_subscription *s, const gxds_file_set *set) {
  if (!is_full_state(s->type) || !s->may_be_gone) return false;
  s->may_be_gone = any_gone(s, set);
  return s->may_be_gone;
}

void gxds_ads_subscription_take_removal(gxds_ads_subscription *s, const gxds_file_set *set,
                                        gxds_ads_response *out) {
  size_t count;
  row *rows = join(s, set, &count);
  respond(s, rows, count, true, out);
  gxds_free(rows);
}

/* Checks that only entries in `due` are due. */
static void validate_due(const gxds_ads_subscription *s, const gxds_file_set *set) {
  GXDS_CHECK(s->due.all || (s->due.first <= s->due.end && s->due.end <= s->count));
  if (!set) return;
  for (size_t i = 0; i < s->count; i++) {
    const row r = row_of(s, set, i);
    const bool looks = s->entries[i].look && i >= s->due.first && i < s->due.end;
    GXDS_CHECK(s->due.all || looks || !changed(&r));
  }
  size_t count;
  row *rows = join(s, set, &count);
  GXDS_CHECK(s->due.all || count == s->count);
  gxds_free(rows);
  if (is_full_state(s->type)) GXDS_CHECK(s->may_be_gone || !any_gone(s, set));
}

void gxds_ads_subscription_validate(const gxds_ads_subscription *s, const gxds_file_set *set) {
  validate_due(s, set);
  for (size_t i = 0; i < s->count; i++) {
    const gxds_ads_entry *e = &s->entries[i];
    GXDS_CHECK(i == 0 || gxds_str_compare(s->entries[i - 1].name, e->name) < 0);
    GXDS_CHECK(e->named || (s->wildcard && e->sent));
    GXDS_CHECK(!e->sent || e->sent->type == s->type);
    GXDS_CHECK(!e->sent || s->odd_names || gxds_str_equal(e->sent->name, e->name));
  }
  GXDS_CHECK(s->requested || (s->count == 0 && !s->wildcard));
}
