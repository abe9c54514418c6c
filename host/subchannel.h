/* gxds_subchannel: a connection to one endpoint, shared with other channels where the host can. The
 * host makes it; a policy that wants to know of the subchannels below it wraps them in its own.
 *
 * Counted by reference: pickers keep it, so references are given up on any thread. All else under
 * the channel's serializer. */
#ifndef GRPC_XDS_HOST_SUBCHANNEL_H_
#define GRPC_XDS_HOST_SUBCHANNEL_H_

#include <grpc/impl/codegen/connectivity_state.h>

#include "base/ref.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_subchannel gxds_subchannel;
typedef struct gxds_watch gxds_watch;

/* Who is told of a subchannel's state: first in the watcher's own object, which lives until
 * gxds_subchannel_unwatch(). */
struct gxds_watch {
  /* status: why, in TRANSIENT_FAILURE; else OK. Borrow: during the call. May call
   * gxds_subchannel_unwatch(). */
  void (*on_state)(gxds_watch *w, grpc_connectivity_state state, const gxds_status *status);
  void *subchannels; /* what the subchannel keeps with its watch: its own */
};

typedef struct gxds_subchannel_ops {
  void (*destroy)(gxds_subchannel *s); /* any thread */
  void (*watch)(gxds_subchannel *s, gxds_watch *w);
  void (*unwatch)(gxds_subchannel *s, gxds_watch *w);
  void (*connect)(gxds_subchannel *s);
  void (*reset_backoff)(gxds_subchannel *s);
} gxds_subchannel_ops;

struct gxds_subchannel { /* first in its maker's own object */
  gxds_ref refs;
  const gxds_subchannel_ops *ops;
  gxds_subchannel
      *wrapped; /* what a policy made it around: its reference; NULL: it is the host's */
};

static inline gxds_subchannel *gxds_subchannel_ref(gxds_subchannel *s) {
  gxds_ref_inc(&s->refs);
  return s;
}
/* NULL is allowed. Any thread. */
static inline void gxds_subchannel_unref(gxds_subchannel *s) {
  if (s && gxds_ref_dec(&s->refs)) s->ops->destroy(s);
}
/* From now on w is told of the state: of the present one soon, never during this call. */
static inline void gxds_subchannel_watch(gxds_subchannel *s, gxds_watch *w) { s->ops->watch(s, w); }
/* The watch, which is one of s, is told nothing more, not even what was on its way. To be called
 * before the watcher's reference is given up. */
static inline void gxds_subchannel_unwatch(gxds_subchannel *s, gxds_watch *w) {
  s->ops->unwatch(s, w);
}
/* To connect, once its backoff is over. */
static inline void gxds_subchannel_connect(gxds_subchannel *s) { s->ops->connect(s); }
static inline void gxds_subchannel_reset_backoff(gxds_subchannel *s) { s->ops->reset_backoff(s); }

/* The host's own below whatever policies made around it. Borrow: as long as s. */
static inline gxds_subchannel *gxds_subchannel_innermost(gxds_subchannel *s) {
  while (s->wrapped) s = s->wrapped;
  return s;
}

#ifdef __cplusplus
}
#endif

#endif
