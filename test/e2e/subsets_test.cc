// Subsets by metadata of endpoints (E5), through real channels.
#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

// The label of an endpoint, or the metadata that a route matches: {"version":"v1"}.
std::string Version(const std::string& version) { return R"({"version":")" + version + R"("})"; }

Route To(const std::string& header, const std::string& labels) {
  Route route = {"", "a"};
  if (!header.empty()) {
    route.match = R"({"prefix":"","headers":[{"name":"to","exact_match":")" + header + R"("}]})";
  }
  if (!labels.empty()) {
    route.action =
        R"({"cluster":"a","metadata_match":{"filter_metadata":{"envoy.lb":)" + labels + "}}}";
  }
  return route;
}

// The backends in one locality of cluster "a", with those labels.
Mesh Labelled(const std::vector<Backend*>& backends, const std::vector<std::string>& labels,
              const std::string& rules, const std::vector<Route>& routes) {
  Mesh mesh = SimpleMesh({backends[0]});
  for (size_t i = 1; i < backends.size(); i++) {
    mesh.clusters[0].localities[0].ports.push_back(backends[i]->port());
  }
  mesh.clusters[0].localities[0].labels = labels;
  mesh.clusters[0].more = R"("lb_subset_config":{)" + rules + "}";
  mesh.routes = routes;
  return mesh;
}

const char kToDefault[] =
    R"("subset_selectors":[{"keys":["version"]}],"fallback_policy":"DEFAULT_SUBSET",)"
    R"("default_subset":{"version":"v1"})";

TEST(Subsets, ACanaryIsALabelAndNoClusterOfItsOwn) {  // E5.1, E5.2, E5.5
  Backend stable("stable"), canary("canary");
  ControlPlane plane;
  plane.Set(Labelled({&stable, &canary}, {Version("v1"), Version("v2")}, kToDefault,
                     {To("canary", Version("v2")), To("", "")}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap("lb_subsets"));
  CallOptions to_canary;
  to_canary.metadata = {{"to", "canary"}};
  for (int i = 0; i < 20; i++) {
    EXPECT_EQ(client.Call().name, "stable");
    EXPECT_EQ(client.Call(to_canary).name, "canary");
  }
  EXPECT_EQ(stable.connections() + canary.connections(), 2u)
      << "an endpoint of several subsets is connected once";
  Client without("xds:///greeter.example", plane.Bootstrap());
  EXPECT_TRUE(without.CallUntilAnsweredBy("canary")) << "ignored without the feature";
}

TEST(Subsets, AShareOfRpcsGoesToTheCanary) {  // E5.3
  Backend stable("stable"), canary("canary");
  ControlPlane plane;
  Route route = {"", "a"};
  route.action =
      R"({"metadata_match":{"filter_metadata":{"envoy.lb":{"version":"v1"}}},"weighted_clusters":{)"
      R"("clusters":[{"name":"a","weight":90},{"name":"a","weight":10,"metadata_match":{)"
      R"("filter_metadata":{"envoy.lb":{"version":"v2"}}}}]}})";
  plane.Set(Labelled({&stable, &canary}, {Version("v1"), Version("v2")}, kToDefault, {route}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap("lb_subsets"));
  ASSERT_TRUE(client.CallUntilAnsweredBy("canary"));
  ASSERT_TRUE(client.CallUntilAnsweredBy("stable"));
  auto calls = client.CallMany(1000);
  EXPECT_EQ(calls["stable"] + calls["canary"], 1000);
  EXPECT_NEAR(calls["canary"], 100, 60);
}

TEST(Subsets, EachFallbackPolicy) {  // E5.4, E5.5
  Backend one("one"), two("two");
  const std::string selectors = R"("subset_selectors":[{"keys":["version"])";
  ControlPlane plane;
  const auto set = [&](const std::string& rules) {
    plane.Set(
        Labelled({&one, &two}, {Version("v1"), Version("v2")}, rules, {To("", Version("v3"))}));
  };
  set(kToDefault);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap("lb_subsets"));
  for (int i = 0; i < 10; i++) EXPECT_EQ(client.Call().name, "one") << "the default subset";
  set(selectors + R"(}],"fallback_policy":"ANY_ENDPOINT")");
  EXPECT_TRUE(client.CallUntilAnsweredBy("two"));
  set(selectors + R"(,"fallback_policy":"NO_FALLBACK"}],"fallback_policy":"ANY_ENDPOINT")");
  EXPECT_TRUE(client.CallUntil(
      [](const Reply& r) {
        return r.status.error_message().find(
                   "no endpoints have the route's metadata_match {\"version\":\"v3\"}") !=
               std::string::npos;
      },
      true));
  EXPECT_EQ(client.Call().status.error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST(Subsets, AChangeOfMetadataMovesAnEndpoint) {  // E5.12
  Backend one("one"), two("two");
  ControlPlane plane;
  const auto set = [&](const std::vector<std::string>& labels) {
    plane.Set(
        Labelled({&one, &two}, labels, kToDefault, {To("default", ""), To("", Version("v2"))}));
  };
  set({Version("v1"), Version("v2")});
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap("lb_subsets"));
  for (int i = 0; i < 10; i++) EXPECT_EQ(client.Call().name, "two");
  CallOptions to_default;
  to_default.metadata = {{"to", "default"}};
  ASSERT_EQ(client.Call(to_default).name, "one");
  set({Version("v2"), Version("v1")});
  ASSERT_TRUE(client.CallUntilAnsweredBy("one"));
  EXPECT_EQ(client.CallMany(20), (std::map<std::string, long>{{"one", 20}}));
  EXPECT_EQ(client.Call(to_default).name, "two");
  EXPECT_EQ(one.connections() + two.connections(), 2u) << "nothing was connected anew";
}

TEST(Subsets, LoadIsReportedOfTheLocalitiesOfTheEndpoints) {  // E5.11
  Backend one("one"), two("two");
  ControlPlane plane;
  Mesh mesh = SimpleMesh({&one, &two});
  for (Locality& l : mesh.clusters[0].localities) l.labels = {Version(l.zone)};
  mesh.clusters[0].more = R"("lb_subset_config":{"subset_selectors":[{"keys":["version"]}]})";
  mesh.routes = {To("", Version("two"))};
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap("lb_subsets"));
  EXPECT_EQ(client.CallMany(25), (std::map<std::string, long>{{"two", 25}}));
  const auto until = std::chrono::steady_clock::now() + kPatience;
  for (size_t mark = plane.Mark(); plane.Loads()[{"a", "two"}].successful < 25;) {
    ASSERT_LT(std::chrono::steady_clock::now(), until);
    plane.Wait({"\"event\":\"load\""}, mark);
    mark = plane.Mark();
  }
  auto loads = plane.Loads();
  EXPECT_EQ((loads[{"a", "two"}].successful), 25);
  EXPECT_EQ((loads[{"a", "one"}].issued), 0);
}

}  // namespace
}  // namespace gxds_test
