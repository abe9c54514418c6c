#include "transport/resource_cache.h"

#include "base/memory.h"
#include "transport/cache_file.h"

typedef struct server_file {
  gxds_str server;
  gxds_cache_file *file;
} server_file;

struct gxds_resource_cache {
  gxds_str dir;
  gxds_str target;
  server_file *files; /* a handful at most */
  size_t count;
};

gxds_resource_cache *gxds_resource_cache_create(gxds_str dir, gxds_str target) {
  gxds_resource_cache *c = GXDS_NEW(gxds_resource_cache);
  c->dir = gxds_str_dup(dir);
  c->target = gxds_str_dup(target);
  return c;
}

void gxds_resource_cache_destroy(gxds_resource_cache *c) {
  if (!c) return;
  for (size_t i = 0; i < c->count; i++) {
    gxds_str_free(&c->files[i].server);
    gxds_cache_file_close(c->files[i].file);
  }
  gxds_free(c->files);
  gxds_str_free(&c->dir);
  gxds_str_free(&c->target);
  gxds_free(c);
}

/* NULL: it is a directory, and on disk already. */
static gxds_cache_file *file_of(gxds_resource_cache *c, const gxds_bootstrap_server *server,
                                gxds_time now, gxds_text *log) {
  if (server->directory.size) return NULL;
  for (size_t i = 0; i < c->count; i++) {
    if (gxds_str_equal(c->files[i].server, server->uri)) return c->files[i].file;
  }
  c->files = gxds_realloc(c->files, c->count + 1, sizeof *c->files);
  server_file *added = &c->files[c->count++];
  added->server = gxds_str_dup(server->uri);
  added->file = gxds_cache_file_open(c->dir, c->target, server->uri, now, log);
  return added->file;
}

bool gxds_resource_cache_put(gxds_resource_cache *c, const gxds_action *a, gxds_time now,
                             gxds_text *log) {
  gxds_cache_file *file = file_of(c, a->server, now, log);
  if (!file) return false;
  const gxds_cache_record record = {.removed = a->kind == GXDS_ACTION_FORGET,
                                    .accepted = a->accepted,
                                    .type = gxds_str_z(a->type->type_url),
                                    .name = a->name,
                                    .version = a->version,
                                    .bytes = a->bytes};
  gxds_cache_file_put(file, &record, now, log);
  return gxds_cache_file_take_lost(file);
}

void gxds_resource_cache_settle(gxds_resource_cache *c, gxds_text *log) {
  for (size_t i = 0; i < c->count; i++) gxds_cache_file_settle(c->files[i].file, log);
}

void gxds_resource_cache_restore(gxds_resource_cache *c, const gxds_action *a, gxds_client *engine,
                                 gxds_time now, gxds_text *log) {
  gxds_cache_file *file = file_of(c, a->server, now, log);
  gxds_cache_record r = {0};
  bool found = file && gxds_cache_file_find(file, gxds_str_z(a->type->type_url), a->name, &r);
  const gxds_kept kept = {.server = a->server,
                          .type = a->type,
                          .name = a->name,
                          .found = found,
                          .version = r.version,
                          .bytes = r.bytes,
                          .accepted = r.accepted};
  gxds_client_restore(engine, &kept, now);
}
