/* How an RPC attempt gets its endpoint: a picker picks a subchannel, and a tracker gets the
 * attempt's events. Our pickers call each other in C, from the top of our tree down to a leaf. A
 * pick takes no lock, allocates only from the call's memory, and copies no path and no header. */
#ifndef GRPC_XDS_HOST_PICK_H_
#define GRPC_XDS_HOST_PICK_H_

#include <stdint.h>

#include "base/ref.h"
#include "base/status.h"
#include "host/subchannel.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gxds_metadata_match;

/* The headers of a response, before the program gets them. Borrowed: valid during the call that
 * passes it. */
typedef struct gxds_response gxds_response;
struct gxds_response { /* first in the host's own object, on its stack */
  /* Adds a header. value: copied. */
  void (*add_header)(gxds_response *r, gxds_str name, gxds_str value);
};

typedef struct gxds_pick gxds_pick;
typedef struct gxds_tracker gxds_tracker;
typedef struct gxds_picker gxds_picker;

/* A55: the session of an RPC. In the RPC's memory. */
typedef struct gxds_session gxds_session;
struct gxds_session {
  gxds_str wanted; /* the addresses of the session's endpoint, "1.2.3.4:80,[::1]:80"; empty: the
                      session has no endpoint yet */
  gxds_str used;   /* the addresses of the picked endpoint, in the RPC's memory; set by the picker
                      that picks the endpoint. Empty: not known */
  /* The response has begun: its headers are about to reach the program. NULL in tools, where there
   * are no responses. */
  void (*responded)(gxds_session *s, gxds_response *response);
};

/* What the ConfigSelector attached to an RPC. The RPC's pickers may write to it, one at a time. */
typedef struct gxds_routed_call {
  uint64_t cluster_id; /* gxds_cluster_ref_id() */
  bool has_hash;       /* A42: used only by ring_hash, which draws a random hash if this is false */
  bool auto_host_rewrite; /* A81: :authority becomes the hostname of the endpoint, if it has one */
  uint64_t hash;
  /* E5: resources/lb_metadata.h; NULL: none. Borrowed: valid as long as the RPC. */
  const struct gxds_metadata_match *match;
  gxds_session *session; /* A55; NULL: none. Borrowed: valid as long as the RPC */
} gxds_routed_call;

typedef struct gxds_pick_ops {
  gxds_str (*path)(const gxds_pick *p);
  bool (*header)(const gxds_pick *p, gxds_str name, gxds_str *value);
  gxds_routed_call *(*route)(const gxds_pick *p, gxds_str *cluster);
  void *(*alloc)(const gxds_pick *p, size_t size);
} gxds_pick_ops;

struct gxds_pick { /* first in the host's own object, on its stack */
  const gxds_pick_ops *ops;
};

/* "/package.Service/Method". Borrowed: valid as long as the pick. */
static inline gxds_str gxds_pick_path(const gxds_pick *p) { return p->ops->path(p); }
/* A header of the request. Borrowed: valid until the next call. */
static inline bool gxds_pick_header(const gxds_pick *p, gxds_str name, gxds_str *value) {
  return p->ops->header(p, name, value);
}
/* What the ConfigSelector attached to the RPC; NULL: the RPC has no xDS route. *cluster: the name
 * of its cluster. Both are borrowed: valid as long as the call. */
static inline gxds_routed_call *gxds_pick_route(const gxds_pick *p, gxds_str *cluster) {
  return p->ops->route(p, cluster);
}
/* Memory that lives as long as the call: for its tracker. Not zeroed. */
static inline void *gxds_pick_alloc(const gxds_pick *p, size_t size) {
  return p->ops->alloc(p, size);
}

typedef enum gxds_picked_kind {
  GXDS_PICKED_QUEUE,    /* the RPC waits until there is another picker */
  GXDS_PICKED_COMPLETE, /* the RPC goes to the subchannel */
  GXDS_PICKED_FAIL,     /* the RPC fails with the status, but waits if it is wait-for-ready */
  GXDS_PICKED_DROP,     /* the RPC fails with the status even if it is wait-for-ready */
} gxds_picked_kind;

