// The ring_hash_experimental LB policy (A42, A61, A76): in the place of the host's, which crashes.
// It needs nothing of xDS but the hash that the ConfigSelector leaves with each RPC, and not even
// that when its config names a header.
#ifndef GRPC_XDS_LB_POLICIES_RING_HASH_RING_HASH_POLICY_H_
#define GRPC_XDS_LB_POLICIES_RING_HASH_RING_HASH_POLICY_H_

#include <grpc/support/port_platform.h>
#include <stdint.h>

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/load_balancing/lb_policy.h"

namespace grpc_xds {

inline constexpr absl::string_view kRingHashPolicy = "ring_hash_experimental";

// The channel argument (an integer) that limits the size of rings; 4096 when it is not set. gRPC's
// later versions have it too.
inline constexpr char kRingSizeCapArg[] = "grpc.lb.ring_hash.ring_size_cap";

class RingHashConfig : public grpc_core::LoadBalancingPolicy::Config {
 public:
  // request_hash_header: whose value is hashed; empty: the ConfigSelector's hash is used (A76).
  RingHashConfig(uint64_t min_ring_size, uint64_t max_ring_size, std::string request_hash_header)
      : min_ring_size_(min_ring_size),
        max_ring_size_(max_ring_size),
        request_hash_header_(std::move(request_hash_header)) {}

  absl::string_view name() const override { return kRingHashPolicy; }
  uint64_t min_ring_size() const { return min_ring_size_; }
  uint64_t max_ring_size() const { return max_ring_size_; }
  const std::string& request_hash_header() const { return request_hash_header_; }

 private:
  const uint64_t min_ring_size_;
  const uint64_t max_ring_size_;
  const std::string request_hash_header_;
};

void RegisterRingHashLbPolicy(grpc_core::CoreConfiguration::Builder* builder);

}  // namespace grpc_xds

#endif
