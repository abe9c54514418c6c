// `xds resolve` and `xds route`, in processes of their own, against `xds serve`.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "test/support/child.h"
#include "test/support/control_plane.h"

namespace {

using gxds_test::Child;
using gxds_test::ControlPlane;
using gxds_test::Mesh;
using gxds_test::Runfile;
using gxds_test::TempDir;
using Lines = std::vector<std::string>;

// Removes a hexadecimal version, which is the hash of the resource.
std::string WithoutVersion(std::string line) {
  const std::string word = "  version ";
  for (size_t at; (at = line.find(word)) != std::string::npos;) line.erase(at, word.size() + 16);
  return line;
}

class Program {
 public:
  Program(const Lines& args, const std::string& bootstrap) {
    Lines all = {Runfile("tools/xds")};
    all.insert(all.end(), args.begin(), args.end());
    child_ = std::make_unique<Child>(
        all, std::map<std::string, std::string>{{"GRPC_XDS_BOOTSTRAP_CONFIG", bootstrap}});
  }
  // Its output after the first line, which names the port, with its exit status as the last line.
  Lines Finish() {
    child_->WaitForLine([](const std::string&) { return false; });
    Lines lines;
    for (const auto& line : child_->Lines()) lines.push_back(WithoutVersion(line));
    if (!lines.empty() && lines[0].find("target ") == 0) lines.erase(lines.begin());
    lines.push_back(std::to_string(child_->Wait()));
    return lines;
  }
  std::string Wait(const std::string& text, size_t from = 0) {
    return child_->WaitForLine(
        [&](const std::string& line) { return line.find(text) != std::string::npos; }, from);
  }
  Child& child() { return *child_; }

