#include "xds_resolver/dns_names.h"

#include "base/hash_table.h"
#include "base/memory.h"
#include "resources/host_rewrite.h"

typedef struct dns_name {
  gxds_dns_names *names;
  uint64_t token;
  gxds_str name;
  gxds_dns *dns;
  bool failed;                 /* the last resolution of the name failed */
  const gxds_endpoints *known; /* a reference; NULL: never resolved */
  UT_hash_handle by_token;
} dns_name;

struct gxds_dns_names {
  const gxds_host *host;
  const void *args;
  gxds_dns_names_result_fn on_result;
  void *arg;
  dns_name *active;
};

gxds_dns_names *gxds_dns_names_create(const gxds_host *host, const void *args,
                                      gxds_dns_names_result_fn on_result, void *arg) {
  gxds_dns_names *n = GXDS_NEW(gxds_dns_names);
  n->host = host;
  n->args = args;
  n->on_result = on_result;
  n->arg = arg;
  return n;
}

/* A37: one locality without a name. A61: all addresses are one endpoint, so the client connects to
 * one of them, whatever the cluster's policy is. A81: its hostname is the name that was resolved.
 */
static const gxds_locality *make_locality(gxds_str name, const gxds_address *addresses,
                                          size_t count) {
  if (count == 0) return gxds_locality_copy(&(gxds_locality){.weight = 1});
  const gxds_endpoint endpoint = {addresses[0], GXDS_HEALTH_UNKNOWN, 1};
  const uint32_t more_end = (uint32_t)(count - 1);
  const gxds_locality_rare rare = {.hostnames = gxds_authority_is_valid(name) ? &name : NULL,
                                   .more = more_end > 0 ? &addresses[1] : NULL,
                                   .more_ends = more_end > 0 ? &more_end : NULL};
  const gxds_locality view = {
      .weight = 1, .endpoint_count = 1, .list.full = &endpoint, .rare = &rare};
  return gxds_locality_copy(&view);
}

static void learn(dns_name *d, const gxds_locality *take_locality) {
  const gxds_endpoints *before = d->known;
  if (before && gxds_locality_equal(before->priorities[0].localities[0], take_locality)) {
    gxds_locality_unref(take_locality);
    return;
  }
  d->known = gxds_endpoints_of_locality(take_locality);
  if (before) gxds_resource_unref(&before->base);
}

static void on_resolved(void *arg, const gxds_address *addresses, size_t count,
                        const gxds_status *status) {
  dns_name *d = arg;
  gxds_dns_names *n = d->names;
  uint64_t token = d->token;
  d->failed = !gxds_status_is_ok(status);
  if (d->failed) {
    n->on_result(n->arg, token, NULL, status);
    return;
  }
  learn(d, make_locality(d->name, addresses, count));
  const gxds_resource *known =
      gxds_resource_ref(&d->known->base); /* on_result() may stop the name, so hold a reference */
  n->on_result(n->arg, token, (const gxds_endpoints *)known, status);
  gxds_resource_unref(known);
}

static void resolve(dns_name *d) {
  const gxds_dns_names *n = d->names;
  d->dns = n->host->dns_start(d->name, n->args, on_resolved, d);
}

gxds_status gxds_dns_names_start(gxds_dns_names *n, uint64_t token, gxds_str name) {
  if (!n->host->dns_start) {
    return gxds_status_make(GXDS_UNAVAILABLE, "DNS resolution is not available");
  }
  dns_name *d = GXDS_NEW(dns_name);
  d->names = n;
  d->token = token;
  d->name = gxds_str_dup(name);
  HASH_ADD(by_token, n->active, token, sizeof d->token, d);
  resolve(d);
  return gxds_status_ok();
}

static dns_name *find(gxds_dns_names *n, uint64_t token) {
  dns_name *d = NULL;
  HASH_FIND(by_token, n->active, &token, sizeof token, d);
  return d;
}

static void stop(gxds_dns_names *n, dns_name *d) {
  HASH_DELETE(by_token, n->active, d);
  n->host->dns_stop(d->dns);
  if (d->known) gxds_resource_unref(&d->known->base);
  gxds_str_free(&d->name);
  gxds_free(d);
}

void gxds_dns_names_stop(gxds_dns_names *n, uint64_t token) {
  dns_name *d = find(n, token);
  if (d) stop(n, d);
}

void gxds_dns_names_destroy(gxds_dns_names *n) {
  if (!n) return;
  while (n->active) stop(n, n->active);
  gxds_free(n);
}

void gxds_dns_names_reresolve(gxds_dns_names *n, uint64_t token) {
  const dns_name *d = find(n, token);
  if (d) n->host->dns_reresolve(d->dns);
}

/* When the host itself ends a backoff, the resolver waits for the next request, and then for the
 * time between two resolutions. So this starts a new resolution, which begins at once. */
void gxds_dns_names_reset_backoff(gxds_dns_names *n) {
  dns_name *d;
  dns_name *next;
  HASH_ITER(by_token, n->active, d, next) {
    if (!d->failed) continue;
    d->failed = false;
    n->host->dns_stop(d->dns);
    resolve(d);
  }
}
