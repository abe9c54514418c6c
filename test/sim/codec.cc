#include "test/sim/codec.h"

#include "base/check.h"
#include "envoy/config/core/v3/base.upb.h"
#include "envoy/service/discovery/v3/discovery.upb.h"
#include "google/protobuf/any.upb.h"
#include "google/protobuf/duration.upb.h"
#include "google/rpc/status.upb.h"
#include "test/sim/resources.h"
#include "upb/upb.h"

#define MESSAGE(suffix) envoy_service_discovery_v3_##suffix

namespace gxds_sim {
namespace {

constexpr char kWrapperUrl[] = "type.googleapis.com/envoy.service.discovery.v3.Resource";

upb_StringView View(gxds_str s) { return upb_StringView_FromDataAndSize(s.data, s.size); }
gxds_str FromView(upb_StringView s) { return gxds_str_of(s.data, s.size); }

// An arena that reuses its memory. Allocations that do not fit go to the heap.
class ScratchArena {
 public:
  explicit ScratchArena(std::vector<char> *memory)
      : arena_(upb_Arena_Init(memory->data(), memory->size(), nullptr)) {}
  ~ScratchArena() { upb_Arena_Free(arena_); }
  upb_Arena *get() { return arena_; }

 private:
  upb_Arena *arena_;
};

std::vector<char> *ParseMemory() {
  static auto *memory = new std::vector<char>(size_t{32} << 10);
  return memory;
}
std::vector<char> *BuildMemory() {
  static auto *memory = new std::vector<char>(size_t{64} << 10);
  return memory;
}

}  // namespace

int TypeOfUrl(gxds_str url) {
  for (int i = 0; i < kTypeCount; i++) {
    if (gxds_str_equal(url, gxds_str_z(TypeOf(i).type_url))) return i;
  }
  return -1;
}

Request ParseRequest(gxds_str bytes) {
  static auto *memory = new std::vector<char>(size_t{32} << 10);
  static upb_Arena *kept = nullptr;  // some of the views point into it
  if (kept) upb_Arena_Free(kept);
  kept = upb_Arena_Init(memory->data(), memory->size(), nullptr);
  upb_Arena *arena = kept;
  Request out;
  auto *in = MESSAGE(DiscoveryRequest_new)(arena);
  if (upb_Decode(bytes.data, bytes.size, in, &MESSAGE(DiscoveryRequest_msginit), nullptr,
                 kUpb_DecodeOption_AliasString, arena) != kUpb_DecodeStatus_Ok) {
    Fail("request-bytes", "the client sent what is no DiscoveryRequest");
  }
  out.type = TypeOfUrl(FromView(MESSAGE(DiscoveryRequest_type_url)(in)));
  if (out.type < 0) Fail("request-type", "the client requests a type that nobody watches");
  out.version = FromView(MESSAGE(DiscoveryRequest_version_info)(in));
  out.nonce = FromView(MESSAGE(DiscoveryRequest_response_nonce)(in));
  size_t count;
  const upb_StringView *names = MESSAGE(DiscoveryRequest_resource_names)(in, &count);
  for (size_t i = 0; i < count; i++) {
    int id = IdOf(out.type, FromView(names[i]));
    out.odd_names = out.odd_names || id < 0 || (out.names & Bit(id));
    if (id >= 0) out.names |= Bit(id);
  }
  if (const auto *node = MESSAGE(DiscoveryRequest_node)(in)) {
    out.has_node = true;
    out.node_id = FromView(envoy_config_core_v3_Node_id(node));
  }
  if (const auto *error = MESSAGE(DiscoveryRequest_error_detail)(in)) {
    out.nack = true;
    out.error_code = google_rpc_Status_code(error);
    out.error = FromView(google_rpc_Status_message(error));
  }
  return out;
}

std::string ChangeRequest(gxds_str bytes, const RequestChange &change) {
  ScratchArena arena(BuildMemory());
  auto *m = MESSAGE(DiscoveryRequest_parse)(bytes.data, bytes.size, arena.get());
  GXDS_CHECK(m != nullptr);
  int type = TypeOfUrl(FromView(MESSAGE(DiscoveryRequest_type_url)(m)));
  if (change.version) MESSAGE(DiscoveryRequest_set_version_info)(m, View(Str(*change.version)));
  if (change.nonce) MESSAGE(DiscoveryRequest_set_response_nonce)(m, View(Str(*change.nonce)));
  if (change.node_id) {
    envoy_config_core_v3_Node_set_id(MESSAGE(DiscoveryRequest_mutable_node)(m, arena.get()),
                                     View(Str(*change.node_id)));
  }
  size_t count;
  upb_StringView *names = MESSAGE(DiscoveryRequest_mutable_resource_names)(m, &count);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    int id = IdOf(type, FromView(names[i]));
    if (id < 0 || !(change.without & Bit(id))) names[kept++] = names[i];
  }
  MESSAGE(DiscoveryRequest_resize_resource_names)(m, kept, arena.get());
  size_t size;
  const char *out = MESSAGE(DiscoveryRequest_serialize)(m, arena.get(), &size);
  return std::string(out, size);
}

