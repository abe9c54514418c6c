#include "files/extra_types.h"

#include <google/protobuf/descriptor.upb.h>
#include <stdio.h>
#include <upb/def.h>

#include "base/check.h"
#include "base/text.h"

typedef struct extra_field {
  const char *name;
  int number;
  int type;       /* google_protobuf_FieldDescriptorProto_TYPE_… */
  const char *of; /* the name of the message or enum, with a leading dot; NULL: the field is a
                     scalar */
} extra_field;

enum { kFieldsMax = 8, kValuesMax = 4, kDependenciesMax = 8 };

typedef struct extra_nested {
  const char *message; /* NULL: the end of a list */
  extra_field fields[kFieldsMax];
} extra_nested;

typedef struct extra_type {
  const char *package;
  const char *message;
  extra_field fields[kFieldsMax];
  int repeated;               /* the number of the message's repeated field; 0: it has none */
  const extra_nested *nested; /* NULL: none */
  const char *enum_name;      /* an enum nested in the message; NULL: none */
  const char *enum_values[kValuesMax];
  const char *uses; /* the full name of a type above that its fields refer to; NULL: none */
} extra_type;

#define BOOL google_protobuf_FieldDescriptorProto_TYPE_BOOL
#define STRING google_protobuf_FieldDescriptorProto_TYPE_STRING
#define MESSAGE google_protobuf_FieldDescriptorProto_TYPE_MESSAGE
#define ENUM google_protobuf_FieldDescriptorProto_TYPE_ENUM
#define LB "envoy.extensions.load_balancing_policies."
#define DURATION ".google.protobuf.Duration"
#define SLOW_START ".envoy.config.cluster.v3.Cluster.SlowStartConfig"
#define UINT32 ".google.protobuf.UInt32Value"
#define UINT64 ".google.protobuf.UInt64Value"

#define HTTP_PACKAGE "envoy.extensions.upstreams.http.v3"
#define HTTP "." HTTP_PACKAGE ".HttpProtocolOptions."
#define CORE ".envoy.config.core.v3."
#define STATEFUL_SESSION "envoy.extensions.filters.http.stateful_session.v3"
/* The first fields of every message that chooses an HTTP protocol. */
#define HTTP1 \
  { "http_protocol_options", 1, MESSAGE, CORE "Http1ProtocolOptions" }
#define HTTP2 \
  { "http2_protocol_options", 2, MESSAGE, CORE "Http2ProtocolOptions" }
#define HTTP3 \
  { "http3_protocol_options", 3, MESSAGE, CORE "Http3ProtocolOptions" }

static const extra_nested http_nested[] = {
    {.message = "ExplicitHttpConfig", .fields = {HTTP1, HTTP2, HTTP3}},
    {.message = "UseDownstreamHttpConfig", .fields = {HTTP1, HTTP2, HTTP3}},
    {.message = "AutoHttpConfig",
     .fields = {HTTP1,
                HTTP2,
                HTTP3,
                {"alternate_protocols_cache_options", 4, MESSAGE,
                 CORE "AlternateProtocolsCacheOptions"}}},
    {0},
};

/* Field numbers are those of Envoy's and xDS's .proto files. A48, A52, A58, A62 and A68 use such
 * messages. Without HttpProtocolOptions, Envoy speaks HTTP/1 to a cluster. */
