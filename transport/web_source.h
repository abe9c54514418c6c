/* gxds_web_source: an "http:" or "https:" server of the bootstrap: what it is asked (web/) and what
 * is carried (http.h), on a thread of its own, which speaks with one engine as an xDS server would.
 *
 * A stream ends when something could not be fetched, read or applied. libcurl is loaded by the
 * first request. A fork waits until no such thread is within libcurl; the child's streams are new
 * ones. Confined: the reactor's thread. */
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
