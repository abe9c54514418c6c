/* gxds_subchannel: a connection to one endpoint, shared with other channels where the host can. The
 * host makes it. A policy that needs the events of the subchannels below it wraps each in its own
 * subchannel. The subchannel of an endpoint with several addresses is built from several of the
 * host's subchannels (lb_policies/happy_eyeballs).
 *
 * Counted by reference. Pickers hold references, so these are released on any thread. The last
 * reference must be released under the channel's serializer, or where the host destroys a picker or
 * a tracker, because the host releases subchannels there too. Anywhere else, release it through
 * post() (host/channel.h). All other functions are called under the serializer. */
#ifndef GRPC_XDS_HOST_SUBCHANNEL_H_
#define GRPC_XDS_HOST_SUBCHANNEL_H_

#include <grpc/impl/codegen/connectivity_state.h>
#include <stdbool.h>

#include "base/ref.h"
#include "base/status.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_subchannel gxds_subchannel;
typedef struct gxds_watch gxds_watch;

/* A watch is notified of a subchannel's state. It is the first field of the watcher's own object,
 * which lives until gxds_subchannel_unwatch(). */
struct gxds_watch {
  /* status says why the subchannel is in TRANSIENT_FAILURE, else it is OK. Borrowed: valid during
   * the call. The function may call gxds_subchannel_unwatch(). */
  void (*on_state)(gxds_watch *w, grpc_connectivity_state state, const gxds_status *status);
  void *subchannels; /* the subchannel's own data for the watch */
  /* A61: the watch is notified of the connection's state only, not of ejections by outlier
   * detection, which pick_first ignores. Set before gxds_subchannel_watch(). */
  bool connection_only;
};

struct gxds_lb_address;  /* host/addresses.h */
struct gxds_orca_report; /* lb_policies/orca/orca_report.h */

/* A listener receives the load that the backend of one subchannel reports out of band (A51). It is
 * the first field of the listener's own object. Counted by reference: the subchannel and the policy
 * may end in either order. */
typedef struct gxds_load_listener gxds_load_listener;
typedef struct gxds_load_listener_ops {
  /* The connection broke, or there is a new one. This and reported(): any thread, one call at a
   * time; they must not call the subchannel. The call comes before the first report on the new
   * connection, even if the policy has not been notified of that connection yet. There is no call
   * for a connection that already existed when reports were first requested. */
  void (*connection_changed)(gxds_load_listener *l);
  void (*reported)(gxds_load_listener *l, const struct gxds_orca_report *report);
  void (*destroy)(gxds_load_listener *l); /* any thread */
} gxds_load_listener_ops;
struct gxds_load_listener {
  gxds_ref refs;
  const gxds_load_listener_ops *ops;
  void *subchannels; /* the subchannel's own data for the listener */
};
static inline gxds_load_listener *gxds_load_listener_ref(gxds_load_listener *l) {
  gxds_ref_inc(&l->refs);
  return l;
}
/* NULL is allowed. Any thread. */
static inline void gxds_load_listener_unref(gxds_load_listener *l) {
  if (l && gxds_ref_dec(&l->refs)) l->ops->destroy(l);
}

typedef struct gxds_subchannel_ops {
  void (*destroy)(gxds_subchannel *s);
  /* If one of the next four functions is NULL, the same function of the wrapped subchannel is
   * called. */
  void (*watch)(gxds_subchannel *s, gxds_watch *w);
  void (*unwatch)(gxds_subchannel *s, gxds_watch *w);
  void (*connect)(gxds_subchannel *s);
  void (*reset_backoff)(gxds_subchannel *s);
  void (*report_load)(gxds_subchannel *s, gxds_load_listener *l,
                      gxds_duration interval); /* innermost */
  /* called only for the innermost subchannel; NULL: the endpoint has a single address */
  void (*reorder)(gxds_subchannel *s, const struct gxds_lb_address *address);
} gxds_subchannel_ops;

struct gxds_subchannel { /* first in its maker's own object */
  gxds_ref refs;
  const gxds_subchannel_ops *ops;
  /* The subchannel that a policy wrapped, as a reference. NULL: this is one of the host's
   * subchannels. */
  gxds_subchannel *wrapped;
};

static inline gxds_subchannel *gxds_subchannel_ref(gxds_subchannel *s) {
  gxds_ref_inc(&s->refs);
  return s;
}
/* NULL is allowed. Any thread. */
static inline void gxds_subchannel_unref(gxds_subchannel *s) {
  if (s && gxds_ref_dec(&s->refs)) s->ops->destroy(s);
}
/* Notifies w of the state from now on. The current state is reported soon, but never during this
 * call. */
static inline void gxds_subchannel_watch(gxds_subchannel *s, gxds_watch *w) {
  while (!s->ops->watch) s = s->wrapped;
  s->ops->watch(s, w);
}
/* Ends w, which is a watch of s: it gets no more calls, not even those already scheduled. Call it
 * before the watcher's reference is released. */
static inline void gxds_subchannel_unwatch(gxds_subchannel *s, gxds_watch *w) {
  while (!s->ops->unwatch) s = s->wrapped;
  s->ops->unwatch(s, w);
}
/* Asks the subchannel to connect once its backoff is over. */
static inline void gxds_subchannel_connect(gxds_subchannel *s) {
  while (!s->ops->connect) s = s->wrapped;
  s->ops->connect(s);
}
static inline void gxds_subchannel_reset_backoff(gxds_subchannel *s) {
  while (!s->ops->reset_backoff) s = s->wrapped;
  s->ops->reset_backoff(s);
}

/* The host's own subchannel inside the wrappers of policies. Borrowed: valid as long as s. */
static inline gxds_subchannel *gxds_subchannel_innermost(gxds_subchannel *s) {
  while (s->wrapped) s = s->wrapped;
  return s;
}
/* Sets how often l receives the backend's load from now on. GXDS_TIME_NEVER, which is the initial
 * value: never. The subchannel keeps a reference to l until it ends. l listens to this subchannel
 * only. */
static inline void gxds_subchannel_report_load(gxds_subchannel *s, gxds_load_listener *l,
                                               gxds_duration interval) {
  gxds_subchannel *innermost = gxds_subchannel_innermost(s);
  innermost->ops->report_load(innermost, l, interval);
}
/* A61: the addresses of the endpoint are in a new order now. Has no effect if they are not the same
 * addresses. Does not call watchers during the call. */
static inline void gxds_subchannel_reorder(gxds_subchannel *s,
                                           const struct gxds_lb_address *address) {
  gxds_subchannel *innermost = gxds_subchannel_innermost(s);
  if (innermost->ops->reorder) innermost->ops->reorder(innermost, address);
}

#ifdef __cplusplus
}
#endif

#endif