static const extra_type extra_types[] = {
    {.package = LB "round_robin.v3",
     .message = "RoundRobin",
     .fields = {{"slow_start_config", 1, MESSAGE, SLOW_START}}},
    {.package = LB "random.v3", .message = "Random"},
    {.package = LB "pick_first.v3",
     .message = "PickFirst",
     .fields = {{"shuffle_address_list", 1, BOOL, NULL}}},
    {.package = LB "least_request.v3",
     .message = "LeastRequest",
     .fields = {{"choice_count", 1, MESSAGE, UINT32},
                {"slow_start_config", 3, MESSAGE, SLOW_START}}},
    {.package = LB "random_subsetting.v3",
     .message = "RandomSubsetting",
     .fields = {{"subset_size", 1, MESSAGE, UINT32},
                {"child_policy", 2, MESSAGE, ".envoy.config.cluster.v3.LoadBalancingPolicy"}}},
    {.package = LB "wrr_locality.v3",
     .message = "WrrLocality",
     .fields = {{"endpoint_picking_policy", 1, MESSAGE,
                 ".envoy.config.cluster.v3.LoadBalancingPolicy"}}},
    {.package = LB "ring_hash.v3",
     .message = "RingHash",
     .fields = {{"hash_function", 1, ENUM, "." LB "ring_hash.v3.RingHash.HashFunction"},
                {"minimum_ring_size", 2, MESSAGE, UINT64},
                {"maximum_ring_size", 3, MESSAGE, UINT64},
                {"use_hostname_for_hashing", 4, BOOL, NULL},
                {"hash_balance_factor", 5, MESSAGE, UINT32}},
     .enum_name = "HashFunction",
     .enum_values = {"DEFAULT_HASH", "XX_HASH", "MURMUR_HASH_2"}},
    {.package = LB "client_side_weighted_round_robin.v3",
     .message = "ClientSideWeightedRoundRobin",
     .fields = {{"enable_oob_load_report", 1, MESSAGE, ".google.protobuf.BoolValue"},
                {"oob_reporting_period", 2, MESSAGE, DURATION},
                {"blackout_period", 3, MESSAGE, DURATION},
                {"weight_expiration_period", 4, MESSAGE, DURATION},
                {"weight_update_period", 5, MESSAGE, DURATION},
                {"error_utilization_penalty", 6, MESSAGE, ".google.protobuf.FloatValue"},
                {"metric_names_for_computing_utilization", 7, STRING, NULL}},
     .repeated = 7},
    {.package = HTTP_PACKAGE,
     .message = "HttpProtocolOptions",
     .fields = {{"common_http_protocol_options", 1, MESSAGE, CORE "HttpProtocolOptions"},
                {"upstream_http_protocol_options", 2, MESSAGE, CORE "UpstreamHttpProtocolOptions"},
                {"explicit_http_config", 3, MESSAGE, HTTP "ExplicitHttpConfig"},
                {"use_downstream_protocol_config", 4, MESSAGE, HTTP "UseDownstreamHttpConfig"},
                {"auto_config", 5, MESSAGE, HTTP "AutoHttpConfig"}},
     .nested = http_nested},
    {.package = "envoy.extensions.transport_sockets.http_11_proxy.v3",
     .message = "Http11ProxyUpstreamTransport",
     .fields = {{"transport_socket", 1, MESSAGE, CORE "TransportSocket"},
                {"default_proxy_address", 2, MESSAGE, CORE "Address"}}},
    {.package = "envoy.extensions.http.stateful_session.cookie.v3",
     .message = "CookieBasedSessionState",
     .fields = {{"cookie", 1, MESSAGE, ".envoy.type.http.v3.Cookie"}}},
    {.package = STATEFUL_SESSION,
     .message = "StatefulSession",
     .fields = {{"session_state", 1, MESSAGE, CORE "TypedExtensionConfig"},
                {"strict", 2, BOOL, NULL}}},
    {.package = STATEFUL_SESSION,
     .message = "StatefulSessionPerRoute",
     .fields = {{"disabled", 1, BOOL, NULL},
                {"stateful_session", 2, MESSAGE, "." STATEFUL_SESSION ".StatefulSession"}},
     .uses = STATEFUL_SESSION ".StatefulSession"},
    {.package = "udpa.type.v1",
     .message = "TypedStruct",
     .fields = {{"type_url", 1, STRING, NULL}, {"value", 2, MESSAGE, ".google.protobuf.Struct"}}},
};

/* Files of the host that the fields above may refer to. */
static const char *const dependencies[kDependenciesMax] = {
    "google/protobuf/wrappers.proto",      "google/protobuf/duration.proto",
    "google/protobuf/struct.proto",        "envoy/config/cluster/v3/cluster.proto",
    "envoy/config/core/v3/protocol.proto", "envoy/config/core/v3/extension.proto",
    "envoy/config/core/v3/base.proto",     "envoy/type/http/v3/cookie.proto"};

#define Z(s) upb_StringView_FromString(s)

static void add_enum(google_protobuf_DescriptorProto *message, const extra_type *t,
                     upb_Arena *arena) {
  google_protobuf_EnumDescriptorProto *e =
      google_protobuf_DescriptorProto_add_enum_type(message, arena);
  google_protobuf_EnumDescriptorProto_set_name(e, Z(t->enum_name));
  for (int i = 0; i < kValuesMax && t->enum_values[i]; i++) {
    google_protobuf_EnumValueDescriptorProto *v =
        google_protobuf_EnumDescriptorProto_add_value(e, arena);
    google_protobuf_EnumValueDescriptorProto_set_name(v, Z(t->enum_values[i]));
    google_protobuf_EnumValueDescriptorProto_set_number(v, i);
  }
}