 private:
  std::unique_ptr<Child> child_;
};

std::string Text(const Lines& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

Mesh Greeter() {
  Mesh mesh;
  mesh.routes = {{"/a/", "blue"}, {"", "green"}};
  mesh.clusters.resize(2);
  mesh.clusters[0].name = "blue";
  mesh.clusters[0].localities = {{"z1", 2, 0, {1001, 1002}}, {"z2", 1, 1, {1003}}};
  mesh.clusters[1].name = "green";
  mesh.clusters[1].localities = {{"z1", 1, 0, {1004}}};
  for (auto& c : mesh.clusters) c.report_load = false;
  return mesh;
}

class Resolve : public ::testing::Test {
 protected:
  void Start(const Mesh& mesh) {
    plane_.Set(mesh);
    plane_.Start();
  }
  Lines Run(const Lines& args) { return Program(args, plane_.Bootstrap()).Finish(); }

  ControlPlane plane_;
};

TEST_F(Resolve, PrintsTheWholeConfigurationAsATree) {
  Start(Greeter());
  const std::string policy =
      "policy [{\"xds_wrr_locality_experimental\":{\"childPolicy\":[{\"round_robin\":{}}]}}]";
  EXPECT_EQ(Text(Run({"resolve", "xds:///greeter.example"})),
            "└─ listener greeter.example  state ACKED\n"
            "   └─ route_config greeter.example-routes  state ACKED  virtual_hosts 1\n"
            "      └─ virtual_host *\n"
            "         ├─ route prefix \"/a/\"\n"
            "         │  └─ cluster blue  state ACKED  type EDS  " +
                policy +
                "\n"
                "         │     └─ endpoints blue  state ACKED\n"
                "         │        ├─ priority 0\n"
                "         │        │  └─ locality r/z1/  weight 2\n"
                "         │        │     ├─ endpoint 127.0.0.1:1001\n"
                "         │        │     └─ endpoint 127.0.0.1:1002\n"
                "         │        └─ priority 1\n"
                "         │           └─ locality r/z2/  weight 1\n"
                "         │              └─ endpoint 127.0.0.1:1003\n"
                "         └─ route prefix \"\"\n"
                "            └─ cluster green  state ACKED  type EDS  " +
                policy +
                "\n"
                "               └─ endpoints green  state ACKED\n"
                "                  └─ priority 0\n"
                "                     └─ locality r/z1/  weight 1\n"
                "                        └─ endpoint 127.0.0.1:1004\n"
                "an RPC could be sent\n"
                "0\n");
}

TEST_F(Resolve, ShowsWhatBecomesOfTheAuthority) {  // A81.3, A81.2
  Mesh mesh = Greeter();
  mesh.routes = {{"/auto/", "", R"({"cluster":"blue","auto_host_rewrite":true})"},
                 {"/literal/", "", R"({"cluster":"blue","host_rewrite_literal":"a.example"})"},
                 {"", "",
                  R"({"weighted_clusters":{"clusters":[{"name":"green","weight":1,)"
                  R"("host_rewrite_literal":"b.example"}]}})"}};
  Start(mesh);
  const Lines args = {"resolve", "xds:///greeter.example"};
  const std::string trusted = Text(Program(args, plane_.Bootstrap("trusted_xds_server")).Finish());
  EXPECT_NE(trusted.find("route prefix \"/auto/\"  authority the endpoint's hostname\n"),
            std::string::npos)
      << trusted;
  EXPECT_NE(trusted.find("route prefix \"/literal/\"  authority a.example\n"), std::string::npos)
      << trusted;
  EXPECT_NE(trusted.find("cluster green  authority b.example"), std::string::npos) << trusted;
  EXPECT_EQ(Text(Run(args)).find("authority"), std::string::npos);
}

TEST_F(Resolve, ShowsHostnamesOfEndpoints) {  // A81.4
  Mesh mesh;
  mesh.routes = {{"", "a"}};
  mesh.clusters.resize(1);
  mesh.clusters[0].name = "a";
  mesh.clusters[0].with_endpoints = false;
  plane_.WriteFile("endpoints.yaml",
                   "'@type': type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment\n"
                   "cluster_name: a\n"
                   "endpoints:\n"
                   "- locality: {zone: z}\n"
                   "  load_balancing_weight: 1\n"
                   "  lb_endpoints:\n"
                   "  - endpoint:\n"
                   "      hostname: a.example\n"
                   "      address: {socket_address: {address: 127.0.0.1, port_value: 80}}\n");
  Start(mesh);
  const std::string text = Text(Run({"resolve", "xds:///greeter.example"}));
  EXPECT_NE(text.find("endpoint 127.0.0.1:80  hostname a.example\n"), std::string::npos) << text;
}

TEST_F(Resolve, ShowsAllAddressesOfEndpoints) {  // A61.8
  Mesh mesh;
  mesh.routes = {{"", "a"}};
  mesh.clusters.resize(1);
  mesh.clusters[0].name = "a";
  mesh.clusters[0].localities.resize(1);
  mesh.clusters[0].localities[0].zone = "z";
  mesh.clusters[0].localities[0].ports = {80};
  mesh.clusters[0].localities[0].more = {{{"::1", 80}, {"127.0.0.2", 81}}};
  Start(mesh);
  const std::string text = Text(Run({"resolve", "xds:///greeter.example"}));
  EXPECT_NE(text.find("endpoint 127.0.0.1:80  additional_addresses [::1]:80 127.0.0.2:81\n"),
            std::string::npos)
      << text;
}

TEST_F(Resolve, ShowsThroughWhichProxyEndpointsAreReached) {  // A86.1, A86.6
  Mesh mesh = Greeter();
  mesh.clusters[0].transport_socket =
      R"({"name":"proxy","typed_config":{"@type":"type.googleapis.com/envoy.extensions.)"
      R"(transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport"}})";
  mesh.clusters[0].localities[0].proxy = 3128;
  Start(mesh);
  const std::string text = Text(Run({"resolve", "xds:///greeter.example"}));
  EXPECT_NE(text.find("  http_connect on"), std::string::npos) << text;
  EXPECT_NE(text.find("  http_proxy 127.0.0.1:3128\n"), std::string::npos) << text;
}

TEST_F(Resolve, ShowsWhomAClusterTrusts) {  // A82.1
  Mesh mesh = Greeter();
  mesh.clusters[0].transport_socket =
      R"({"name":"tls","typed_config":{"@type":"type.googleapis.com/envoy.extensions.)"
      R"(transport_sockets.tls.v3.UpstreamTlsContext","common_tls_context":{)"
      R"("validation_context":{"system_root_certs":{}}}}})";
  Start(mesh);
  const std::string text = Text(Run({"resolve", "xds:///greeter.example"}));
  EXPECT_NE(text.find("  tls on  trusts the machine's root certificates\n"), std::string::npos)
      << text;
}

