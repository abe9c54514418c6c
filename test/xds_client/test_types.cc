#include "test/xds_client/test_types.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/memory.h"
#include "base/upb.h"
#include "envoy/config/core/v3/base.upb.h"
#include "envoy/service/discovery/v3/discovery.upb.h"
#include "google/protobuf/any.upb.h"
#include "google/protobuf/duration.upb.h"
#include "google/rpc/status.upb.h"
#include "upb/upb.hpp"

namespace gxds_test {

size_t g_decode_count = 0;
size_t g_live_resources = 0;

gxds_str Str(const std::string &s) { return gxds_str_of(s.data(), s.size()); }
std::string String(gxds_str s) { return std::string(s.data ? s.data : "", s.size); }

std::string Message(const gxds_action &send) {
  return String(send.bytes) + String(gxds_block_str(send.rest));
}

namespace {

struct TestResource {
  gxds_resource base;
  std::string text;
};

upb_StringView View(const std::string &s) {
  return upb_StringView_FromDataAndSize(s.data(), s.size());
}
std::string FromView(upb_StringView s) { return std::string(s.data ? s.data : "", s.size); }

gxds_status Decode(const gxds_resource_type *type, const gxds_decode_context *context,
                   gxds_str bytes, gxds_decoded *out) {
  g_decode_count++;
  std::string text = String(bytes);
  size_t equals = text.find('=');
  if (equals == std::string::npos) {
    return gxds_status_make(GXDS_INVALID_ARGUMENT, "Can't parse %s resource.", type->short_name);
  }
  std::string name = text.substr(0, equals);
  std::string value = text.substr(equals + 1);
  out->name = gxds_str_dup(Str(name));
  if (value.rfind("bad", 0) == 0) {
    gxds_errors errors = {};
    gxds_path path = {nullptr, "value", -1, nullptr};
    gxds_errors_add(&errors, &path, "%s", value.c_str());
    gxds_status status = gxds_errors_status(
        &errors, ("errors validating " + std::string(type->short_name) + " resource").c_str());
    gxds_errors_fini(&errors);
    return status;
  }
  if (value.rfind("self", 0) == 0) text += "@" + String(context->server->uri);
  if (value.rfind("previous", 0) == 0) {
    const gxds_resource *previous = context->previous(context->previous_arg, Str(name));
    text += " after " + (previous ? Text(previous) : "nothing");
  }
  auto *resource = new TestResource{{{}, type}, text};
  gxds_ref_init(&resource->base.refs);
  g_live_resources++;
  out->resource = &resource->base;
  return gxds_status_ok();
}

gxds_status DecodeFoo(const gxds_decode_context *context, gxds_str bytes, gxds_decoded *out) {
  return Decode(&kFoo, context, bytes, out);
}
gxds_status DecodeBar(const gxds_decode_context *context, gxds_str bytes, gxds_decoded *out) {
  return Decode(&kBar, context, bytes, out);
}

void Destroy(gxds_resource *resource) {
  g_live_resources--;
  delete reinterpret_cast<TestResource *>(resource);
}

}  // namespace

const gxds_resource_type kFoo = {"type.googleapis.com/test.v3.Foo",
                                 "type.googleapis.com/test.v2.Foo",
                                 "Foo",
                                 true,
                                 DecodeFoo,
                                 Destroy};
const gxds_resource_type kBar = {
    "type.googleapis.com/test.v3.Bar", nullptr, "Bar", false, DecodeBar, Destroy};
const gxds_resource_type *const kTypes[2] = {&kFoo, &kBar};

std::string Text(const gxds_resource *resource) {
  return reinterpret_cast<const TestResource *>(resource)->text;
}

Any Bare(const gxds_resource_type &type, const std::string &bytes) {
  return {type.type_url, bytes};
}

namespace {

void FillWrapper(envoy_service_discovery_v3_Resource *wrapper, const gxds_resource_type &type,
                 const Item &item, upb_Arena *arena) {
  envoy_service_discovery_v3_Resource_set_name(wrapper, View(item.name));
  envoy_service_discovery_v3_Resource_set_version(wrapper, View(item.version));
  for (const std::string &alias : item.aliases) {
    envoy_service_discovery_v3_Resource_add_aliases(wrapper, View(alias), arena);
  }
  if (item.ttl != 0) {
    auto *ttl = envoy_service_discovery_v3_Resource_mutable_ttl(wrapper, arena);
    google_protobuf_Duration_set_seconds(ttl, static_cast<int64_t>(item.ttl));
    google_protobuf_Duration_set_nanos(
        ttl, static_cast<int32_t>((item.ttl - static_cast<double>(int64_t(item.ttl))) * 1e9));
  }
  if (item.bytes.empty()) return;
  auto *any = envoy_service_discovery_v3_Resource_mutable_resource(wrapper, arena);
  const gxds_resource_type &actual = item.type ? *item.type : type;
  google_protobuf_Any_set_type_url(any, upb_StringView_FromString(actual.type_url));
  google_protobuf_Any_set_value(any, View(item.bytes));
}

}  // namespace

Any Wrapped(const gxds_resource_type &type, const Item &item) {
  upb::Arena arena;
  auto *wrapper = envoy_service_discovery_v3_Resource_new(arena.ptr());
  FillWrapper(wrapper, type, item, arena.ptr());
  size_t size;
  const char *data = envoy_service_discovery_v3_Resource_serialize(wrapper, arena.ptr(), &size);
  return {"type.googleapis.com/envoy.service.discovery.v3.Resource", std::string(data, size)};
}

Any Wrapped(const gxds_resource_type &type, const std::string &name, const std::string &bytes) {
  return Wrapped(type, Item{name, "", bytes});
}

std::string DeltaResponse(const gxds_resource_type &type, const std::string &nonce,
                          const std::vector<Item> &items, const std::vector<std::string> &removed) {
  upb::Arena arena;
  auto *response = envoy_service_discovery_v3_DeltaDiscoveryResponse_new(arena.ptr());
  envoy_service_discovery_v3_DeltaDiscoveryResponse_set_type_url(
      response, upb_StringView_FromString(type.type_url));
  envoy_service_discovery_v3_DeltaDiscoveryResponse_set_nonce(response, View(nonce));
  for (const Item &item : items) {
    FillWrapper(
        envoy_service_discovery_v3_DeltaDiscoveryResponse_add_resources(response, arena.ptr()),
        type, item, arena.ptr());
  }
  for (const std::string &name : removed) {
    envoy_service_discovery_v3_DeltaDiscoveryResponse_add_removed_resources(response, View(name),
                                                                            arena.ptr());
  }
  size_t size;
  const char *data =
      envoy_service_discovery_v3_DeltaDiscoveryResponse_serialize(response, arena.ptr(), &size);
  return std::string(data, size);
}

std::string Response(const std::string &type_url, const std::string &version,
                     const std::string &nonce, const std::vector<Any> &resources) {
  upb::Arena arena;
  auto *response = envoy_service_discovery_v3_DiscoveryResponse_new(arena.ptr());
  envoy_service_discovery_v3_DiscoveryResponse_set_type_url(response, View(type_url));
  envoy_service_discovery_v3_DiscoveryResponse_set_version_info(response, View(version));
  envoy_service_discovery_v3_DiscoveryResponse_set_nonce(response, View(nonce));
  for (const Any &resource : resources) {
    auto *any = envoy_service_discovery_v3_DiscoveryResponse_add_resources(response, arena.ptr());
    google_protobuf_Any_set_type_url(any, View(resource.type_url));
    google_protobuf_Any_set_value(any, View(resource.value));
  }
  size_t size;
  const char *data =
      envoy_service_discovery_v3_DiscoveryResponse_serialize(response, arena.ptr(), &size);
  return std::string(data, size);
}

std::string Field(unsigned number, const std::string &value) {
  std::string out(1, static_cast<char>(number << 3 | 2));
  size_t size = value.size();
  for (; size >= 0x80; size >>= 7) out += static_cast<char>((size & 0x7f) | 0x80);
  return out + static_cast<char>(size) + value;
}

std::string Render(const ResourceError &error) {
  upb::Arena arena;
  auto *status = google_rpc_Status_new(arena.ptr());
  google_rpc_Status_set_code(status, error.code);
  google_rpc_Status_set_message(status, View(error.message));
  size_t size;
  const char *data = google_rpc_Status_serialize(status, arena.ptr(), &size);
  return Field(1, Field(1, error.name)) + Field(2, std::string(data, size));
}

Request ParseRequest(gxds_str bytes) {
  upb::Arena arena;
  const auto *message =
      envoy_service_discovery_v3_DiscoveryRequest_parse(bytes.data, bytes.size, arena.ptr());
  Request request;
  if (!message) {
    ADD_FAILURE() << "not a DiscoveryRequest";
    return request;
  }
  request.type_url = FromView(envoy_service_discovery_v3_DiscoveryRequest_type_url(message));
  request.version = FromView(envoy_service_discovery_v3_DiscoveryRequest_version_info(message));
  request.nonce = FromView(envoy_service_discovery_v3_DiscoveryRequest_response_nonce(message));
  size_t count;
  const upb_StringView *names =
      envoy_service_discovery_v3_DiscoveryRequest_resource_names(message, &count);
  for (size_t i = 0; i < count; i++) request.names.push_back(FromView(names[i]));
  if (const auto *node = envoy_service_discovery_v3_DiscoveryRequest_node(message)) {
    request.node_id = FromView(envoy_config_core_v3_Node_id(node));
  }
  if (const auto *error = envoy_service_discovery_v3_DiscoveryRequest_error_detail(message)) {
    request.error_code = google_rpc_Status_code(error);
    request.error = FromView(google_rpc_Status_message(error));
  }
  return request;
}

Request ParseDeltaRequest(gxds_str bytes) {
  upb::Arena arena;
  const auto *message =
      envoy_service_discovery_v3_DeltaDiscoveryRequest_parse(bytes.data, bytes.size, arena.ptr());
  Request request;
  request.delta = true;
  if (!message) {
    ADD_FAILURE() << "not a DeltaDiscoveryRequest";
    return request;
  }
  request.type_url = FromView(envoy_service_discovery_v3_DeltaDiscoveryRequest_type_url(message));
  request.nonce =
      FromView(envoy_service_discovery_v3_DeltaDiscoveryRequest_response_nonce(message));
  size_t count;
  const upb_StringView *names =
      envoy_service_discovery_v3_DeltaDiscoveryRequest_resource_names_subscribe(message, &count);
  for (size_t i = 0; i < count; i++) request.names.push_back(FromView(names[i]));
  names =
      envoy_service_discovery_v3_DeltaDiscoveryRequest_resource_names_unsubscribe(message, &count);
  for (size_t i = 0; i < count; i++) request.unsubscribed.push_back(FromView(names[i]));
  size_t iterator = kUpb_Map_Begin;
  upb_StringView name;
  upb_StringView version;
  while (GXDS_MAP_NEXT(envoy_service_discovery_v3_DeltaDiscoveryRequest, initial_resource_versions,
                       InitialResourceVersionsEntry, message, &iterator, &name, &version)) {
    request.versions[FromView(name)] = FromView(version);
  }
  if (const auto *node = envoy_service_discovery_v3_DeltaDiscoveryRequest_node(message)) {
    request.node_id = FromView(envoy_config_core_v3_Node_id(node));
  }
  if (const auto *error = envoy_service_discovery_v3_DeltaDiscoveryRequest_error_detail(message)) {
    request.error_code = google_rpc_Status_code(error);
    request.error = FromView(google_rpc_Status_message(error));
  }
  return request;
}

namespace {

std::string RenderNames(const Request &request) {
  std::string out;
  if (!request.delta) {
    out = " [";
    for (const std::string &name : request.names) out += (out.size() > 2 ? " " : "") + name;
    return out + "]";
  }
  std::map<std::string, std::string> versions = request.versions;
  for (const std::string &name : request.names) {
    out += " +" + name;
    if (versions.count(name)) out += "@" + versions[name];
    versions.erase(name);
  }
  EXPECT_TRUE(versions.empty()) << "a version of what is not asked for";
  for (const std::string &name : request.unsubscribed) out += " -" + name;
  return out;
}

}  // namespace

std::string Render(const Request &request) {
  std::string out = request.type_url;
  for (const gxds_resource_type *type : kTypes) {
    if (request.type_url == type->type_url) out = type->short_name;
  }
  out += RenderNames(request);
  if (!request.version.empty()) out += " version=" + request.version;
  if (!request.nonce.empty()) out += " nonce=" + request.nonce;
  if (!request.node_id.empty()) out += " node";
  if (request.error_code || !request.error.empty()) {
    out += " NACK " + std::to_string(request.error_code) + ": " + request.error;
  }
  return out;
}

}  // namespace gxds_test
