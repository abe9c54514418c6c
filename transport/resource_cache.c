#include "transport/resource_cache.h"

#include <unistd.h>

#include <xxhash.h>

#include "base/memory.h"
#include "transport/cache_dir.h"
#include "transport/cache_file.h"

/* How often a directory is swept. A process has a cache for each of its targets, and usually opens
 * all of them at once. */
#define SWEEP_EVERY (3600 * GXDS_SECOND)

typedef struct origin_file {
  const gxds_bootstrap_server *server; /* the first server of that origin; borrowed, like
                                          authority */
  gxds_str authority;
  gxds_str origin;
  gxds_cache_file *file;
} origin_file;

struct gxds_resource_cache {
  const gxds_bootstrap *bootstrap;
  gxds_str target;
  gxds_duration wall_offset;
  origin_file *files; /* a handful at most */
  size_t count;
};

gxds_resource_cache *gxds_resource_cache_create(const gxds_bootstrap *b, gxds_str target,
                                                gxds_duration wall_offset) {
  gxds_resource_cache *c = GXDS_NEW(gxds_resource_cache);
  c->bootstrap = b;
  c->target = gxds_str_dup(target);
  c->wall_offset = wall_offset;
  return c;
}

void gxds_resource_cache_destroy(gxds_resource_cache *c) {
  if (!c) return;
  for (size_t i = 0; i < c->count; i++) {
    gxds_str_free(&c->files[i].origin);
    gxds_cache_file_close(c->files[i].file);
  }
  gxds_free(c->files);
  gxds_str_free(&c->target);
  gxds_free(c);
}

/* ---- which file ---- */

static void add_part(gxds_text *all, gxds_str part) {
  gxds_text_addf(all, "%zu ", part.size);
  gxds_text_add(all, part);
}

/* The origin of a server's resources: a readable part, and then a hash of everything that
 * identifies the origin. These are hashed because a node may be long, and because configs of
 * credentials must not be written to the file. The sizes of the parts are hashed too, so no two
 * lists of parts look the same. */
static gxds_str make_origin(const gxds_resource_cache *c, const gxds_action *a) {
  const gxds_bootstrap *b = c->bootstrap;
  const gxds_str parts[] = {a->server->uri,
                            a->server->creds_type,
                            a->server->creds_config_json,
                            a->authority,
                            b->node_without_id,
                            b->resource_cache_by_node_id ? b->node_id : gxds_str_of(NULL, 0)};
  gxds_text all = {0};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) add_part(&all, parts[i]);
  for (size_t i = 0; i < a->server->jwt_token_file_count; i++) {
    add_part(&all, a->server->jwt_token_files[i]);
  }
  XXH128_hash_t hash = XXH3_128bits(all.data, all.size);
  gxds_text_clear(&all);
  gxds_text_add(&all, a->server->uri);
  gxds_text_add_z(&all, "\n");
  gxds_text_add(&all, a->authority);
  gxds_text_addf(&all, "\n%016llx%016llx", (unsigned long long)hash.high64,
                 (unsigned long long)hash.low64);
  return gxds_text_take(&all);
}

/* Removes unused files, if the directory was not swept in the last hour. Only on the reactor's
 * thread. */
static void sweep(const gxds_resource_cache *c, gxds_time now) {
  static gxds_str swept;
  static gxds_time next;
  gxds_str path = c->bootstrap->resource_cache_dir;
  if (gxds_str_equal(swept, path) && now < next) return;
  gxds_str_set(&swept, path);
  next = gxds_time_after(now, SWEEP_EVERY);
  int dir;
  /* The reason was logged when a file in it was opened. */
  if (gxds_cache_dir_open(path.data, &dir)) return;
  gxds_cache_dir_sweep(dir, now + c->wall_offset);
  close(dir);
}

/* The file for that server's resources. NULL if the server is a directory: its resources are on
 * disk already. */
static gxds_cache_file *file_of(gxds_resource_cache *c, const gxds_action *a, gxds_time now,
                                gxds_text *log) {
  if (a->server->directory.size) return NULL;
  for (size_t i = 0; i < c->count; i++) {
    const origin_file *f = &c->files[i];
    if (f->server == a->server && gxds_str_equal(f->authority, a->authority)) return f->file;
  }
  gxds_str origin = make_origin(c, a);
  for (size_t i = 0; i < c->count; i++) {
    if (!gxds_str_equal(c->files[i].origin, origin)) continue;
    gxds_str_free(&origin);
    return c->files[i].file;
  }
  c->files = gxds_realloc(c->files, c->count + 1, sizeof *c->files);
  origin_file *added = &c->files[c->count++];
  *added = (origin_file){.server = a->server, .authority = a->authority, .origin = origin};
  added->file = gxds_cache_file_open(c->bootstrap->resource_cache_dir, c->target, origin, now,
                                     c->wall_offset, log);
  sweep(c, now);
  return added->file;
}

bool gxds_resource_cache_put(gxds_resource_cache *c, const gxds_action *a, gxds_time now,
                             gxds_text *log) {
  gxds_cache_file *file = file_of(c, a, now, log);
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

void gxds_resource_cache_settle(gxds_resource_cache *c, gxds_time now, gxds_text *log) {
  for (size_t i = 0; i < c->count; i++) gxds_cache_file_settle(c->files[i].file, now, log);
}

void gxds_resource_cache_restore(gxds_resource_cache *c, const gxds_action *a, gxds_client *engine,
                                 gxds_time now, gxds_text *log) {
  gxds_cache_file *file = file_of(c, a, now, log);
  gxds_cache_record r = {0};
  bool found = file && gxds_cache_file_find(file, gxds_str_z(a->type->type_url), a->name, &r);
  const gxds_kept kept = {.scope = a->scope,
                          .server = a->server,
                          .type = a->type,
                          .name = a->name,
                          .found = found,
                          .version = r.version,
                          .bytes = r.bytes,
                          .accepted = r.accepted};
  gxds_client_restore(engine, &kept, now);
}