TEST_F(Resolve, ShowsTheSniOfHandshakes) {  // A101.1
  Mesh mesh = Greeter();
  mesh.clusters[0].transport_socket =
      R"({"name":"tls","typed_config":{"@type":"type.googleapis.com/envoy.extensions.)"
      R"(transport_sockets.tls.v3.UpstreamTlsContext","auto_host_sni":true,"sni":"a.example",)"
      R"("auto_sni_san_validation":true,"common_tls_context":{)"
      R"("validation_context":{"system_root_certs":{}}}}})";
  Start(mesh);
  const std::string text = Text(Run({"resolve", "xds:///greeter.example"}));
  EXPECT_NE(text.find("  sni the endpoint's hostname  else_sni a.example  san the sni\n"),
            std::string::npos)
      << text;
}

TEST_F(Resolve, ShowsWeightsOfEndpointsAndWhetherTheyCount) {  // E3.5
  Mesh mesh = Greeter();
  mesh.clusters[0].localities[0].weights = {5};
  Start(mesh);
  const Lines args = {"resolve", "xds:///greeter.example"};
  const std::string text = Text(Program(args, plane_.Bootstrap("endpoint_weights")).Finish());
  EXPECT_NE(text.find("  weight 5\n"), std::string::npos) << text;
  EXPECT_NE(text.find(R"({"childPolicy":[{"grpc_xds_endpoint_weights":{}}]})"), std::string::npos)
      << text;
  EXPECT_EQ(Text(Run(args)).find("grpc_xds_endpoint_weights"), std::string::npos);
}

TEST_F(Resolve, ShowsSubsetsAndWhatRoutesAndEndpointsHave) {  // E5.1
  Mesh mesh = Greeter();
  const std::string match = R"("metadata_match":{"filter_metadata":{"envoy.lb":{"v":"1"}}})";
  mesh.routes = {{"", "blue", R"({"cluster":"blue",)" + match + "}"}};
  mesh.clusters[0].localities[0].labels = {R"({"v":"1"})"};
  mesh.clusters[0].more =
      R"("lb_subset_config":{"fallback_policy":"DEFAULT_SUBSET","default_subset":{"v":"0"},)"
      R"("subset_selectors":[{"keys":["v"]},{"keys":["v","w"],"fallback_policy":"KEYS_SUBSET",)"
      R"("fallback_keys_subset":["v"]}]})";
  Start(mesh);
  const Lines args = {"resolve", "xds:///greeter.example"};
  const std::string text = Text(Program(args, plane_.Bootstrap("lb_subsets")).Finish());
  for (const char* shown : {R"(metadata_match {"v":"1"})", R"(metadata {"v":"1"})",
                            R"(subsets_by ["v"])", R"(subsets_by ["v","w"] else KEYS_SUBSET["v"])",
                            "subset_fallback DEFAULT_SUBSET", R"(default_subset {"v":"0"})"}) {
    EXPECT_NE(text.find(shown), std::string::npos) << shown << "\n" << text;
  }
  EXPECT_EQ(Text(Run(args)).find("subset"), std::string::npos);
}

TEST_F(Resolve, ShowsSessionsAndWhichEndpointsMayServeThem) {  // A55.3, A55.5
  const std::string type = "type.googleapis.com/envoy.extensions.filters.http.stateful_session.v3.";
  Mesh mesh = Greeter();
  mesh.filters =
      R"({"name":"sessions","typed_config":{"@type":")" + type +
      R"(StatefulSession","session_state":{"name":"cookie","typed_config":{"@type":"type.googleapis)"
      R"(.com/envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState","cookie":)"
      R"({"name":"c","path":"/p","ttl":"9s"}}}}},)";
  mesh.routes = {{"/none/", "blue"}, {"", "blue"}};
  mesh.routes[0].fields = R"(,"typed_per_filter_config":{"sessions":{"@type":")" + type +
                          R"(StatefulSessionPerRoute","disabled":true}})";
  mesh.clusters[0].more =
      R"("common_lb_config":{"override_host_status":{"statuses":["HEALTHY","DRAINING"]}})";
  mesh.clusters[0].localities[0].health = {"DRAINING"};
  Start(mesh);
  const std::string text = Text(Run({"resolve", "xds:///greeter.example"}));
  for (const char* shown :
       {"filter sessions", R"(session {"cookie":"c","path":"/p","ttl":"9.000000000s"})",
        "session none", "override_host_status HEALTHY DRAINING", "health DRAINING"}) {
    EXPECT_NE(text.find(shown), std::string::npos) << shown << "\n" << text;
  }
}

