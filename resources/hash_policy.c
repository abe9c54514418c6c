#include "envoy/config/route/v3/route_components.upb.h"
#include "envoy/type/matcher/v3/regex.upb.h"
#include "resources/route_config_internal.h"

typedef envoy_config_route_v3_RouteAction_HashPolicy policy_message;

static void decode_rewrite(const gxds_route_decoder *d,
                           const envoy_type_matcher_v3_RegexMatchAndSubstitute *in,
                           const gxds_path *up, gxds_hash_policy *out) {
  const gxds_path *at = GXDS_FIELD(GXDS_FIELD(up, "regex_rewrite"), "pattern");
  const envoy_type_matcher_v3_RegexMatcher *pattern =
      envoy_type_matcher_v3_RegexMatchAndSubstitute_pattern(in);
  if (!pattern) {
    gxds_errors_add(d->errors, at, "field not present");
    return;
  }
  gxds_str regex = gxds_pb_str(envoy_type_matcher_v3_RegexMatcher_regex(pattern));
  if (regex.size == 0) {
    gxds_errors_add(d->errors, GXDS_FIELD(at, "regex"), "field not present");
  } else if (d->host && d->host->regex_check && !d->host->regex_check(regex)) {
    gxds_errors_add(d->errors, GXDS_FIELD(at, "regex"),
                    "Invalid regex string specified in matcher.");
  }
  out->has_rewrite = true;
  out->rewrite_regex = gxds_arena_dup(d->arena, regex);
  out->rewrite_text = gxds_arena_dup(
      d->arena, gxds_pb_str(envoy_type_matcher_v3_RegexMatchAndSubstitute_substitution(in)));
}

/* False if gRPC does not support the policy. Such a policy never gives a hash, so it is left out
 * (A42). */
static bool decode_policy(const gxds_route_decoder *d, const policy_message *in,
                          const gxds_path *up, gxds_hash_policy *out) {
  *out = (gxds_hash_policy){.terminal = envoy_config_route_v3_RouteAction_HashPolicy_terminal(in)};
  const envoy_config_route_v3_RouteAction_HashPolicy_FilterState *state =
      envoy_config_route_v3_RouteAction_HashPolicy_filter_state(in);
  if (state) {
    out->kind = GXDS_HASH_CHANNEL_ID;
    return gxds_str_is(
        gxds_pb_str(envoy_config_route_v3_RouteAction_HashPolicy_FilterState_key(state)),
        "io.grpc.channel_id");
  }
  const envoy_config_route_v3_RouteAction_HashPolicy_Header *header =
      envoy_config_route_v3_RouteAction_HashPolicy_header(in);
  if (!header) return false;
  const gxds_path *at = GXDS_FIELD(up, "header");
  out->kind = GXDS_HASH_HEADER;
  gxds_str name =
      gxds_pb_str(envoy_config_route_v3_RouteAction_HashPolicy_Header_header_name(header));
  if (name.size == 0) {
    gxds_errors_add(d->errors, GXDS_FIELD(at, "header_name"), "must be non-empty");
  }
  out->header = gxds_header_name_dup(d->arena, name);
  const envoy_type_matcher_v3_RegexMatchAndSubstitute *rewrite =
      envoy_config_route_v3_RouteAction_HashPolicy_Header_regex_rewrite(header);
  if (rewrite) decode_rewrite(d, rewrite, at, out);
  return true;
}

void gxds_hash_policies_decode(const gxds_route_decoder *d,
                               const envoy_config_route_v3_RouteAction *in, const gxds_path *at,
                               gxds_route *out) {
  size_t count = 0;
  const policy_message *const *list = envoy_config_route_v3_RouteAction_hash_policy(in, &count);
  if (count == 0) return;
  gxds_hash_policy *policies = gxds_arena_calloc(d->arena, count, sizeof *policies);
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    if (decode_policy(d, list[i], GXDS_ITEM(at, "hash_policy", i), &policies[used])) used++;
  }
  out->hash_policies = policies;
  out->hash_policy_count = (uint32_t)used;
}
