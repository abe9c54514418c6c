/* The cache: what is known of each resource, and what its watchers were told. */
#include "xds_client/client_internal.h"

gxds_entry *gxds_entry_find(gxds_client *c, size_t type, gxds_str name) {
  gxds_entry *e = NULL;
  HASH_FIND(by_name, c->by_name[type], name.data, name.size, e);
  return e;
}

gxds_entry *gxds_entry_find_by_bytes(gxds_client *c, size_t type, gxds_str bytes) {
  gxds_entry *e = NULL;
  if (bytes.size > 0) HASH_FIND(by_bytes, c->by_bytes[type], bytes.data, bytes.size, e);
  return e;
}

gxds_entry *gxds_entry_create(gxds_client *c, size_t type, gxds_authority *a, gxds_str name) {
  gxds_entry *e = GXDS_NEW(gxds_entry);
  e->type = type;
  e->ttl.kind = GXDS_DEADLINE_TTL;
  e->name = gxds_str_dup(name);
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
  if (e->indexed_by_bytes) HASH_DELETE(by_bytes, c->by_bytes[e->type], e);
  e->indexed_by_bytes = false;
  gxds_resource_unref(e->resource);
  e->resource = NULL;
  e->news = e->restored = false;
  e->source = NULL;
  gxds_deadlines_cancel(&c->deadlines, &e->ttl);
  gxds_entry_set_alias(c, e, gxds_str_of(NULL, 0));
  gxds_str_free(&e->bytes);
  gxds_str_free(&e->version);
}

static void clear_error(gxds_entry *e) {
  gxds_shared_status_assign(&e->error, NULL);
  gxds_str_free(&e->failed_version);
  e->failed = 0;
}

void gxds_entry_destroy(gxds_client *c, gxds_entry *e) {
  GXDS_CHECK(e->watch_count == 0 && e->subs == NULL);
  gxds_entry_forget(c, e);
  drop_resource(c, e);
  clear_error(e);
  gxds_shared_status_assign(&e->told, NULL);
  HASH_DELETE(by_name, c->by_name[e->type], e);
  DL_DELETE(e->authority->entries, e);
  e->authority->entry_count--;
  gxds_str_free(&e->name);
  gxds_free(e);
}

static void replace_str(gxds_str *s, gxds_str with) {
  gxds_str_free(s);
  *s = gxds_str_dup(with);
}

static void take_resource(gxds_client *c, gxds_entry *e, const gxds_accepted *take, gxds_time now) {
  drop_resource(c, e);
  clear_error(e);
  e->state = GXDS_RESOURCE_ACKED;
  e->resource = take->resource;
  e->news = true;
  e->bytes = gxds_str_dup(take->bytes);
  e->version = gxds_str_dup(take->version);
  e->updated = now;
  e->source = take->server;
  gxds_entry *same = NULL;
  if (take->named_by_bytes && e->bytes.size > 0) {
    HASH_FIND(by_bytes, c->by_bytes[e->type], e->bytes.data, e->bytes.size, same);
    if (!same) {
      HASH_ADD_KEYPTR(by_bytes, c->by_bytes[e->type], e->bytes.data, e->bytes.size, e);
      e->indexed_by_bytes = true;
    }
  }
}

void gxds_entry_accept(gxds_client *c, gxds_entry *e, const gxds_accepted *take, gxds_time now) {
  take_resource(c, e, take, now);
  gxds_entry_persist(c, e);
  gxds_entry_sync(c, e);
}

void gxds_entry_accept_kept(gxds_client *c, gxds_entry *e, const gxds_accepted *take,
                            gxds_shared_status *error, gxds_time now) {
  take_resource(c, e, take, now);
  e->restored = true;
  e->failed = now;
  gxds_shared_status_assign(&e->error, error);
  for (gxds_sub *sub = e->subs; sub; sub = sub->next_of_entry) {
    gxds_deadlines_cancel(&c->deadlines, &sub->timer);
  }
  gxds_entry_sync(c, e);
}

void gxds_entry_confirm(gxds_client *c, gxds_entry *e, gxds_str version) {
  GXDS_CHECK(e->resource != NULL);
  e->state = GXDS_RESOURCE_ACKED;
  e->restored = false;
  if (!gxds_str_equal(e->version, version)) replace_str(&e->version, version);
  if (e->error) clear_error(e);
  gxds_entry_sync(c, e);
}

