/* The cache: what is known of each resource, and what its watchers were last notified of. */
#include "xds_client/client_internal.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

gxds_entry *gxds_entry_find(const gxds_client *c, size_t type, gxds_str name) {
  gxds_index_link *l = gxds_index_find(&c->by_name[type], gxds_index_hash(name));
  while (l && !gxds_str_equal(gxds_entry_name((gxds_entry *)l), name)) l = gxds_index_find_next(l);
  return (gxds_entry *)l;
}

uint64_t gxds_hash_of_bytes(gxds_str bytes) { return XXH3_64bits(bytes.data, bytes.size); }

/* ---- entries by their bytes ---- */

/* The hash of a resource's bytes in the index. It covers only the beginning and the end of a large
 * resource, and its size: that is cheap, and tells resources apart, because the name is at the
 * beginning. */
static uint64_t key_of(gxds_str bytes) {
  enum { kPart = 512 };
  if (bytes.size <= 2 * kPart) return gxds_index_hash(bytes);
  const uint64_t first = XXH3_64bits_withSeed(bytes.data, kPart, bytes.size);
  return XXH3_64bits_withSeed(bytes.data + bytes.size - kPart, kPart, first);
}

static gxds_bytes_key *find_key(const gxds_client *c, size_t type, gxds_str bytes, uint64_t hash) {
  gxds_index_link *l = gxds_index_find(&c->by_bytes[type], hash);
  while (l && !gxds_str_equal(gxds_entry_bytes(((gxds_bytes_key *)l)->entry), bytes)) {
    l = gxds_index_find_next(l);
  }
  return (gxds_bytes_key *)l;
}

gxds_entry *gxds_entry_find_by_bytes(const gxds_client *c, size_t type, gxds_str bytes) {
  if (bytes.size == 0) return NULL;
  const gxds_bytes_key *key = find_key(c, type, bytes, key_of(bytes));
  return key ? key->entry : NULL;
}

static void index_by_bytes(gxds_client *c, gxds_entry *e) {
  gxds_str bytes = gxds_entry_bytes(e);
  uint64_t hash = key_of(bytes);
  if (bytes.size == 0 || find_key(c, e->type, bytes, hash)) return;
  gxds_bytes_key *key = GXDS_NEW(gxds_bytes_key);
  key->entry = e;
  gxds_index_add(&c->by_bytes[e->type], &key->by_bytes, hash);
}

static void forget_by_bytes(gxds_client *c, const gxds_entry *e) {
  gxds_str bytes = gxds_entry_bytes(e);
  if (bytes.size == 0 || c->by_bytes[e->type].count == 0) return;
  gxds_index_link *l = gxds_index_find(&c->by_bytes[e->type], key_of(bytes));
  while (l && ((gxds_bytes_key *)l)->entry != e) l = gxds_index_find_next(l);
  if (!l) return;
  gxds_index_remove(&c->by_bytes[e->type], l);
  gxds_free(l);
}

/* ---- what an entry holds ---- */

gxds_entry *gxds_entry_create(gxds_client *c, size_t type, gxds_authority *a, gxds_str name) {
  gxds_entry *e = gxds_calloc(1, sizeof *e + name.size);
  memcpy(e->name, name.data, name.size);
  GXDS_CHECK(name.size <= UINT16_MAX);
  e->name_size = (uint16_t)name.size;
  e->type = (uint8_t)type;
  e->ttl.kind = GXDS_DEADLINE_TTL;
  e->authority = a;
  DL_APPEND(a->entries, e);
  a->entry_count++;
  gxds_index_add(&c->by_name[type], &e->by_name, gxds_index_hash(name));
  return e;
}

