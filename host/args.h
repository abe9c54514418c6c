/* gxds_args: the arguments of a channel, as policies read them and pass them on. Immutable, counted
 * by reference: any thread. The host implements them.
 *
 * Each argument that reaches a subchannel is part of the subchannel's identity. So the snapshot is
 * not an argument here: it is a field of gxds_lb_update. */
#ifndef GRPC_XDS_HOST_ARGS_H_
#define GRPC_XDS_HOST_ARGS_H_

#include "base/ref.h"
#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_args gxds_args;

/* The functions by which a host implements its args. */
typedef struct gxds_args_ops {
  void (*destroy)(gxds_args *a);
  bool (*get_int)(const gxds_args *a, const char *name, int *out);
  bool (*equal)(const gxds_args *a, const gxds_args *b); /* called only if a and b are different
                                                            objects */
  const gxds_args *(*with_int)(const gxds_args *a, const char *name, int value);
} gxds_args_ops;

struct gxds_args { /* first in the host's own object */
  gxds_ref refs;
  const gxds_args_ops *ops;
};

/* A86, an int: if it is set, connections to this cluster's endpoints go through their proxies. */
#define GXDS_HTTP_CONNECT_ARG "grpc_xds.http_connect"

static inline const gxds_args *gxds_args_ref(const gxds_args *a) {
  gxds_ref_inc(&a->refs);
  return a;
}
/* NULL is allowed. */
static inline void gxds_args_unref(const gxds_args *a) {
  if (a && gxds_ref_dec(&a->refs)) a->ops->destroy((gxds_args *)a);
}
/* False if no argument has that name, or if it is not an integer. */
static inline bool gxds_args_get_int(const gxds_args *a, const char *name, int *out) {
  return a->ops->get_int(a, name, out);
}
/* Whether both hold the same arguments. NULL equals only NULL. Cheap if both are the same object.
 */
static inline bool gxds_args_equal(const gxds_args *a, const gxds_args *b) {
  return a == b || (a && b && a->ops->equal(a, b));
}
/* Returns a copy of the args in which the argument `name` has that value. The caller owns the
 * returned reference. */
static inline const gxds_args *gxds_args_with_int(const gxds_args *a, const char *name, int value) {
  return a->ops->with_int(a, name, value);
}

#ifdef __cplusplus
}
#endif

#endif
