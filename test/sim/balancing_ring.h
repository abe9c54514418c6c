// The ring of ring_hash as A42 describes it, made without the production's: where a hash leads.
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
  // With the sizes that a Cluster has by default, and the client's limit.
  explicit Ring(const std::vector<Member> &members);

  // The endpoint that a hash leads to, if those are left out: the next one on the ring. Several
  // where rounding decides whether an endpoint has one place more.
  std::set<std::string> OwnersOf(uint64_t hash, const std::set<std::string> &left_out = {}) const;
  // A hash that leads to it for certain.
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
