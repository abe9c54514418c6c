/* gxds_server_counts: the counters of one server of a client, for metrics (A78). Confined, like the
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

/* Counted since the first use of the server. The counts stay when the client stops using the
 * server. */
typedef struct gxds_server_counts {
  const gxds_bootstrap_server *server;
  bool in_use;
  bool connected;    /* the server has not failed since its last response; only if it is in use */
  uint64_t failures; /* how often the server went from healthy to unreachable */
  const gxds_resource_type *const *types;
  size_t type_count;
  gxds_update_counts *updates; /* one for each resource type */
  struct gxds_server_counts *next;
} gxds_server_counts;

/* Calls fn for every server that was ever used, in the order of first use. fn must not call the
 * client. */
void gxds_client_each_server(const gxds_client *c,
                             void (*fn)(void *arg, const gxds_server_counts *counts), void *arg);

/* Finds the counts of server in the list that begins at *list, and adds them if they are missing.
 * The list owns the result. server and types are borrowed: valid as long as the list. */
gxds_server_counts *gxds_server_counts_get(gxds_server_counts **list,
                                           const gxds_bootstrap_server *server,
                                           const gxds_resource_type *const *types,
                                           size_t type_count);
/* Frees the whole list. list may be NULL. */
void gxds_server_counts_destroy(gxds_server_counts *list);

#ifdef __cplusplus
}
#endif

#endif