void BuildResponse(gxds_str type_url, gxds_str version, gxds_str nonce,
                   const std::vector<AnyView> &resources, std::string *out) {
  ScratchArena arena(BuildMemory());
  auto *m = MESSAGE(DiscoveryResponse_new)(arena.get());
  MESSAGE(DiscoveryResponse_set_type_url)(m, View(type_url));
  MESSAGE(DiscoveryResponse_set_version_info)(m, View(version));
  MESSAGE(DiscoveryResponse_set_nonce)(m, View(nonce));
  for (const AnyView &r : resources) {
    auto *any = MESSAGE(DiscoveryResponse_add_resources)(m, arena.get());
    if (!r.wrapped) {
      google_protobuf_Any_set_type_url(any, View(r.type_url));
      google_protobuf_Any_set_value(any, View(r.value));
      continue;
    }
    google_protobuf_Any_set_type_url(any, View(gxds_str_z(kWrapperUrl)));
    if (r.broken_wrapper) {
      google_protobuf_Any_set_value(any, View(gxds_str_z("\x0f broken")));
      continue;
    }
    auto *wrapper = MESSAGE(Resource_new)(arena.get());
    MESSAGE(Resource_set_name)(wrapper, View(r.name));
    MESSAGE(Resource_set_version)(wrapper, View(r.version));
    if (r.ttl || r.bad_ttl) {
      gxds_duration d = r.bad_ttl ? -GXDS_SECOND : r.ttl;
      auto *ttl = MESSAGE(Resource_mutable_ttl)(wrapper, arena.get());
      google_protobuf_Duration_set_seconds(ttl, d / GXDS_SECOND);
      google_protobuf_Duration_set_nanos(ttl, static_cast<int32_t>(d % GXDS_SECOND));
    }
    if (!r.heartbeat) {
      auto *inner = MESSAGE(Resource_mutable_resource)(wrapper, arena.get());
      google_protobuf_Any_set_type_url(inner, View(r.type_url));
      google_protobuf_Any_set_value(inner, View(r.value));
    }
    size_t size;
    char *bytes = MESSAGE(Resource_serialize)(wrapper, arena.get(), &size);
    google_protobuf_Any_set_value(any, upb_StringView_FromDataAndSize(bytes, size));
  }
  size_t size;
  const char *bytes = MESSAGE(DiscoveryResponse_serialize)(m, arena.get(), &size);
  out->assign(bytes, size);
}

namespace {

bool IsAmong(gxds_str value, const std::vector<gxds_str> &known) {
  for (gxds_str k : known) {
    if (gxds_str_equal(k, value)) return true;
  }
  return false;
}

}  // namespace

bool HasOnlyValues(gxds_str bytes, bool delta, const std::vector<gxds_str> &known) {
  if (delta) {
    std::vector<std::string> values;
    if (!DeltaValues(bytes, &values)) return true;
    for (const std::string &value : values) {
      if (!IsAmong(Str(value), known)) return false;
    }
    return true;
  }
  ScratchArena arena(ParseMemory());
  auto *m = MESSAGE(DiscoveryResponse_new)(arena.get());
  if (upb_Decode(bytes.data, bytes.size, m, &MESSAGE(DiscoveryResponse_msginit), nullptr,
                 kUpb_DecodeOption_AliasString, arena.get()) != kUpb_DecodeStatus_Ok) {
    return true;
  }
  size_t count;
  const google_protobuf_Any *const *all = MESSAGE(DiscoveryResponse_resources)(m, &count);
  for (size_t i = 0; i < count; i++) {
    gxds_str value = FromView(google_protobuf_Any_value(all[i]));
    if (IsAmong(value, known)) continue;
    const auto *wrapper = MESSAGE(Resource_parse)(value.data, value.size, arena.get());
    const auto *inner = wrapper ? MESSAGE(Resource_resource)(wrapper) : nullptr;
    if (!inner || !IsAmong(FromView(google_protobuf_Any_value(inner)), known)) return false;
  }
  return true;
}

std::string BuildNode(const std::string &id) {
  ScratchArena arena(BuildMemory());
  auto *node = envoy_config_core_v3_Node_new(arena.get());
  envoy_config_core_v3_Node_set_id(node, View(Str(id)));
  size_t size;
  const char *bytes = envoy_config_core_v3_Node_serialize(node, arena.get(), &size);
  return std::string(bytes, size);
}

}  // namespace gxds_sim
