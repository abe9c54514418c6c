#include "transport/prepared.h"

#include <grpc/grpc_security.h>

#include "base/memory.h"
#include "transport/channel_creds.h"
#include "transport/reactor.h"

struct gxds_prepared {
  const gxds_bootstrap *bootstrap; /* a reference; it owns the servers */
  gxds_prepared_server *entries;
  size_t count;
  unsigned generation; /* the reactor's generation when they were made */
};

const gxds_prepared_server *gxds_prepared_find(const gxds_prepared *p,
                                               const gxds_bootstrap_server *server) {
  for (size_t i = 0; i < p->count; i++) {
    if (gxds_bootstrap_server_equal(p->entries[i].server, server)) return &p->entries[i];
  }
  return NULL;
}

/* Adds servers that were not added before. A47: an authority may list the top-level servers, and
 * uses them if it lists none. */
static void add(gxds_prepared *p, const gxds_host *host,
                const gxds_bootstrap_server *const *servers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (gxds_prepared_find(p, servers[i])) continue;
    p->entries = gxds_realloc(p->entries, p->count + 1, sizeof(gxds_prepared_server));
    p->entries[p->count++] = (gxds_prepared_server){
        servers[i],
        gxds_bootstrap_server_is_grpc(servers[i])
            ? gxds_channel_creds_create(servers[i]->creds_type, servers[i]->creds_config_json, host)
            : NULL,
        gxds_call_creds_create(servers[i])};
  }
}

gxds_prepared *gxds_clients_prepare(const gxds_bootstrap *bootstrap, const gxds_host *host) {
  gxds_prepared *p = GXDS_NEW(gxds_prepared);
  p->bootstrap = gxds_bootstrap_ref(bootstrap);
  p->generation = gxds_reactor_generation();
  add(p, host, bootstrap->servers, bootstrap->server_count);
  for (size_t i = 0; i < bootstrap->authority_count; i++) {
    add(p, host, bootstrap->authorities[i].servers, bootstrap->authorities[i].server_count);
  }
  return p;
}

void gxds_prepared_destroy(gxds_prepared *p) {
  if (!p) return;
  /* The end of "tls" credentials joins the thread that reads their files. The child of a fork does
   * not have the threads of its parent, so it keeps the parent's credentials for ever. */
  if (p->generation != gxds_reactor_generation()) return;
  for (size_t i = 0; i < p->count; i++) {
    if (p->entries[i].creds) grpc_channel_credentials_release(p->entries[i].creds);
    gxds_call_creds_destroy(p->entries[i].call_creds);
  }
  gxds_free(p->entries);
  gxds_bootstrap_unref(p->bootstrap);
  gxds_free(p);
}
