#include "base/check.h"
#include "base/upb.h"
#include "envoy/config/core/v3/base.upb.h"
#include "envoy/service/discovery/v3/discovery.upb.h"
#include "google/protobuf/any.upb.h"
#include "google/protobuf/duration.upb.h"
#include "google/rpc/status.upb.h"
#include "test/sim/codec.h"
#include "test/sim/resources.h"
#include "upb/upb.h"

#define REQUEST(suffix) envoy_service_discovery_v3_DeltaDiscoveryRequest_##suffix
#define RESPONSE(suffix) envoy_service_discovery_v3_DeltaDiscoveryResponse_##suffix
#define RESOURCE(suffix) envoy_service_discovery_v3_Resource_##suffix

namespace gxds_sim {
namespace {

upb_StringView View(gxds_str s) { return upb_StringView_FromDataAndSize(s.data, s.size); }
gxds_str FromView(upb_StringView s) { return gxds_str_of(s.data, s.size); }

Mask NamesOf(int type, const upb_StringView *names, size_t count, bool *odd) {
  Mask out = 0;
  for (size_t i = 0; i < count; i++) {
    int id = IdOf(type, FromView(names[i]));
    *odd = *odd || id < 0 || (out & Bit(id));
    if (id >= 0) out |= Bit(id);
  }
  return out;
}

upb_Arena *NewArena(upb_Arena **slot, std::vector<char> *memory) {
  if (*slot) upb_Arena_Free(*slot);
  *slot = upb_Arena_Init(memory->data(), memory->size(), nullptr);
  return *slot;
}

}  // namespace

DeltaRequest ParseDeltaRequest(gxds_str bytes) {
  static auto *memory = new std::vector<char>(size_t{32} << 10);
  static upb_Arena *kept = nullptr;  // some of the views point into it
  upb_Arena *arena = NewArena(&kept, memory);
  DeltaRequest out;
  auto *in = REQUEST(new)(arena);
  if (upb_Decode(bytes.data, bytes.size, in,
                 &envoy_service_discovery_v3_DeltaDiscoveryRequest_msginit, nullptr,
                 kUpb_DecodeOption_AliasString, arena) != kUpb_DecodeStatus_Ok) {
    Fail("request-bytes", "the client sent what is no DeltaDiscoveryRequest");
  }
  out.type = TypeOfUrl(FromView(REQUEST(type_url)(in)));
  if (out.type < 0) Fail("request-type", "the client requests a type that nobody watches");
  out.nonce = FromView(REQUEST(response_nonce)(in));
  size_t count;
  const upb_StringView *names = REQUEST(resource_names_subscribe)(in, &count);
  out.subscribe = NamesOf(out.type, names, count, &out.odd_names);
  names = REQUEST(resource_names_unsubscribe)(in, &count);
  out.unsubscribe = NamesOf(out.type, names, count, &out.odd_names);
  size_t place = kUpb_Map_Begin;
  upb_StringView name;
  upb_StringView version;
  while (GXDS_MAP_NEXT(envoy_service_discovery_v3_DeltaDiscoveryRequest, initial_resource_versions,
                       InitialResourceVersionsEntry, in, &place, &name, &version)) {
    int id = IdOf(out.type, FromView(name));
    out.odd_names = out.odd_names || id < 0;
    if (id < 0) continue;
    out.versioned |= Bit(id);
    out.versions[id] = FromView(version);
  }
  if (const auto *node = REQUEST(node)(in)) {
    out.has_node = true;
    out.node_id = FromView(envoy_config_core_v3_Node_id(node));
  }
  if (const auto *error = REQUEST(error_detail)(in)) {
    out.nack = true;
    out.error_code = google_rpc_Status_code(error);
    out.error = FromView(google_rpc_Status_message(error));
  }
  return out;
}

std::string ChangeDeltaRequest(gxds_str bytes, const DeltaRequestChange &change) {
  upb_Arena *arena = upb_Arena_New();
  auto *m = REQUEST(parse)(bytes.data, bytes.size, arena);
  GXDS_CHECK(m != nullptr);
  if (change.nonce) REQUEST(set_response_nonce)(m, View(Str(*change.nonce)));
  if (change.without_versions) REQUEST(initial_resource_versions_clear)(m);
  if (change.without_subscribe) REQUEST(resize_resource_names_subscribe)(m, 0, arena);
  if (change.without_unsubscribe) REQUEST(resize_resource_names_unsubscribe)(m, 0, arena);
  std::vector<upb_StringView> names;
  upb_StringView name;
  upb_StringView version;
  size_t place = kUpb_Map_Begin;
  while (change.versions &&
         GXDS_MAP_NEXT(envoy_service_discovery_v3_DeltaDiscoveryRequest, initial_resource_versions,
                       InitialResourceVersionsEntry, m, &place, &name, &version)) {
    names.push_back(name);
  }
  for (upb_StringView n : names) {
    REQUEST(initial_resource_versions_set)(m, n, View(Str(*change.versions)), arena);
  }
  size_t size;
  const char *out = REQUEST(serialize)(m, arena, &size);
  std::string changed(out, size);
  upb_Arena_Free(arena);
  return changed;
}

void BuildDeltaResponse(int type, gxds_str version, gxds_str nonce,
                        const std::vector<DeltaView> &resources, Mask removed, std::string *out) {
  static auto *memory = new std::vector<char>(size_t{64} << 10);
  upb_Arena *arena = upb_Arena_Init(memory->data(), memory->size(), nullptr);
  auto *m = RESPONSE(new)(arena);
  RESPONSE(set_type_url)(m, upb_StringView_FromString(TypeOf(type).type_url));
  RESPONSE(set_system_version_info)(m, View(version));
  RESPONSE(set_nonce)(m, View(nonce));
  for (const DeltaView &r : resources) {
    auto *wrapper = RESPONSE(add_resources)(m, arena);
    RESOURCE(set_name)(wrapper, View(r.name));
    RESOURCE(set_version)(wrapper, View(r.version));
    if (r.alias.size) RESOURCE(add_aliases)(wrapper, View(r.alias), arena);
    if (r.ttl || r.bad_ttl) {
      google_protobuf_Duration_set_seconds(RESOURCE(mutable_ttl)(wrapper, arena),
                                           r.bad_ttl ? -1 : r.ttl / GXDS_SECOND);
      google_protobuf_Duration_set_nanos(RESOURCE(mutable_ttl)(wrapper, arena),
                                         static_cast<int32_t>(r.ttl % GXDS_SECOND));
    }
    if (r.heartbeat) continue;
    auto *any = RESOURCE(mutable_resource)(wrapper, arena);
    google_protobuf_Any_set_type_url(any, View(r.type_url));
    google_protobuf_Any_set_value(any, View(r.value));
  }
  ForEachName(removed, [&](int name) {
    RESPONSE(add_removed_resources)(m, View(Str(NameOf(type, name))), arena);
  });
  size_t size;
  const char *bytes = RESPONSE(serialize)(m, arena, &size);
  out->assign(bytes, size);
  upb_Arena_Free(arena);
}

bool DeltaValues(gxds_str bytes, std::vector<std::string> *out) {
  upb_Arena *arena = upb_Arena_New();
  auto *m = RESPONSE(new)(arena);
  bool whole = upb_Decode(bytes.data, bytes.size, m,
                          &envoy_service_discovery_v3_DeltaDiscoveryResponse_msginit, nullptr, 0,
                          arena) == kUpb_DecodeStatus_Ok;
  size_t count = 0;
  const auto *const *all = whole ? RESPONSE(resources)(m, &count) : nullptr;
  for (size_t i = 0; i < count; i++) {
    const auto *any = RESOURCE(resource)(all[i]);
    if (any) out->push_back(String(FromView(google_protobuf_Any_value(any))));
  }
  upb_Arena_Free(arena);
  return whole;
}

}  // namespace gxds_sim
