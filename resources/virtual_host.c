#include "base/memory.h"
#include "envoy/config/route/v3/route_components.upb.h"
#include "envoy/type/matcher/v3/regex.upb.h"
#include "resources/http_filters_internal.h"
#include "resources/route_config_internal.h"

typedef envoy_config_route_v3_VirtualHost host_message;
typedef envoy_config_route_v3_Route route_message;

const gxds_route_rare gxds_route_rare_none = {0};

const gxds_route_rare *gxds_route_rare_keep(const gxds_route_decoder *d,
                                            const gxds_route_rare *rare) {
  if (rare->filter_overrides.count == 0 && !rare->host_rewrite && !rare->metadata_match &&
      !rare->plugin) {
    return &gxds_route_rare_none;
  }
  gxds_route_rare *copy = gxds_arena_calloc(d->arena, 1, sizeof *copy);
  *copy = *rare;
  return copy;
}

static gxds_route_use decode_route(const gxds_route_decoder *d, const route_message *in,
                                   const gxds_path *at, const gxds_retry_policy *of_host,
                                   gxds_route_cluster *only_cluster, gxds_route *out) {
  *out = (gxds_route){.fraction_per_million = -1,
                      .max_stream_duration = -1,
                      .retry_policy = of_host,
                      .rare = &gxds_route_rare_none};
  gxds_route_rare rare = {0};
  const gxds_path *at_match = GXDS_FIELD(at, "match");
  const envoy_config_route_v3_RouteMatch *match = envoy_config_route_v3_Route_match(in);
  if (!match) {
    gxds_errors_add(d->errors, at_match, "Match can't be null.");
  } else if (gxds_route_match_decode(d, match, at_match, out) == GXDS_ROUTE_SKIP) {
    return GXDS_ROUTE_SKIP;
  }
  const envoy_config_route_v3_RouteAction *action = envoy_config_route_v3_Route_route(in);
  if (action) {
    gxds_route_use use =
        gxds_route_action_decode(d, action, GXDS_FIELD(at, "route"), only_cluster, out, &rare);
    if (use == GXDS_ROUTE_SKIP) return use;
  } else if (envoy_config_route_v3_Route_has_non_forwarding_action(in)) {
    out->action = GXDS_ROUTE_NON_FORWARDING;
  } else {
    out->action = GXDS_ROUTE_UNSUPPORTED;
  }
  GXDS_HTTP_FILTER_OVERRIDES(envoy_config_route_v3_Route, in, at, d->arena, d->scratch, d->errors,
                             &rare.filter_overrides);
  out->rare = gxds_route_rare_keep(d, &rare);
  return GXDS_ROUTE_KEEP;
}

static void decode_domains(const gxds_route_decoder *d, const host_message *in, const gxds_path *at,
                           gxds_virtual_host *out) {
  size_t count = 0;
  const upb_StringView *domains = envoy_config_route_v3_VirtualHost_domains(in, &count);
  gxds_str *copies = gxds_arena_calloc(d->arena, count, sizeof *copies);
  for (size_t i = 0; i < count; i++) {
    gxds_str pattern = gxds_pb_str(domains[i]);
    if (!gxds_domain_is_valid(pattern)) {
      gxds_errors_add(d->errors, GXDS_ITEM(at, "domains", i), "Invalid domain pattern \"%.*s\".",
                      GXDS_QUOTED(pattern));
    }
    copies[i] = gxds_arena_dup(d->arena, pattern);
  }
  if (count == 0) {
    gxds_errors_add(d->errors, GXDS_FIELD(at, "domains"), "VirtualHost has no domains");
  }
  out->domains = copies;
  out->domain_count = count;
}

