// The hash that a route's policies give an RPC (A42). The expected hashes were computed elsewhere,
// with the published xxHash64.
#include "xds_resolver/request_hash.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace {

constexpr uint64_t kHashOfA = 0xd24ec4f1a98c6e5b;      // "a"
constexpr uint64_t kHashOfUser1 = 0xa173746b114c6be8;  // "user-1"
constexpr uint64_t kHashOfUser2 = 0x7395dd9943ab55e9;  // "user-2"
constexpr uint64_t kHashOfEmpty = 0xef46db3751d8e999;  // ""
constexpr uint64_t kChannelId = 12345;

gxds_str Z(const char *text) { return gxds_str_z(text); }

// Replaces regular expressions: the "regex" is a text, and every occurrence is substituted.
int g_regexes = 0;
const gxds_host *FakeHost() {
  static const gxds_host host = [] {
    gxds_host h = {};
    h.regex_create = [](gxds_str text) -> void * {
      g_regexes++;
      return new std::string(text.data, text.size);
    };
    h.regex_replace = [](const void *regex, gxds_str text, gxds_str rewrite) {
      const auto &wanted = *static_cast<const std::string *>(regex);
      std::string out(text.data, text.size);
      for (size_t at = 0; (at = out.find(wanted, at)) != std::string::npos; at += rewrite.size) {
        out.replace(at, wanted.size(), rewrite.data, rewrite.size);
      }
      return gxds_str_dup(gxds_str_of(out.data(), out.size()));
    };
    h.regex_destroy = [](void *regex) {
      g_regexes--;
      delete static_cast<std::string *>(regex);
    };
    return h;
  }();
  return &host;
}

gxds_hash_policy Header(const char *name, bool terminal = false) {
  gxds_hash_policy p = {};
  p.kind = GXDS_HASH_HEADER;
  p.header = Z(name);
  p.terminal = terminal;
  return p;
}

gxds_hash_policy Rewritten(const char *name, const char *regex, const char *text) {
  gxds_hash_policy p = Header(name);
  p.has_rewrite = true;
  p.rewrite_regex = Z(regex);
  p.rewrite_text = Z(text);
  return p;
}

gxds_hash_policy ChannelId(bool terminal = false) {
  gxds_hash_policy p = {};
  p.kind = GXDS_HASH_CHANNEL_ID;
  p.terminal = terminal;
  return p;
}

uint64_t RotateLeft(uint64_t x) { return (x << 1) | (x >> 63); }

using Metadata = std::map<std::string, std::string>;

bool Lookup(void *arg, gxds_str name, gxds_str *value) {
  auto *metadata = static_cast<Metadata *>(arg);
  auto it = metadata->find(std::string(name.data, name.size));
  if (it == metadata->end()) return false;
  *value = gxds_str_of(it->second.data(), it->second.size());
  return true;
}

// The RPC's hash; none if no policy gives one.
std::optional<uint64_t> Hash(const std::vector<gxds_hash_policy> &policies, Metadata metadata) {
  gxds_route route = {};
  route.hash_policies = policies.data();
  route.hash_policy_count = policies.size();
  gxds_request_hasher hasher;
  gxds_request_hasher_init(&hasher, &route, FakeHost());
  const gxds_route_channel channel = {kChannelId, Z("authority")};
  gxds_route_request request = {Z("/s/m"), Lookup, &metadata, nullptr, &channel, nullptr};
  uint64_t hash = 0;
  const bool has_hash = gxds_request_hasher_hash(&hasher, FakeHost(), &request, &hash);
  gxds_request_hasher_fini(&hasher, FakeHost());
  EXPECT_EQ(g_regexes, 0);
  if (!has_hash) return std::nullopt;
  return hash;
}

TEST(RequestHash, OfAHeaderIsThatOfItsValue) {  // A42.4, A42.10
  EXPECT_EQ(Hash({Header("user")}, {{"user", "a"}}), kHashOfA);
  EXPECT_EQ(Hash({Header("user")}, {{"user", "user-1"}}), kHashOfUser1);
  EXPECT_EQ(Hash({Header("user")}, {{"user", ""}}), kHashOfEmpty);
}

TEST(RequestHash, IsLeftToTheCallerWhenNoPolicyGivesOne) {  // A42.2
  EXPECT_EQ(Hash({}, {}), std::nullopt);
  EXPECT_EQ(Hash({Header("user"), Header("other", true)}, {}), std::nullopt);
}

TEST(RequestHash, BinaryHeadersAreNeverSeen) {  // A28, A42.5
  EXPECT_EQ(Hash({Header("user-bin")}, {{"user-bin", "a"}}), std::nullopt);
}

TEST(RequestHash, ContentTypeIsWhatIsSent) {  // A28, A42.5
  auto hash = Hash({Header("content-type")}, {});
  EXPECT_EQ(hash, Hash({Header("user")}, {{"user", "application/grpc"}}));
}

TEST(RequestHash, OfAChannelIsItsId) {  // A42.8
  EXPECT_EQ(Hash({ChannelId()}, {}), kChannelId);
}

TEST(RequestHash, PoliciesAreCombinedInOrder) {  // A42.1
  const Metadata metadata = {{"x", "user-1"}, {"y", "user-2"}};
  EXPECT_EQ(Hash({Header("x"), Header("y")}, metadata), RotateLeft(kHashOfUser1) ^ kHashOfUser2);
  EXPECT_EQ(Hash({Header("y"), Header("x")}, metadata), RotateLeft(kHashOfUser2) ^ kHashOfUser1);
  EXPECT_EQ(Hash({Header("x"), Header("absent"), Header("y")}, metadata),
            RotateLeft(kHashOfUser1) ^ kHashOfUser2)
      << "what gives none does not count";
}

TEST(RequestHash, TerminalPolicyEndsItOnceThereIsAHash) {  // A42.3
  const Metadata metadata = {{"x", "user-1"}, {"y", "user-2"}};
  EXPECT_EQ(Hash({Header("x", true), Header("y")}, metadata), kHashOfUser1);
  EXPECT_EQ(Hash({Header("absent", true), Header("y")}, metadata), kHashOfUser2);
  EXPECT_EQ(Hash({Header("x"), Header("absent", true), ChannelId()}, metadata), kHashOfUser1);
}

TEST(RequestHash, RewriteIsHashedInsteadOfTheValue) {  // A42.7
  EXPECT_EQ(Hash({Rewritten("user", "/v1", "")}, {{"user", "/v1user-1"}}), kHashOfUser1);
  EXPECT_EQ(Hash({Rewritten("user", "3", "2")}, {{"user", "user-3"}}), kHashOfUser2);
  EXPECT_EQ(Hash({Rewritten("user", "no", "match")}, {{"user", "a"}}), kHashOfA);
}

}  // namespace
