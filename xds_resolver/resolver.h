/* gxds_resolver: what is behind one xds: channel: its use of an XdsClient, its dependency manager,
 * and the way of snapshots to the channel.
 *
 * It lives on two sides. The owner's is the channel's serializer: start, take, close. The rest is
 * on the reactor. Between them are messages to the reactor, and a slot with room for one update:
 * the latest wins.
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

/* All of it is borrowed: valid during the call of gxds_resolver_start(), but for what says
 * otherwise. */
typedef struct gxds_resolver_options {
  gxds_str target; /* the channel's target in canonical form; transport/clients.h decides by it
                      which channels share an XdsClient */
  gxds_str uri_authority;        /* of the xds: URI; empty: none */
  gxds_str uri_path;             /* of the xds: URI, decoded, without the leading slash */
  gxds_str data_plane_authority; /* chooses the virtual host */
  /* If not NULL, this is the bootstrap, and the channel has an XdsClient of its own. */
  const char *bootstrap_json;
  /* For the XdsClient, if this channel makes it: the arguments of its channels to the servers, and
   * its does-not-exist timeout (0: the default). args is borrowed until gone(), and may be NULL. */
  const grpc_channel_args *args;
  gxds_duration resource_timeout;
  const gxds_host *host;    /* borrowed: valid until the process ends */
  const void *channel_args; /* the channel's own arguments in the host's form, for DNS. Borrowed:
                               valid until gone(). May be NULL */
  /* There is an update to take. Called on the reactor: it must only pass this on to another thread.
   */
  void (*schedule)(void *arg);
  /* After gxds_resolver_close(): arg is not used any more. Called on the reactor. */
  void (*gone)(void *arg);
  void *arg;
} gxds_resolver_options;

/* What the channel uses from now on. Whoever took it owns it. */
typedef struct gxds_resolver_update {
  gxds_status failure;       /* not OK: nothing (A74) */
  const gxds_config *config; /* OK: a reference */
  /* OK: the clusters of the routes and the children of their plugins; the same pointer as long as
   * the names are the same. A reference. */
  const gxds_cluster_set *clusters;
} gxds_resolver_update;

/* Reads the bootstrap (unless a channel of the target has it in use already) and makes what may
 * block (credentials) on this thread, then starts on the reactor. When the bootstrap can't be read
 * or is wrong, the status says what was looked for and where; then nothing was started, and gone()
 * is not called. */
GXDS_MUST_USE gxds_status gxds_resolver_start(const gxds_resolver_options *options,
                                              gxds_resolver **out);

/* ---- the owner's side ---- */

/* Takes the latest update; NULL if there is no new one. The caller ends it with
 * gxds_resolver_update_destroy(). */
gxds_resolver_update *gxds_resolver_take(gxds_resolver *r);
void gxds_resolver_update_destroy(gxds_resolver_update *u); /* NULL is allowed */
/* Borrowed: valid until gxds_resolver_close(); take a reference to keep it. */
gxds_mailbox *gxds_resolver_mailbox(gxds_resolver *r);
void gxds_resolver_reresolve(gxds_resolver *r);
void gxds_resolver_reset_backoff(gxds_resolver *r);
/* Ends the resolver. r is invalid afterwards, and its mailbox has no effect any more. */
void gxds_resolver_close(gxds_resolver *r);

#ifdef __cplusplus
}
#endif

#endif
