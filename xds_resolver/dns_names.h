/* gxds_dns_names: the DNS names of a channel's LOGICAL_DNS clusters (A37), which the host keeps
 * resolved, and the last result of each. If the addresses are the same as before, on_result gets
 * the same endpoints resource, so that nothing else changes.
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

/* A DNS name was resolved, or could not be. endpoints has one locality, whose only endpoint has all
 * addresses; an empty result gives no endpoint. endpoints is borrowed: valid during the call. To
 * keep it, take a reference. If there is no result this time, endpoints is NULL, and status is the
 * reason. Called on the reactor, never during a call on n. It may call n's functions, but must not
 * destroy n. */
typedef void (*gxds_dns_names_result_fn)(void *arg, uint64_t token, const gxds_endpoints *endpoints,
                                         const gxds_status *status);

/* args are the channel's arguments, for gxds_host's dns_start. All arguments are borrowed: valid as
 * long as n. */
gxds_dns_names *gxds_dns_names_create(const gxds_host *host, const void *args,
                                      gxds_dns_names_result_fn on_result, void *arg);
/* Stops all names. NULL is allowed. */
void gxds_dns_names_destroy(gxds_dns_names *n);

/* Starts to resolve a name. token identifies it to the caller, and must not be in use. UNAVAILABLE
 * if the host has no DNS; then nothing was started. */
GXDS_MUST_USE gxds_status gxds_dns_names_start(gxds_dns_names *n, uint64_t token, gxds_str name);
/* Stops resolving the name: there are no more notifications for that token. This function and the
 * next ignore an unknown token. */
void gxds_dns_names_stop(gxds_dns_names *n, uint64_t token);
void gxds_dns_names_reresolve(gxds_dns_names *n, uint64_t token);
/* Resolves names whose last resolution failed again, at once, without the host's backoff. */
void gxds_dns_names_reset_backoff(gxds_dns_names *n);

#ifdef __cplusplus
}
#endif

#endif
