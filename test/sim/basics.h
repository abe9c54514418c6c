// What every part of the simulator shares: the sizes of its small world, its random numbers, and
// the failure of a check.
//
// All of the simulator is confined: one run at a time in a process. A run depends only on its seed:
// not on a clock, on addresses, or on the order of hash tables.
#ifndef GRPC_XDS_TEST_SIM_BASICS_H_
#define GRPC_XDS_TEST_SIM_BASICS_H_

#include <cstdint>
#include <string>

#include "base/random.h"
#include "base/str.h"
#include "base/time.h"

namespace gxds_sim {

// The types of resources, as indices. TypeOf() (resources.h) returns the production's tables.
enum { kLds, kRds, kCds, kEds, kTypeCount };
// Names of each type. The first ones are old-style, the others belong to authority "a".
constexpr int kNameCount = 12;
constexpr int kOldNameCount = 8;
constexpr int kAuthorityCount = 2;  // the default one, and "a"
constexpr int kServerMax = 3;
constexpr int kClientMax = 4;
constexpr int kDnsCount = 4;  // host names of logical DNS clusters

// A set of names of one type.
using Mask = uint32_t;
inline Mask Bit(int name) { return Mask{1} << name; }
inline int AuthorityOf(int name) { return name >= kOldNameCount; }
constexpr Mask kAuthorityNames[kAuthorityCount] = {
    (Mask{1} << kOldNameCount) - 1,
    ((Mask{1} << kNameCount) - 1) & ~((Mask{1} << kOldNameCount) - 1)};

// Calls fn(name) for every name of the set.
template <typename Fn>
void ForEachName(Mask names, Fn fn) {
  for (; names; names &= names - 1) fn(__builtin_ctz(names));
}

class Random {
 public:
  explicit Random(uint64_t seed = 0) : state_{seed} {}
  uint64_t Next() { return gxds_random_next(&state_); }
  // In [0, n); n > 0.
  uint64_t Draw(uint64_t n) { return (Next() >> 32) * n >> 32; }
  int Int(int n) { return static_cast<int>(Draw(static_cast<uint64_t>(n))); }
  bool OneIn(int n) { return Int(n) == 0; }
  // A duration of about this length: often less, sometimes much more.
  gxds_duration Around(gxds_duration mean) {
    if (mean == 0) return 0;
    double wait = static_cast<double>(mean) * 2 * gxds_random_unit(&state_);
    return static_cast<gxds_duration>(OneIn(16) ? wait * 8 : wait);
  }
  // A value in between. Every order of magnitude is equally likely.
  gxds_duration Magnitude(gxds_duration least, gxds_duration most);

 private:
  gxds_random state_;
};

// A pseudo-random number from two numbers.
inline uint64_t Mix(uint64_t a, uint64_t b) {
  gxds_random r = {a * 0x9e3779b97f4a7c15u ^ b};
  gxds_random_next(&r);
  return gxds_random_next(&r);
}

// A failed check. It is thrown, and caught where the run began.
struct Failure {
  std::string kind;  // identifies the kind of failure, in any run
  std::string what;
};
[[noreturn]] __attribute__((format(printf, 2, 3))) void Fail(const char *kind, const char *format,
                                                             ...);

inline gxds_str Str(const std::string &s) { return gxds_str_of(s.data(), s.size()); }
inline std::string String(gxds_str s) { return std::string(s.size ? s.data : "", s.size); }

}  // namespace gxds_sim

#endif
