// The metrics of clients (gRFC A78), in Prometheus's text format.
#include "xds_client/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "test/xds_client/scenario.h"

namespace gxds_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Render(const std::vector<gxds_status_source> &sources) {
  gxds_text text = {};
  gxds_metrics_render(sources.data(), sources.size(), &text);
  std::string out(text.data, text.size);
  gxds_text_fini(&text);
  return out;
}

struct Counted : Scenario {
  explicit Counted(ScenarioOptions options = {}) : Scenario(std::move(options)) {
    Forgive();
    ForgiveTimers();
  }
  std::string Metrics() { return Render({{client(), Str("xds:///a"), nullptr, 0}}); }
  // The value of a metric of the server, or of its resources of a type.
  std::string Of(const std::string &metric, const std::string &labels) {
    const std::string begin = "\n" + metric + "{grpc_target=\"xds:///a\"," + labels + "} ";
    const std::string all = Metrics();
    size_t at = all.find(begin);
    if (at == std::string::npos) return "";
    at += begin.size();
    return all.substr(at, all.find('\n', at) - at);
  }
  std::string Connected() { return Of("grpc_xds_client_connected", "grpc_xds_server=\"server1\""); }
  std::string Failures() {
    return Of("grpc_xds_client_server_failure_total", "grpc_xds_server=\"server1\"");
  }
  std::string Updates(const std::string &kind) {
    std::string type = gxds_type_of(kFoo);
    return Of("grpc_xds_client_resource_updates_" + kind + "_total",
              "grpc_xds_server=\"server1\",grpc_xds_resource_type=\"" + type + "\"");
  }
  std::string Resources(const std::string &state) {
    return Of("grpc_xds_client_resources", "grpc_xds_authority=\"#old\",grpc_xds_cache_state=\"" +
                                               state + "\",grpc_xds_resource_type=\"" +
                                               gxds_type_of(kFoo) + "\"");
  }
  static std::string gxds_type_of(const gxds_resource_type &type) {
    const std::string url = type.type_url;
    return url.substr(url.rfind('/') + 1);
  }
};

TEST(Metrics, EveryFamilyIsDeclaredEvenWithoutClients) {
  const std::string all = Render({});
  for (const char *line : {"# TYPE grpc_xds_client_connected gauge\n",
                           "# TYPE grpc_xds_client_server_failure_total counter\n",
                           "# TYPE grpc_xds_client_resource_updates_valid_total counter\n",
                           "# TYPE grpc_xds_client_resource_updates_invalid_total counter\n",
                           "# TYPE grpc_xds_client_resources gauge\n"}) {
    EXPECT_THAT(all, HasSubstr(line));
  }
}

TEST(Metrics, AServerIsConnectedUntilItFailsAndAgainWithItsFirstResponse) {  // A78.1
  Counted s;
  EXPECT_EQ(s.Connected(), "");  // not used yet
  s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.Connected(), "1");
  s.server().CloseStream();  // without a response (A57)
  EXPECT_EQ(s.Connected(), "0");
  EXPECT_EQ(s.Failures(), "1");
  s.Advance(2 * GXDS_SECOND);
  EXPECT_EQ(s.Connected(), "0");
  s.Respond(kFoo, "1", {"foo1=1"});
  EXPECT_EQ(s.Connected(), "1");
  EXPECT_EQ(s.Failures(), "1");
}

TEST(Metrics, AStreamThatEndsAfterAResponseIsNoFailure) {  // A57, A78.1
  Counted s;
  s.Watch(kFoo, "foo1");
  s.Respond(kFoo, "1", {"foo1=1"});
  s.server().CloseStream();
  EXPECT_EQ(s.Connected(), "1");
  EXPECT_EQ(s.Failures(), "0");
}

TEST(Metrics, AServerThatStaysUnreachableFailedOnce) {  // A78.1
  Counted s;
  s.Watch(kFoo, "foo1");
  s.server().FailChannel("down");
  s.server().FailChannel("still down");
  EXPECT_EQ(s.Failures(), "1");
}

TEST(Metrics, ResourcesAreCountedAsTheyComeChangedOrNot) {  // A78.2
  Counted s;
  s.Watch(kFoo, "foo1");
  s.Watch(kFoo, "foo2");
  s.Respond(kFoo, "1", {"foo1=1", "foo2=bad"});
  EXPECT_EQ(s.Updates("valid"), "1");
  EXPECT_EQ(s.Updates("invalid"), "1");
  s.Respond(kFoo, "2", {"foo1=1", "foo2=2"});
  EXPECT_EQ(s.Updates("valid"), "3");
  EXPECT_EQ(s.Updates("invalid"), "1");
}

TEST(Metrics, CountersOutliveTheUseOfAServer) {
  Counted s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Respond(kFoo, "1", {"foo1=1"});
  s.Cancel(foo1);
  EXPECT_EQ(s.Updates("valid"), "1");
}

// As in gRPC's own client. An alert for 0 must not fire for a server that is not needed, such as a
// fallback server after the fallback.
TEST(Metrics, AServerThatIsNotUsedIsNeitherConnectedNorNot) {  // A78.1
  Counted a;
  Counted b;
  Watcher &foo1 = a.Watch(kFoo, "foo1");
  b.Watch(kFoo, "foo1");
  a.Respond(kFoo, "1", {"foo1=1"});
  a.Cancel(foo1);
  EXPECT_EQ(a.Connected(), "");
  // Two clients of the same target: the one that uses the server is connected.
  const std::string all = Render(
      {{a.client(), Str("xds:///a"), nullptr, 0}, {b.client(), Str("xds:///a"), nullptr, 0}});
  EXPECT_THAT(all, HasSubstr("grpc_xds_client_connected{grpc_target=\"xds:///a\","
                             "grpc_xds_server=\"server1\"} 1\n"));
  a.Watch(kFoo, "foo1");
  EXPECT_EQ(a.Connected(), "1");
}

