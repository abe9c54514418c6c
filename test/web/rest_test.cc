// xDS over REST-JSON: the requests, their times, and the handling of the answers.
#include "test/web/fixture.h"

namespace gxds_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Cluster(const std::string &name, const std::string &more = "") {
  return R"({"@type":")" + std::string(kCds) + R"(","name":")" + name + R"(")" + more + "}";
}
std::string Response(const std::string &version, const std::vector<std::string> &resources,
                     const std::string &more = "") {
  std::string list;
  for (const auto &r : resources) list += (list.empty() ? "" : ",") + r;
  return R"({"version_info":")" + version + R"(","resources":[)" + list + "]" + more + "}";
}
const char kAck[] = R"(,"version_info":"1")";
const char kNack[] = R"(,"version_info":"1","error_detail":{"code":3,"message":"no"})";

struct Rest : WebServerTest {
  Rest() : WebServerTest(GXDS_WEB_REST) {}
  // Lets the engine get and accept version 1 of cluster "a".
  void Hold() {
    Send(kCds, {"a"}, "", R"(,"node":{"id":"n"})");
    Respond(Fetch(), {.body = Response("1", {Cluster("a")}, R"(,"nonce":"x")")});
    ASSERT_NE(Next(), "");
    ASSERT_TRUE(WasSent());
    Send(kCds, {"a"}, "1", kAck);
    ASSERT_TRUE(WasSent());
  }
};

