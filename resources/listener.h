/* gxds_listener: a validated envoy.config.listener.v3.Listener, as a gRPC client reads it (A27,
 * A39). Immutable, shared: any thread. */
#ifndef GRPC_XDS_RESOURCES_LISTENER_H_
#define GRPC_XDS_RESOURCES_LISTENER_H_

#include "base/time.h"
#include "resources/http_filters.h"
#include "resources/route_config.h"
#include "xds_client/resource_type.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_listener_kind {
  GXDS_LISTENER_API,    /* the listener has an api_listener, which clients need */
  GXDS_LISTENER_SOCKET, /* a server's listener: the dependency manager refuses it (A74) */
} gxds_listener_kind;

typedef struct gxds_listener {
  gxds_resource base;
  gxds_str name;
  gxds_listener_kind kind;
  /* For API exactly one of this and route_config is set. */
  gxds_str rds_name;
  const gxds_route_config *route_config; /* an inline route configuration; this listener holds the
                                            reference */
  gxds_duration max_stream_duration;     /* from http_protocol_options; -1: not set */
  const gxds_http_filter *filters;       /* A39, for API: the filters in order; at least one */
  size_t filter_count;
  bool has_sessions;       /* A55: one of the filters is a stateful_session */
  struct upb_Arena *arena; /* private */
} gxds_listener;

extern const gxds_resource_type gxds_listener_type;

#ifdef __cplusplus
}
#endif

#endif