TEST(Metrics, ResourcesAreCountedByTheStateOfTheCache) {  // A78.3
  Counted s;
  s.Watch(kFoo, "foo1");
  s.Watch(kFoo, "foo2");
  s.Watch(kFoo, "foo3");
  EXPECT_EQ(s.Resources("requested"), "3");
  s.Respond(kFoo, "1", {"foo1=1", "foo2=bad"});
  EXPECT_EQ(s.Resources("acked"), "1");
  EXPECT_EQ(s.Resources("nacked"), "1");
  EXPECT_EQ(s.Resources("requested"), "1");
  s.Respond(kFoo, "2", {"foo1=bad", "foo2=2"});
  EXPECT_EQ(s.Resources("nacked_but_cached"), "1");
  s.Advance(16 * GXDS_SECOND);
  EXPECT_EQ(s.Resources("does_not_exist"), "1");
}

TEST(Metrics, EachClientHasItsTarget) {
  Counted a;
  Counted b;
  a.Watch(kFoo, "foo1");
  const std::string all =
      Render({{a.client(), Str("xds:///a"), nullptr, 0}, {b.client(), Str("\"\\\n"), nullptr, 0}});
  EXPECT_THAT(all, HasSubstr("grpc_xds_client_connected{grpc_target=\"xds:///a\","));
  // It used no server and holds no resource.
  EXPECT_THAT(all, Not(HasSubstr("grpc_target=\"\\\"")));
  b.Watch(kFoo, "foo1");
  EXPECT_THAT(Render({{b.client(), Str("\"\\\n"), nullptr, 0}}),
              HasSubstr("grpc_target=\"\\\"\\\\\\n\""));
}

TEST(Metrics, ATargetOfASharedClientHasTheResourcesThatItWatches) {
  Counted s;
  const gxds_watch_id a = s.Watch(kFoo, "foo1").id();
  s.Watch(kFoo, "foo2");
  s.Watch(kBar, "bar1");
  const std::string all =
      Render({{s.client(), Str("xds:///a"), &a, 1}, {s.client(), Str("xds:///b"), &a, 0}});
  EXPECT_THAT(all, HasSubstr("grpc_xds_client_resources{grpc_target=\"xds:///a\","
                             "grpc_xds_authority=\"#old\",grpc_xds_cache_state=\"requested\","
                             "grpc_xds_resource_type=\"test.v3.Foo\"} 1\n"));
  EXPECT_THAT(all, Not(HasSubstr("Bar\"} 1")));
  EXPECT_THAT(all, Not(HasSubstr("grpc_xds_client_resources{grpc_target=\"xds:///b\"")));
  // Both targets share the state of the server.
  for (const char *target : {"xds:///a", "xds:///b"}) {
    EXPECT_THAT(all, HasSubstr("grpc_xds_client_connected{grpc_target=\"" + std::string(target)));
  }
}

// Such as a channel from before the bootstrap was changed, and one from after that. Prometheus
// takes each set of labels once only.
TEST(Metrics, ClientsOfOneTargetAreCountedTogether) {
  Counted a;
  Counted b;
  for (Counted *s : {&a, &b}) {
    s->Watch(kFoo, "foo1");
    s->Respond(kFoo, "1", {"foo1=bad"});
  }
  const auto lines = [&](const std::string &of) {
    std::istringstream all(Render(
        {{a.client(), Str("xds:///a"), nullptr, 0}, {b.client(), Str("xds:///a"), nullptr, 0}}));
    std::string found;
    for (std::string line; std::getline(all, line);) {
      if (line.find(of) == 0 && line.find("Bar") == std::string::npos) found += line + "\n";
    }
    return found;
  };
  const std::string connected =
      "grpc_xds_client_connected{grpc_target=\"xds:///a\",grpc_xds_server=\"server1\"} ";
  EXPECT_EQ(lines("grpc_xds_client_connected"), connected + "1\n");
  EXPECT_EQ(
      lines("grpc_xds_client_resource_updates_invalid_total"),
      "grpc_xds_client_resource_updates_invalid_total{grpc_target=\"xds:///a\",grpc_xds_server="
      "\"server1\",grpc_xds_resource_type=\"test.v3.Foo\"} 2\n");
  EXPECT_EQ(lines("grpc_xds_client_resources"),
            "grpc_xds_client_resources{grpc_target=\"xds:///a\",grpc_xds_authority=\"#old\","
            "grpc_xds_cache_state=\"nacked\",grpc_xds_resource_type=\"test.v3.Foo\"} 2\n");
  b.server().FailChannel("down");
  EXPECT_EQ(lines("grpc_xds_client_connected"), connected + "0\n");
  EXPECT_EQ(lines("grpc_xds_client_server_failure_total"),
            "grpc_xds_client_server_failure_total{grpc_target=\"xds:///a\",grpc_xds_server="
            "\"server1\"} 1\n");
}

}  // namespace
}  // namespace gxds_test
