/* gxds_connector carries out the decisions of a gxds_race, with subchannels and a timer. Its owner,
 * an endpoint or a policy, makes the subchannels and is notified of the state. Only under the
 * channel's serializer. */
#ifndef GRPC_XDS_LB_POLICIES_HAPPY_EYEBALLS_CONNECTOR_H_
#define GRPC_XDS_LB_POLICIES_HAPPY_EYEBALLS_CONNECTOR_H_

#include "host/channel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_connector gxds_connector;

typedef struct gxds_connector_ops {
  /* Makes a subchannel to the address with that index. The connector owns the returned reference.
   * NULL if none can be made, which counts as a failure to connect. */
  gxds_subchannel *(*make)(void *owner, uint32_t address);
  /* Reports the state. `chosen` is the connected subchannel in READY, and as long as that
   * connection lasts; otherwise NULL. It is borrowed: valid until the next call, or the connector's
   * end. status is the reason for TRANSIENT_FAILURE; borrowed, valid during the call. The owner may
   * end the connector here. */
  void (*on_state)(void *owner, grpc_connectivity_state state, const gxds_status *status,
                   gxds_subchannel *chosen);
  bool connection_only; /* as in gxds_watch */
  /* An attempt to connect to one address ended; for owners that count attempts. Only attempts that
   * the connector waited for are reported. May be NULL. The owner must not end the connector here.
   */
  void (*attempt_ended)(void *owner, bool succeeded);
} gxds_connector_ops;

/* Makes a connector for that many addresses, at least one, in the order in which to try them. It
 * makes subchannels at once to find out the state, and reports the state later, never from within
 * this call. It connects after gxds_connector_connect(). One owner. */
gxds_connector *gxds_connector_create(gxds_lb_channel *channel, const gxds_connector_ops *ops,
                                      void *owner, uint32_t count);
/* Ends the connector and its subchannels. It reports nothing more. c may be NULL. */
void gxds_connector_end(gxds_connector *c);
/* Begins to connect, unless it is connected or connecting. This and the next function report
 * nothing from within the call. */
void gxds_connector_connect(gxds_connector *c);
void gxds_connector_reset_backoff(gxds_connector *c);
/* The addresses are in a new order: the address at index order[i] moves to index i. */
void gxds_connector_reorder(gxds_connector *c, const uint32_t *order);

#ifdef __cplusplus
}
#endif

#endif
