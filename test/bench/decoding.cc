#include "test/bench/decoding.h"

#include <cstdlib>
#include <vector>

#include "envoy/config/endpoint/v3/endpoint.upb.h"
#include "host/host_get.h"
#include "test/bench/resources.h"

namespace gxds_bench {

std::string EndpointsOf(long count, bool changed) {
  constexpr long kLocalities = 10;
  std::vector<std::vector<Endpoint>> localities(kLocalities);
  for (long i = 0; i < count; ++i) {
    const long n = changed && i == count - 2 ? count : i;
    localities[static_cast<size_t>(i % kLocalities)].push_back(
        {"10." + std::to_string(n >> 16) + "." + std::to_string(n >> 8 & 255) + "." +
             std::to_string(n & 255),
         8080});
  }
  return EndpointsBytes("c0", localities);
}

void DecodeRaw(const std::string& bytes) {
  upb_Arena* arena = upb_Arena_New();
  if (envoy_config_endpoint_v3_ClusterLoadAssignment_parse(bytes.data(), bytes.size(), arena) ==
      nullptr) {
    abort();
  }
  upb_Arena_Free(arena);
}

Decoder::Decoder() {
  static const char kBootstrap[] =
      R"({"xds_servers":[{"server_uri":"bench","channel_creds":[{"type":"insecure"}]}]})";
  gxds_status status =
      gxds_bootstrap_parse(gxds_str_z(kBootstrap), gxds_host_get(), &bootstrap_, nullptr);
  if (!gxds_status_is_ok(&status)) abort();
}

Decoder::~Decoder() { gxds_bootstrap_unref(bootstrap_); }

const gxds_resource* Decoder::Decode(const gxds_resource_type& type, const std::string& bytes,
                                     const gxds_resource* previous) const {
  gxds_decode_context context = {};
  context.bootstrap = bootstrap_;
  context.server = bootstrap_->servers[0];
  context.host = gxds_host_get();
  context.previous = [](void* arg, gxds_str) { return static_cast<const gxds_resource*>(arg); };
  context.previous_arg = const_cast<gxds_resource*>(previous);
  gxds_decoded decoded = {};
  gxds_status status = type.decode(&context, gxds_str_of(bytes.data(), bytes.size()), &decoded);
  if (!gxds_status_is_ok(&status)) abort();
  gxds_decoded_fini(&decoded);
  return decoded.resource;
}

}  // namespace gxds_bench