/* Sets the bytes and the version. The bytes may be those that the entry has, or their beginning. */
static void set_text(gxds_entry *e, gxds_str bytes, gxds_str version) {
  GXDS_CHECK(bytes.size <= UINT32_MAX && version.size <= UINT16_MAX);
  const bool same_bytes = bytes.data == e->text;
  const size_t size = bytes.size + version.size;
  if (size != (size_t)e->bytes_size + e->version_size || !e->text) {
    e->text = gxds_realloc(e->text, size, 1);
  }
  if (!same_bytes && bytes.size > 0) memcpy(e->text, bytes.data, bytes.size);
  if (version.size > 0) memcpy(e->text + bytes.size, version.data, version.size);
  e->bytes_size = (uint32_t)bytes.size;
  e->version_size = (uint16_t)version.size;
}

static void forget_text(gxds_entry *e) {
  gxds_free(e->text);
  e->text = NULL;
  e->bytes_size = 0;
  e->version_size = 0;
}

static void replace_str(gxds_str *s, gxds_str with) {
  if (gxds_str_equal(*s, with)) return;
  gxds_str_free(s);
  if (with.size) *s = gxds_str_dup(with);
}

static gxds_entry_rare *rare_of(gxds_entry *e) {
  if (!e->rare) e->rare = GXDS_NEW(gxds_entry_rare);
  return e->rare;
}

static void drop_empty_rare(gxds_entry *e) {
  const gxds_entry_rare *rare = e->rare;
  if (!rare || rare->failure.error || rare->wrapper_version.size || rare->alias_of.size) return;
  gxds_free(e->rare);
  e->rare = NULL;
}

static void set_wrapper_version(gxds_entry *e, gxds_str version) {
  if (gxds_str_equal(gxds_entry_wrapper_version(e), version)) return;
  replace_str(&rare_of(e)->wrapper_version, version);
  drop_empty_rare(e);
}

void gxds_entry_set_alias(gxds_client *c, gxds_entry *e, gxds_str name) {
  if (gxds_str_equal(gxds_entry_alias_of(e), name)) return;
  if (gxds_entry_alias_of(e).size > 0) c->alias_count--;
  if (name.size > 0) c->alias_count++;
  replace_str(&rare_of(e)->alias_of, name);
  drop_empty_rare(e);
}

static void clear_failure(gxds_entry *e) {
  if (!gxds_entry_failure(e)) return;
  gxds_error_assign(&e->rare->failure.error, NULL);
  gxds_str_free(&e->rare->failure.version);
  drop_empty_rare(e);
}

/* An error that equals the last one keeps its pointer, so the watchers are not notified again. */
static void set_failure(gxds_entry *e, const gxds_error *take_error, gxds_str version,
                        gxds_time now) {
  gxds_update_failure *failure = &rare_of(e)->failure;
  const gxds_error *before = failure->error;
  failure->error = gxds_error_renew(before, take_error);
  gxds_error_unref(before);
  replace_str(&failure->version, version);
  failure->since = now;
}

static void drop_resource(gxds_client *c, gxds_entry *e) {
  forget_by_bytes(c, e);
  gxds_resource_unref(e->resource);
  e->resource = NULL;
  e->unnotified = e->restored = false;
  e->source = 0;
  gxds_deadlines_cancel(&c->deadlines, &e->ttl);
  gxds_entry_set_alias(c, e, gxds_str_of(NULL, 0));
  set_wrapper_version(e, gxds_str_of(NULL, 0));
  forget_text(e);
}

void gxds_entry_destroy(gxds_client *c, gxds_entry *e) {
  GXDS_CHECK(e->watch_count == 0 && e->subs == NULL);
  drop_resource(c, e);
  clear_failure(e);
  gxds_error_assign(&e->notified, NULL);
  gxds_index_remove(&c->by_name[e->type], &e->by_name);
  DL_DELETE(e->authority->entries, e);
  e->authority->entry_count--;
  gxds_free(e);
}

/* ---- what servers send of it ---- */

