#include <stdlib.h>

#include "envoy/extensions/transport_sockets/tls/v3/common.upb.h"
#include "envoy/extensions/transport_sockets/tls/v3/tls.upb.h"
#include "envoy/type/matcher/v3/regex.upb.h"
#include "envoy/type/matcher/v3/string.upb.h"
#include "google/protobuf/wrappers.upb.h"
#include "resources/cluster_internal.h"
#ifndef GXDS_HOST_HAS_SYSTEM_ROOT_CERTS
#include "base/wire.h"
#include "upb/msg.h"
#endif

typedef envoy_extensions_transport_sockets_tls_v3_CommonTlsContext common_message;
typedef envoy_extensions_transport_sockets_tls_v3_CertificateValidationContext validation_message;
typedef envoy_extensions_transport_sockets_tls_v3_CertificateProviderPluginInstance
    instance_message;
/* The older form of instance_message in the protocol, with the same fields. */
typedef envoy_extensions_transport_sockets_tls_v3_CommonTlsContext_CertificateProviderInstance
    old_instance_message;
typedef envoy_extensions_transport_sockets_tls_v3_CommonTlsContext_CombinedCertificateValidationContext
    combined_message;

/* The names of these messages' functions are longer than a line. */
#define COMMON(name) envoy_extensions_transport_sockets_tls_v3_CommonTlsContext_##name
#define COMBINED(name) COMMON(CombinedCertificateValidationContext_##name)
#define OLD_INSTANCE(name) COMMON(CertificateProviderInstance_##name)
#define VALIDATION(name) \
  envoy_extensions_transport_sockets_tls_v3_CertificateValidationContext_##name
#define INSTANCE(name) \
  envoy_extensions_transport_sockets_tls_v3_CertificateProviderPluginInstance_##name

typedef struct tls_decoder {
  const gxds_decode_context *context;
  upb_Arena *arena;
  gxds_errors *errors;
  gxds_tls *out;
} tls_decoder;

/* A29: refuses a field that gRPC does not support, if the connection would be less secure without
 * the field than the control plane wants. */
static void refuse(tls_decoder *d, bool is_present, const gxds_path *at, const char *field) {
  if (is_present) gxds_errors_add(d->errors, GXDS_FIELD(at, field), "feature unsupported");
}

static const gxds_bootstrap_certificate_provider *find_provider(const gxds_bootstrap *b,
                                                                gxds_str name) {
  if (!b || b->certificate_provider_count == 0) return NULL;
  return bsearch(&name, b->certificate_providers, b->certificate_provider_count,
                 sizeof *b->certificate_providers, gxds_str_compare_items);
}

static gxds_certificate_source make_source(tls_decoder *d, upb_StringView instance,
                                           upb_StringView certificate, const gxds_path *at) {
  gxds_str name = gxds_pb_str(instance);
  const gxds_bootstrap_certificate_provider *provider = find_provider(d->context->bootstrap, name);
  if (!provider && !d->context->any_bootstrap) {
    gxds_errors_add(d->errors, GXDS_FIELD(at, "instance_name"),
                    "unrecognized certificate provider instance name: %.*s", GXDS_QUOTED(name));
  }
  return (gxds_certificate_source){gxds_arena_dup(d->arena, name),
                                   gxds_arena_dup(d->arena, gxds_pb_str(certificate)), provider};
}

static gxds_certificate_source decode_instance(tls_decoder *d, const instance_message *in,
                                               const gxds_path *at) {
  return make_source(d, INSTANCE(instance_name)(in), INSTANCE(certificate_name)(in), at);
}

static gxds_certificate_source decode_old_instance(tls_decoder *d, const old_instance_message *in,
                                                   const gxds_path *at) {
  return make_source(d, OLD_INSTANCE(instance_name)(in), OLD_INSTANCE(certificate_name)(in), at);
}

