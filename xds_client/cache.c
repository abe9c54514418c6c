/* The cache: what is known of each resource, and what its watchers were last notified of. */
#include "xds_client/client_internal.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

gxds_entry *gxds_entry_find(gxds_client *c, size_t type, gxds_str name) {
  gxds_entry *e = NULL;
  HASH_FIND(by_name, c->by_name[type], name.data, name.size, e);
  return e;
}

/* Not uthash's own hash: for a large resource that one takes as long as decoding it. */
uint64_t gxds_hash_of_bytes(gxds_str bytes) { return XXH3_64bits(bytes.data, bytes.size); }

static unsigned hash_of_bytes(gxds_str bytes) { return (unsigned)gxds_hash_of_bytes(bytes); }

gxds_entry *gxds_entry_find_by_bytes(gxds_client *c, size_t type, gxds_str bytes) {
  gxds_entry_bytes *found = NULL;
  if (bytes.size == 0) return NULL;
  HASH_FIND_BYHASHVALUE(hh, c->by_bytes[type], bytes.data, bytes.size, hash_of_bytes(bytes), found);
  return found ? found->entry : NULL;
}

gxds_entry *gxds_entry_create(gxds_client *c, size_t type, gxds_authority *a, gxds_str name) {
  gxds_entry *e = gxds_calloc(1, sizeof *e + name.size + 1);
  char *text = (char *)(e + 1);
  memcpy(text, name.data, name.size);
  e->type = (uint8_t)type;
  e->ttl.kind = GXDS_DEADLINE_TTL;
  e->name = gxds_str_of(text, name.size);
  e->authority = a;
  DL_APPEND(a->entries, e);
  a->entry_count++;
  HASH_ADD_KEYPTR(by_name, c->by_name[type], e->name.data, e->name.size, e);
  return e;
}

void gxds_entry_set_alias(gxds_client *c, gxds_entry *e, gxds_str name) {
  if (e->alias_of.size > 0) c->alias_count--;
  gxds_str_free(&e->alias_of);
  if (name.size == 0) return;
  e->alias_of = gxds_str_dup(name);
  c->alias_count++;
}

static void drop_resource(gxds_client *c, gxds_entry *e) {
  if (e->in_bytes) HASH_DELETE(hh, c->by_bytes[e->type], e->in_bytes);
  gxds_free(e->in_bytes);
  e->in_bytes = NULL;
  gxds_resource_unref(e->resource);
  e->resource = NULL;
  e->unnotified = e->restored = false;
  e->source = NULL;
  gxds_deadlines_cancel(&c->deadlines, &e->ttl);
  gxds_entry_set_alias(c, e, gxds_str_of(NULL, 0));
  gxds_str_free(&e->bytes);
  gxds_str_free(&e->version);
  gxds_str_free(&e->wrapper_version);
}

static void clear_failure(gxds_entry *e) {
  if (!e->failure) return;
  gxds_error_unref(e->failure->error);
  gxds_str_free(&e->failure->version);
  gxds_free(e->failure);
  e->failure = NULL;
}

/* An error that equals the last one keeps its pointer, so the watchers are not notified again. */
static void set_failure(gxds_entry *e, const gxds_error *take_error, gxds_str version,
                        gxds_time now) {
  gxds_update_failure *failure = GXDS_NEW(gxds_update_failure);
  failure->error = gxds_error_renew(e->failure ? e->failure->error : NULL, take_error);
  failure->version = gxds_str_dup(version);
  failure->since = now;
  clear_failure(e);
  e->failure = failure;
}

void gxds_entry_destroy(gxds_client *c, gxds_entry *e) {
  GXDS_CHECK(e->watch_count == 0 && e->subs == NULL);
  drop_resource(c, e);
  clear_failure(e);
  gxds_error_assign(&e->notified, NULL);
  HASH_DELETE(by_name, c->by_name[e->type], e);
  DL_DELETE(e->authority->entries, e);
  e->authority->entry_count--;
  gxds_free(e);
}

