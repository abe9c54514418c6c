/* Everything the engine knows of a resource type: its names, a rule on deletion, and two functions.
 * The engine knows no schema; its tests use made-up types.
 *
 * A resource is immutable and shared: any thread. A concrete resource (gxds_cluster, …) has
 * gxds_resource as its first member. */
#ifndef GRPC_XDS_XDS_CLIENT_RESOURCE_TYPE_H_
#define GRPC_XDS_XDS_CLIENT_RESOURCE_TYPE_H_

#include "base/errors.h"
#include "base/host.h"
#include "base/ref.h"
#include "base/status.h"
#include "bootstrap/bootstrap.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_resource_type gxds_resource_type;

typedef struct gxds_resource {
  gxds_ref refs;
  const gxds_resource_type *type;
} gxds_resource;

/* What a decoder may read besides the bytes. Borrowed: valid during the decode call. */
typedef struct gxds_decode_context {
  const gxds_bootstrap *bootstrap;
  const gxds_bootstrap_server *server; /* the sender of the bytes; lrs_server "self" means it */
  const gxds_host *host;
  /* True if the real bootstrap is not known, and `bootstrap` only stands in for it. Then everything
   * that a resource may name in a bootstrap, such as a certificate provider, counts as present. A
   * resource that is decoded this way is only for display. */
  bool any_bootstrap;
  /* Returns the last good resource of that name (borrowed), or NULL. A decoder takes unchanged
   * parts from it, so that they compare equal by pointer. previous may be NULL itself. */
  const gxds_resource *(*previous)(void *arg, gxds_str name);
  void *previous_arg;
} gxds_decode_context;

/* The caller ends it with gxds_decoded_fini(). */
typedef struct gxds_decoded {
  gxds_str name;                 /* owned; empty if the name could not be read */
  const gxds_resource *resource; /* NULL unless the status is OK. One reference, which the caller
                                    owns: gxds_decoded_fini() does not release it */
  gxds_errors errors;            /* the errors of fields that the status reports */
} gxds_decoded;

/* Frees name and errors. */
static inline void gxds_decoded_fini(gxds_decoded *d) {
  gxds_str_free(&d->name);
  gxds_errors_fini(&d->errors);
}

struct gxds_resource_type {
  const char *type_url;    /* "type.googleapis.com/envoy.config.listener.v3.Listener" */
  const char *v2_type_url; /* the type's URL in the retired v2 API, so that a NACK can say that v2
                              is not supported; NULL if there is none */
  const char *short_name;  /* such as "LDS"; for logs and errors */
  /* True for LDS and CDS: a SotW response that lacks a resource deletes it. */
  bool all_resources_required_in_sotw;
  /* Decodes and validates. The status has all errors ("errors validating EDS resource: […]", or
   * "Can't parse … resource."). out->name is set whenever the bytes could be decoded at all. */
  gxds_status (*decode)(const gxds_decode_context *context, gxds_str bytes, gxds_decoded *out);
  /* Called when the last reference goes. Any thread. */
  void (*destroy)(gxds_resource *resource);
};

/* Takes another reference. The caller owns the returned reference. Any thread. */
static inline const gxds_resource *gxds_resource_ref(const gxds_resource *r) {
  gxds_ref_inc(&r->refs);
  return r;
}
/* Releases a reference. r may be NULL. Any thread. */
static inline void gxds_resource_unref(const gxds_resource *r) {
  if (r && gxds_ref_dec(&r->refs)) r->type->destroy((gxds_resource *)r);
}

#ifdef __cplusplus
}
#endif

#endif