// The filter that gives RPCs of that path sessions.
std::string SessionFilter(const std::string& path) {
  return R"({"name":"sessions","typed_config":{"@type":"type.googleapis.com/envoy.extensions.)"
         R"(filters.http.stateful_session.v3.StatefulSession","session_state":{"name":"cookie",)"
         R"("typed_config":{"@type":"type.googleapis.com/envoy.extensions.http.stateful_session.)"
         R"(cookie.v3.CookieBasedSessionState","cookie":{"name":"c","path":")" +
         path + R"("}}}}},)";
}

TEST_F(Resolve, ShowsWhichEndpointASessionWantsAndWhetherItWouldBeUsed) {  // A55.10, A60.2
  Mesh mesh = Greeter();
  mesh.filters = SessionFilter("/p");
  mesh.routes = {{"", "blue"}};
  mesh.routes[0].action =
      R"({"weighted_clusters":{"clusters":[{"name":"blue","weight":3},{"name":"green","weight":1}]}})";
  mesh.clusters[0].localities[0].health = {"DRAINING"};
  Start(mesh);
  const auto route = [this](const std::string& cookie, const std::string& path = "/p/Method") {
    return Text(Run({"route", "xds:///greeter.example", path, "-H", "cookie=a=b; c=" + cookie}));
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  };
  std::string text = route("MTI3LjAuMC4xOjEwMDI7Ymx1ZQ==");  // 127.0.0.1:1002;blue
  expect(text,
         "cluster blue  share 75 %  session_endpoint 127.0.0.1:1002 would be used, if it can be "
         "reached");
  expect(text,
         "cluster green  share 25 %  session_endpoint 127.0.0.1:1002 is of the cluster blue, where "
         "the session stays");
  text = route("MTI3LjAuMC4xOjEwMDE7Ymx1ZQ==");  // 127.0.0.1:1001;blue
  expect(text,
         "127.0.0.1:1001 would not be used: it is in state DRAINING, which is not in "
         "override_host_status");
  text = route("MTAuMC4wLjE6OTtnb25l");  // 10.0.0.1:9;gone
  expect(text,
         "cluster green  share 25 %  session_endpoint 10.0.0.1:9 would not be used: the cluster "
         "has no such endpoint");
  for (const std::string& none :
       {route("nonsense"), route("MTI3LjAuMC4xOjEwMDI7Ymx1ZQ==", "/other")}) {
    EXPECT_EQ(none.find("session_endpoint"), std::string::npos) << none;
  }
}

TEST_F(Resolve, AnErrorStandsWhereItBelongsAndTheExitStatusReportsIt) {
  Mesh mesh = Greeter();
  mesh.routes = {{"", "blue"}};
  mesh.clusters[0].outlier_detection = R"({"max_ejection_percent":101})";
  Start(mesh);
  Lines lines = Run({"resolve", "xds:///greeter.example"});
  std::string text = Text(lines);
  EXPECT_EQ(lines.back(), "1") << text;
  size_t cluster = text.find("cluster blue  state NACKED");
  size_t error = text.find("max_ejection_percent error:value must be <= 100");
  ASSERT_NE(cluster, std::string::npos) << text;
  EXPECT_NE(error, std::string::npos) << text;
  EXPECT_LT(cluster, error);
  EXPECT_NE(text.find("an RPC could not be sent\n"), std::string::npos) << text;
}