/* The result of a pick. The caller owns the subchannel's reference, the tracker and the status. */
typedef struct gxds_picked {
  gxds_picked_kind kind;
  gxds_subchannel *subchannel; /* COMPLETE: a reference */
  gxds_tracker *tracker; /* COMPLETE: the tracker of the attempt; NULL if no policy wants one */
  gxds_str authority;    /* COMPLETE: the attempt's :authority, in place of the subchannel's (A81),
                            unless the program has set an authority for the RPC; empty: no change.
                            Needs a tracker. Borrowed: valid until the tracker has started or is
                            destroyed */
  gxds_status status;    /* FAIL, DROP: not OK; otherwise not set */
  bool has_note; /* FAIL: the message has the resolution note of the update, which says why there
                    are no endpoints */
} gxds_picked;

/* How an attempt ended. Borrowed: valid during the call. */
typedef struct gxds_finish gxds_finish;
struct gxds_finish { /* first in the host's own object */
  gxds_code code;
  bool (*trailer)(const gxds_finish *f, gxds_str name, gxds_str *value);
};
/* Looks up a key of the trailing metadata. Borrowed: valid until the next call. */
static inline bool gxds_finish_trailer(const gxds_finish *f, gxds_str name, gxds_str *value) {
  return f->trailer(f, name, value);
}

typedef struct gxds_tracker_ops {
  void (*started)(gxds_tracker *t);
  void (*finished)(gxds_tracker *t, const gxds_finish *f);
  void (*destroy)(gxds_tracker *t);
} gxds_tracker_ops;

/* A tracker gets the events of one attempt: started, finished, and destroy. The calls come in this
 * order, on one thread at a time. destroy always comes; the other two may not. A policy that wraps
 * its child's tracker passes all three on. */
struct gxds_tracker { /* first in its maker's own object */
  const gxds_tracker_ops *ops;
  void *of_host[3]; /* memory for the host's own tracker of the attempt, not initialised */
};
static inline void gxds_tracker_started(gxds_tracker *t) { t->ops->started(t); }
static inline void gxds_tracker_finished(gxds_tracker *t, const gxds_finish *f) {
  t->ops->finished(t, f);
}
/* NULL is allowed. */
static inline void gxds_tracker_destroy(gxds_tracker *t) {
  if (t) t->ops->destroy(t);
}

typedef struct gxds_picker_ops {
  /* Fills *out. */
  void (*pick)(gxds_picker *p, const gxds_pick *call, gxds_picked *out);
  void (*destroy)(gxds_picker *p); /* any thread */
} gxds_picker_ops;

/* Counted by reference: any thread. A host may call pick() on several threads at a time, so mutable
 * fields of a picker must be atomic. */
struct gxds_picker { /* first in its maker's own object */
  gxds_ref refs;
  const gxds_picker_ops *ops;
};
static inline void gxds_picker_init(gxds_picker *p, const gxds_picker_ops *ops) {
  gxds_ref_init(&p->refs);
  p->ops = ops;
}
static inline gxds_picker *gxds_picker_ref(gxds_picker *p) {
  gxds_ref_inc(&p->refs);
  return p;
}
/* NULL is allowed. Any thread. */
static inline void gxds_picker_unref(gxds_picker *p) {
  if (p && gxds_ref_dec(&p->refs)) p->ops->destroy(p);
}
static inline void gxds_picker_pick(gxds_picker *p, const gxds_pick *call, gxds_picked *out) {
  p->ops->pick(p, call, out);
}

/* For pickers. */
static inline void gxds_picked_queue(gxds_picked *out) { out->kind = GXDS_PICKED_QUEUE; }
static inline void gxds_picked_complete(gxds_picked *out, gxds_subchannel *take_subchannel,
                                        gxds_tracker *take_tracker) {
  out->kind = GXDS_PICKED_COMPLETE;
  out->subchannel = take_subchannel;
  out->tracker = take_tracker;
  out->authority = gxds_str_of(NULL, 0);
}
static inline void gxds_picked_fail(gxds_picked *out, gxds_status take_status) {
  out->kind = GXDS_PICKED_FAIL;
  out->status = take_status;
  out->has_note = false;
}
static inline void gxds_picked_drop(gxds_picked *out, gxds_status take_status) {
  out->kind = GXDS_PICKED_DROP;
  out->status = take_status;
}

/* A picker that fails each RPC with that status (copied; not OK). The caller owns the returned
 * reference. */
gxds_picker *gxds_picker_fail(const gxds_status *status);
/* Like gxds_picker_fail(), but the results have has_note set: the status has the resolution
 * note. */
gxds_picker *gxds_picker_fail_with_note(const gxds_status *status);

#ifdef __cplusplus
}
#endif

#endif
