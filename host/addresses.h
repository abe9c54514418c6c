/* gxds_addresses: the list of endpoints that a policy is given. Immutable, counted by reference:
 * any thread. Whoever makes the list decides how it is stored: for example as a locality of the
 * snapshot, or as addresses that the host's resolver found. A gxds_lb_address is made only on
 * request (gxds_addresses_at()). */
#ifndef GRPC_XDS_HOST_ADDRESSES_H_
#define GRPC_XDS_HOST_ADDRESSES_H_

#include "base/address.h"
#include "base/ref.h"
#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gxds_locality; /* resources/endpoints.h */

typedef struct gxds_addresses gxds_addresses;

/* All pointers are borrowed: valid as long as the list. ip or native is set. Both are set if an
 * endpoint with several addresses comes through one of the host's policies. */
typedef struct gxds_lb_address {
  gxds_address ip; /* only if has_ip is set */
  bool has_ip;
  const gxds_address *more; /* A61: the endpoint's further addresses; NULL: it has only one */
  uint32_t more_count;
  const void *native; /* the host's own form of the address, passed on unchanged */
  uint32_t weight;    /* load_balancing_weight; 1 if the endpoint has none */
  gxds_str hash_key;  /* A76: the key of the endpoint's place on a ring; empty: its address is the
                         key */
  gxds_str hostname;  /* A81: the hostname that RPCs may send as :authority; empty: the endpoint has
                         none */
  gxds_str proxy; /* A86: the address of the HTTP proxy through which the endpoint is reached, if
                     the args have GXDS_HTTP_CONNECT_ARG; empty: no proxy */
  /* A61: set if the endpoint has several addresses: all of them as text, which identifies the
   * endpoint to outlier detection. Empty: this is the only address. */
  gxds_str endpoint;
  const struct gxds_locality *locality; /* the locality, for load reports; NULL: none */
  const gxds_addresses *list; /* the list in which the endpoint is at index; NULL: it is in no
                                 list */
  size_t index;
} gxds_lb_address;

typedef struct gxds_addresses_ops {
  void (*destroy)(gxds_addresses *a);
  void (*at)(const gxds_addresses *a, size_t index, gxds_lb_address *out);
  /* Adds the (first) address as text: "10.0.0.1:80". */
  void (*render_key)(const gxds_addresses *a, size_t index, gxds_text *out);
  /* Adds as text everything that identifies a subchannel in addition to its address: the args, the
   * locality, the hostname and the proxy. */
  void (*render_detail)(const gxds_addresses *a, size_t index, gxds_text *out);
  /* The function is NULL if no endpoint has a path. */
  const gxds_addresses *(*below)(const gxds_addresses *a, gxds_str name);
} gxds_addresses_ops;

struct gxds_addresses { /* first in its maker's own object */
  gxds_ref refs;
  const gxds_addresses_ops *ops;
  size_t count;
};

static inline const gxds_addresses *gxds_addresses_ref(const gxds_addresses *a) {
  gxds_ref_inc(&a->refs);
  return a;
}
/* NULL is allowed. */
static inline void gxds_addresses_unref(const gxds_addresses *a) {
  if (a && gxds_ref_dec(&a->refs)) a->ops->destroy((gxds_addresses *)a);
}
/* Returns the endpoints whose path (from a resolver) begins with that name. In the result, the
 * paths are without that name. The caller owns the returned reference. NULL: none has a path. */
static inline const gxds_addresses *gxds_addresses_below(const gxds_addresses *a, gxds_str name) {
  return a->ops->below ? a->ops->below(a, name) : NULL;
}
/* In this function and the next two, index < a->count. */
static inline gxds_lb_address gxds_addresses_at(const gxds_addresses *a, size_t index) {
  gxds_lb_address out;
  memset(&out, 0, sizeof out);
  a->ops->at(a, index, &out);
  out.list = a;
  out.index = index;
  return out;
}
static inline void gxds_addresses_render_key(const gxds_addresses *a, size_t index,
                                             gxds_text *out) {
  a->ops->render_key(a, index, out);
}
static inline void gxds_addresses_render_detail(const gxds_addresses *a, size_t index,
                                                gxds_text *out) {
  a->ops->render_detail(a, index, out);
}

#ifdef __cplusplus
}
#endif

#endif