TEST_F(Resolve, ACloseLookAtWhatIsMissing) {
  Mesh mesh = Greeter();
  mesh.routes = {{"", "blue"}};
  mesh.clusters[0].localities.clear();
  Start(mesh);
  Lines lines = Run({"resolve", "xds:///greeter.example"});
  EXPECT_EQ(lines.back(), "1");
  EXPECT_NE(Text(lines).find("error: there are no endpoints"), std::string::npos) << Text(lines);
}

TEST_F(Resolve, WhatIsAwaitedIsNamedWhenTheTimeIsUp) {
  Mesh mesh = Greeter();
  mesh.clusters[1].with_endpoints = false;
  Start(mesh);
  Lines lines = Run({"resolve", "--timeout", "1", "xds:///greeter.example"});
  std::string text = Text(lines);
  EXPECT_EQ(lines.back(), "1") << text;
  EXPECT_NE(text.find("the time is up: still waiting for"), std::string::npos) << text;
}

TEST_F(Resolve, AServerThatIsNotThereIsTheError) {
  Start(Greeter());
  plane_.Kill();
  Lines lines = Run({"resolve", "xds:///greeter.example"});
  EXPECT_EQ(lines.back(), "1");
  EXPECT_NE(Text(lines).find("error: "), std::string::npos) << Text(lines);
  EXPECT_NE(Text(lines).find("127.0.0.1:" + std::to_string(plane_.port())), std::string::npos)
      << Text(lines);
}

TEST_F(Resolve, JsonIsForPrograms) {
  Start(Greeter());
  Lines lines = Run({"resolve", "--json", "xds:///greeter.example"});
  ASSERT_EQ(lines.size(), 2u) << Text(lines);
  EXPECT_EQ(lines[0].find("{\"kind\":\"target\",\"name\":\"xds:///greeter.example\""), 0u)
      << lines[0];
  EXPECT_NE(lines[0].find("{\"kind\":\"endpoint\",\"name\":\"127.0.0.1:1004\"}"),
            std::string::npos);
  EXPECT_EQ(lines[1], "0");
}

TEST_F(Resolve, WatchFollowsChangesAsADiff) {
  Start(Greeter());
  Program program({"resolve", "--watch", "xds:///greeter.example"}, plane_.Bootstrap());
  ASSERT_NE(program.Wait("an RPC could be sent"), "") << program.child().Output();
  Mesh mesh = Greeter();
  mesh.clusters[1].localities[0].ports = {1005};
  const size_t mark = program.child().Lines().size();  // the change may come at once
  plane_.Set(mesh);
  std::string removed = program.Wait("endpoint 127.0.0.1:1004", mark);
  EXPECT_EQ(removed.substr(0, 2), "- ") << program.child().Output();
  std::string added = program.Wait("endpoint 127.0.0.1:1005");
  EXPECT_EQ(added.substr(0, 2), "+ ") << program.child().Output();
  program.child().Signal(SIGTERM);
}

TEST_F(Resolve, WatchEndsWhenItsOutputIsLost) {
  Start(Greeter());
  Child child({"/bin/sh", "-c", "exec \"$0\" resolve --watch xds:///greeter.example > /dev/full",
               Runfile("tools/xds")},
              {{"GRPC_XDS_BOOTSTRAP_CONFIG", plane_.Bootstrap()}});
  const std::string line = child.WaitForLine(
      [](const std::string& s) { return s.find("the output cannot be written") == 5; });
  EXPECT_NE(line, "") << child.Output();
  if (line.empty()) return;
  EXPECT_EQ(child.Wait(), 2);
}

TEST_F(Resolve, TheGraphIsTextForGraphvizAtLeast) {
  Start(Greeter());
  TempDir dir;
  const std::string file = dir.path() + "/graph.dot";
  EXPECT_EQ(Run({"resolve", "--graph", file, "xds:///greeter.example"}).back(), "0");
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_EQ(text.str().find("digraph xds {"), 0u) << text.str();
  EXPECT_NE(text.str().find("[label=\"endpoint\\n127.0.0.1:1004\"];"), std::string::npos)
      << text.str();
}

