/* What the engine knows of a resource type: a name, two rules and a decode function. The engine
 * knows no schema; its tests use made-up types.
 *
 * A resource is immutable and shared: any thread. A concrete one (gxds_cluster, …) has
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

/* What a decoder may look at. Borrowed: valid during the decode call. */
typedef struct gxds_decode_context {
  const gxds_bootstrap *bootstrap;
  const gxds_bootstrap_server *server; /* the one that sent the bytes: lrs_server "self" means it */
  const gxds_host *host;
  /* The bootstrap stands for another that is not known: whatever a resource names of it, such as a
   * certificate provider, may be there. What is decoded so is only for a look. */
  bool any_bootstrap;
  /* The last good resource of that name, or NULL: parts that did not change are taken from it, so
   * that they compare equal by pointer. Borrowed. May be NULL itself. */
  const gxds_resource *(*previous)(void *arg, gxds_str name);
  void *previous_arg;
} gxds_decode_context;

/* The caller ends it with gxds_decoded_fini(). */
typedef struct gxds_decoded {
  gxds_str name;                 /* owned; empty: could not be told */
  const gxds_resource *resource; /* one reference, which the caller takes; NULL unless OK */
  gxds_errors errors;            /* what is wrong with fields: all that the status tells of them */
} gxds_decoded;

/* Frees name and errors. */
static inline void gxds_decoded_fini(gxds_decoded *d) {
  gxds_str_free(&d->name);
  gxds_errors_fini(&d->errors);
}

struct gxds_resource_type {
  const char *type_url;    /* "type.googleapis.com/envoy.config.listener.v3.Listener" */
  const char *v2_type_url; /* of the retired v2 API, so that a NACK can say so; NULL: none */
  const char *short_name;  /* "LDS": for logs and errors */
  /* True for LDS and CDS: a SotW response that lacks a resource deletes it. */
  bool all_resources_required_in_sotw;
  /* Decodes and validates. All errors are in the status ("errors validating EDS resource: […]", or
   * "Can't parse … resource."). out->name is set whenever the bytes could be decoded at all. */
  gxds_status (*decode)(const gxds_decode_context *context, gxds_str bytes, gxds_decoded *out);
  /* Called when the last reference goes. Any thread. */
  void (*destroy)(gxds_resource *resource);
};

/* One more reference, the caller's. Any thread. */
static inline const gxds_resource *gxds_resource_ref(const gxds_resource *r) {
  gxds_ref_inc(&r->refs);
  return r;
}
/* NULL is allowed. */
static inline void gxds_resource_unref(const gxds_resource *r) {
  if (r && gxds_ref_dec(&r->refs)) r->type->destroy((gxds_resource *)r);
}

#ifdef __cplusplus
}
#endif

#endif
