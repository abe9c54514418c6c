// A directory's resources as SotW ADS responses.
#include "files/file_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/files/support.h"
#include "test/support/proto_json.h"

namespace gxds_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Cluster(const std::string &name, const std::string &service) {
  return R"({"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":")" + name +
         R"(","type":"EDS","eds_cluster_config":{"service_name":")" + service +
         R"(","eds_config":{"ads":{}}}})";
}
std::string Routes(const std::string &name, const std::string &cluster) {
  return R"({"@type":"type.googleapis.com/envoy.config.route.v3.RouteConfiguration","name":")" +
         name +
         R"(","virtual_hosts":[{"name":"v","domains":["*"],"routes":[{"match":{"prefix":""},)" +
         R"("route":{"cluster":")" + cluster + R"("}}]}]})";
}

struct FileServer : testing::Test {
  FileServer() { gxds_file_server_open(server); }
  ~FileServer() override {
    gxds_file_server_destroy(server);
    gxds_file_set_unref(set);
    gxds_schema_destroy(schema);
  }
  void Set(const std::vector<std::string> &resources) {
    std::string list;
    for (const auto &r : resources) list += (list.empty() ? "" : ",") + r;
    gxds_file_errors errors = {};
    const gxds_file_set *built = Build(schema, {{"a.json", "[" + list + "]"}}, &errors, set);
    ASSERT_NE(built, nullptr) << Take(&errors);
    gxds_file_set_unref(set);
    set = built;
    gxds_file_server_set(server, set, now);
  }
  void Send(const std::string &type, const std::vector<std::string> &names,
            const std::string &nonce = "") {
    std::string list;
    for (const auto &n : names) list += (list.empty() ? "\"" : ",\"") + n + "\"";
    const std::string json = R"({"type_url":"type.googleapis.com/envoy.config.)" + type +
                             R"(","response_nonce":")" + nonce + R"(","resource_names":[)" + list +
                             "]}";
    gxds_str bytes;
    gxds_text error = {};
    ASSERT_TRUE(gxds_test_proto_from_json("envoy.service.discovery.v3.DiscoveryRequest", View(json),
                                          &bytes, &error))
        << Take(&error);
    gxds_file_server_on_request(server, bytes, now);
    gxds_str_free(&bytes);
  }
  // The next response: its JSON, of the fields in the tables, then the raw bytes; "" if there is
  // none.
  std::string Next() {
    gxds_str bytes;
    if (!gxds_file_server_next(server, now, &bytes)) return "";
    gxds_text json = {}, error = {};
    EXPECT_TRUE(gxds_test_proto_to_json("envoy.service.discovery.v3.DiscoveryResponse", bytes,
                                        &json, &error))
        << Take(&error);
    std::string out = Take(&json) + String(bytes);
    gxds_str_free(&bytes);
    return out;
  }
  gxds_schema *schema = gxds_schema_create();
  const gxds_file_set *set = nullptr;
  gxds_file_server *server = gxds_file_server_create(gxds_str_z("/dir"));
  gxds_time now = 1000;
};

const char kCds[] = "cluster.v3.Cluster";
const char kRds[] = "route.v3.RouteConfiguration";

TEST_F(FileServer, RespondsWithNothingBeforeTheFirstGoodState) {
  Send(kCds, {"a"});
  EXPECT_EQ(Next(), "");
  Set({Cluster("a", "x")});
  EXPECT_THAT(Next(), HasSubstr("\"service_name\":\"x\""));
  EXPECT_EQ(Next(), "");
}

TEST_F(FileServer, SendsWhatIsRequestedAndAgainOnlyWhatChanged) {
  Set({Cluster("a", "x"), Cluster("b", "y")});
  Send(kCds, {"a"});
  EXPECT_THAT(Next(), AllOf(HasSubstr("\"name\":\"a\""), Not(HasSubstr("\"name\":\"b\""))));
  Send(kCds, {"a"}, "1");  // an ACK
  EXPECT_EQ(Next(), "");
  Set({Cluster("a", "x"), Cluster("b", "z")});
  EXPECT_EQ(Next(), "");
  Set({Cluster("a", "w"), Cluster("b", "z")});
  EXPECT_THAT(Next(), HasSubstr("\"service_name\":\"w\""));
}

TEST_F(FileServer, ReportsAtOnceWhatTheFilesDoNotHave) {  // xRFC TP3
  Set({Cluster("a", "x")});
  Send(kCds, {"a", "b"});
  EXPECT_THAT(Next(), AllOf(HasSubstr("\"name\":\"a\""),
                            HasSubstr("no file in /dir has a Cluster of that name")));
}

TEST_F(FileServer, NameThatWasGivenUpIsSentAgain) {
  Set({Cluster("a", "x")});
  Send(kCds, {"a"});
  EXPECT_THAT(Next(), HasSubstr("\"service_name\":\"x\""));
  Send(kCds, {}, "1");
  EXPECT_EQ(Next(), "");
  Send(kCds, {"a"}, "1");
  EXPECT_THAT(Next(), HasSubstr("\"service_name\":\"x\""));
}

TEST_F(FileServer, NameIsFoundInAnySpelling) {  // A47
  const std::string name = "xdstp://a/envoy.config.cluster.v3.Cluster/c?";
  Set({Cluster(name + "y=2&x=1", "x")});
  Send(kCds, {name + "x=1&y=2"});
  EXPECT_THAT(Next(), HasSubstr("\"service_name\":\"x\""));
}

TEST_F(FileServer, RequestThatCrossedAResponseIsIgnored) {
  Set({Cluster("a", "x"), Cluster("b", "y")});
  Send(kCds, {"a"});
  Next();
  Send(kCds, {"a", "b"}, "7");
  EXPECT_EQ(Next(), "");
  Send(kCds, {"a", "b"}, "1");
  EXPECT_THAT(Next(), HasSubstr("\"name\":\"b\""));
}

TEST_F(FileServer, NewStreamIsSentEverythingAgain) {
  Set({Cluster("a", "x")});
  Send(kCds, {"a"});
  EXPECT_NE(Next(), "");
  gxds_file_server_open(server);
  EXPECT_EQ(Next(), "");
  Send(kCds, {"a"});
  EXPECT_NE(Next(), "");
}

TEST_F(FileServer, WhatIsRemovedStaysUntilTheRestIsTaken) {
  Set({Cluster("a", "x"), Routes("r", "a")});
  Send(kCds, {"a"});
  Send(kRds, {"r"});
  Next();
  Next();
  Send(kCds, {"a"}, "1");
  Send(kRds, {"r"}, "2");
  now += GXDS_SECOND;
  Set({Cluster("b", "y"), Routes("r", "b")});
  EXPECT_THAT(Next(), HasSubstr("\"cluster\":\"b\""));  // the routes changed; a still exists
  EXPECT_EQ(Next(), "");
  now += GXDS_SECOND;
  // No removal before the routes are accepted.
  EXPECT_EQ(gxds_file_server_deadline(server), GXDS_TIME_NEVER);
  EXPECT_EQ(Next(), "");
  Send(kRds, {"r"}, "3");
  Send(kCds, {"a", "b"});
  EXPECT_THAT(Next(), AllOf(HasSubstr("\"service_name\":\"x\""), HasSubstr("\"name\":\"b\"")));
  Send(kCds, {"a", "b"}, "4");
  EXPECT_EQ(Next(), "");
  now = gxds_file_server_deadline(server);
  EXPECT_THAT(Next(),
              AllOf(HasSubstr("no file in /dir"), Not(HasSubstr("Cluster\",\"name\":\"a\""))));
}

TEST_F(FileServer, OtherTypesAreNotItsOwn) {
  Set({Cluster("a", "x")});
  Send("endpoint.v3.Foo", {"a"});
  EXPECT_EQ(Next(), "");
}

}  // namespace
}  // namespace gxds_test
