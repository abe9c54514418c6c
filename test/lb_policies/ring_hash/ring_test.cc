// Rings (A42). The expected values were computed by another program, in another language, from the
// published xxHash and the texts of A42 and Envoy.
#include "lb_policies/ring_hash/ring.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Unref {
  void operator()(const gxds_ring* r) const { gxds_ring_unref(r); }
};
using Ring = std::unique_ptr<const gxds_ring, Unref>;
using Members = std::vector<std::pair<std::string, uint64_t>>;

gxds_str S(const std::string& s) { return gxds_str_of(s.data(), s.size()); }

Ring Make(const Members& members, uint64_t min_size, uint64_t max_size) {
  std::vector<gxds_ring_member> list;
  for (const auto& [key, weight] : members) list.push_back({S(key), weight});
  return Ring(gxds_ring_create(list.data(), list.size(), min_size, max_size));
}

size_t Pick(const Ring& ring, const std::string& request) {
  uint64_t hash = gxds_ring_hash_text(S(request));
  return gxds_ring_member_at(ring.get(), gxds_ring_find(ring.get(), hash));
}

std::vector<size_t> Places(const Ring& ring, size_t members) {
  std::vector<size_t> places(members);
  for (size_t i = 0; i < gxds_ring_size(ring.get()); i++) {
    places[gxds_ring_member_at(ring.get(), i)]++;
  }
  return places;
}

const std::vector<std::string> kRequests = {"",
                                            "a",
                                            "user-1",
                                            "user-2",
                                            "user-3",
                                            "user-4",
                                            "user-5",
                                            "user-6",
                                            "session/0123456789/0123456789/0123456789",
                                            "Z\xc3\xbcrich"};

struct Reference {
  const char* name;
  Members members;
  uint64_t min_size, max_size;
  size_t size;
  uint64_t sum;  // a hash over all places, each with its hash and its member
  std::vector<size_t> picks;
};