static void replace_str(gxds_str *s, gxds_str with) {
  if (gxds_str_equal(*s, with)) return;
  gxds_str_free(s);
  if (with.size) *s = gxds_str_dup(with);
}

static void start_ttl(gxds_client *c, gxds_entry *e, gxds_duration ttl, gxds_time now) {
  gxds_deadlines_cancel(&c->deadlines, &e->ttl);
  if (ttl > 0) gxds_deadlines_set(&c->deadlines, &e->ttl, gxds_time_after(now, ttl));
}

static void index_by_bytes(gxds_client *c, gxds_entry *e) {
  if (e->bytes.size == 0) return;
  unsigned hash = hash_of_bytes(e->bytes);
  gxds_entry_bytes *same = NULL;
  HASH_FIND_BYHASHVALUE(hh, c->by_bytes[e->type], e->bytes.data, e->bytes.size, hash, same);
  if (same) return;
  e->in_bytes = GXDS_NEW(gxds_entry_bytes);
  e->in_bytes->entry = e;
  HASH_ADD_KEYPTR_BYHASHVALUE(hh, c->by_bytes[e->type], e->bytes.data, e->bytes.size, hash,
                              e->in_bytes);
}

static void take_resource(gxds_client *c, gxds_entry *e, const gxds_accepted *take, gxds_time now) {
  drop_resource(c, e);
  clear_failure(e);
  e->state = GXDS_RESOURCE_ACKED;
  e->resource = take->resource;
  e->unnotified = true;
  e->expired = false;
  e->bytes = gxds_str_dup(take->bytes);
  e->version = gxds_str_dup(take->version);
  replace_str(&e->wrapper_version, take->wrapper_version);
  e->updated = now;
  e->source = take->server;
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
  replace_str(&e->version, same->version);
  replace_str(&e->wrapper_version, same->wrapper_version);
  gxds_entry_renew(c, e, same->ttl, now);
  /* One scope kept it: now it is kept for all that watch it. */
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
  const gxds_error *error = gxds_client_error(c, GXDS_NOT_FOUND, &message, e->source);
  gxds_str version = gxds_str_dup(e->version);
  fail(c, e, GXDS_RESOURCE_DOES_NOT_EXIST, error, version, true, now);
  gxds_str_free(&version);
  e->expired = true;
  gxds_authority_fall_back(c, e->authority); /* A71: as for a resource that never came */
  gxds_entry_sync(c, e);
}

bool gxds_entry_is_cached(const gxds_entry *e) {
  if (e->resource && !e->restored) return true;
  if (e->state == GXDS_RESOURCE_DOES_NOT_EXIST) return !e->expired;
  /* xRFC TP3: a NOT_FOUND error counts like a does-not-exist timer that fired. */
  return e->state == GXDS_RESOURCE_RECEIVED_ERROR && e->failure->error->code == GXDS_NOT_FOUND;
}

bool gxds_entry_is_awaited(const gxds_entry *e) {
  if (!e->resource) return true;
  return e->restored && e->state == GXDS_RESOURCE_ACKED && e->authority->had_response;
}

/* An error of the server comes before an error of the resource. The server's error is the newer
 * one, because any response would have ended it. The error of a kept resource already says why no
 * server answers. */
const gxds_error *gxds_entry_error(const gxds_entry *e) {
  const gxds_error *own = e->failure ? e->failure->error : NULL;
  if (e->restored) return own;
  const gxds_error *unreachable = gxds_authority_error(e->authority, e->resource == NULL);
  return unreachable ? unreachable : own;
}

static void notify(gxds_client *c, const gxds_watch *w, gxds_action_kind kind,
                   const gxds_resource *resource, const gxds_error *error) {
  gxds_action a = {
      .kind = kind, .watch = w->id, .watcher = w->watcher, .resource = resource, .error = error};
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
  } /* else: only a resource, or another error, ends a data error */
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
