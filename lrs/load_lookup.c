/* Finds the counters of a load store, and makes missing ones. Under the store's lock. */
#include <xxhash.h>

#include "base/memory.h"
#include "lrs/load_store_internal.h"

static uint64_t hash_of(gxds_str cluster, gxds_str eds_service) {
  return XXH3_64bits_withSeed(eds_service.data, eds_service.size,
                              XXH3_64bits(cluster.data, cluster.size));
}

gxds_load_server *gxds_load_store_find_server(gxds_load_store *s,
                                              const gxds_bootstrap_server *server) {
  for (gxds_load_server *i = s->servers; i; i = i->next) {
    if (gxds_bootstrap_server_equal(&i->server, server)) return i;
  }
  return NULL;
}

gxds_load_server *gxds_load_store_server(gxds_load_store *s, const gxds_bootstrap_server *server) {
  gxds_load_server *found = gxds_load_store_find_server(s, server);
  if (found) return found;
  found = GXDS_NEW(gxds_load_server);
  found->store = s;
  found->server = gxds_bootstrap_server_copy(server);
  found->since = GXDS_TIME_NEVER;
  LL_APPEND(s->servers, found);
  return found;
}

gxds_load_cluster *gxds_load_store_cluster(gxds_load_store *s, gxds_load_server *server,
                                           gxds_str cluster, gxds_str eds_service) {
  uint64_t hash = hash_of(cluster, eds_service);
  gxds_index_link *l = gxds_index_find(&s->clusters, hash);
  for (; l; l = gxds_index_find_next(l)) {
    gxds_load_cluster *c = (gxds_load_cluster *)l;
    if (c->server == server && gxds_str_equal(c->cluster, cluster) &&
        gxds_str_equal(c->eds_service, eds_service)) {
      return c;
    }
  }
  gxds_load_cluster *c = GXDS_NEW(gxds_load_cluster);
  c->server = server;
  c->cluster = gxds_str_dup(cluster);
  c->eds_service = gxds_str_dup(eds_service);
  c->since = server->since;
  c->drops.cluster = c;
  gxds_index_add(&s->clusters, &c->by_names, hash);
  server->left++;
  DL_APPEND(server->clusters, c);
  return c;
}

gxds_locality_load *gxds_load_cluster_locality(gxds_load_cluster *c, gxds_str target,
                                               gxds_str region, gxds_str zone, gxds_str sub_zone) {
  gxds_locality_load *l;
  gxds_locality_load *after = NULL; /* the last counters of that locality in the list, of whichever
                                       target */
  DL_FOREACH(c->localities, l) {
    bool same = gxds_str_equal(l->region, region) && gxds_str_equal(l->zone, zone) &&
                gxds_str_equal(l->sub_zone, sub_zone);
    if (same && gxds_str_equal(l->target, target)) return l;
    if (same) after = l;
  }
  l = GXDS_NEW(gxds_locality_load);
  l->cluster = c;
  l->target = gxds_str_dup(target);
  l->region = gxds_str_dup(region);
  l->zone = gxds_str_dup(zone);
  l->sub_zone = gxds_str_dup(sub_zone);
  if (after) {
    DL_APPEND_ELEM(c->localities, after, l);
  } else {
    DL_APPEND(c->localities, l);
  }
  return l;
}
