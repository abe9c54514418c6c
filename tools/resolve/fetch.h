/* gxds_fetch: the configuration of an xds: target, fetched as a channel fetches it (our engine,
 * dependency manager and transport), for people to look at. It connects to control planes, not to
 * endpoints.
 *
 * Confined to the thread that started it; after grpc_init(). */
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

/* authority: instead of the target's own; NULL: none. False: error says what is wrong. */
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

/* What there is at one time; all owned. */
typedef struct gxds_fetched {
  bool answered;                    /* the channel has a configuration, or knows that it has none */
  gxds_status failure;              /* answered, and it has none: why */
  const gxds_config *config;        /* answered, and not a failure */
  gxds_str listener_name;           /* that is asked for; empty: it cannot be told */
  gxds_str servers;                 /* of the bootstrap: "a:1, b:2" */
  gxds_fetched_resource *resources; /* by type and name */
  size_t resource_count;
} gxds_fetched;

/* Borrowed: valid as long as f. NULL: it neither holds it nor waits for it. */
const gxds_fetched_resource *gxds_fetched_find(const gxds_fetched *f,
                                               const gxds_resource_type *type, gxds_str name);
void gxds_fetched_destroy(gxds_fetched *f);

typedef struct gxds_fetch gxds_fetch;

/* Reads the bootstrap and starts. NULL: *status says what is wrong. target: borrowed, valid as long
 * as the fetch. */
gxds_fetch *gxds_fetch_start(const gxds_fetch_target *target, gxds_status *status);
/* Waits for news, at most until the deadline (on gxds_clock_now()). Whether there are any. */
bool gxds_fetch_wait(gxds_fetch *f, gxds_time deadline);
/* All that there is now. */
gxds_fetched *gxds_fetch_take(gxds_fetch *f);
void gxds_fetch_stop(gxds_fetch *f);

#ifdef __cplusplus
}
#endif

#endif
