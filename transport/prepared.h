/* gxds_prepared: the credentials for each server of a bootstrap. They are made in advance, on a
 * thread that may block. One owner, who destroys them when no stream uses them any more. The child
 * of a fork never frees those of its parent. */
#ifndef GRPC_XDS_TRANSPORT_PREPARED_H_
#define GRPC_XDS_TRANSPORT_PREPARED_H_

#include "transport/call_creds.h"
#include "transport/clients.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_prepared_server {
  const gxds_bootstrap_server *server; /* the server in the bootstrap */
  /* NULL if the server is not a gRPC server, or if the host could not make them. */
  struct grpc_channel_credentials *creds;
  gxds_call_creds *call_creds; /* NULL: the server has none */
} gxds_prepared_server;

/* Finds the credentials for the bootstrap's server that equals this one. Borrowed: valid as long as
 * p. NULL if the bootstrap has no such server. */
const gxds_prepared_server *gxds_prepared_find(const gxds_prepared *p,
                                               const gxds_bootstrap_server *server);

#ifdef __cplusplus
}
#endif

#endif