static void add_field(google_protobuf_DescriptorProto *message, const extra_field *f, bool repeated,
                      upb_Arena *arena) {
  google_protobuf_FieldDescriptorProto *field =
      google_protobuf_DescriptorProto_add_field(message, arena);
  google_protobuf_FieldDescriptorProto_set_name(field, Z(f->name));
  google_protobuf_FieldDescriptorProto_set_number(field, f->number);
  google_protobuf_FieldDescriptorProto_set_type(field, f->type);
  google_protobuf_FieldDescriptorProto_set_label(
      field, repeated ? google_protobuf_FieldDescriptorProto_LABEL_REPEATED
                      : google_protobuf_FieldDescriptorProto_LABEL_OPTIONAL);
  if (f->of) google_protobuf_FieldDescriptorProto_set_type_name(field, Z(f->of));
}

/* repeated is the number of the message's repeated field; 0: it has none. */
static void add_fields(google_protobuf_DescriptorProto *message, const extra_field *fields,
                       int repeated, upb_Arena *arena) {
  for (int i = 0; i < kFieldsMax && fields[i].name; i++) {
    add_field(message, &fields[i], fields[i].number == repeated, arena);
  }
}

/* Whether the message has the field already, as in gRPC 1.83. */
static bool has_field(const google_protobuf_DescriptorProto *message, int32_t number) {
  size_t count = 0;
  const google_protobuf_FieldDescriptorProto *const *fields =
      google_protobuf_DescriptorProto_field(message, &count);
  for (size_t i = 0; i < count; i++) {
    if (google_protobuf_FieldDescriptorProto_number(fields[i]) == number) return true;
  }
  return false;
}

/* The fields of A85, A61 and A86, in this order. */
static const extra_field metrics_of_cluster = {"lrs_report_endpoint_metrics", 57, STRING, NULL};
static const extra_field addresses_of_endpoint = {
    "additional_addresses", 4, MESSAGE, ".envoy.config.endpoint.v3.Endpoint.AdditionalAddress"};
static const extra_field metadata_of_locality = {"metadata", 9, MESSAGE, CORE "Metadata"};
static const extra_field address_of_additional = {"address", 1, MESSAGE, CORE "Address"};
/* A82 */
static const extra_field roots_of_validation = {
    "system_root_certs", 17, MESSAGE,
    ".envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext.SystemRootCerts"};

/* A101 */
static const extra_field host_sni_of_upstream = {"auto_host_sni", 6, BOOL, NULL};
static const extra_field sni_san_of_upstream = {"auto_sni_san_validation", 7, BOOL, NULL};

/* E5: a part of lb_subset_config that is refused. If it were not known, it would be ignored in the
 * JSON of a control plane. */
static const extra_field fallback_of_subsets = {
    "metadata_fallback_policy", 8, ENUM,
    ".envoy.config.cluster.v3.Cluster.LbSubsetConfig.LbSubsetMetadataFallbackPolicy"};
static const extra_type fallbacks_of_subsets = {
    .enum_name = "LbSubsetMetadataFallbackPolicy",
    .enum_values = {"METADATA_NO_FALLBACK", "FALLBACK_LIST"}};

static google_protobuf_DescriptorProto *add_nested(google_protobuf_DescriptorProto *message,
                                                   const char *name, upb_Arena *arena) {
  google_protobuf_DescriptorProto *nested =
      google_protobuf_DescriptorProto_add_nested_type(message, arena);
  google_protobuf_DescriptorProto_set_name(nested, Z(name));
  return nested;
}

/* Adds the field if the message has that name and lacks the field. */
static bool extend_one(google_protobuf_DescriptorProto *message, const char *name,
                       const extra_field *f, bool repeated, upb_Arena *arena) {
  if (!upb_StringView_IsEqual(google_protobuf_DescriptorProto_name(message), Z(name)) ||
      has_field(message, f->number)) {
    return false;
  }
  add_field(message, f, repeated, arena);
  return true;
}

static void extend_nested(google_protobuf_DescriptorProto *message, upb_Arena *arena) {
  size_t count = 0;
  google_protobuf_DescriptorProto **nested =
      google_protobuf_DescriptorProto_mutable_nested_type(message, &count);
  for (size_t i = 0; i < count; i++) {
    if (extend_one(nested[i], "LbSubsetConfig", &fallback_of_subsets, false, arena)) {
      add_enum(nested[i], &fallbacks_of_subsets, arena);
    }
  }
}