TEST_F(Resolve, AWrongCallOrBootstrapHasAStatusOfItsOwn) {
  EXPECT_EQ(Program({"resolve"}, "").Finish(),
            (Lines{"xds resolve: which target? (xds:///service) (xds resolve --help)", "2"}));
  EXPECT_EQ(Program({"resolve", "dns:///x"}, "").Finish(),
            (Lines{"xds resolve: expected a target such as xds:///service, found dns:///x (xds "
                   "resolve --help)",
                   "2"}));
  EXPECT_EQ(Program({"resolve", "xds:///x/"}, "").Finish(),
            (Lines{"xds resolve: xds:///x/ ends with a slash: expected xds:///service (xds resolve "
                   "--help)",
                   "2"}));
  EXPECT_EQ(Program({"route", "xds:///x%2F", "m"}, "").Finish().back(), "2");
  Lines lines = Program({"resolve", "xds:///x"}, "{}").Finish();
  EXPECT_EQ(lines.back(), "2");
  EXPECT_NE(Text(lines).find("field:xds_servers error:field not present"), std::string::npos)
      << Text(lines);
  for (const char* command : {"resolve", "route"}) {
    lines = Program({command, "--help"}, "").Finish();
    EXPECT_EQ(lines[0].find(std::string("usage: xds ") + command), 0u);
    EXPECT_EQ(lines.back(), "0");
  }
}

class Route : public Resolve {
 protected:
  void SetUp() override {
    Start(Greeter());
    const std::string type = R"("@type":"type.googleapis.com/envoy.)";
    // A second service, with routes that match headers.
    plane_.WriteFile(
        "routes.json",
        R"([{)" + type + R"(config.listener.v3.Listener",
      "name":"headers.example","api_listener":{"api_listener":{)" +
            type +
            R"(extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
      "rds":{"route_config_name":"headers","config_source":{"ads":{}}},
      "http_filters":[{"name":"router","typed_config":{)" +
            type + R"(extensions.filters.http.router.v3.Router"}}]}}},
      {)" + type +
            R"(config.route.v3.RouteConfiguration","name":"headers","virtual_hosts":[
        {"domains":["other.example"],
         "routes":[{"match":{"prefix":"/s/","runtime_fraction":{"default_value":{"numerator":25}}},
                    "route":{"cluster":"blue"}}]},
        {"domains":["headers.example%2Fb%20c"],
         "routes":[{"match":{"prefix":""},"route":{"cluster":"green"}}]},
        {"domains":["headers.example"],"routes":[
        {"match":{"path":"/s/Exact"},"route":{"cluster":"green"}},
        {"match":{"path_separated_prefix":"/s/Meth"},"route":{"cluster":"green"}},
        {"match":{"prefix":"/s/","headers":[{"name":"user","string_match":{"exact":"amy"}}]},
         "route":{"cluster":"green"}},
        {"match":{"prefix":"/s/","headers":[{"name":"user","string_match":{"exact":"bob"},
          "invert_match":true,"treat_missing_header_as_empty":true}]},
         "route":{"cluster":"green"}},
        {"match":{"prefix":"/s/","headers":[{"name":":method","string_match":{"exact":"GET"}}]},
         "route":{"cluster":"green"}},
        {"match":{"prefix":"/s/","headers":[{"name":":authority","string_match":{"exact":"x"}}]},
         "route":{"cluster":"green"}},
        {"match":{"prefix":"/s/","headers":[{"name":":scheme","string_match":{"exact":"http"}}]},
         "route":{"cluster":"green"}},
        {"match":{"prefix":"/s/","runtime_fraction":{"default_value":{"numerator":25}}},
         "route":{"cluster":"green"}},
        {"match":{"prefix":"/s/"},"route":{"weighted_clusters":{"clusters":[
          {"name":"blue","weight":3},{"name":"green","weight":1}]}}},
        {"match":{"prefix":""},"route":{"cluster":"blue"}}]}]}])");
  }
};

