/* gxds_dns_names: the DNS names of a channel's LOGICAL_DNS clusters (A37), which the host keeps
 * resolved, and what each was resolved to last: an answer that says nothing new is told as the same
 * endpoints resource, so that nothing downstream changes.
 *
 * Confined: the reactor. */
#ifndef GRPC_XDS_XDS_RESOLVER_DNS_NAMES_H_
#define GRPC_XDS_XDS_RESOLVER_DNS_NAMES_H_

#include "base/host.h"
#include "resources/endpoints.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_dns_names gxds_dns_names;

/* One locality whose only endpoint has all addresses, or no endpoint if the answer was empty
 * (borrowed: valid during the call; ref to keep it); or NULL and why there is no answer this time.
 * Called on the reactor, never during a call on n; it may call n's functions, but not destroy n. */
typedef void (*gxds_dns_told)(void *arg, uint64_t token, const gxds_endpoints *endpoints,
                              const gxds_status *status);

/* args: the channel's, as gxds_host's dns_start takes them. All of it is borrowed: valid as long as
 * n. */
gxds_dns_names *gxds_dns_names_create(const gxds_host *host, const void *args, gxds_dns_told told,
                                      void *arg);
/* Stops all that are active. NULL is allowed. */
void gxds_dns_names_destroy(gxds_dns_names *n);

/* token: the caller's name for it, not in use. UNAVAILABLE: the host has no DNS; then nothing was
 * started. */
GXDS_MUST_USE gxds_status gxds_dns_names_start(gxds_dns_names *n, uint64_t token, gxds_str name);
/* Nothing more is told of it. An unknown token is ignored, here and below. */
void gxds_dns_names_stop(gxds_dns_names *n, uint64_t token);
void gxds_dns_names_reresolve(gxds_dns_names *n, uint64_t token);
/* Those whose last resolution failed are resolved again now, not after the host's backoff. */
void gxds_dns_names_reset_backoff(gxds_dns_names *n);

#ifdef __cplusplus
}
#endif

#endif
