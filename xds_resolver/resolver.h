/* gxds_resolver: everything behind one xds: channel: its use of an XdsClient, its dependency
 * manager, and the passing of snapshots to the channel.
 *
 * It has two sides. The owner's side is under the channel's serializer: start, take, close. The
 * rest is on the reactor. Between them there are messages to the reactor, and a slot with room for
 * one update, in which a newer update replaces an older one.
 *
 *     reactor:     … ─► put update into the slot ─► schedule()     (once per update not yet taken)
 *     serializer:                                      └─► gxds_resolver_take() ─► the channel
 */
#ifndef GRPC_XDS_XDS_RESOLVER_RESOLVER_H_
#define GRPC_XDS_XDS_RESOLVER_RESOLVER_H_

#include "base/host.h"
#include "transport/clients.h"
#include "xds_resolver/cluster_ref.h"
#include "xds_resolver/config.h"
#include "xds_resolver/mailbox.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_resolver gxds_resolver;

/* All of it is borrowed: valid during the call of gxds_resolver_start(), unless a field says
 * otherwise. */
typedef struct gxds_resolver_options {
  gxds_str target; /* the channel's target, in canonical form; it decides which channels share an
                      XdsClient (transport/clients.h) */
  gxds_str uri_authority;        /* the authority of the xds: URI; empty if there is none */
  gxds_str uri_path;             /* the path of the xds: URI, decoded, without the leading slash */
  gxds_str data_plane_authority; /* chooses the virtual host */
  /* If not NULL, this is the bootstrap, and the channel has its own XdsClient. */
  const char *bootstrap_json;
  /* Used only if this channel makes the XdsClient: the arguments of the client's channels to the
   * servers, and the client's does-not-exist timeout (0 means the default). args is borrowed: valid
   * until gone(); may be NULL. */
  const grpc_channel_args *args;
  gxds_duration resource_timeout;
  const gxds_host *host;    /* borrowed: valid until the process ends */
  const void *channel_args; /* the channel's own arguments in the host's form, for DNS. Borrowed:
                               valid until gone(). May be NULL */
  /* Called when there is an update to take, on the reactor's thread. It must only pass this on to
   * another thread. */
  void (*schedule)(void *arg);
  /* Called some time after gxds_resolver_close(), on the reactor's thread: arg is no longer
   * used. */
  void (*gone)(void *arg);
  void *arg;
} gxds_resolver_options;

/* The configuration that the channel must use from now on. Owned by whoever took it. */
typedef struct gxds_resolver_update {
  gxds_status failure;              /* not OK if the channel has no configuration to use (A74) */
  const gxds_config *config;        /* a reference; NULL if failure is not OK */
  const gxds_cluster_set *clusters; /* a reference: holds on the clusters of the routes, and on the
                                       children of their plugins. It is the same pointer as before,
                                       as long as the routes name the same clusters and plugins.
                                       NULL if failure is not OK */
} gxds_resolver_update;

/* Reads the bootstrap, unless a channel of the same target uses it already, and does everything
 * that may block (it makes credentials) on the calling thread; then starts on the reactor. If the
 * bootstrap cannot be read or is wrong, the status says what was expected and where. Then nothing
 * was started, and gone() is not called. */
GXDS_MUST_USE gxds_status gxds_resolver_start(const gxds_resolver_options *options,
                                              gxds_resolver **out);

/* ---- the owner's side ---- */

/* Takes the latest update; NULL if there is none since the last call. The caller ends it with
 * gxds_resolver_update_destroy(). */
gxds_resolver_update *gxds_resolver_take(gxds_resolver *r);
void gxds_resolver_update_destroy(gxds_resolver_update *u); /* u may be NULL */
/* Borrowed: valid until gxds_resolver_close(). To keep it longer, take a reference. */
gxds_mailbox *gxds_resolver_mailbox(gxds_resolver *r);
void gxds_resolver_reresolve(gxds_resolver *r);
void gxds_resolver_reset_backoff(gxds_resolver *r);
/* Ends the resolver. r must not be used any more, and its mailbox does nothing from now on. */
void gxds_resolver_close(gxds_resolver *r);

#ifdef __cplusplus
}
#endif

#endif
