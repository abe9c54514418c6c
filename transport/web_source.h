/* gxds_web_source: an "http:" or "https:" server of the bootstrap. web/ decides on the requests,
 * and http.h sends them, on a thread of the source's own. To its one engine, it behaves like an xDS
 * server.
 *
 * A stream ends when a response could not be fetched, read or applied. The first request loads
 * libcurl. A fork waits until no such thread is inside libcurl. The child makes new streams.
 * Confined: the reactor's thread. */
#ifndef GRPC_XDS_TRANSPORT_WEB_SOURCE_H_
#define GRPC_XDS_TRANSPORT_WEB_SOURCE_H_

#include "bootstrap/bootstrap.h"
#include "transport/source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* server must have a web_form, and is copied. events and arg are borrowed: valid as long as the
 * source. */
gxds_source *gxds_web_source_create(const gxds_bootstrap_server *server,
                                    const gxds_source_events *events, void *arg);

#ifdef __cplusplus
}
#endif

#endif
