// Helpers that both parts of balancing.h's checks use.
#ifndef GRPC_XDS_TEST_SIM_BALANCING_INTERNAL_H_
#define GRPC_XDS_TEST_SIM_BALANCING_INTERNAL_H_

#include <cstddef>
#include <cstdlib>
#include <string>
#include <unordered_map>

#include "base/check.h"
#include "resources/endpoints.h"
#include "test/sim/balancing.h"

namespace gxds_sim {

using memory::Call;

// Texts are kept, because checks of every pick want them: rendering took a fifth of a run.
inline const std::string &TextOf(const gxds_address &address) {
  static auto *texts = new std::unordered_map<std::string, std::string>;
  const std::string bytes(reinterpret_cast<const char *>(&address),
                          offsetof(gxds_address, is_ipv6) + 1);
  std::string &kept = (*texts)[bytes];
  if (kept.empty()) {
    gxds_text text = {};
    gxds_address_render(&address, &text);
    kept = String(gxds_text_str(&text));
    gxds_text_fini(&text);
  }
  return kept;
}

// The leaf cluster of a subchannel.
inline std::string ClusterOf(const memory::Subchannel &subchannel) {
  const std::string *name = subchannel.args.GetString("grpc.internal.xds_cluster_name");
  return name == nullptr ? "" : *name;
}

[[noreturn]] inline void Wrong(const char *kind, const std::string &what) {
  Fail(kind, "%s", what.c_str());
}

// Calls fn(locality, endpoint) for every endpoint.
template <typename Fn>
void ForEachEndpoint(const gxds_priority &priority, Fn fn) {
  for (size_t i = 0; i < priority.locality_count; i++) {
    const gxds_locality *locality = priority.localities[i];
    for (uint32_t j = 0; j < locality->endpoint_count; j++)
      fn(*locality, gxds_locality_endpoint(locality, j));
  }
}

// Whether some endpoint of the locality has more than one address.
inline bool HasMore(const gxds_locality &locality) {
  return locality.rare != nullptr && locality.rare->more != nullptr;
}

// Calls fn(address) for each address of an endpoint of the locality, as text.
template <typename Fn>
void ForEachAddress(const gxds_locality &locality, const gxds_endpoint &endpoint, Fn fn) {
  fn(TextOf(endpoint.address));
  if (!HasMore(locality)) return;
  uint32_t index = 0;
  while (TextOf(gxds_locality_endpoint(&locality, index).address) != TextOf(endpoint.address)) {
    index++;
    GXDS_CHECK(index < locality.endpoint_count);
  }
  uint32_t count;
  const gxds_address *more = gxds_locality_more(&locality, index, &count);
  for (uint32_t i = 0; i < count; i++) fn(TextOf(more[i]));
}

inline int PortOf(const std::string &address) {
  return std::atoi(address.c_str() + address.rfind(':') + 1);
}

inline bool HasAddress(const gxds_locality &locality, const gxds_endpoint &endpoint,
                       const std::string &address) {
  // Most are told apart by their ports, which costs less than to render them.
  if (PortOf(address) != endpoint.address.port) return false;
  if (!HasMore(locality)) return TextOf(endpoint.address) == address;
  bool has = false;
  ForEachAddress(locality, endpoint, [&](const std::string &a) { has = has || a == address; });
  return has;
}

// Whether `address` is one of a session's endpoint, whose addresses are `addresses`. The endpoint
// may have got a second address since.
inline bool IsOneOf(const std::string &addresses, const std::string &address) {
  const std::string all = "," + addresses + ",";
  return all.find("," + address + ",") != std::string::npos ||
         all.find("," + FirstAddressOf(address) + ",") != std::string::npos;
}

inline const gxds_lb_subsets *SubsetsOf(const gxds_cluster_entry *entry) {
  return entry->cluster ? gxds_cluster_subsets(entry->cluster) : nullptr;
}

inline bool HasOutlier(const gxds_cluster_entry *entry) {
  return entry->cluster && gxds_cluster_outlier_detection(entry->cluster);
}

}  // namespace gxds_sim

#endif