TEST_F(Rest, ARequestIsWholeAndHasTheNode) {  // E4.1, E4.2
  Send(kCds, {"a", "b"}, "", R"(,"node":{"id":"n","metadata":{"x":1.5}})");
  EXPECT_FALSE(WasSent()) << "nobody has it yet";
  Request r = Fetch();
  EXPECT_EQ(r.path, "/v3/discovery:clusters");
  EXPECT_EQ(r.body, R"({"node":{"id":"n","metadata":{"x":1.5}},"resource_names":["a","b"],)"
                    R"("type_url":"type.googleapis.com/envoy.config.cluster.v3.Cluster"})");
  EXPECT_TRUE(WasSent());
  EXPECT_FALSE(WasSent()) << "once";
  Send(kLds, {"l"});
  r = Fetch();
  EXPECT_EQ(r.path, "/v3/discovery:listeners");
  EXPECT_THAT(r.body, HasSubstr(R"("node":{"id":"n")")) << "which the engine sends once a stream";
}
TEST_F(Rest, AnHttpResponseBecomesAResponse) {
  Send(kCds, {"a"});
  Respond(Fetch(), {.body = Response("7", {Cluster("a")})});
  EXPECT_THAT(Next(), AllOf(HasSubstr(R"("version_info":"7")"), HasSubstr(R"("name":"a")"),
                            HasSubstr(R"("nonce":"1")")));
  EXPECT_EQ(Next(), "");
  EXPECT_EQ(End(), "");
}
TEST_F(Rest, WhatTheResponseLacksDoesNotExist) {  // E4.7
  Send(kEds, {"a", "gone"});
  Respond(Fetch(), {.body = Response(
                        "7", {R"({"@type":")" + std::string(kEds) + R"(","cluster_name":"a"})"})});
  EXPECT_THAT(Next(), AllOf(HasSubstr("gone"),
                            HasSubstr("the response of http://h/v3/discovery:endpoints has no "
                                      "ClusterLoadAssignment of that name")));
}
TEST_F(Rest, AResponseWithoutResourcesIsOne) {
  Send(kCds, {"a"});
  Respond(Fetch(), {.body = R"({"versionInfo":"7"})"});
  EXPECT_THAT(Next(), AllOf(HasSubstr(R"("version_info":"7")"), Not(HasSubstr("@type")),
                            HasSubstr("has no Cluster of that name")));
}
// As servers write it that make their JSON from a nil slice of Go.
TEST_F(Rest, NullIsNoResource) {
  Send(kEds, {"a"});
  Respond(Fetch(), {.body = R"({"version_info":"1","resources":null,"nonce":null})"});
  EXPECT_EQ(End(), "");
  EXPECT_THAT(NextBytes(), HasSubstr("has no ClusterLoadAssignment of that name"));
}
TEST_F(Rest, AnAckWaitsForTheNextPoll) {  // E4.3
  Hold();
  EXPECT_EQ(Fetch().path, "");
  EXPECT_GE(Wait(), 10 * GXDS_SECOND);
  EXPECT_LE(Wait(), 12 * GXDS_SECOND) << "later by a fifth at most";
  now_ += Wait();
  EXPECT_THAT(Fetch().body,
              AllOf(HasSubstr(R"("version_info":"1")"), HasSubstr(R"("response_nonce":"x")")));
}
TEST_F(Rest, NothingNewIsA304) {  // E4.4
  Hold();
  now_ += Wait();
  Respond(Fetch(), {.code = 304});
  EXPECT_EQ(Next(), "");
  EXPECT_EQ(End(), "");
  EXPECT_GE(Wait(), 10 * GXDS_SECOND);
}
TEST_F(Rest, TheSameResponseAgainIsNothingNew) {
  Hold();
  now_ += Wait();
  Respond(Fetch(), {.body = Response("1", {Cluster("a")}, R"(,"nonce":"x")")});
  EXPECT_EQ(Next(), "");
  EXPECT_EQ(End(), "");
}
TEST_F(Rest, ANackIsSentAtOnceAndOnce) {  // E4.5
  Hold();
  now_ += Wait();
  const std::string bad = Response("2", {Cluster("a", R"(,"type":"STATIC")")}, R"(,"nonce":"y")");
  Respond(Fetch(), {.body = bad});
  EXPECT_THAT(Next(), HasSubstr(R"("nonce":"2")"));
  Send(kCds, {"a"}, "2", kNack);
  Request r = Fetch();
  EXPECT_THAT(r.body, AllOf(HasSubstr(R"("version_info":"1")"), HasSubstr(R"("message":"no")"),
                            HasSubstr(R"("response_nonce":"y")")));
  Respond(r, {.body = bad});
  EXPECT_EQ(Next(), "") << "it was refused already";
  EXPECT_EQ(Fetch().path, "") << "or the two would never stop";
  EXPECT_GE(Wait(), 10 * GXDS_SECOND);
  now_ += Wait();
  Respond(Fetch(), {.body = Response("3", {Cluster("a")})});
  EXPECT_THAT(Next(), HasSubstr(R"("version_info":"3")")) << "it is mended";
}
TEST_F(Rest, ARequestAfterANackIsNoAck) {
  Hold();
  Send(kCds, {"a", "b"}, "1", kAck);
  Respond(Fetch(), {.body = Response("2", {Cluster("a"), Cluster("b", R"(,"type":"STATIC")")})});
  ASSERT_TRUE(WasSent());
  ASSERT_NE(Next(), "");
  Send(kCds, {"a", "b"}, "2", kNack);
  ASSERT_TRUE(WasSent());
  Respond(Fetch(), {.body = Response("2", {Cluster("a"), Cluster("b", R"(,"type":"STATIC")")})});
  Send(kCds, {"a", "b"}, "2", kAck);
  ASSERT_TRUE(WasSent()) << "b is not watched any more, and is again";
  now_ += Wait();
  EXPECT_THAT(Fetch().body, Not(HasSubstr("version_info"))) << "1 was given for other names";
}
TEST_F(Rest, ANackOfTheResponseToANackWaitsForTheNextPoll) {  // E4.5
  Hold();
  now_ += Wait();
  const std::string bad = Cluster("a", R"(,"type":"STATIC")");
  Respond(Fetch(), {.body = Response("2", {bad}, R"(,"nonce":"y")")});
  ASSERT_NE(Next(), "");
  Send(kCds, {"a"}, "2", kNack);
  ASSERT_TRUE(WasSent());
  Respond(Fetch(), {.body = Response("2", {bad}, R"(,"nonce":"z")")});
  ASSERT_NE(Next(), "") << "its nonce is another";
  Send(kCds, {"a"}, "3", kNack);
  ASSERT_TRUE(WasSent());
  EXPECT_EQ(Fetch().path, "") << "or the two would never stop";
  EXPECT_GE(Wait(), 10 * GXDS_SECOND);
  now_ += Wait();
  Respond(Fetch(), {.body = Response("4", {bad}, R"(,"nonce":"a")")});
  ASSERT_NE(Next(), "");
  Send(kCds, {"a"}, "4", kNack);
  EXPECT_NE(Fetch().path, "") << "of the response to a poll in its turn";
}
TEST_F(Rest, OtherNamesAreRequestedAtOnceWithoutAVersion) {  // E4.3, E4.6
  Hold();
  Send(kCds, {"a", "b"}, "1", kAck);
  EXPECT_FALSE(WasSent());
  Request r = Fetch();
  EXPECT_THAT(r.body,
              AllOf(HasSubstr(R"("resource_names":["a","b"])"), Not(HasSubstr("version_info"))))
      << "a server that knows the version only would say that there is nothing new";
}
TEST_F(Rest, A304WithoutAVersionIsNoResponseYet) {
  Send(kEds, {"a"});
  Request r = Fetch();
  EXPECT_TRUE(WasSent());
  Respond(r, {.code = 304});
  EXPECT_EQ(Next(), "");
  EXPECT_EQ(End(), "") << "the other types would not come either";
  EXPECT_GE(Wait(), 10 * GXDS_SECOND);
  now_ += Wait();
  r = Fetch();
  EXPECT_THAT(r.body, Not(HasSubstr("version_info")));
  Respond(r, {.body = Response(
                  "1", {R"({"@type":")" + std::string(kEds) + R"(","cluster_name":"a"})"})});
  EXPECT_THAT(Next(), HasSubstr(R"("cluster_name":"a")"));
}
TEST_F(Rest, AResponseToOtherNamesIsDropped) {  // E4.6
  Send(kCds, {"a"});
  Request old = Fetch();
  ASSERT_TRUE(WasSent());
  Send(kCds, {"a", "b"});
  Request r = Fetch();
  Respond(old, {.body = Response("1", {Cluster("a")})});
  EXPECT_EQ(Next(), "");
  Respond(r, {.body = Response("1", {Cluster("a"), Cluster("b")})});
  EXPECT_THAT(Next(), HasSubstr(R"("name":"b")"));
}
TEST_F(Rest, ATypeWithoutNamesIsNotPolled) {
  Hold();
  Send(kCds, {}, "1", kAck);
  EXPECT_TRUE(WasSent());
  EXPECT_EQ(Wait(), -1);
  EXPECT_EQ(Fetch().path, "");
}
TEST_F(Rest, ATypeIsNotPolledBeforeTheAckOfItsResponse) {  // E4.11
  Hold();
  now_ += Wait();
  Respond(Fetch(), {.body = Response("2", {Cluster("a", R"(,"type":"EDS")")})});
  now_ += 3600 * GXDS_SECOND;
  EXPECT_EQ(Fetch().path, "") << "it waits for the engine";
  EXPECT_NE(Next(), "");
  EXPECT_EQ(Fetch().path, "") << "version 1 would be told, and a 304 would speak of that";
  EXPECT_EQ(Wait(), -1);
  Send(kCds, {"a"}, "2", R"(,"version_info":"2")");
  EXPECT_TRUE(WasSent());
  EXPECT_THAT(Fetch().body, HasSubstr(R"("version_info":"2")"));
}
TEST_F(Rest, ClustersComeBeforeWhatNamesThem) {
  Send(kLds, {"l"});
  Request lds = Fetch();
  ASSERT_TRUE(WasSent());
  Send(kCds, {"a"});
  Respond(lds, {.body = R"({"version_info":"1"})"});
  Respond(Fetch(), {.body = Response("1", {Cluster("a")})});
  EXPECT_THAT(Next(), HasSubstr(kCds));
  EXPECT_THAT(Next(), HasSubstr(kLds));
}
TEST_F(Rest, MaxAgeIsWaitedForTenMinutesAtMost) {  // E4.8
  Send(kCds, {"a"});
  Respond(Fetch(), {.body = Response("1", {Cluster("a")}), .max_age = 60 * GXDS_SECOND});
  Next();
  ASSERT_TRUE(WasSent());
  Send(kCds, {"a"}, "1", kAck);
  ASSERT_TRUE(WasSent());
  EXPECT_GE(Wait(), 60 * GXDS_SECOND);
  EXPECT_LE(Wait(), 72 * GXDS_SECOND);
  now_ += Wait();
  Respond(Fetch(), {.body = Response("2", {Cluster("a")}), .max_age = 86400 * GXDS_SECOND});
  Next();
  Send(kCds, {"a"}, "2", kAck);
  EXPECT_GE(Wait(), 600 * GXDS_SECOND);
  EXPECT_LE(Wait(), 720 * GXDS_SECOND);
}
TEST_F(Rest, RetryAfterHoldsForTheNextStreamToo) {  // E4.8
  Send(kCds, {"a"});
  Respond(Fetch(), {.code = 503, .body = "busy\n", .retry_after = 40 * GXDS_SECOND});
  EXPECT_EQ(End(),
            "http://h/v3/discovery:clusters: expected the HTTP status 200 or 304, found 503: "
            "busy");
  Open();
  Send(kCds, {"a"});
  EXPECT_EQ(Fetch().path, "");
  EXPECT_FALSE(WasSent());
  EXPECT_EQ(Wait(), 40 * GXDS_SECOND);
  now_ += Wait();
  EXPECT_NE(Fetch().path, "");
  EXPECT_TRUE(WasSent());
}
TEST_F(Rest, AServerThatFailsEndsTheStream) {  // E4.9
  Send(kCds, {"a"});
  Respond(Fetch(), {.code = 0, .body = "Connection refused"});
  EXPECT_EQ(End(), "http://h/v3/discovery:clusters: Connection refused");
  EXPECT_EQ(End(), "") << "once";
  EXPECT_EQ(Wait(), -1);
  EXPECT_EQ(Fetch().path, "");
}
TEST_F(Rest, ANewStreamRequestsAllAgain) {
  Hold();
  now_ += Wait();
  Respond(Fetch(), {.code = 500});
  ASSERT_NE(End(), "");
  Open();
  Send(kCds, {"a"}, "", R"(,"node":{"id":"n"},"version_info":"1")");
  Request r = Fetch();
  EXPECT_THAT(r.body, Not(HasSubstr("version_info"))) << "so that there is a response";
  Respond(r, {.body = Response("1", {Cluster("a")})});
  EXPECT_NE(Next(), "");
}
TEST_F(Rest, AResponseThatComesAfterTheEndIsDropped) {
  Send(kCds, {"a"});
  Request r = Fetch();
  gxds_web_server_close(server_);
  Respond(r, {.body = Response("1", {Cluster("a")})});
  EXPECT_EQ(Next(), "");
  Open();
  Respond(r, {.body = Response("1", {Cluster("a")})});
  EXPECT_EQ(Next(), "");
}
TEST_F(Rest, RedirectsAreNotFollowed) {
  Send(kCds, {"a"});
  Respond(Fetch(), {.code = 301});
  EXPECT_EQ(End(),
            "http://h/v3/discovery:clusters: expected the HTTP status 200 or 304, found 301 "
            "(redirects are not followed)");
}
TEST_F(Rest, APageIsNoResponse) {
  Send(kCds, {"a"});
  Respond(Fetch(), {.body = "<html>", .content_type = "text/html; charset=utf-8"});
  EXPECT_EQ(End(),
            "http://h/v3/discovery:clusters: expected the Content-Type application/json, "
            "found text/html; charset=utf-8");
}
TEST_F(Rest, TypesThatServersGuessAreTaken) {
  for (const char *type : {"", "text/plain; charset=utf-8", "application/octet-stream",
                           "Application/JSON", "application/grpc+json"}) {
    Open();
    Send(kCds, {"a"});
    Respond(Fetch(), {.body = Response("1", {Cluster("a")}), .content_type = type});
    EXPECT_NE(Next(), "") << type;
  }
}
TEST_F(Rest, WrongJsonIsReportedWithLineAndField) {  // E4.9
  const struct {
    std::string body, why;
  } wrong[] = {
      {"", "body:1: syntax error at column 1: expected a value"},
      {R"({"resources":[)", ":1"},
      {"[]", "body:1: expected a resource (an object with \"@type\"), found a list"},
      {R"({"resources":1})", "field resources: expected a list"},
      {"{\n\"resources\":[" + Cluster("a", R"(,"type":7.5)") + "]}",
       "body:2: field type: expected a value of "},
      {Response("1", {Cluster("")}), "must be set: the name of the resource"},
      {Response("1", {R"({"@type":")" + std::string(kLds) + R"(","name":"l"})"}),
       "a Listener is not of the requested type"},
      {R"({"type_url":")" + std::string(kLds) + R"("})",
       "field type_url: expected " + std::string(kCds)},
  };
  for (const auto &w : wrong) {
    Open();
    Send(kCds, {"a"});
    Respond(Fetch(), {.body = w.body});
    EXPECT_THAT(End(), AllOf(HasSubstr("/v3/discovery:clusters: is no DiscoveryResponse: "),
                             HasSubstr(w.why)))
        << w.body;
    EXPECT_EQ(Next(), "");
  }
}
TEST_F(Rest, WhatIsNewerThanWeAreIsPassedOver) {  // E4.10
  Send(kCds, {"a"});
  Respond(Fetch(),
          {.body = Response(
               "1",
               {Cluster("a", R"(,"field_of_2030":{"x":1},"transport_socket":{"name":"t",)"
                             R"("typed_config":{"@type":"type.googleapis.com/new.Type","y":2}})")},
               R"(,"another_field":[])")});
  EXPECT_EQ(End(), "");
  EXPECT_THAT(NextBytes(), AllOf(HasSubstr("type.googleapis.com/new.Type"), Not(HasSubstr("2030"))))
      << "the decoder of clusters is told of a type that it does not know, and refuses it";
}
// Fields of which gRPC 1.51 knows nothing.
TEST_F(Rest, WhatTheHostLacksIsReadAllTheSame) {
  Send(kCds, {"a"});
  Respond(Fetch(), {.body = Response(
                        "1", {Cluster("a", R"(,"lrs_report_endpoint_metrics":["named_metrics.x"],)"
                                           R"("lb_subset_config":{)"
                                           R"("metadata_fallback_policy":"FALLBACK_LIST"})")})});
  EXPECT_EQ(End(), "");
  EXPECT_THAT(NextBytes(), AllOf(HasSubstr("named_metrics.x"), HasSubstr("\xb2\x01\x02\x40\x01")));
}
// In the binary form, it is a number that the decoders do not know.
TEST_F(Rest, AnEnumsValueThatIsNewerThanWeAreIsAnUnknownNumber) {  // E4.10
  Send(kCds, {"a", "b"});
  Respond(Fetch(), {.body = Response("1", {Cluster("a", R"(,"lb_policy":"POLICY_OF_2030")"),
                                           Cluster("b", R"(,"lb_policy":"RING_HASH")")})});
  EXPECT_EQ(End(), "");
  EXPECT_THAT(Next(), AllOf(HasSubstr(R"("lb_policy":2147483647)"),
                            HasSubstr(R"("lb_policy":"RING_HASH")")));
}

}  // namespace
}  // namespace gxds_test