static void start_ttl(gxds_client *c, gxds_entry *e, gxds_duration ttl, gxds_time now) {
  gxds_deadlines_cancel(&c->deadlines, &e->ttl);
  if (ttl > 0) gxds_deadlines_set(&c->deadlines, &e->ttl, gxds_time_after(now, ttl));
}

static void take_resource(gxds_client *c, gxds_entry *e, const gxds_accepted *take, gxds_time now) {
  drop_resource(c, e);
  clear_failure(e);
  e->state = GXDS_RESOURCE_ACKED;
  e->resource = take->resource;
  e->unnotified = true;
  e->expired = false;
  set_text(e, take->bytes, take->version);
  set_wrapper_version(e, take->wrapper_version);
  e->updated = now;
  const size_t place = gxds_authority_place_of(e->authority, take->server);
  GXDS_CHECK(place < e->authority->server_count);
  e->source = (uint8_t)(place + 1);
  if (take->named_by_bytes) index_by_bytes(c, e);
  start_ttl(c, e, take->ttl, now);
}

void gxds_entry_accept(gxds_client *c, gxds_entry *e, const gxds_accepted *take, gxds_time now) {
  take_resource(c, e, take, now);
  gxds_entry_persist(c, e);
  gxds_entry_sync(c, e);
}

void gxds_entry_accept_kept(gxds_client *c, gxds_entry *e, const gxds_accepted *take,
                            const gxds_error *error, gxds_time now) {
  take_resource(c, e, take, now);
  e->restored = true;
  set_failure(e, gxds_error_ref(error), gxds_str_of(NULL, 0), now);
  for (gxds_sub *sub = e->subs; sub; sub = sub->next_of_entry) {
    gxds_deadlines_cancel(&c->deadlines, &sub->timer);
  }
  gxds_entry_sync(c, e);
}

void gxds_entry_renew(gxds_client *c, gxds_entry *e, gxds_duration ttl, gxds_time now) {
  bool ended = gxds_deadline_is_set(&e->ttl);
  start_ttl(c, e, ttl, now);
  if (ended != gxds_deadline_is_set(&e->ttl)) gxds_entry_persist(c, e);
}

void gxds_entry_confirm(gxds_client *c, gxds_entry *e, const gxds_accepted *same, gxds_time now) {
  GXDS_CHECK(e->resource != NULL);
  e->state = GXDS_RESOURCE_ACKED;
  bool was_restored = e->restored;
  e->restored = false;
  set_text(e, gxds_entry_bytes(e), same->version);
  set_wrapper_version(e, same->wrapper_version);
  gxds_entry_renew(c, e, same->ttl, now);
  /* Only one scope had kept the resource on disk. Now it is kept for every scope that watches
   * it. */
  if (was_restored) gxds_entry_persist(c, e);
  clear_failure(e);
  gxds_entry_sync(c, e);
}

static void fail(gxds_client *c, gxds_entry *e, gxds_resource_state state,
                 const gxds_error *take_error, gxds_str version, bool drop, gxds_time now) {
  if (drop) {
    gxds_entry_forget(c, e);
    drop_resource(c, e);
  }
  e->state = (uint8_t)state;
  e->expired = false;
  set_failure(e, take_error, version, now);
}

void gxds_entry_fail(gxds_client *c, gxds_entry *e, gxds_resource_state state,
                     const gxds_error *take_error, gxds_str version, bool drop, gxds_time now) {
  fail(c, e, state, take_error, version, drop, now);
  gxds_entry_sync(c, e);
}

/* A server sets a ttl so that a resource does not stay in use once the server can no longer delete
 * it. So, unlike after a deletion (A88), the resource is always dropped. */
void gxds_entry_on_ttl(gxds_client *c, gxds_entry *e, gxds_time now) {
  gxds_text message = {0};
  gxds_text_add_z(&message, "does not exist: its ttl ended, the server did not renew it");
  const gxds_error *error = gxds_client_error(c, GXDS_NOT_FOUND, &message, gxds_entry_source(e));
  gxds_str version = gxds_str_dup(gxds_entry_version(e));
  fail(c, e, GXDS_RESOURCE_DOES_NOT_EXIST, error, version, true, now);
  gxds_str_free(&version);
  e->expired = true;
  gxds_authority_fall_back(c, e->authority); /* A71: the resource is missing now, as if no server
                                                had ever sent it */
  gxds_entry_sync(c, e);
}

