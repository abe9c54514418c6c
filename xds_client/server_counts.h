/* gxds_server_counts: what became of one server of a client, for metrics (A78). Confined, like the
 * client. */
#ifndef GRPC_XDS_XDS_CLIENT_SERVER_COUNTS_H_
#define GRPC_XDS_XDS_CLIENT_SERVER_COUNTS_H_

#include "xds_client/client.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Resources that were received, changed or not. */
typedef struct gxds_update_counts {
  uint64_t valid;
  uint64_t invalid;
} gxds_update_counts;

/* From the first use of the server on, also when it was given up meanwhile. */
typedef struct gxds_server_counts {
  const gxds_bootstrap_server *server;
  bool connected;    /* it is used, and no failure came after the last response */
  uint64_t failures; /* times that it went from well to unreachable */
  const gxds_resource_type *const *types;
  size_t type_count;
  gxds_update_counts *updates; /* one per type */
  struct gxds_server_counts *next;
} gxds_server_counts;

/* Calls fn for every server that was used, in the order of their first use. fn must not call the
 * client. */
void gxds_client_each_server(const gxds_client *c,
                             void (*fn)(void *arg, const gxds_server_counts *counts), void *arg);

/* The counts of a server, in a list that begins at *list; made when there are none. server and
 * types: borrowed, valid as long as the list. */
gxds_server_counts *gxds_server_counts_get(gxds_server_counts **list,
                                           const gxds_bootstrap_server *server,
                                           const gxds_resource_type *const *types,
                                           size_t type_count);
/* Frees the whole list; NULL is allowed. */
void gxds_server_counts_destroy(gxds_server_counts *list);

#ifdef __cplusplus
}
#endif

#endif
