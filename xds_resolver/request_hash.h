/* gxds_request_hasher: the compiled hash policies of a route (A42). They give an RPC the hash by
 * which policies such as ring_hash pick. Private to xds_resolver. Immutable once made: any thread.
 * Allocates memory only for regex rewrites. */
#ifndef GRPC_XDS_XDS_RESOLVER_REQUEST_HASH_H_
#define GRPC_XDS_XDS_RESOLVER_REQUEST_HASH_H_

#include "xds_resolver/request_header.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_request_hasher {
  const gxds_route *route; /* borrowed: valid as long as the hasher */
  struct gxds_hashed_header {
    void *rewrite; /* NULL if nothing is rewritten */
    gxds_header_source source;
  } * headers; /* one for each policy */
} gxds_request_hasher;

/* route and host: borrowed, valid as long as the hasher. */
void gxds_request_hasher_init(gxds_request_hasher *h, const gxds_route *route,
                              const gxds_host *host);
void gxds_request_hasher_fini(gxds_request_hasher *h, const gxds_host *host);

/* The part of gxds_request_hasher_hash() for routes that have hash policies. */
bool gxds_request_hasher_by_policies(const gxds_request_hasher *h, const gxds_host *host,
                                     const gxds_route_request *request, uint64_t *hash);
/* Computes the RPC's hash. False if no hash policy gives one; most routes have no policies. Then
 * the RPC gets a random hash, which only a policy that needs a hash draws. */
static inline bool gxds_request_hasher_hash(const gxds_request_hasher *h, const gxds_host *host,
                                            const gxds_route_request *request, uint64_t *hash) {
  return h->route->hash_policy_count > 0 && gxds_request_hasher_by_policies(h, host, request, hash);
}

#ifdef __cplusplus
}
#endif

#endif
