#include "files/extra_types.h"

#include <google/protobuf/descriptor.upb.h>
#include <stdio.h>
#include <upb/def.h>

#include "base/check.h"

typedef struct extra_field {
  const char *name;
  int number;
  int type;       /* google_protobuf_FieldDescriptorProto_TYPE_… */
  const char *of; /* the message or enum, with a leading dot; NULL: a scalar */
} extra_field;

enum { kFieldsMax = 8, kValuesMax = 4, kDependenciesMax = 3 };

typedef struct extra_type {
  const char *package;
  const char *message;
  extra_field fields[kFieldsMax];
  const char *enum_name; /* nested in the message; NULL: none */
  const char *enum_values[kValuesMax];
} extra_type;

#define BOOL google_protobuf_FieldDescriptorProto_TYPE_BOOL
#define STRING google_protobuf_FieldDescriptorProto_TYPE_STRING
#define MESSAGE google_protobuf_FieldDescriptorProto_TYPE_MESSAGE
#define ENUM google_protobuf_FieldDescriptorProto_TYPE_ENUM
#define LB "envoy.extensions.load_balancing_policies."
#define DURATION ".google.protobuf.Duration"
#define UINT32 ".google.protobuf.UInt32Value"
#define UINT64 ".google.protobuf.UInt64Value"

/* Field numbers are those of Envoy's and xDS's .proto files (A48, A52, A58, A62, A68 use them). */
static const extra_type extra_types[] = {
    {.package = LB "round_robin.v3", .message = "RoundRobin"},
    {.package = LB "random.v3", .message = "Random"},
    {.package = LB "pick_first.v3",
     .message = "PickFirst",
     .fields = {{"shuffle_address_list", 1, BOOL, NULL}}},
    {.package = LB "least_request.v3",
     .message = "LeastRequest",
     .fields = {{"choice_count", 1, MESSAGE, UINT32}}},
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
                {"error_utilization_penalty", 6, MESSAGE, ".google.protobuf.FloatValue"}}},
    {.package = "udpa.type.v1",
     .message = "TypedStruct",
     .fields = {{"type_url", 1, STRING, NULL}, {"value", 2, MESSAGE, ".google.protobuf.Struct"}}},
};

/* Files of the host that the fields above may refer to. */
static const char *const dependencies[kDependenciesMax] = {"google/protobuf/wrappers.proto",
                                                           "google/protobuf/duration.proto",
                                                           "google/protobuf/struct.proto"};
static const char cluster_file[] = "envoy/config/cluster/v3/cluster.proto";

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

static void add_field(google_protobuf_DescriptorProto *message, const extra_field *f,
                      upb_Arena *arena) {
  google_protobuf_FieldDescriptorProto *field =
      google_protobuf_DescriptorProto_add_field(message, arena);
  google_protobuf_FieldDescriptorProto_set_name(field, Z(f->name));
  google_protobuf_FieldDescriptorProto_set_number(field, f->number);
  google_protobuf_FieldDescriptorProto_set_type(field, f->type);
  google_protobuf_FieldDescriptorProto_set_label(
      field, google_protobuf_FieldDescriptorProto_LABEL_OPTIONAL);
  if (f->of) google_protobuf_FieldDescriptorProto_set_type_name(field, Z(f->of));
}

/* A85. */
void gxds_extra_fields_add(google_protobuf_FileDescriptorProto *file, upb_Arena *arena) {
  size_t count = 0;
  google_protobuf_DescriptorProto **messages =
      google_protobuf_FileDescriptorProto_mutable_message_type(file, &count);
  for (size_t i = 0; i < count; i++) {
    if (!upb_StringView_IsEqual(google_protobuf_DescriptorProto_name(messages[i]), Z("Cluster"))) {
      continue;
    }
    google_protobuf_FieldDescriptorProto *field =
        google_protobuf_DescriptorProto_add_field(messages[i], arena);
    google_protobuf_FieldDescriptorProto_set_name(field, Z("lrs_report_endpoint_metrics"));
    google_protobuf_FieldDescriptorProto_set_number(field, 57);
    google_protobuf_FieldDescriptorProto_set_type(field, STRING);
    google_protobuf_FieldDescriptorProto_set_label(
        field, google_protobuf_FieldDescriptorProto_LABEL_REPEATED);
  }
}

static void add_type(upb_DefPool *pool, const extra_type *t) {
  upb_Arena *arena = upb_Arena_New();
  google_protobuf_FileDescriptorProto *file = google_protobuf_FileDescriptorProto_new(arena);
  /* Any name that is not taken; nothing imports the file. */
  google_protobuf_FileDescriptorProto_set_name(file, Z(t->package));
  google_protobuf_FileDescriptorProto_set_package(file, Z(t->package));
  google_protobuf_FileDescriptorProto_set_syntax(file, Z("proto3"));
  for (int i = 0; i < kDependenciesMax; i++) {
    google_protobuf_FileDescriptorProto_add_dependency(file, Z(dependencies[i]), arena);
  }
  google_protobuf_FileDescriptorProto_add_dependency(file, Z(cluster_file), arena);
  google_protobuf_DescriptorProto *message =
      google_protobuf_FileDescriptorProto_add_message_type(file, arena);
  google_protobuf_DescriptorProto_set_name(message, Z(t->message));
  for (int i = 0; i < kFieldsMax && t->fields[i].name; i++) {
    add_field(message, &t->fields[i], arena);
  }
  if (t->enum_name) add_enum(message, t, arena);
  upb_Status status;
  upb_Status_Clear(&status);
  GXDS_CHECK(upb_DefPool_AddFile(pool, file, &status) != NULL);
  upb_Arena_Free(arena);
}

void gxds_extra_types_add(upb_DefPool *pool) {
  for (size_t i = 0; i < sizeof extra_types / sizeof *extra_types; i++) {
    add_type(pool, &extra_types[i]);
  }
}
