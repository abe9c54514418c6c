// The ring of ring_hash as A42 describes it, computed without the production code: the endpoint of
// a hash.
#ifndef GRPC_XDS_TEST_SIM_BALANCING_RING_H_
#define GRPC_XDS_TEST_SIM_BALANCING_RING_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gxds_sim {

class Ring {
 public:
  struct Member {
    std::string address;
    double share;  // of all RPCs; all shares together are 1
  };
  // The ring has the default sizes of a Cluster, and the client's limit.
  explicit Ring(const std::vector<Member> &members);

  // The endpoint of a hash: the next one on the ring that is not in left_out. There may be several,
  // if rounding decides whether an endpoint has one more place.
  std::set<std::string> OwnersOf(uint64_t hash, const std::set<std::string> &left_out = {}) const;
  // A hash that certainly leads to that endpoint.
  uint64_t HashOf(const std::string &address) const;

 private:
  struct Place {
    std::string address;
    bool is_certain;
  };
  std::multimap<uint64_t, Place> places_;
};

}  // namespace gxds_sim

#endif
