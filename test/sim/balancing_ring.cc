#include "test/sim/balancing_ring.h"

#include <algorithm>
#include <cmath>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gxds_sim {
namespace {

constexpr double kLeastSize = 1024;  // the default minimum_ring_size of a Cluster
constexpr double kMostSize = 4096;   // the client's limit, below maximum_ring_size's default
// More than the error from the rounding of weights (A113).
constexpr double kDoubt = 1e-3;

}  // namespace

// The ring has a size at which the smallest share gets a whole number of places. Fractions of
// places carry over to the next member.
Ring::Ring(const std::vector<Member> &members) {
  double least = 1;
  for (const Member &m : members) least = std::min(least, m.share);
  const double size = std::min(std::ceil(least * kLeastSize) / least, kMostSize);
  double end = 0;
  for (const Member &m : members) {
    const double begin = end;
    end += size * m.share;
    const double most = std::ceil(end + kDoubt) - std::ceil(begin - kDoubt);
    const double certain = std::ceil(end - kDoubt) - std::ceil(begin + kDoubt);
    for (int i = 0; i < most; i++) {
      const std::string name = m.address + "_" + std::to_string(i);
      places_.insert({XXH64(name.data(), name.size(), 0), {m.address, i < certain}});
    }
  }
}

std::set<std::string> Ring::OwnersOf(uint64_t hash, const std::set<std::string> &left_out) const {
  std::set<std::string> owners;
  auto at = places_.lower_bound(hash);
  for (size_t i = 0; i < places_.size(); i++, ++at) {
    if (at == places_.end()) at = places_.begin();
    if (left_out.count(at->second.address) > 0) continue;
    owners.insert(at->second.address);
    if (at->second.is_certain) break;
  }
  return owners;
}

uint64_t Ring::HashOf(const std::string &address) const {
  for (const auto &[hash, place] : places_) {
    if (place.address == address && place.is_certain) return hash;
  }
  return 0;
}

}  // namespace gxds_sim
