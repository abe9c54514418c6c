#include "xds_resolver/request_hash.h"

#include <xxhash.h>

#include "base/memory.h"

void gxds_request_hasher_init(gxds_request_hasher *h, const gxds_route *route,
                              const gxds_host *host) {
  *h = (gxds_request_hasher){.route = route};
  h->headers = gxds_calloc(route->hash_policy_count, sizeof *h->headers);
  for (size_t i = 0; i < route->hash_policy_count; i++) {
    const gxds_hash_policy *p = &route->hash_policies[i];
    struct gxds_hashed_header *out = &h->headers[i];
    out->source = gxds_header_source_of(p->header);
    if (p->has_rewrite && host->regex_create) out->rewrite = host->regex_create(p->rewrite_regex);
  }
}

void gxds_request_hasher_fini(gxds_request_hasher *h, const gxds_host *host) {
  for (size_t i = 0; i < h->route->hash_policy_count; i++) {
    if (h->headers[i].rewrite) host->regex_destroy(h->headers[i].rewrite);
  }
  gxds_free(h->headers);
}

static uint64_t hash_of(gxds_str text) { return XXH64(text.data, text.size, 0); }

/* Computes the hash of one policy. False if the policy gives no hash for this RPC. */
static bool hash_by(const gxds_hash_policy *p, const struct gxds_hashed_header *header,
                    const gxds_host *host, const gxds_route_request *request, uint64_t *hash) {
  if (p->kind == GXDS_HASH_CHANNEL_ID) {
    *hash = request->channel->id;
    return true;
  }
  gxds_str value;
  if (!gxds_request_header(request, header->source, p->header, &value)) return false;
  if (!header->rewrite) {
    *hash = hash_of(value);
    return true;
  }
  gxds_str rewritten = host->regex_replace(header->rewrite, value, p->rewrite_text);
  *hash = hash_of(rewritten);
  gxds_str_free(&rewritten);
  return true;
}

bool gxds_request_hasher_by_policies(const gxds_request_hasher *h, const gxds_host *host,
                                     const gxds_route_request *request, uint64_t *hash) {
  bool any = false;
  for (size_t i = 0; i < h->route->hash_policy_count; i++) {
    const gxds_hash_policy *p = &h->route->hash_policies[i];
    uint64_t policy_hash;
    if (hash_by(p, &h->headers[i], host, request, &policy_hash)) {
      *hash = any ? ((*hash << 1) | (*hash >> 63)) ^ policy_hash : policy_hash;
      any = true;
    }
    if (any && p->terminal) break;
  }
  return any;
}