TEST_F(Route, ShowsWhichRouteMatchesAndWhyTheOthersDoNot) {
  Lines lines = Run({"route", "xds:///headers.example", "/s/Method", "-H", "User=bob"});
  std::string text = Text(lines);
  EXPECT_EQ(lines.back(), "0") << text;
  for (const char* part :
       {"virtual_host headers.example\n",
        "route path \"/s/Exact\"  matches no: it wants the path \"/s/Exact\", the RPC's path is "
        "\"/s/Method\"\n",
        "route path-separated prefix \"/s/Meth\"  matches no: it wants the path-separated prefix "
        "\"/s/Meth\", the RPC's path is \"/s/Method\"\n",
        "route prefix \"/s/\", header user is \"amy\"  matches no: it wants that header user is "
        "\"amy\", the RPC has \"bob\"\n",
        "header user not: is \"bob\" (a missing one counts as \"\")  matches no: it wants that "
        "header user not: is \"bob\" (a missing one counts as \"\"), the RPC has \"bob\"\n",
        "it wants that header :method is \"GET\", the RPC has \"POST\"\n",
        "it wants that header :authority is \"x\", the RPC has \"headers.example\"\n",
        "it wants that header :scheme is \"http\", which is not known when an RPC is routed\n",
        "route prefix \"/s/\", 25 % of RPCs  matches sometimes: it takes 25 % of such RPCs\n",
        "route prefix \"/s/\"  matches yes\n", "cluster blue  share 75 %", "cluster green",
        "route prefix \"\"  matches not tried: an earlier route matched\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST_F(Route, MetadataChoosesTheRoute) {
  Lines lines = Run({"route", "xds:///headers.example", "s/Method", "-H", "user=amy"});
  EXPECT_NE(Text(lines).find("header user is \"amy\"  matches yes"), std::string::npos)
      << Text(lines);
  EXPECT_EQ(lines.back(), "0");
}

TEST_F(Route, NoRouteAtAllIsShownUnlikeOneThatTakesSomeRpcs) {
  auto ask = [&](const char* method) {
    return Run({"route", "--authority", "other.example", "xds:///headers.example", method});
  };
  Lines lines = ask("/s/Method");
  EXPECT_NE(Text(lines).find("no route is sure to take the RPC"), std::string::npos) << Text(lines);
  lines = ask("/t/Method");
  EXPECT_NE(Text(lines).find("no route takes the RPC"), std::string::npos) << Text(lines);
  EXPECT_EQ(lines.back(), "1");
}

TEST_F(Route, TheVirtualHostIsThatOfTheTargetsPath) {  // A47.19
  for (const char* target :
       {"xds:///headers.example/b%20c", "xds:///headers.example%2Fb%20c?x#y"}) {
    // All targets use the same listener.
    std::string bootstrap = plane_.Bootstrap();
    bootstrap.insert(bootstrap.find('{') + 1,
                     R"("client_default_listener_resource_name_template":"headers.example",)");
    Lines lines = Program({"route", target, "/x/y"}, bootstrap).Finish();
    EXPECT_NE(Text(lines).find("virtual_host headers.example%2Fb%20c"), std::string::npos)
        << target << "\n"
        << Text(lines);
    EXPECT_EQ(lines.back(), "0") << target;
  }
}

TEST_F(Route, AnAuthorityThatNoVirtualHostHasIsReported) {
  Lines lines = Run({"route", "--authority", "x", "xds:///headers.example", "/s/Method"});
  EXPECT_EQ(lines.back(), "1");
  EXPECT_NE(Text(lines).find("no virtual host has a domain that matches \"x\"; there are: "
                             "other.example headers.example%2Fb%20c headers.example"),
            std::string::npos)
      << Text(lines);
}

// libcurl is loaded at the first request to a web server. Here the file that is found is not a
// library.
TEST(ResolveAlone, WithoutLibcurlTheReasonNamesThePackage) {
  TempDir libraries;
  libraries.Write("libcurl.so.4", "");
  Child resolve(
      {Runfile("tools/xds"), "resolve", "xds:///greeter.example"},
      {{"LD_LIBRARY_PATH", libraries.path()},
       {"GRPC_XDS_BOOTSTRAP_CONFIG",
        R"({"xds_servers":[{"server_uri":"http://127.0.0.1:1","server_features":["rest"],)"
        R"("channel_creds":[{"type":"insecure"}]}]})"}});
  EXPECT_NE(resolve.Wait(), 0);
  EXPECT_NE(resolve.Output().find("an http: or https: server needs libcurl (Debian: libcurl4): "),
            std::string::npos)
      << resolve.Output();
}

}  // namespace
