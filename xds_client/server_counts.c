#include "xds_client/server_counts.h"

#include "base/memory.h"
#include "xds_client/client_internal.h"

gxds_server_counts *gxds_server_counts_get(gxds_server_counts **list,
                                           const gxds_bootstrap_server *server,
                                           const gxds_resource_type *const *types,
                                           size_t type_count) {
  while (*list && !gxds_bootstrap_server_equal((*list)->server, server)) list = &(*list)->next;
  if (!*list) {
    gxds_server_counts *counts = GXDS_NEW(gxds_server_counts);
    counts->server = server;
    counts->types = types;
    counts->type_count = type_count;
    counts->updates = gxds_calloc(type_count, sizeof *counts->updates);
    *list = counts;
  }
  return *list;
}

void gxds_server_counts_destroy(gxds_server_counts *list) {
  while (list) {
    gxds_server_counts *next = list->next;
    gxds_free(list->updates);
    gxds_free(list);
    list = next;
  }
}

void gxds_client_each_server(const gxds_client *c,
                             void (*fn)(void *arg, const gxds_server_counts *counts), void *arg) {
  for (const gxds_server_counts *s = c->counts; s; s = s->next) fn(arg, s);
}