static bool is_known_not_to_exist(const gxds_entry *e) {
  if (e->state == GXDS_RESOURCE_DOES_NOT_EXIST) return !e->expired;
  /* xRFC TP3: a NOT_FOUND error counts like a does-not-exist timer that fired. */
  return e->state == GXDS_RESOURCE_RECEIVED_ERROR &&
         gxds_entry_failure(e)->error->code == GXDS_NOT_FOUND;
}

bool gxds_entry_is_cached(const gxds_entry *e) {
  return (e->resource && !e->restored) || is_known_not_to_exist(e);
}

bool gxds_entry_is_awaited(const gxds_entry *e) {
  if (!e->resource) return true;
  if (is_known_not_to_exist(e)) return false;
  return e->restored ? e->authority->had_response : e->source > e->authority->conn_count;
}

/* An error of the server comes before an error of the resource. The server's error is the newer
 * one, because any response ends it. The error of a kept resource already says why no server
 * responds. */
const gxds_error *gxds_entry_error(const gxds_entry *e) {
  const gxds_update_failure *failure = gxds_entry_failure(e);
  const gxds_error *own = failure ? failure->error : NULL;
  if (e->restored) return own;
  const gxds_error *unreachable = gxds_authority_error(e->authority, e->resource == NULL);
  return unreachable ? unreachable : own;
}

static void notify(gxds_client *c, const gxds_watch *w, gxds_action_kind kind,
                   const gxds_resource *resource, const gxds_error *error) {
  gxds_action a = {.kind = kind,
                   .watch = gxds_watch_get_id(w),
                   .watcher = w->watcher,
                   .resource = resource,
                   .error = error};
  gxds_actions_push(&c->actions, &a, gxds_str_of(NULL, 0));
}

static void notify_all(gxds_client *c, const gxds_entry *e, gxds_action_kind kind,
                       const gxds_resource *resource, const gxds_error *error) {
  const gxds_watch *w;
  DL_FOREACH(e->watches, w) { notify(c, w, kind, resource, error); }
}

void gxds_entry_sync(gxds_client *c, gxds_entry *e) {
  if (e->unnotified) {
    notify_all(c, e, GXDS_ACTION_RESOURCE, e->resource, NULL);
    gxds_error_assign(&e->notified, NULL); /* A88: a resource ends an ambient error */
    e->unnotified = false;
  }
  bool is_data_error = e->resource == NULL;
  if (is_data_error && e->looking_up) return;
  const gxds_error *error = gxds_entry_error(e);
  if (error == e->notified && (!error || is_data_error == e->notified_data_error)) return;
  if (!is_data_error) {
    notify_all(c, e, GXDS_ACTION_AMBIENT_ERROR, NULL, error);
  } else if (error) {
    notify_all(c, e, GXDS_ACTION_RESOURCE, NULL, error);
  } /* otherwise a data error stays until there is a resource or another error */
  gxds_error_assign(&e->notified, error);
  e->notified_data_error = is_data_error;
}

void gxds_entry_notify_new(gxds_client *c, gxds_entry *e, const gxds_watch *w) {
  gxds_entry_sync(c, e); /* w is not in the list yet, so this does not notify it */
  if (e->resource) {
    notify(c, w, GXDS_ACTION_RESOURCE, e->resource, NULL);
    if (e->notified) notify(c, w, GXDS_ACTION_AMBIENT_ERROR, NULL, e->notified);
  } else if (e->notified) {
    notify(c, w, GXDS_ACTION_RESOURCE, NULL, e->notified);
  }
}
