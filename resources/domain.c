#include "resources/route_config_internal.h"

/* In order of preference (A27). */
typedef enum domain_kind {
  DOMAIN_EXACT,
  DOMAIN_SUFFIX, /* "*.example.com" */
  DOMAIN_PREFIX, /* "example.*" */
  DOMAIN_ANY,    /* "*" */
  DOMAIN_INVALID,
} domain_kind;

static domain_kind kind_of(gxds_str pattern) {
  if (pattern.size == 0) return DOMAIN_INVALID;
  if (!memchr(pattern.data, '*', pattern.size)) return DOMAIN_EXACT;
  if (pattern.size == 1) return DOMAIN_ANY;
  if (pattern.data[0] == '*') return DOMAIN_SUFFIX;
  return pattern.data[pattern.size - 1] == '*' ? DOMAIN_PREFIX : DOMAIN_INVALID;
}

bool gxds_domain_is_valid(gxds_str pattern) { return kind_of(pattern) != DOMAIN_INVALID; }

/* The asterisk stands for one character or more. */
static bool matches(domain_kind kind, gxds_str pattern, gxds_str authority) {
  if (kind == DOMAIN_ANY) return true;
  if (kind == DOMAIN_EXACT) return gxds_str_equal_nocase(pattern, authority);
  if (authority.size < pattern.size) return false;
  size_t fixed = pattern.size - 1;
  if (kind == DOMAIN_PREFIX) {
    return gxds_str_equal_nocase(gxds_str_of(pattern.data, fixed),
                                 gxds_str_of(authority.data, fixed));
  }
  return gxds_str_equal_nocase(gxds_str_of(pattern.data + 1, fixed),
                               gxds_str_of(authority.data + (authority.size - fixed), fixed));
}

const gxds_virtual_host *gxds_route_config_find_virtual_host(const gxds_route_config *rc,
                                                             gxds_str authority) {
  const gxds_virtual_host *best = NULL;
  domain_kind best_kind = DOMAIN_INVALID;
  size_t best_size = 0;
  for (size_t i = 0; i < rc->virtual_host_count; i++) {
    const gxds_virtual_host *host = &rc->virtual_hosts[i];
    for (size_t j = 0; j < host->domain_count; j++) {
      gxds_str pattern = host->domains[j];
      domain_kind kind = kind_of(pattern);
      if (kind > best_kind || (kind == best_kind && pattern.size <= best_size)) continue;
      if (!matches(kind, pattern, authority)) continue;
      if (kind == DOMAIN_EXACT) return host; /* an exact match: no other can be better */
      best = host;
      best_kind = kind;
      best_size = pattern.size;
    }
  }
  return best;
}
