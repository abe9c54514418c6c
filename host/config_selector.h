/* gxds_config_selector: routes the RPCs of a channel (the ConfigSelector of A31), in C. The
 * resolver adds a selector to each of its results, and makes a new one only when a new snapshot
 * changes the routing. The host calls route() for each RPC.
 *
 * Counted by reference: any thread. Immutable once the host has it, except where a comment says
 * otherwise. Routing an RPC takes no lock, and allocates only from the RPC's own memory. */
#ifndef GRPC_XDS_HOST_CONFIG_SELECTOR_H_
#define GRPC_XDS_HOST_CONFIG_SELECTOR_H_

#include "base/ref.h"
#include "base/str.h"
#include "base/time.h"
#include "host/pick.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- an RPC, as the host passes it ---- */

typedef struct gxds_call gxds_call;
typedef struct gxds_call_ops {
  /* Looks up a metadata key. Several values are joined by commas. *value is borrowed: valid until
   * the next call. False if the RPC does not have the key. */
  bool (*header)(gxds_call *c, gxds_str name, gxds_str *value);
  /* Adds a header if the RPC does not have it; this may be ":authority" (A81). value: borrowed
   * during the call. */
  void (*add_header)(gxds_call *c, gxds_str name, gxds_str value);
  /* Memory that lives as long as the RPC. Not zeroed. At most once for each RPC. */
  void *(*alloc)(gxds_call *c, size_t size);
} gxds_call_ops;

struct gxds_call { /* first in the host's own object, on its stack */
  const gxds_call_ops *ops;
  gxds_str path; /* "/package.Service/Method". Borrowed: valid during the call */
};

/* ---- the route of an RPC ---- */

/* An RPC's hold on its cluster, until the RPC is committed (A31). It is in the RPC's memory.
 * commit() may be called more than once, on several threads, and under locks of the host. */
typedef struct gxds_call_hold gxds_call_hold;
struct gxds_call_hold {
  void (*commit)(gxds_call_hold *h);
};

/* The number that stands for "no method config". */
#define GXDS_CALL_NO_METHOD_CONFIG SIZE_MAX

typedef struct gxds_call_route {
  gxds_str error; /* if not empty, the RPC fails with UNAVAILABLE and this text, and nothing else is
                     set. Borrowed: valid as long as the selector */
  gxds_str cluster;      /* the cluster's name for gxds_pick_route(), with a gxds_routed_call right
                            before it in memory. Borrowed: valid as long as the RPC */
  gxds_call_hold *hold;  /* held until the RPC is committed. Borrowed: valid as long as the RPC */
  size_t method_config;  /* the number of the RPC's method config, or GXDS_CALL_NO_METHOD_CONFIG */
  gxds_duration timeout; /* the RPC's timeout, in place of the method config's: in whole
                            milliseconds; may be negative; 0: none */
} gxds_call_route;

/* The HTTP filters that the host runs (A39). RPCs pass them in the order of the selector's list. */
typedef enum gxds_call_filter {
  GXDS_CALL_FILTER_FAULT,    /* A33 */
  GXDS_CALL_FILTER_RESPONSE, /* A55: calls responded() of the RPC's session, if it has one */
} gxds_call_filter;

/* ---- the selector ---- */

typedef struct gxds_config_selector gxds_config_selector;
typedef struct gxds_config_selector_ops {
  void (*destroy)(gxds_config_selector *s);
  /* Sets all fields of *out, or only out->error if the RPC fails. */
  void (*route)(const gxds_config_selector *s, gxds_call *call, gxds_call_route *out);
  /* Returns the number of the method config with that text; GXDS_CALL_NO_METHOD_CONFIG if there is
   * none. */
  size_t (*find)(const gxds_config_selector *s, gxds_str text);
  /* The host can't read the method config with that number; why is the reason. RPCs that use it
   * fail. Called before the first RPC. */
  void (*refuse)(gxds_config_selector *s, size_t number, gxds_str why);
} gxds_config_selector_ops;

struct gxds_config_selector { /* the first member of its maker's own object */
  gxds_ref refs;
  const gxds_config_selector_ops *ops;
  /* Each is the JSON text of a service config. The host parses each text only once: if the previous
   * selector has the same text, the host reuses its result. */
  const gxds_str *method_configs;
  size_t method_config_count;
  const gxds_call_filter *filters;
  size_t filter_count;
};

static inline gxds_config_selector *gxds_config_selector_ref(gxds_config_selector *s) {
  gxds_ref_inc(&s->refs);
  return s;
}
/* NULL is allowed. Any thread. */
static inline void gxds_config_selector_unref(gxds_config_selector *s) {
  if (s && gxds_ref_dec(&s->refs)) s->ops->destroy(s);
}

#ifdef __cplusplus
}
#endif

#endif
