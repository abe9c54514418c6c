/* gxds_prepared: the credentials for each server of a bootstrap, made where blocking is allowed.
 * One owner. */
#ifndef GRPC_XDS_TRANSPORT_PREPARED_H_
#define GRPC_XDS_TRANSPORT_PREPARED_H_

#include "transport/clients.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The server of the bootstrap that is equal to this one, and its credentials. Borrow: as long as p.
 * NULL: the bootstrap has no such server. *creds is NULL when the host could not make any. */
const gxds_bootstrap_server *gxds_prepared_find(const gxds_prepared *p,
                                                const gxds_bootstrap_server *server,
                                                struct grpc_channel_credentials **creds);

#ifdef __cplusplus
}
#endif

#endif
