// GRPC_TRACE's names turn on the trace of our code, through the host's own flags.
#include <grpc/grpc.h>

#include "test/e2e/e2e.h"
#include "test/e2e/resources_json.h"
#include "test/support/host_log.h"

namespace gxds_test {
namespace {

// The log of this process while this object exists, with those traces on.
class Log : public HostLog {
 public:
  explicit Log(const std::vector<std::string>& traces) : traces_(traces) {
    for (const std::string& t : traces_) EXPECT_EQ(grpc_tracer_set_enabled(t.c_str(), 1), 1) << t;
  }
  ~Log() {
    for (const std::string& t : traces_) grpc_tracer_set_enabled(t.c_str(), 0);
  }
  // Whether a line contains a control character.
  bool IsRaw() const {
    for (const std::string& line : lines()) {
      for (unsigned char c : line) {
        if (c < 0x20 || c == 0x7f) return true;
      }
      if (line.find("\xc2\x9b") != std::string::npos) return true;
    }
    return false;
  }

 private:
  const std::vector<std::string> traces_;
};

struct Service {
  Service() {
    plane.Set(SimpleMesh({&a}));
    plane.Start();
  }
  Backend a{"a"};
  ControlPlane plane;
};

TEST(Trace, OfTheClientShowsRequestsResponsesAndResources) {
  Service service;
  Log log({"xds_client"});
  Client client("xds:///greeter.example", service.plane.Bootstrap());
  EXPECT_EQ(client.Call().name, "a");
  EXPECT_TRUE(log.Has({"[xds_client ", " ADS stream ", "opened"}));
  EXPECT_TRUE(log.Has({"watch ", " of LDS greeter.example started"}));
  EXPECT_TRUE(log.Has({"sending request: type=CDS", "names=[a]"}));
  EXPECT_TRUE(
      log.Has({"received response: type=envoy.config.cluster.v3.Cluster version=", "resources=1"}));
  EXPECT_TRUE(log.Has({"accepted EDS a version="}));
}

TEST(Trace, OfTheResolverShowsSnapshotsAndConfigSelectors) {
  Service service;
  Log log({"xds_resolver"});
  Client client("xds:///greeter.example", service.plane.Bootstrap());
  EXPECT_EQ(client.Call().name, "a");
  EXPECT_TRUE(log.Has({"[xds_resolver ", "started for xds:///greeter.example"}));
  EXPECT_TRUE(log.Has({"snapshot 1 ", "listener new, routes new, clusters: +a (1 in all)"}));
  EXPECT_TRUE(log.Has({"config selector ", "made of snapshot 1"}));
}

TEST(Trace, OfEachPolicyHasItsHostsName) {
  Service service;
  Log log({"cds_lb", "xds_cluster_manager_lb", "xds_cluster_impl_lb", "priority_lb",
           "xds_wrr_locality_lb", "round_robin"});
  Client client("xds:///greeter.example", service.plane.Bootstrap());
  EXPECT_EQ(client.Call().name, "a");
  for (const char* line : {"[cdslb ", "[xds_cluster_manager_lb ", "[xds_cluster_impl_lb ",
                           "[priority_lb ", "[xds_wrr_locality_lb ", "[grpc_xds_round_robin "}) {
    EXPECT_TRUE(log.Has({line})) << line;
  }
}

TEST(Trace, ShowsNoControlCharactersOfTheNetwork) {
  Backend a("a");
  ControlPlane plane;
  // A line break, ESC [ and its one-character form, in the names of clusters and in errors.
  const std::string leaf = R"(leaf\n\u001b[2J\u009b2J)";
  const std::string top = R"(top\n\u001b[2J\u009b2J)";
  plane.WriteFile("all.json",
                  Document({RdsListener(), Routes(VirtualHost(RouteTo(top))),
                            AggregateCluster(top, "\"" + leaf + R"(","gone\n")"), EdsCluster(leaf),
                            Endpoints(leaf, LocalityOf({a.port()}))}));
  plane.Start();
  Log log({"xds_client", "xds_resolver", "cds_lb", "xds_cluster_manager_lb", "xds_cluster_impl_lb",
           "priority_lb", "xds_wrr_locality_lb", "round_robin"});
  Client client("xds:///greeter.example", plane.Bootstrap(), {}, nullptr, kImpatience);
  EXPECT_EQ(client.Call().name, "a");
  const std::string escaped = R"(\x0a\x1b[2J\xc2\x9b2J)";
  EXPECT_TRUE(log.Has({"snapshot 1 ", "+leaf" + escaped}));
  EXPECT_TRUE(log.Has({"[xds_cluster_manager_lb ", "top" + escaped + ": created"}));
  EXPECT_TRUE(log.Has({"[priority_lb ", "leaf" + escaped + ": created"}));
  EXPECT_TRUE(log.Has({"[cdslb ", "top" + escaped}));
  EXPECT_TRUE(log.Has({"[xds_cluster_impl_lb ", "leaf" + escaped}));
  EXPECT_FALSE(log.IsRaw());
}

TEST(Trace, ThatIsOffPrintsNothing) {
  Service service;
  Log log({});
  Client client("xds:///greeter.example", service.plane.Bootstrap());
  EXPECT_EQ(client.Call().name, "a");
  EXPECT_TRUE(log.Has({"ADS stream is up"}));
  for (const char* line : {"sending request", "received response", "watch ", "[xds_resolver ",
                           "[cdslb ", "[priority_lb "}) {
    EXPECT_FALSE(log.Has({line})) << line;
  }
}

}  // namespace
}  // namespace gxds_test