/* An upper bound of the bytes that a route needs for texts. */
static size_t size_of_texts(const route_message *in) {
  size_t size = 0;
  const envoy_config_route_v3_RouteMatch *match = envoy_config_route_v3_Route_match(in);
  if (match) {
    size += envoy_config_route_v3_RouteMatch_prefix(match).size + 1;
    size += envoy_config_route_v3_RouteMatch_path(match).size;
    size += envoy_config_route_v3_RouteMatch_path_separated_prefix(match).size;
    const envoy_type_matcher_v3_RegexMatcher *regex =
        envoy_config_route_v3_RouteMatch_safe_regex(match);
    if (regex) size += envoy_type_matcher_v3_RegexMatcher_regex(regex).size;
  }
  const envoy_config_route_v3_RouteAction *action = envoy_config_route_v3_Route_route(in);
  if (action) size += envoy_config_route_v3_RouteAction_cluster(action).size + 1;
  return size;
}

gxds_str gxds_route_text(const gxds_route_decoder *d, gxds_str s) {
  if (s.size == 0 || s.size >= d->texts->left) return gxds_arena_dup(d->arena, s);
  char *copy = memcpy(d->texts->at, s.data, s.size); /* the next byte is zero */
  d->texts->at += s.size + 1;
  d->texts->left -= s.size + 1;
  return gxds_str_of(copy, s.size);
}

static void decode_routes(const gxds_route_decoder *d, const host_message *in, const gxds_path *at,
                          const gxds_retry_policy *retry_policy, gxds_virtual_host *out) {
  size_t count = 0;
  const route_message *const *list = envoy_config_route_v3_VirtualHost_routes(in, &count);
  gxds_route_texts texts = {0};
  for (size_t i = 0; i < count; i++) texts.left += size_of_texts(list[i]);
  /* One allocation has the routes, then a cluster for each route, then the texts. */
  gxds_route *routes =
      gxds_calloc(1, count * (sizeof *routes + sizeof(gxds_route_cluster)) + texts.left);
  gxds_route_cluster *clusters = (gxds_route_cluster *)(routes + count);
  texts.at = (char *)(clusters + count);
  gxds_route_decoder with_texts = *d;
  with_texts.texts = &texts;
  out->routes = routes;
  for (size_t i = 0; i < count; i++) {
    gxds_route_use use =
        decode_route(&with_texts, list[i], GXDS_ITEM(at, "routes", i), retry_policy,
                     &clusters[out->route_count], &routes[out->route_count]);
    if (use == GXDS_ROUTE_KEEP) out->route_count++;
  }
}

/* Notes what the meaning of a virtual host depends on, apart from its bytes. Routes that are left
 * out count too. */
static void note_uses(const host_message *in, gxds_virtual_host_body *out) {
  size_t count = 0;
  const route_message *const *list = envoy_config_route_v3_VirtualHost_routes(in, &count);
  for (size_t i = 0; i < count; i++) {
    const envoy_config_route_v3_RouteAction *action = envoy_config_route_v3_Route_route(list[i]);
    if (!action) continue;
    out->uses_plugins |= envoy_config_route_v3_RouteAction_has_cluster_specifier_plugin(action);
    out->needs_trust |= gxds_host_rewrite_is_in(action);
    out->needs_subsets |= gxds_metadata_match_is_in(action);
  }
}

void gxds_virtual_host_decode(const gxds_route_decoder *d, const host_message *in,
                              const gxds_path *at, gxds_virtual_host_body *out) {
  decode_domains(d, in, at, &out->view);
  GXDS_HTTP_FILTER_OVERRIDES(envoy_config_route_v3_VirtualHost, in, at, d->arena, d->scratch,
                             d->errors, &out->view.filter_overrides);
  const envoy_config_route_v3_RetryPolicy *retry =
      envoy_config_route_v3_VirtualHost_retry_policy(in);
  const gxds_retry_policy *retry_policy = retry ? gxds_retry_policy_decode(d, retry, at) : NULL;
  for (size_t i = 0; i < d->specifiers->count; i++) {
    d->specifiers->items[i].copy = gxds_str_of(NULL, 0); /* the copy belonged to another virtual
                                                            host */
  }
  decode_routes(d, in, at, retry_policy, &out->view);
  note_uses(in, out);
  out->trusted = d->trusted;
  out->subsets = d->subsets;
}