const Reference kReferences[] = {
    {"equal",
     {{"10.0.0.1:80", 1}, {"10.0.0.2:80", 1}, {"10.0.0.3:80", 1}},
     1024,
     4096,
     1026,
     0x6795a921eb610e06,
     {1, 2, 1, 1, 2, 1, 0, 1, 0, 1}},
    {"weighted",
     {{"10.0.0.1:80", 6}, {"10.0.0.2:80", 3}, {"10.0.0.3:80", 6}, {"10.0.0.4:80", 2}},
     100,
     4096,
     102,
     0x4cd07d46a64f8c2d,
     {2, 0, 2, 2, 0, 3, 0, 2, 3, 3}},
    {"capped",
     {{"[::1]:1", 1}, {"[::1]:2", 1000}, {"[::1]:3", 77}},
     1024,
     64,
     64,
     0xe6069cc22f59782c,
     {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {"tiny",
     {{"h0:1", 1}, {"h1:1", 1}, {"h2:1", 1}, {"h3:1", 1}, {"h4:1", 1}},
     1,
     8,
     5,
     0xf587fde6c6aaf115,
     {3, 4, 0, 2, 0, 3, 2, 2, 1, 1}},
};

TEST(Ring, IsWhatAnotherImplementationMakes) {  // A42.21
  for (const Reference& r : kReferences) {
    Ring ring = Make(r.members, r.min_size, r.max_size);
    ASSERT_EQ(gxds_ring_size(ring.get()), r.size) << r.name;
    std::string bytes;
    for (size_t i = 0; i < r.size; i++) {
      uint64_t hash = gxds_ring_hash_at(ring.get(), i);
      for (int b = 0; b < 8; b++) bytes += static_cast<char>(hash >> (8 * b));
      bytes += static_cast<char>(gxds_ring_member_at(ring.get(), i));
    }
    EXPECT_EQ(gxds_ring_hash_text(S(bytes)), r.sum) << r.name;
    for (size_t i = 0; i < kRequests.size(); i++) {
      EXPECT_EQ(Pick(ring, kRequests[i]), r.picks[i]) << r.name << ' ' << kRequests[i];
    }
  }
}

TEST(Ring, PlacesAreTheHashesOfKeysOfAnyLength) {  // A42.21, A76
  std::vector<size_t> sizes = {1 << 20};
  for (size_t size = 0; size <= 100; size++) sizes.push_back(size);
  for (size_t size : sizes) {
    std::string key(size, 'k');
    std::set<uint64_t> expected;
    for (int i = 0; i < 12; i++) {
      std::string text = key + "_" + std::to_string(i);
      expected.insert(gxds_ring_hash_text(S(text)));
    }
    Ring ring = Make({{key, 1}}, 12, 12);
    std::set<uint64_t> hashes;
    for (size_t i = 0; i < gxds_ring_size(ring.get()); i++) {
      hashes.insert(gxds_ring_hash_at(ring.get(), i));
    }
    EXPECT_EQ(hashes, expected) << size;
  }
}

TEST(Ring, FindsTheFirstPlaceAtOrAfterAHash) {  // A42.22
  Ring ring = Make(kReferences[0].members, 100, 4096);
  const size_t size = gxds_ring_size(ring.get());
  for (size_t i = 0; i < size; i++) {
    uint64_t hash = gxds_ring_hash_at(ring.get(), i);
    EXPECT_EQ(gxds_ring_find(ring.get(), hash), i);
    EXPECT_EQ(gxds_ring_find(ring.get(), hash + 1), (i + 1) % size);
  }
  EXPECT_EQ(gxds_ring_find(ring.get(), 0), 0u);
  EXPECT_EQ(gxds_ring_find(ring.get(), UINT64_MAX), 0u);
}

TEST(Ring, GivesTheLeastWeightAWholeNumberOfPlaces) {  // A42.15, A42.20
  // A42's example: localities with weights 3 and 2, endpoints with weights 2, 1, 3 and 1.
  Ring ring = Make({{"a", 6}, {"b", 3}, {"c", 6}, {"d", 2}}, 17, 4096);
  EXPECT_EQ(Places(ring, 4), (std::vector<size_t>{6, 3, 6, 2}));
  ring = Make({{"a", 6}, {"b", 3}, {"c", 6}, {"d", 2}}, 18, 4096);
  EXPECT_EQ(Places(ring, 4), (std::vector<size_t>{9, 5, 9, 3})) << "fractions add up";
  ring = Make({{"a", 1}, {"b", 1}, {"c", 1}}, 1024, 4096);
  EXPECT_EQ(Places(ring, 3), (std::vector<size_t>{342, 342, 342}));
  ring = Make({{"a", 0}, {"b", 1}}, 10, 4096);
  EXPECT_EQ(Places(ring, 2), (std::vector<size_t>{5, 5})) << "no weight counts as one";
}

TEST(Ring, WithMoreMembersThanPlacesLeavesSomeOut) {  // A42.20
  Members members;
  for (int i = 0; i < 100; i++) members.push_back({"h" + std::to_string(i), 1});
  Ring ring = Make(members, 1, 10);
  EXPECT_EQ(gxds_ring_size(ring.get()), 10u);
  EXPECT_EQ(Places(ring, 100)[0], 1u);
  EXPECT_EQ(Places(ring, 100)[1], 0u);
}

TEST(Ring, MemberThatGoesMovesItsOwnRequestsOnly) {
  Members all;
  for (int i = 0; i < 8; i++) all.push_back({"10.0.0." + std::to_string(i) + ":443", 1});
  Members fewer(all.begin(), all.end() - 1);
  // Each member has one place in both rings, so all other members stay where they are.
  Ring before = Make(all, 1, 4096);
  Ring after = Make(fewer, 1, 4096);
  int moved = 0;
  for (int i = 0; i < 10000; i++) {
    std::string request = "request-" + std::to_string(i);
    size_t was = Pick(before, request);
    if (was == 7) {
      moved++;
    } else {
      EXPECT_EQ(Pick(after, request), was);
    }
  }
  EXPECT_GT(moved, 0);
}

TEST(Ring, RequestsAreSpreadByWeight) {
  Ring ring = Make({{"10.0.0.1:80", 1}, {"10.0.0.2:80", 1}, {"10.0.0.3:80", 2}}, 4096, 4096);
  std::vector<int> picks(3);
  for (int i = 0; i < 40000; i++) picks[Pick(ring, "request-" + std::to_string(i))]++;
  EXPECT_NEAR(picks[0], 10000, 1000);
  EXPECT_NEAR(picks[1], 10000, 1000);
  EXPECT_NEAR(picks[2], 20000, 1500);
}

}  // namespace
