// What both parts of balancing.h's checks use.
#ifndef GRPC_XDS_TEST_SIM_BALANCING_INTERNAL_H_
#define GRPC_XDS_TEST_SIM_BALANCING_INTERNAL_H_

#include <string>

#include "resources/endpoints.h"
#include "test/sim/balancing.h"

namespace gxds_sim {

using memory::Call;

inline std::string TextOf(const gxds_address &address) {
  gxds_text text = {};
  gxds_address_render(&address, &text);
  std::string out = String(gxds_text_str(&text));
  gxds_text_fini(&text);
  return out;
}

// The leaf cluster that a subchannel is of.
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
    for (uint32_t j = 0; j < locality->endpoint_count; j++) fn(*locality, locality->endpoints[j]);
  }
}

inline bool HasOutlier(const gxds_cluster_entry *entry) {
  return entry->cluster && entry->cluster->outlier_detection;
}

}  // namespace gxds_sim

#endif
