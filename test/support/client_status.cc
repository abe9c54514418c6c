#include "test/support/client_status.h"

#include <memory>

#include "base/wire.h"
#include "envoy/admin/v3/config_dump_shared.upb.h"
#include "envoy/config/core/v3/base.upb.h"
#include "envoy/service/status/v3/csds.upb.h"
#include "google/protobuf/any.upb.h"
#include "google/protobuf/timestamp.upb.h"

namespace gxds_test {
namespace {

using EntryMessage = envoy_service_status_v3_ClientConfig_GenericXdsConfig;

struct ArenaFree {
  void operator()(upb_Arena* a) const { upb_Arena_Free(a); }
};
using Arena = std::unique_ptr<upb_Arena, ArenaFree>;

std::string ToString(upb_StringView s) { return std::string(s.data, s.size); }

std::string TypeName(const std::string& url) { return url.substr(url.find('/') + 1); }

int64_t Nanoseconds(const google_protobuf_Timestamp* t) {
  if (t == nullptr) return 0;
  return google_protobuf_Timestamp_seconds(t) * 1000000000 + google_protobuf_Timestamp_nanos(t);
}

StatusOfResource Read(const EntryMessage* entry) {
  static const char* const kStates[] = {"UNKNOWN", "REQUESTED",      "DOES_NOT_EXIST", "ACKED",
                                        "NACKED",  "RECEIVED_ERROR", "TIMEOUT"};
  StatusOfResource out;
  out.type =
      TypeName(ToString(envoy_service_status_v3_ClientConfig_GenericXdsConfig_type_url(entry)));
  out.name = ToString(envoy_service_status_v3_ClientConfig_GenericXdsConfig_name(entry));
  out.state =
      kStates[envoy_service_status_v3_ClientConfig_GenericXdsConfig_client_status(entry) % 7];
  out.version = ToString(envoy_service_status_v3_ClientConfig_GenericXdsConfig_version_info(entry));
  const auto* any = envoy_service_status_v3_ClientConfig_GenericXdsConfig_xds_config(entry);
  if (any != nullptr) {
    out.config_type = TypeName(ToString(google_protobuf_Any_type_url(any)));
    out.config = ToString(google_protobuf_Any_value(any));
  }
  out.updated =
      Nanoseconds(envoy_service_status_v3_ClientConfig_GenericXdsConfig_last_updated(entry));
  const auto* error = envoy_service_status_v3_ClientConfig_GenericXdsConfig_error_state(entry);
  if (error != nullptr) {
    out.has_error = true;
    out.error = ToString(envoy_admin_v3_UpdateFailureState_details(error));
    out.failed_version = ToString(envoy_admin_v3_UpdateFailureState_version_info(error));
    out.failed = Nanoseconds(envoy_admin_v3_UpdateFailureState_last_update_attempt(error));
  }
  return out;
}

// client_scope, which the tables of some hosts lack.
std::string Scope(const envoy_service_status_v3_ClientConfig* config) {
  std::unique_ptr<upb_Arena, decltype(&upb_Arena_Free)> arena(upb_Arena_New(), upb_Arena_Free);
  size_t size = 0;
  const char* bytes = envoy_service_status_v3_ClientConfig_serialize(config, arena.get(), &size);
  gxds_str rest = gxds_str_of(bytes, size);
  for (gxds_wire_field field; gxds_wire_next(&rest, &field);) {
    if (field.number == 4 && field.has_size) return {field.value.data, field.value.size};
  }
  return "";
}

StatusOfClient Read(const envoy_service_status_v3_ClientConfig* config) {
  StatusOfClient out;
  out.parsed = true;
  if (const auto* node = envoy_service_status_v3_ClientConfig_node(config)) {
    out.node_id = ToString(envoy_config_core_v3_Node_id(node));
    size_t features = 0;
    const auto* names = envoy_config_core_v3_Node_client_features(node, &features);
    for (size_t i = 0; i < features; ++i) out.client_features.push_back(ToString(names[i]));
  }
  out.scope = Scope(config);
  size_t count = 0;
  const auto* const* entries =
      envoy_service_status_v3_ClientConfig_generic_xds_configs(config, &count);
  for (size_t i = 0; i < count; ++i) out.resources.push_back(Read(entries[i]));
  return out;
}

}  // namespace

StatusOfResource StatusOfClient::Find(const std::string& type, const std::string& name) const {
  for (const auto& r : resources) {
    if (r.name == name && r.type.substr(r.type.rfind('.') + 1) == type) return r;
  }
  return {};
}

StatusOfClient ParseClientConfig(const std::string& bytes) {
  Arena arena(upb_Arena_New());
  const auto* config =
      envoy_service_status_v3_ClientConfig_parse(bytes.data(), bytes.size(), arena.get());
  return config != nullptr ? Read(config) : StatusOfClient{};
}

std::vector<StatusOfClient> ParseClientStatusResponse(const std::string& bytes) {
  Arena arena(upb_Arena_New());
  std::vector<StatusOfClient> out;
  const auto* response =
      envoy_service_status_v3_ClientStatusResponse_parse(bytes.data(), bytes.size(), arena.get());
  if (response == nullptr) return {StatusOfClient{}};
  size_t count = 0;
  const auto* const* configs =
      envoy_service_status_v3_ClientStatusResponse_config(response, &count);
  for (size_t i = 0; i < count; ++i) out.push_back(Read(configs[i]));
  return out;
}

}  // namespace gxds_test