static void extend(google_protobuf_DescriptorProto *message, upb_Arena *arena) {
  extend_nested(message, arena);
  extend_one(message, "Cluster", &metrics_of_cluster, true, arena);
  extend_one(message, "LocalityLbEndpoints", &metadata_of_locality, false, arena);
  extend_one(message, "UpstreamTlsContext", &host_sni_of_upstream, false, arena);
  extend_one(message, "UpstreamTlsContext", &sni_san_of_upstream, false, arena);
  if (extend_one(message, "Endpoint", &addresses_of_endpoint, true, arena)) {
    add_field(add_nested(message, "AdditionalAddress", arena), &address_of_additional, false,
              arena);
  }
  if (extend_one(message, "CertificateValidationContext", &roots_of_validation, false, arena)) {
    add_nested(message, "SystemRootCerts", arena);
  }
}

void gxds_extra_fields_add(google_protobuf_FileDescriptorProto *file, upb_Arena *arena) {
  size_t count = 0;
  google_protobuf_DescriptorProto **messages =
      google_protobuf_FileDescriptorProto_mutable_message_type(file, &count);
  for (size_t i = 0; i < count; i++) extend(messages[i], arena);
}

static void add_type(upb_DefPool *pool, const extra_type *t) {
  upb_Arena *arena = upb_Arena_New();
  google_protobuf_FileDescriptorProto *file = google_protobuf_FileDescriptorProto_new(arena);
  /* The file is named after its message, because file names must be unique. */
  gxds_str name = gxds_str_format("%s.%s", t->package, t->message);
  google_protobuf_FileDescriptorProto_set_name(file, Z(name.data));
  google_protobuf_FileDescriptorProto_set_package(file, Z(t->package));
  google_protobuf_FileDescriptorProto_set_syntax(file, Z("proto3"));
  for (int i = 0; i < kDependenciesMax; i++) {
    google_protobuf_FileDescriptorProto_add_dependency(file, Z(dependencies[i]), arena);
  }
  if (t->uses) google_protobuf_FileDescriptorProto_add_dependency(file, Z(t->uses), arena);
  google_protobuf_DescriptorProto *message =
      google_protobuf_FileDescriptorProto_add_message_type(file, arena);
  google_protobuf_DescriptorProto_set_name(message, Z(t->message));
  add_fields(message, t->fields, t->repeated, arena);
  for (const extra_nested *n = t->nested; n && n->message; n++) {
    add_fields(add_nested(message, n->message, arena), n->fields, 0, arena);
  }
  if (t->enum_name) add_enum(message, t, arena);
  upb_Status status;
  upb_Status_Clear(&status);
  GXDS_CHECK(upb_DefPool_AddFile(pool, file, &status) != NULL);
  gxds_str_free(&name);
  upb_Arena_Free(arena);
}

void gxds_extra_types_add(upb_DefPool *pool) {
  for (size_t i = 0; i < sizeof extra_types / sizeof *extra_types; i++) {
    add_type(pool, &extra_types[i]);
  }
}

bool gxds_extra_type_add_empty(upb_DefPool *pool, gxds_str full_name) {
  size_t dot = full_name.size;
  while (dot > 0 && full_name.data[dot - 1] != '.') dot--;
  upb_Arena *arena = upb_Arena_New();
  google_protobuf_FileDescriptorProto *file = google_protobuf_FileDescriptorProto_new(arena);
  google_protobuf_FileDescriptorProto_set_name(
      file, upb_StringView_FromDataAndSize(full_name.data, full_name.size));
  google_protobuf_FileDescriptorProto_set_syntax(file, Z("proto3"));
  if (dot > 0) {
    google_protobuf_FileDescriptorProto_set_package(
        file, upb_StringView_FromDataAndSize(full_name.data, dot - 1));
  }
  google_protobuf_DescriptorProto_set_name(
      google_protobuf_FileDescriptorProto_add_message_type(file, arena),
      upb_StringView_FromDataAndSize(full_name.data + dot, full_name.size - dot));
  upb_Status status;
  upb_Status_Clear(&status);
  const bool added = upb_DefPool_AddFile(pool, file, &status) != NULL;
  upb_Arena_Free(arena);
  return added;
}
