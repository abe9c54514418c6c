/* gxds_connector: carries out what a gxds_race decides, with subchannels and a timer. What it is
 * part of, an endpoint or a policy, makes the subchannels and is notified of the state.
 *
 * Confined: the channel's serializer. */
#ifndef GRPC_XDS_LB_POLICIES_HAPPY_EYEBALLS_CONNECTOR_H_
#define GRPC_XDS_LB_POLICIES_HAPPY_EYEBALLS_CONNECTOR_H_

#include "host/channel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_connector gxds_connector;

typedef struct gxds_connector_ops {
  /* A subchannel to the address of that number. One reference, the connector's; NULL: none can be
   * made, which counts as a failure to connect. */
  gxds_subchannel *(*make)(void *owner, uint32_t address);
  /* The state. chosen: in READY, and while that connection lasts, the subchannel (borrowed: valid
   * until the next call, or the connector's end); else NULL. status: why, in TRANSIENT_FAILURE;
   * borrowed, valid during the call. May end the connector. */
  void (*on_state)(void *owner, grpc_connectivity_state state, const gxds_status *status,
                   gxds_subchannel *chosen);
  bool connection_only; /* as in gxds_watch */
  /* An attempt to connect to one address ended while the connector waited for it. NULL: nobody
   * counts them. Must not end the connector. */
  void (*attempt_ended)(void *owner, bool succeeded);
} gxds_connector_ops;

/* Of that many addresses, at least one, in the order in which they are tried. Makes subchannels to
 * find out the state, which it reports later, never from here; connects when it is told. One
 * owner. */
gxds_connector *gxds_connector_create(gxds_lb_channel *channel, const gxds_connector_ops *ops,
                                      void *owner, uint32_t count);
/* Ends it and its subchannels: it reports nothing more. NULL is allowed. */
void gxds_connector_end(gxds_connector *c);
/* To connect, if it is not at it. Reports nothing from here; so does the next. */
void gxds_connector_connect(gxds_connector *c);
void gxds_connector_reset_backoff(gxds_connector *c);
/* The addresses are in another order: what was order[i] is i. */
void gxds_connector_reorder(gxds_connector *c, const uint32_t *order);

#ifdef __cplusplus
}
#endif

#endif
