#include "transport/target_caches.h"

#include <utlist.h>

#include "base/hash_table.h"
#include "base/memory.h"
#include "transport/resource_cache.h"

/* How often all caches are settled. So caches to which nothing is written are marked as in use too,
 * which must happen once a day (GXDS_CACHE_TOUCH_EVERY). */
#define SETTLE_ALL_EVERY (3600 * GXDS_SECOND)

typedef struct target_cache {
  uint32_t scope;
  gxds_resource_cache *cache;
  bool used; /* the cache was used since it was last settled */
  struct target_cache *next_used;
  UT_hash_handle hh;
} target_cache;

struct gxds_target_caches {
  const gxds_bootstrap *bootstrap;
  gxds_duration wall_offset;
  target_cache *by_scope;
  target_cache *used;
  gxds_time settle_all; /* when all caches are settled next */
};

gxds_target_caches *gxds_target_caches_create(const gxds_bootstrap *b, gxds_duration wall_offset) {
  gxds_target_caches *c = GXDS_NEW(gxds_target_caches);
  c->bootstrap = b;
  c->wall_offset = wall_offset;
  return c;
}

static target_cache *find(gxds_target_caches *c, uint32_t scope) {
  target_cache *t = NULL;
  HASH_FIND(hh, c->by_scope, &scope, sizeof scope, t);
  return t;
}

void gxds_target_caches_add(gxds_target_caches *c, uint32_t scope, gxds_str target) {
  GXDS_CHECK(!find(c, scope));
  target_cache *t = GXDS_NEW(target_cache);
  t->scope = scope;
  t->cache = gxds_resource_cache_create(c->bootstrap, target, c->wall_offset);
  HASH_ADD(hh, c->by_scope, scope, sizeof t->scope, t);
}

static void end(gxds_target_caches *c, target_cache *t) {
  if (t->used) LL_DELETE2(c->used, t, next_used);
  HASH_DEL(c->by_scope, t);
  gxds_resource_cache_destroy(t->cache);
  gxds_free(t);
}

void gxds_target_caches_remove(gxds_target_caches *c, uint32_t scope) {
  target_cache *t = find(c, scope);
  if (t) end(c, t);
}

void gxds_target_caches_destroy(gxds_target_caches *c) {
  if (!c) return;
  while (c->by_scope) end(c, c->by_scope);
  gxds_free(c);
}

static void note_use(gxds_target_caches *c, target_cache *t) {
  if (t->used) return;
  t->used = true;
  LL_PREPEND2(c->used, t, next_used);
}

/* Responds to a RESTORE whose target is gone that there is no kept resource. Another target may
 * have kept the resource, so the engine can ask for that next. */
static void restore_nothing(const gxds_action *a, gxds_client *engine, gxds_time now) {
  const gxds_kept kept = {.scope = a->scope, .server = a->server, .type = a->type, .name = a->name};
  gxds_client_restore(engine, &kept, now);
}

void gxds_target_caches_carry_out(gxds_target_caches *c, const gxds_action *a, gxds_client *engine,
                                  gxds_time now, gxds_text *log) {
  target_cache *t = find(c, a->scope);
  if (t) note_use(c, t);
  if (a->kind == GXDS_ACTION_RESTORE && t) {
    gxds_resource_cache_restore(t->cache, a, engine, now, log);
  } else if (a->kind == GXDS_ACTION_RESTORE) {
    restore_nothing(a, engine, now);
  } else if (t && gxds_resource_cache_put(t->cache, a, now, log)) {
    gxds_client_keep_all(engine, t->scope, a->server);
  }
}

static void settle(target_cache *t, gxds_time now, gxds_text *log) {
  t->used = false;
  gxds_resource_cache_settle(t->cache, now, log);
}

void gxds_target_caches_settle(gxds_target_caches *c, gxds_time now, gxds_text *log) {
  if (now >= c->settle_all) {
    c->settle_all = gxds_time_after(now, SETTLE_ALL_EVERY);
    for (target_cache *t = c->by_scope; t; t = t->hh.next) settle(t, now, log);
  } else {
    for (target_cache *t = c->used; t; t = t->next_used) settle(t, now, log);
  }
  c->used = NULL;
}
