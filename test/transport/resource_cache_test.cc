// Which file of the cache stores a resource.
#include "transport/resource_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <set>
#include <string>

#include "test/transport/cache_files.h"

namespace gxds_test {
namespace {

const gxds_resource_type kFoo = {kType, nullptr, "Foo", true, nullptr, nullptr};

// A program that stores one resource.
struct Program {
  std::string target = "xds:///t";
  std::string uri = "server:1";
  std::string creds_type = "tls";
  std::string creds_config = R"({"ca_certificate_file":"/a"})";
  std::string authority;
  std::string node = "serialized";
  std::string node_id = "id1";
  std::string jwt_token_file;
  bool by_node_id = false;
  bool delta = false;

  // Stores the resource in a directory, and returns the names of the logs there.
  std::set<std::string> KeepIn(const std::string &dir) const {
    gxds_bootstrap_server server = {};
    server.uri = Str(uri);
    server.creds_type = Str(creds_type);
    server.creds_config_json = Str(creds_config);
    const gxds_str token_file = Str(jwt_token_file);
    server.jwt_token_files = &token_file;
    server.jwt_token_file_count = jwt_token_file.empty() ? 0 : 1;
    server.delta = delta;
    gxds_bootstrap b = {};
    b.node_id = Str(node_id);
    b.node_without_id = Str(node);
    b.resource_cache_dir = Str(dir);
    b.resource_cache_by_node_id = by_node_id;
    gxds_action a = {};
    a.kind = GXDS_ACTION_PERSIST;
    a.server = &server;
    a.authority = Str(authority);
    a.type = &kFoo;
    a.name = gxds_str_z("foo");
    a.version = gxds_str_z("1");
    a.bytes = gxds_str_z("bytes");
    gxds_text text = {};
    gxds_resource_cache *c = gxds_resource_cache_create(&b, Str(target), kWallOffset);
    EXPECT_FALSE(gxds_resource_cache_put(c, &a, 1000 * GXDS_SECOND, &text));
    gxds_resource_cache_settle(c, 1000 * GXDS_SECOND, &text);
    gxds_resource_cache_destroy(c);
    EXPECT_EQ(String(gxds_text_str(&text)), "");
    gxds_text_fini(&text);
    return Logs(dir);
  }
  static std::set<std::string> Logs(const std::string &dir) {
    std::set<std::string> logs;
    for (const auto &entry : std::filesystem::directory_iterator(dir)) {
      if (entry.path().extension() == ".gxds") logs.insert(entry.path().filename());
    }
    return logs;
  }
};

struct ResourceCache : testing::Test {
  // Whether both programs store it in the same file.
  bool Share(const Program &one, const Program &other) const {
    TempDir parent;
    const std::string dir = parent.path() + "/cache";
    EXPECT_EQ(one.KeepIn(dir).size(), 1u);
    return other.KeepIn(dir).size() == 1;
  }
  Program one;
  Program other;
};

TEST_F(ResourceCache, ProgramsOfTheSameNodeShareAFile) { EXPECT_TRUE(Share(one, other)); }

TEST_F(ResourceCache, OfAnotherTargetIsAnother) {
  other.target = "xds:///other";
  EXPECT_FALSE(Share(one, other));
}

TEST_F(ResourceCache, OfAnotherServerIsAnother) {
  other.uri = "server:2";
  EXPECT_FALSE(Share(one, other));
}

TEST_F(ResourceCache, OfOtherCredentialsIsAnother) {
  other.creds_type = "insecure";
  EXPECT_FALSE(Share(one, other));
  other = one;
  other.creds_config = R"({"ca_certificate_file":"/b"})";
  EXPECT_FALSE(Share(one, other));
  other = one;
  other.jwt_token_file = "/t";
  EXPECT_FALSE(Share(one, other));
}

TEST_F(ResourceCache, OfAnotherAuthorityIsAnother) {
  other.authority = "a";
  EXPECT_FALSE(Share(one, other));
}

TEST_F(ResourceCache, OfAnotherNodeIsAnother) {
  other.node = "serialized otherwise";
  EXPECT_FALSE(Share(one, other));
}

TEST_F(ResourceCache, IdOfTheNodeIsNotLookedAt) {
  other.node_id = "drawn anew";
  EXPECT_TRUE(Share(one, other));
}

TEST_F(ResourceCache, IdOfTheNodeCountsWhereTheBootstrapSaysSo) {
  one.by_node_id = other.by_node_id = true;
  EXPECT_TRUE(Share(one, other));
  other.node_id = "id2";
  EXPECT_FALSE(Share(one, other));
}

TEST_F(ResourceCache, FeaturesOfTheServerDoNotCount) {
  other.delta = true;
  EXPECT_TRUE(Share(one, other));
}

TEST_F(ResourceCache, FieldsAreNotTakenForOneAnother) {
  one.creds_type = "ab";
  one.creds_config = "c";
  other.creds_type = "a";
  other.creds_config = "bc";
  EXPECT_FALSE(Share(one, other));
}

TEST_F(ResourceCache, ConfigOfCredentialsAndNodeAreNotInTheFile) {
  TempDir parent;
  const std::string dir = parent.path() + "/cache";
  one.creds_config = R"({"token":"secret1"})";
  one.node = "secret2";
  for (const std::string &name : one.KeepIn(dir)) {
    EXPECT_THAT(Read(dir + "/" + name), Not(testing::HasSubstr("secret")));
  }
}

TEST_F(ResourceCache, OpeningItRemovesWhatNobodyNeeds) {
  TempDir parent;
  const std::string dir = parent.path() + "/cache";
  ASSERT_EQ(mkdir(dir.c_str(), 0700), 0);
  Write(dir + "/0123456789abcdef.gxds", "gxds resources\1\nof an earlier form");
  const std::set<std::string> logs = one.KeepIn(dir);
  EXPECT_EQ(logs.size(), 1u);
  EXPECT_EQ(logs.count("0123456789abcdef.gxds"), 0u);
}

TEST_F(ResourceCache, DirectoryThatOthersMayWriteIsLeftAlone) {
  TempDir parent;
  const std::string dir = parent.path() + "/cache";
  ASSERT_EQ(mkdir(dir.c_str(), 0700), 0);
  ASSERT_EQ(chmod(dir.c_str(), 0777), 0);
  Write(dir + "/0123456789abcdef.gxds", "gxds resources\1\nof an earlier form");
  gxds_bootstrap_server server = {};
  server.uri = gxds_str_z("server:1");
  gxds_bootstrap b = {};
  b.resource_cache_dir = Str(dir);
  gxds_action a = {};
  a.kind = GXDS_ACTION_FORGET;
  a.server = &server;
  a.type = &kFoo;
  a.name = gxds_str_z("foo");
  gxds_text text = {};
  gxds_resource_cache *c = gxds_resource_cache_create(&b, gxds_str_z("t"), kWallOffset);
  gxds_resource_cache_put(c, &a, 1000 * GXDS_SECOND, &text);
  gxds_resource_cache_destroy(c);
  gxds_text_fini(&text);
  EXPECT_EQ(Program::Logs(dir), std::set<std::string>{"0123456789abcdef.gxds"});
}

}  // namespace
}  // namespace gxds_test