void gxds_entry_fail(gxds_client *c, gxds_entry *e, gxds_resource_state state,
                     gxds_status take_error, gxds_str version, bool drop, gxds_time now) {
  if (drop) {
    gxds_entry_forget(c, e);
    drop_resource(c, e);
  }
  e->state = state;
  e->failed = now;
  replace_str(&e->failed_version, version);
  if (e->error && gxds_status_equal(&e->error->status, &take_error)) {
    gxds_status_fini(&take_error); /* the watchers know it already */
  } else {
    gxds_shared_status *error = gxds_shared_status_create(take_error);
    gxds_shared_status_assign(&e->error, error);
    gxds_shared_status_unref(error);
  }
  gxds_entry_sync(c, e);
}

void gxds_entry_set_ttl(gxds_client *c, gxds_entry *e, gxds_duration ttl, gxds_time now) {
  gxds_deadlines_cancel(&c->deadlines, &e->ttl);
  if (ttl > 0) gxds_deadlines_set(&c->deadlines, &e->ttl, gxds_time_after(now, ttl));
}

/* The server asked for that, so that what it can't take back any more does not stay: unlike after a
 * deletion (A88), it is not used on. */
void gxds_entry_on_ttl(gxds_client *c, gxds_entry *e, gxds_time now) {
  gxds_text message = {0};
  gxds_text_add_z(&message, "does not exist: its ttl ended, the server did not renew it");
  gxds_client_add_origin(c, e->source, &message);
  gxds_str version = gxds_str_dup(e->version);
  gxds_entry_fail(c, e, GXDS_RESOURCE_DOES_NOT_EXIST, gxds_status_take(GXDS_NOT_FOUND, &message),
                  version, true, now);
  gxds_str_free(&version);
}

bool gxds_entry_is_cached(const gxds_entry *e) {
  if (e->resource) return !e->restored;
  if (e->state == GXDS_RESOURCE_DOES_NOT_EXIST) return true;
  /* xRFC TP3: to be told so is as if its timer had fired. */
  return e->state == GXDS_RESOURCE_RECEIVED_ERROR && e->error->status.code == GXDS_NOT_FOUND;
}

/* A trouble with the server comes before one of the resource: it is the newer, since it ends with
 * the next response. That a resource was only kept names that trouble itself. */
gxds_shared_status *gxds_entry_error(const gxds_entry *e) {
  if (e->restored) return e->error;
  gxds_shared_status *unreachable = gxds_authority_error(e->authority);
  return unreachable ? unreachable : e->error;
}

static void tell(gxds_client *c, const gxds_watch *w, gxds_action_kind kind,
                 const gxds_resource *resource, gxds_shared_status *error) {
  gxds_action a = {.kind = kind, .watch = w->id, .watcher = w->watcher, .resource = resource};
  gxds_actions_push(&c->actions, &a, gxds_str_of(NULL, 0), error);
}

static void tell_all(gxds_client *c, const gxds_entry *e, gxds_action_kind kind,
                     const gxds_resource *resource, gxds_shared_status *error) {
  const gxds_watch *w;
  DL_FOREACH(e->watches, w) { tell(c, w, kind, resource, error); }
}

void gxds_entry_sync(gxds_client *c, gxds_entry *e) {
  if (e->news) {
    tell_all(c, e, GXDS_ACTION_RESOURCE, e->resource, NULL);
    gxds_shared_status_assign(&e->told, NULL); /* A88: a resource ends an ambient error */
    e->news = false;
  }
  bool instead = e->resource == NULL;
  if (instead && e->looking_up) return;
  gxds_shared_status *error = gxds_entry_error(e);
  if (error == e->told && (!error || instead == e->told_instead)) return;
  if (!instead) {
    tell_all(c, e, GXDS_ACTION_AMBIENT_ERROR, NULL, error);
  } else if (error) {
    tell_all(c, e, GXDS_ACTION_RESOURCE, NULL, error);
  } /* else: only a resource, or another error, ends a data error */
  gxds_shared_status_assign(&e->told, error);
  e->told_instead = instead;
}

void gxds_entry_greet(gxds_client *c, gxds_entry *e, const gxds_watch *w) {
  gxds_entry_sync(c, e); /* w is not yet among those it tells */
  if (e->resource) {
    tell(c, w, GXDS_ACTION_RESOURCE, e->resource, NULL);
    if (e->told) tell(c, w, GXDS_ACTION_AMBIENT_ERROR, NULL, e->told);
  } else if (e->told) {
    tell(c, w, GXDS_ACTION_RESOURCE, NULL, e->told);
  }
}