static void decode_regex(tls_decoder *d, const envoy_type_matcher_v3_StringMatcher *in,
                         const gxds_path *at, gxds_san_match *out) {
  const gxds_host *host = d->context->host;
  gxds_str regex = gxds_pb_str(
      envoy_type_matcher_v3_RegexMatcher_regex(envoy_type_matcher_v3_StringMatcher_safe_regex(in)));
  out->kind = GXDS_SAN_REGEX;
  out->text = gxds_arena_dup(d->arena, regex);
  if (host && host->regex_check && !host->regex_check(regex)) {
    gxds_errors_add(d->errors, at, "Invalid regex string specified in matcher.");
  } else if (!out->case_sensitive) {
    gxds_errors_add(d->errors, GXDS_FIELD(at, "ignore_case"), "not supported for regex matcher");
  }
}

static void decode_san(tls_decoder *d, const envoy_type_matcher_v3_StringMatcher *in,
                       const gxds_path *at, gxds_san_match *out) {
  out->case_sensitive = !envoy_type_matcher_v3_StringMatcher_ignore_case(in);
  upb_StringView text = {NULL, 0};
  switch (envoy_type_matcher_v3_StringMatcher_match_pattern_case(in)) {
    case envoy_type_matcher_v3_StringMatcher_match_pattern_exact:
      out->kind = GXDS_SAN_EXACT;
      text = envoy_type_matcher_v3_StringMatcher_exact(in);
      break;
    case envoy_type_matcher_v3_StringMatcher_match_pattern_prefix:
      out->kind = GXDS_SAN_PREFIX;
      text = envoy_type_matcher_v3_StringMatcher_prefix(in);
      break;
    case envoy_type_matcher_v3_StringMatcher_match_pattern_suffix:
      out->kind = GXDS_SAN_SUFFIX;
      text = envoy_type_matcher_v3_StringMatcher_suffix(in);
      break;
    case envoy_type_matcher_v3_StringMatcher_match_pattern_contains:
      out->kind = GXDS_SAN_CONTAINS;
      text = envoy_type_matcher_v3_StringMatcher_contains(in);
      break;
    case envoy_type_matcher_v3_StringMatcher_match_pattern_safe_regex:
      decode_regex(d, in, at, out);
      return;
    default:
      gxds_errors_add(d->errors, at, "invalid StringMatcher specified");
  }
  out->text = gxds_arena_dup(d->arena, gxds_pb_str(text));
}

/* A82 */
#ifdef GXDS_HOST_HAS_SYSTEM_ROOT_CERTS
static bool has_system_roots(const validation_message *in) {
  return VALIDATION(has_system_root_certs)(in);
}
#else
/* The table of gRPC 1.51 lacks system_root_certs, so it is read from the fields that upb does not
 * know. */
static bool has_system_roots(const validation_message *in) {
  enum { SYSTEM_ROOT_CERTS = 17 };
  size_t size = 0;
  const char *data = upb_Message_GetUnknown(in, &size);
  return gxds_wire_bytes_at(gxds_str_of(data, size), SYSTEM_ROOT_CERTS).data != NULL;
}
#endif

static void decode_validation(tls_decoder *d, const validation_message *in, const gxds_path *at) {
  const envoy_type_matcher_v3_StringMatcher *const *list =
      VALIDATION(match_subject_alt_names)(in, &d->out->san_count);
  gxds_san_match *sans = gxds_arena_calloc(d->arena, d->out->san_count, sizeof *sans);
  for (size_t i = 0; i < d->out->san_count; i++) {
    decode_san(d, list[i], GXDS_ITEM(at, "match_subject_alt_names", i), &sans[i]);
  }
  d->out->sans = sans;
  const instance_message *ca = VALIDATION(ca_certificate_provider_instance)(in);
  if (ca) {
    d->out->ca = decode_instance(d, ca, GXDS_FIELD(at, "ca_certificate_provider_instance"));
  } else {
    d->out->system_roots = has_system_roots(in);
  }
  size_t count = 0;
  VALIDATION(verify_certificate_spki)(in, &count);
  refuse(d, count > 0, at, "verify_certificate_spki");
  VALIDATION(verify_certificate_hash)(in, &count);
  refuse(d, count > 0, at, "verify_certificate_hash");
  const google_protobuf_BoolValue *timestamp = VALIDATION(require_signed_certificate_timestamp)(in);
  refuse(d, timestamp && google_protobuf_BoolValue_value(timestamp), at,
         "require_signed_certificate_timestamp");
  refuse(d, VALIDATION(has_crl)(in), at, "crl");
  refuse(d, VALIDATION(has_custom_validator_config)(in), at, "custom_validator_config");
}

