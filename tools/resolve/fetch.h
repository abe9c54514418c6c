/* gxds_fetch fetches the configuration of an xds: target as a channel does, with our engine,
 * dependency manager and transport, so that the tools can show it. It connects to control planes,
 * but not to endpoints. Only on the thread that started it; after grpc_init(). */
#ifndef GRPC_XDS_TOOLS_RESOLVE_FETCH_H_
#define GRPC_XDS_TOOLS_RESOLVE_FETCH_H_

#include "base/time.h"
#include "xds_client/client.h"
#include "xds_resolver/config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "xds:///service" or "xds://authority/service", taken apart; strings are owned. */
typedef struct gxds_fetch_target {
  gxds_str uri;
  gxds_str uri_authority;
  gxds_str uri_path;             /* decoded, without the leading slash */
  gxds_str data_plane_authority; /* chooses the virtual host */
} gxds_fetch_target;

/* authority replaces the target's own authority, unless it is NULL. If the target is not valid,
 * adds the reason to error, and returns false. */
bool gxds_fetch_target_parse(const char *uri, const char *authority, gxds_fetch_target *out,
                             gxds_text *error);
void gxds_fetch_target_fini(gxds_fetch_target *t);

/* One resource that the XdsClient holds or waits for; all owned. */
typedef struct gxds_fetched_resource {
  const gxds_resource_type *type;
  gxds_str name;
  gxds_resource_state state;
  gxds_str version;
  const gxds_resource *resource; /* NULL: none */
  gxds_str error;                /* empty: none */
  gxds_str failed_version;
} gxds_fetched_resource;

/* The state at one time; all owned. */
typedef struct gxds_fetched {
  bool settled;                     /* the channel has a configuration, or knows that it has none */
  gxds_status failure;              /* if settled without a configuration, the reason */
  const gxds_config *config;        /* set if settled without a failure */
  gxds_str listener_name;           /* the listener that the channel watches; empty: not known */
  gxds_str servers;                 /* the bootstrap's servers: "a:1, b:2" */
  gxds_fetched_resource *resources; /* the resources, sorted by type and name */
  size_t resource_count;
} gxds_fetched;

/* Borrowed: valid as long as f. NULL if the client neither has the resource nor waits for it. */
const gxds_fetched_resource *gxds_fetched_find(const gxds_fetched *f,
                                               const gxds_resource_type *type, gxds_str name);
void gxds_fetched_destroy(gxds_fetched *f);

typedef struct gxds_fetch gxds_fetch;

/* Reads the bootstrap, and starts. On failure returns NULL, and *status is the reason. target is
 * borrowed: valid as long as the result. One owner. */
gxds_fetch *gxds_fetch_start(const gxds_fetch_target *target, gxds_status *status);
/* Waits for a change, at most until the deadline (on gxds_clock_now()). Returns whether there was
 * one. */
bool gxds_fetch_wait(gxds_fetch *f, gxds_time deadline);
/* The present state. */
gxds_fetched *gxds_fetch_take(gxds_fetch *f);
void gxds_fetch_stop(gxds_fetch *f);

#ifdef __cplusplus
}
#endif

#endif