/* The field beside the validation context is the older way to name a certificate provider. It is
 * used if the validation context names none, and takes precedence over system_root_certs. */
static void decode_combined(tls_decoder *d, const combined_message *in, const gxds_path *up) {
  const gxds_path *at = GXDS_FIELD(up, "combined_validation_context");
  const validation_message *validation = COMBINED(default_validation_context)(in);
  if (validation) decode_validation(d, validation, GXDS_FIELD(at, "default_validation_context"));
  const old_instance_message *old = COMBINED(validation_context_certificate_provider_instance)(in);
  const gxds_certificate_source *ca = &d->out->ca;
  if (old && ca->instance_name.size == 0 && ca->certificate_name.size == 0) {
    d->out->system_roots = false;
    d->out->ca = decode_old_instance(
        d, old, GXDS_FIELD(at, "validation_context_certificate_provider_instance"));
  }
}

static void decode_authorities(tls_decoder *d, const common_message *in, const gxds_path *at) {
  const combined_message *combined = COMMON(combined_validation_context)(in);
  const validation_message *validation = COMMON(validation_context)(in);
  if (combined) {
    decode_combined(d, combined, at);
  } else if (validation) {
    decode_validation(d, validation, GXDS_FIELD(at, "validation_context"));
  } else {
    refuse(d, COMMON(has_validation_context_sds_secret_config)(in), at,
           "validation_context_sds_secret_config");
  }
}

static void decode_identity(tls_decoder *d, const common_message *in, const gxds_path *at) {
  const instance_message *instance = COMMON(tls_certificate_provider_instance)(in);
  const old_instance_message *old = COMMON(tls_certificate_certificate_provider_instance)(in);
  if (instance) {
    d->out->identity =
        decode_instance(d, instance, GXDS_FIELD(at, "tls_certificate_provider_instance"));
  } else if (old) {
    d->out->identity = decode_old_instance(
        d, old, GXDS_FIELD(at, "tls_certificate_certificate_provider_instance"));
  } else {
    size_t count = 0;
    COMMON(tls_certificates)(in, &count);
    refuse(d, count > 0, at, "tls_certificates");
    count = 0;
    COMMON(tls_certificate_sds_secret_configs)(in, &count);
    refuse(d, count > 0, at, "tls_certificate_sds_secret_configs");
  }
}

static void decode_upstream(tls_decoder *d,
                            const envoy_extensions_transport_sockets_tls_v3_UpstreamTlsContext *in,
                            const gxds_path *up) {
  const gxds_path *at = GXDS_FIELD(up, "common_tls_context");
  const common_message *common =
      envoy_extensions_transport_sockets_tls_v3_UpstreamTlsContext_common_tls_context(in);
  if (common) {
    decode_authorities(d, common, at);
    decode_identity(d, common, at);
    refuse(d, COMMON(has_tls_params)(common), at, "tls_params");
    refuse(d, COMMON(has_custom_handshaker)(common), at, "custom_handshaker");
  }
  if (d->out->ca.instance_name.size == 0 && !d->out->system_roots) {
    gxds_errors_add(d->errors, at, "no CA certificate provider instance configured");
  }
}

void gxds_tls_decode(const gxds_extension *in, const gxds_decode_context *context,
                     upb_Arena *scratch, gxds_errors *errors, gxds_cluster *out) {
  const envoy_extensions_transport_sockets_tls_v3_UpstreamTlsContext *upstream = NULL;
  if (!in->typed_struct) {
    upstream = GXDS_DECODE(envoy_extensions_transport_sockets_tls_v3_UpstreamTlsContext, in->value,
                           scratch);
  }
  if (!upstream) {
    gxds_errors_add(errors, in->at, "can't decode UpstreamTlsContext");
    return;
  }
  gxds_tls *tls = gxds_arena_calloc(gxds_cluster_arena(out), 1, sizeof *tls);
  tls_decoder d = {
      .context = context, .arena = gxds_cluster_arena(out), .errors = errors, .out = tls};
  decode_upstream(&d, upstream, in->at);
  gxds_tls_sni_decode(upstream, in->value, in->at, gxds_cluster_arena(out), errors, tls);
  gxds_cluster_rare_get(out)->tls = tls;
}
