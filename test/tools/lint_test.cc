// `xds lint`, in a process of its own.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "test/files/support.h"
#include "test/support/child.h"

namespace {

using gxds_test::Child;
using gxds_test::Runfile;
using gxds_test::TempDir;
using Lines = std::vector<std::string>;

// Waits until the program has ended by itself, and returns all its output.
Lines AllLines(Child* child) {
  child->WaitForLine([](const std::string&) { return false; });
  return child->Lines();
}

class Lint : public ::testing::Test {
 protected:
  // Its output, with its exit status as the last line.
  Lines Run(const Lines& args) {
    Lines all = {Runfile("tools/xds"), "lint"};
    for (const auto& arg : args) {
      all.push_back(arg[0] == '-' ? arg : files_.path() + "/" + arg);
    }
    Child child(all);
    Lines lines = AllLines(&child);
    int status = child.Wait();
    const std::string prefix = files_.path() + "/";
    for (auto& line : lines) {
      for (size_t at; (at = line.find(prefix)) != std::string::npos;) line.erase(at, prefix.size());
    }
    lines.push_back(std::to_string(status));
    return lines;
  }
  // Writes plain.json, whose server has no features, and another bootstrap, whose server has this
  // feature.
  void WriteBootstraps(const std::string& other, const std::string& feature) {
    const std::string server =
        R"({"xds_servers":[{"server_uri":"x:1","channel_creds":[{"type":"insecure"}])";
    files_.Write("plain.json", server + R"(}],"node":{"id":"n"}})");
    files_.Write(other,
                 server + R"(,"server_features":[")" + feature + R"("]}],"node":{"id":"n"}})");
  }

  TempDir files_;
};

const char kCluster[] = "'@type': type.googleapis.com/envoy.config.cluster.v3.Cluster\n";
const char kEndpoints[] =
    "'@type': type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment\n"
    "cluster_name: e\n"
    "endpoints:\n"
    "- locality: {}\n"
    "  load_balancing_weight: 1\n"
    "  lb_endpoints:\n";

TEST_F(Lint, GoodResourcesHaveNoFinding) {
  files_.Write("a.yaml", std::string(kCluster) +
                             "name: c\ntype: EDS\neds_cluster_config: {eds_config: {ads: {}}}\n");
  EXPECT_EQ(Run({"a.yaml"}), (Lines{"0"}));
}

TEST_F(Lint, EveryErrorHasFileLineAndFieldAndTheTextOfTheNack) {
  files_.Write("a.yaml", std::string(kCluster) +
                             "name: c\n"
                             "type: STRICT_DNS\n"
                             "outlierDetection:\n"
                             "  interval: 10s\n"
                             "  maxEjectionPercent: 101\n"
                             "---\n" +
                             std::string(kEndpoints) +
                             "  - endpoint:\n"
                             "      address:\n"
                             "        socket_address: {address: nowhere, port_value: 1}\n");
  EXPECT_EQ(Run({"a.yaml"}),
            (Lines{"a.yaml:3: error: Cluster \"c\": field type: unknown discovery type",
                   "a.yaml:6: error: Cluster \"c\": field outlier_detection.max_ejection_percent: "
                   "value must be <= 100",
                   "a.yaml:16: error: ClusterLoadAssignment \"e\": field "
                   "endpoints[0].lb_endpoints[0].endpoint.address.socket_address: Failed to parse "
                   "address:nowhere:1",
                   "1"}));
}

TEST_F(Lint, AValueThatLooksLikeAnErrorIsAValue) {
  files_.Write("a.yaml", std::string(kEndpoints) +
                             "  - endpoint: {address: {socket_address: "
                             "{address: 'no; field:x error:y] (x line 9)', port_value: 1}}}\n");
  EXPECT_EQ(Run({"a.yaml"}),
            (Lines{"a.yaml:7: error: ClusterLoadAssignment \"e\": field "
                   "endpoints[0].lb_endpoints[0].endpoint.address.socket_address: Failed to parse "
                   "address:[no; field:x error:y] (x line 9)]:1",
                   "1"}));
}

TEST_F(Lint, FieldsThatAreNewerThanTheHostAreRead) {  // A85
  files_.Write("a.yaml", std::string(kCluster) +
                             "name: c\ntype: EDS\neds_cluster_config: {eds_config: {ads: {}}}\n"
                             "lrs_server: {self: {}}\n"
                             "lrs_report_endpoint_metrics: [cpu_utilization, named_metrics.*]\n");
  EXPECT_EQ(Run({"a.yaml"}), (Lines{"0"}));
}

TEST_F(Lint, MetadataOfEndpointsIsRead) {
  files_.Write("a.yaml",
               "'@type': type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment\n"
               "cluster_name: e\n"
               "endpoints:\n"
               "- locality: {}\n"
               "  load_balancing_weight: 1\n"
               "  lb_endpoints:\n"
               "  - endpoint: {address: {socket_address: {address: 10.0.0.1, port_value: 1}}}\n"
               "    metadata: {filter_metadata: {envoy.lb: {hash_key: pod-1}}}\n");
  EXPECT_EQ(Run({"a.yaml"}), (Lines{"0"}));
}

TEST_F(Lint, FieldsOfSessionsAreRead) {  // A55.1, A55.5, A75.10
  files_.Write("a.yaml",
               std::string(kCluster) +
                   "name: c\ntype: EDS\neds_cluster_config: {eds_config: {ads: {}}}\n"
                   "common_lb_config: {override_host_status: {statuses: [HEALTHY, DRAINING]}}\n"
                   "upstream_config:\n"
                   "  name: http\n"
                   "  typed_config:\n"
                   "    '@type': type.googleapis.com/"
                   "envoy.extensions.upstreams.http.v3.HttpProtocolOptions\n"
                   "    common_http_protocol_options: {idle_timeout: 60s}\n");
  const std::string type = "type.googleapis.com/envoy.extensions.";
  files_.Write("b.yaml",
               "'@type': type.googleapis.com/envoy.config.listener.v3.Listener\n"
               "name: l\n"
               "api_listener:\n"
               "  api_listener:\n"
               "    '@type': " +
                   type + "filters.network.http_connection_manager.v3.HttpConnectionManager\n" +
                   "    rds: {route_config_name: r, config_source: {ads: {}}}\n"
                   "    http_filters:\n"
                   "    - name: sessions\n"
                   "      typed_config:\n"
                   "        '@type': " +
                   type + "filters.http.stateful_session.v3.StatefulSession\n" +
                   "        session_state:\n"
                   "          name: cookie\n"
                   "          typed_config:\n"
                   "            '@type': " +
                   type + "http.stateful_session.cookie.v3.CookieBasedSessionState\n" +
                   "            cookie: {name: c, path: /p, ttl: 9s}\n"
                   "    - name: router\n"
                   "      typed_config: {'@type': " +
                   type + "filters.http.router.v3.Router}\n");
  EXPECT_EQ(Run({"a.yaml", "b.yaml"}), (Lines{"0"}));
}

TEST_F(Lint, AdditionalAddressesOfEndpointsAreRead) {  // A61.8
  const std::string head =
      "'@type': type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment\n"
      "cluster_name: e\n"
      "endpoints:\n"
      "- locality: {}\n"
      "  load_balancing_weight: 1\n"
      "  lb_endpoints:\n"
      "  - endpoint:\n"
      "      address: {socket_address: {address: 10.0.0.1, port_value: 1}}\n"
      "      additional_addresses:\n";
  files_.Write("a.yaml", head +
                             "      - address: {socket_address: {address: '::1', "
                             "port_value: 1}}\n");
  EXPECT_EQ(Run({"a.yaml"}), (Lines{"0"}));
  files_.Write("b.yaml", head + "      - {}\n");
  EXPECT_EQ(Run({"b.yaml"}).size(), 2u) << "the error, and the exit code";
}

TEST_F(Lint, FieldsInsideOfAnAnyAreFound) {
  files_.Write("a.yaml", std::string(kCluster) +
                             "name: c\n"
                             "type: EDS\n"
                             "eds_cluster_config: {eds_config: {ads: {}}}\n"
                             "transport_socket:\n"
                             "  typed_config:\n"
                             "    '@type': "
                             "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3."
                             "UpstreamTlsContext\n"
                             "    common_tls_context:\n"
                             "      tls_params: {}\n"
                             "      alpn_protocols: [h2]\n");
  Lines lines = Run({"a.yaml"});
  ASSERT_EQ(lines.size(), 4u) << ::testing::PrintToString(lines);
  EXPECT_EQ(lines[0].substr(0, 16), "a.yaml:8: error:") << lines[0];
  EXPECT_NE(lines[1].find("a.yaml:9: error:"), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find("common_tls_context.tls_params: feature unsupported"), std::string::npos)
      << lines[1];
  EXPECT_EQ(lines[2],
            "a.yaml:10: warning: Cluster \"c\": field "
            "transport_socket.typed_config.common_tls_context.alpn_protocols: is ignored by gRPC");
}

// The beginning of a cluster with TLS; the fields of its UpstreamTlsContext must follow.
std::string TlsCluster() {
  return std::string(kCluster) +
         "name: c\n"
         "type: EDS\n"
         "eds_cluster_config: {eds_config: {ads: {}}}\n"
         "transport_socket:\n"
         "  name: tls\n"
         "  typed_config:\n"
         "    '@type': type.googleapis.com/envoy.extensions.transport_sockets.tls.v3."
         "UpstreamTlsContext\n";
}

TEST_F(Lint, CertificateProvidersAreLookedForWhenTheBootstrapIsGiven) {
  files_.Write("a.yaml", TlsCluster() +
                             "    common_tls_context:\n"
                             "      validation_context:\n"
                             "        ca_certificate_provider_instance: {instance_name: ours}\n"
                             "    auto_sni_san_validation: true\n");
  files_.Write("bootstrap.json",
               R"({"xds_servers":[{"server_uri":"x:1","channel_creds":[{"type":"insecure"}]}]})");
  EXPECT_EQ(Run({"a.yaml"}), Lines({"0"}));
  Lines lines = Run({"bootstrap.json", "a.yaml"});
  EXPECT_EQ(lines.back(), "1");
  EXPECT_NE(lines[0].find("unrecognized certificate provider instance name: ours"),
            std::string::npos)
      << lines[0];
}

TEST_F(Lint, KnowsSystemRootCertsAndSni) {  // A82.1, A101.1
  files_.Write("a.yaml", TlsCluster() +
                             "    sni: a.example\n"
                             "    auto_host_sni: true\n"
                             "    auto_sni_san_validation: true\n"
                             "    common_tls_context:\n"
                             "      validation_context: {system_root_certs: {}}\n");
  EXPECT_EQ(Run({"a.yaml"}), Lines({"0"}));
}

TEST_F(Lint, WarnsOfServersWhoseNamesAreNotChecked) {  // A29.19, A82.1
  const auto lint = [this](const std::string& context, const std::string& more = "") {
    files_.Write("a.yaml",
                 TlsCluster() + more + "    common_tls_context:\n      " + context + "\n");
    return Run({"a.yaml"});
  };
  const auto warning = [](const std::string& field, const std::string& whose) {
    return Lines(
        {"a.yaml:10: warning: Cluster \"c\": field transport_socket.typed_config."
         "common_tls_context." +
             field + ": checks no name: whoever has a certificate of " + whose +
             " may be the server",
         "0"});
  };
  const std::string machines = "any authority that the machine trusts";
  EXPECT_EQ(lint("validation_context: {system_root_certs: {}}"),
            warning("validation_context", machines));
  EXPECT_EQ(lint("combinedValidationContext: {defaultValidationContext: {systemRootCerts: {}}}"),
            warning("combined_validation_context.default_validation_context", machines));
  EXPECT_EQ(lint("validation_context: {ca_certificate_provider_instance: {instance_name: x}}"),
            warning("validation_context", "the authority"));
  EXPECT_EQ(
      lint("validation_context: {system_root_certs: {}}", "    auto_sni_san_validation: true\n"),
      Lines({"0"}));
  const Lines matched =
      lint("validation_context: {system_root_certs: {}, match_subject_alt_names: [{exact: a}]}");
  EXPECT_EQ(matched.size(), 2u);
  EXPECT_EQ(matched[0].find("checks no name"), std::string::npos) << matched[0];
  // gRPC reads no typed matchers.
  const Lines typed = lint(
      "validation_context: {system_root_certs: {}, match_typed_subject_alt_names: "
      "[{san_type: DNS, matcher: {exact: a}}]}");
  ASSERT_EQ(typed.size(), 3u);
  EXPECT_NE(typed[0].find("match_typed_subject_alt_names: is ignored"), std::string::npos);
  EXPECT_NE(typed[1].find("checks no name"), std::string::npos);
}

// gRPC ignores these routes. A virtual host may have no others.
TEST_F(Lint, WarnsOfPathsThatNoRpcHas) {  // A28
  auto lint = [this](const std::string& match) {
    files_.Write("a.yaml",
                 "'@type': type.googleapis.com/envoy.config.route.v3.RouteConfiguration\n"
                 "name: r\n"
                 "virtual_hosts:\n"
                 "- domains: ['*']\n"
                 "  routes:\n"
                 "  - match: {" +
                     match + "}\n    route: {cluster: c}\n");
    return Run({"a.yaml"});
  };
  for (const char* field : {"prefix: test.Echo/", "prefix: /api/v1/users", "path: /Echo",
                            "path_separated_prefix: /api/v1/users"}) {
    const std::string name = std::string(field).substr(0, std::string(field).find(':'));
    EXPECT_EQ(
        lint(field),
        (Lines{
            "a.yaml:6: warning: RouteConfiguration \"r\": field virtual_hosts[0].routes[0].match." +
                name +
                ": matches no RPC, so the route is ignored: paths of gRPC are /service/method",
            "0"}));
  }
  for (const char* field : {"prefix: ''", "prefix: /test.Echo/", "path: /test.Echo/Name",
                            "path_separated_prefix: /test.Echo"}) {
    EXPECT_EQ(lint(field), Lines({"0"})) << field;
  }
}

TEST_F(Lint, WarnsOfAuthoritiesThatAreRewrittenInVain) {  // A81.2, E2.6
  files_.Write("a.yaml",
               "'@type': type.googleapis.com/envoy.config.route.v3.RouteConfiguration\n"
               "name: r\n"
               "virtual_hosts:\n"
               "- domains: ['*']\n"
               "  routes:\n"
               "  - match: {prefix: ''}\n"
               "    route: {cluster: c, auto_host_rewrite: true}\n");
  files_.Write("b.yaml",
               "'@type': type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment\n"
               "cluster_name: c\n"
               "endpoints:\n"
               "- locality: {zone: z}\n"
               "  load_balancing_weight: 1\n"
               "  lb_endpoints:\n"
               "  - endpoint:\n"
               "      hostname: a b\n"
               "      address: {socket_address: {address: 127.0.0.1, port_value: 80}}\n");
  WriteBootstraps("trusting.json", "trusted_xds_server");
  EXPECT_EQ(Run({"a.yaml"}), Lines({"0"}));
  EXPECT_EQ(Run({"trusting.json", "a.yaml"}), Lines({"0"}));
  EXPECT_EQ(Run({"plain.json", "a.yaml"}),
            (Lines{"a.yaml:7: warning: RouteConfiguration \"r\": "
                   "field virtual_hosts[0].routes[0].route.auto_host_rewrite: is ignored by gRPC: "
                   "the server "
                   "has not the feature \"trusted_xds_server\" (A81)",
                   "0"}));
  EXPECT_EQ(
      Run({"b.yaml"}),
      (Lines{"b.yaml:8: warning: ClusterLoadAssignment \"c\": "
             "field endpoints[0].lb_endpoints[0].endpoint.hostname: is ignored by gRPC: it can be "
             "no authority",
             "0"}));
}

TEST_F(Lint, WarnsOfSubsetsThatTheClientsServerMayNotHave) {  // E5.1, E5.13
  const std::string cluster = std::string(kCluster) +
                              "name: c\ntype: EDS\neds_cluster_config: {eds_config: {ads: {}}}\n"
                              "lb_subset_config:\n  subset_selectors:\n  - {keys: [version]}\n";
  files_.Write("a.yaml", cluster);
  files_.Write("b.yaml", cluster + "  - {keys: [version], fallback_policy: NO_FALLBACK}\n");
  WriteBootstraps("subsets.json", "lb_subsets");
  EXPECT_EQ(Run({"a.yaml"}), Lines({"0"}));
  EXPECT_EQ(Run({"subsets.json", "a.yaml"}), Lines({"0"}));
  EXPECT_EQ(Run({"plain.json", "a.yaml"}),
            (Lines{"a.yaml:5: warning: Cluster \"c\": field lb_subset_config: is ignored by gRPC: "
                   "the server has not the feature \"lb_subsets\"",
                   "0"}));
  EXPECT_EQ(
      Run({"subsets.json", "b.yaml"}),
      (Lines{"b.yaml:8: error: Cluster \"c\": field lb_subset_config.subset_selectors[1].keys: "
             "the same keys as subset_selectors[0]",
             "1"}));
}

TEST_F(Lint, WarnsOfNamesThatAreInNoneOfTheFiles) {
  const std::string routes =
      "'@type': type.googleapis.com/envoy.config.route.v3.RouteConfiguration\n"
      "name: r\n"
      "virtual_hosts:\n"
      "- domains: ['*']\n"
      "  routes:\n"
      "  - match: {prefix: /a}\n"
      "    route: {cluster: c}\n"
      "  - match: {prefix: ''}\n"
      "    route: {weighted_clusters: {clusters: [{name: d, weight: 1}]}}\n";
  files_.Write("a.yaml", routes);
  EXPECT_EQ(Run({"a.yaml"}), Lines({"0"})) << "clusters come from elsewhere";
  files_.Write("b.yaml", std::string(kCluster) +
                             "name: c\n"
                             "type: EDS\n"
                             "eds_cluster_config: {eds_config: {ads: {}}}\n");
  EXPECT_EQ(Run({"a.yaml", "b.yaml"}),
            (Lines{"a.yaml:1: warning: RouteConfiguration \"r\": names the Cluster \"d\", which is "
                   "in none of these files",
                   "0"}));
}

TEST_F(Lint, WarnsOfWhatIsDeprecatedOrIgnored) {
  files_.Write("a.yaml",
               "'@type': type.googleapis.com/envoy.config.route.v3.RouteConfiguration\n"
               "name: r\n"
               "virtual_hosts:\n"
               "- domains: ['*']\n"
               "  routes:\n"
               "  - match: {prefix: '', headers: [{name: a, exact_match: b}]}\n"
               "    route: {cluster: a, timeout: 1s}\n");
  EXPECT_EQ(Run({"a.yaml"}),
            (Lines{"a.yaml:6: warning: RouteConfiguration \"r\": field "
                   "virtual_hosts[0].routes[0].match.headers[0].exact_match: is deprecated",
                   "a.yaml:7: warning: RouteConfiguration \"r\": field "
                   "virtual_hosts[0].routes[0].route.timeout: is ignored by gRPC",
                   "0"}));
  EXPECT_EQ(Run({"--no-warnings", "a.yaml"}), (Lines{"0"}));
}

// The form in which Istio sends a GRPCRoute.
TEST_F(Lint, MatchersOfAGrpcRouteAreReadAndChecked) {
  const std::string head =
      "'@type': type.googleapis.com/envoy.config.route.v3.RouteConfiguration\n"
      "name: r\n"
      "virtual_hosts:\n"
      "- domains: ['*']\n"
      "  routes:\n";
  files_.Write("good.yaml", head +
                                "  - match:\n"
                                "      path_separated_prefix: /package.Service\n"
                                "      headers:\n"
                                "      - name: user\n"
                                "        string_match: {exact: bob}\n"
                                "        invert_match: true\n"
                                "        treat_missing_header_as_empty: true\n"
                                "    route: {cluster: a}\n");
  EXPECT_EQ(Run({"good.yaml"}), (Lines{"0"}));
  files_.Write("bad.yaml", head +
                               "  - match:\n"
                               "      path_separated_prefix: /package.Service/\n"
                               "    route: {cluster: a}\n");
  EXPECT_EQ(Run({"bad.yaml"}),
            (Lines{"bad.yaml:7: error: RouteConfiguration \"r\": field "
                   "virtual_hosts[0].routes[0].match.path_separated_prefix: must not end with '/'",
                   "1"}));
}

TEST_F(Lint, UnknownFieldsAndBrokenFilesAreErrors) {
  files_.Write("a.yaml", std::string(kCluster) + "name: c\ntypo: 1\n");
  files_.Write("b.json", "{\"xds_servers\": [}");
  Lines lines = Run({"a.yaml", "b.json"});
  ASSERT_EQ(lines.size(), 3u) << ::testing::PrintToString(lines);
  EXPECT_EQ(lines[0].find("a.yaml:3: error: field typo: no such field"), 0u) << lines[0];
  EXPECT_EQ(lines[1].find("b.json:1: error: syntax error"), 0u) << lines[1];
  EXPECT_EQ(lines[2], "1");
}

TEST_F(Lint, ABinaryResponseIsCheckedWithoutLines) {
  const std::string type = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
  const std::string cluster =
      "\x0a\x01"
      "c\x10\x01";  // name "c", type STRICT_DNS
  const std::string any = "\x0a" + std::string(1, static_cast<char>(type.size())) + type + "\x12" +
                          std::string(1, static_cast<char>(cluster.size())) + cluster;
  files_.Write("a.pb", "\x12" + std::string(1, static_cast<char>(any.size())) + any);
  files_.Write("b.pb", "no message");
  EXPECT_EQ(Run({"a.pb", "b.pb"}),
            (Lines{"a.pb: error: Cluster \"c\": field type: unknown discovery type",
                   "b.pb: error: is no DiscoveryResponse in binary: cut off, damaged, or something "
                   "else",
                   "1"}));
}

// In the text form the items of a list are written one by one, or in brackets. An Any may contain
// another.
TEST_F(Lint, FieldsOfATextFileHaveTheLineOnWhichTheyStand) {
  files_.Write(
      "a.textproto",
      "# What a control plane sends\n"
      "resources {\n"
      "  [type.googleapis.com/envoy.service.discovery.v3.Resource] {\n"
      "    name: 'c'\n"
      "    resource {\n"
      "      [type.googleapis.com/envoy.config.cluster.v3.Cluster] {\n"
      "        name: 'c'\n"
      "        type: EDS\n"
      "        eds_cluster_config { eds_config { ads {} } }\n"
      "        transport_socket { typed_config {\n"
      "          [type.googleapis.com/envoy.extensions.transport_sockets.tls.v3."
      "UpstreamTlsContext] {\n"
      "            common_tls_context {\n"
      "              tls_params {}\n"
      "              alpn_protocols: 'h2'\n"
      "  }}}}}}}\n"
      "}\n"
      "[type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment] {\n"
      "  cluster_name: 'c'\n"
      "  endpoints {\n"
      "    locality {} load_balancing_weight { value: 1 }\n"
      "    lb_endpoints { endpoint { address { socket_address {\n"
      "      address: '10.0.0.1' port_value: 1 } } } }\n"
      "    lb_endpoints: [\n"
      "      { endpoint { address { socket_address { address: '::1' port_value: 1 } } } },\n"
      "      { endpoint { address { socket_address { address: 'x' port_value: 1 } } } }]\n"
      "  }\n"
      "}\n"
      "[type.googleapis.com/envoy.config.route.v3.RouteConfiguration] {\n"
      "  name: 'r'\n"
      "  virtual_hosts {\n"
      "    domains: '*' routes { match { prefix: '' } route { cluster: 'c' } }\n"
      "    typed_per_filter_config { key: 'a' value {\n"
      "      [type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault] {} } }\n"
      "    typed_per_filter_config { key: 'b' value {\n"
      "      [type.googleapis.com/envoy.config.cluster.v3.Cluster] {} } }\n"
      "  }\n"
      "}\n");
  files_.Write("b.textproto", "nonce: 'n'\nresources { naem: 'c' }\n");
  Lines lines = Run({"a.textproto", "b.textproto"});
  // Without the text, which does not matter here.
  for (auto& line : lines) line = line.substr(0, line.find(": ", line.find("field ")));
  const std::string tls = "field transport_socket.typed_config.";
  const std::string type = "value[envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext].";
  EXPECT_EQ(
      lines,
      (Lines{
          "a.textproto:12: error: Cluster \"c\": " + tls + type + "common_tls_context",
          "a.textproto:13: error: Cluster \"c\": " + tls + type + "common_tls_context.tls_params",
          "a.textproto:14: warning: Cluster \"c\": " + tls + "common_tls_context.alpn_protocols",
          "a.textproto:25: error: ClusterLoadAssignment \"c\": field "
          "endpoints[0].lb_endpoints[2].endpoint.address.socket_address",
          "a.textproto:34: error: RouteConfiguration \"r\": field virtual_hosts[0]."
          "typed_per_filter_config[b].value[envoy.config.cluster.v3.Cluster]",
          "b.textproto:2: error: field resources[0].naem", "1"}));
}

TEST_F(Lint, TheFilesOfOneCallBelongTogether) {
  files_.Write("a.yaml", std::string(kCluster) +
                             "name: c\ntype: EDS\neds_cluster_config: {eds_config: {ads: {}}}\n");
  files_.Write("b.yaml", std::string(kCluster) +
                             "name: c\ntype: EDS\neds_cluster_config: {eds_config: {ads: {}}}\n");
  Lines lines = Run({"a.yaml", "b.yaml"});
  EXPECT_EQ(lines.back(), "1") << ::testing::PrintToString(lines);
  EXPECT_NE(lines[0].find("b.yaml:1: error: "), std::string::npos) << lines[0];
}

TEST_F(Lint, ABootstrapIsReadAsAClientReadsIt) {
  files_.Write("b.json",
               "{\n"
               " \"xds_servers\": [\n"
               "  {\"server_uri\": \"x:1\", \"channel_creds\": [{\"type\": \"insecure\"}],\n"
               "   \"server_features\": [\"xds_v3\", \"what\"],\n"
               "   \"uri\": 1}],\n"
               " \"node\": {\"id\": 3,\n"
               "  \"build_version\": \"x\"},\n"
               " \"authorities\": {\"a.b\": {\n"
               "   \"client_listener_resource_name_template\": \"xx\"}}\n"
               "}\n");
  EXPECT_EQ(
      Run({"b.json"}),
      (Lines{"b.json:4: warning: field xds_servers[0].server_features[0]: \"xds_v3\" is ignored by "
             "gRPC: v3 is the only version there is",
             "b.json:4: warning: field xds_servers[0].server_features[1]: \"what\" is not known to "
             "gRPC, and ignored",
             "b.json:5: warning: field xds_servers[0].uri: is not known to gRPC, and ignored",
             "b.json:6: error: field node.id: is not a string",
             "b.json:7: warning: field node.build_version: is deprecated, and ignored by gRPC: xDS "
             "v3 has no such field",
             "b.json:9: error: field authorities[\"a.b\"].client_listener_resource_name_template: "
             "field must begin with \"xdstp://a.b/\"",
             "1"}));
}

// The client uses the last of the duplicates, so the errors have its lines.
TEST_F(Lint, ADuplicateKeyOfABootstrapHidesNoOtherFinding) {
  files_.Write("b.json",
               "{\n"
               " \"node\": {\"id\": \"n\"},\n"
               " \"xds_servers\": [{\"server_uri\": \"x:1\",\n"
               "  \"channel_creds\": [{\"type\": \"insecure\"}]}],\n"
               " \"what\": 1,\n"
               " \"authorities\": 2,\n"
               " \"node\": {\n"
               "  \"id\": 3}\n"
               "}\n");
  EXPECT_EQ(Run({"b.json"}),
            (Lines{"b.json:5: warning: field what: is not known to gRPC, and ignored",
                   "b.json:6: error: field authorities: is not an object",
                   "b.json:7: error: the key \"node\" stands on line 2 too",
                   "b.json:8: error: field node.id: is not a string", "1"}));
}

// Clients accept the bootstrap, so its certificate providers are known.
TEST_F(Lint, ABootstrapWithADuplicateKeyIsUsedForTheResources) {
  files_.Write("b.json",
               R"({"xds_servers":[{"server_uri":"x:1","channel_creds":[{"type":"insecure"}]}],)"
               "\n"
               R"("node":{"id":"n"},"node":{"id":"m"}})");
  files_.Write("a.yaml", std::string(kCluster) +
                             "name: c\ntype: EDS\neds_cluster_config: {eds_config: {ads: {}}}\n"
                             "transport_socket:\n"
                             "  name: tls\n"
                             "  typed_config:\n"
                             "    '@type': type.googleapis.com/envoy.extensions.transport_sockets."
                             "tls.v3.UpstreamTlsContext\n"
                             "    common_tls_context: {validation_context: "
                             "{ca_certificate_provider_instance: {instance_name: ours}}}\n");
  Lines lines = Run({"--no-warnings", "b.json", "a.yaml"});
  ASSERT_EQ(lines.size(), 3u) << ::testing::PrintToString(lines);
  EXPECT_NE(lines[0].find("ours"), std::string::npos) << lines[0];
  EXPECT_EQ(lines[1], "b.json:2: error: the key \"node\" stands on line 2 too");
  EXPECT_EQ(lines[2], "1");
}

TEST_F(Lint, WarnsOfTokensThatAreNotSent) {
  files_.Write("b.json",
               "{\"xds_servers\": [{\"server_uri\": \"x:1\",\n"
               " \"channel_creds\": [{\"type\": \"exotic\"}, {\"type\": \"insecure\"}],\n"
               " \"call_creds\": [{\"type\": \"jwt_token_file\", \"config\":\n"
               "                 {\"jwt_token_file\": \"/run/token\"}},\n"
               "   {\"type\": \"what\"}]}]}\n");
  EXPECT_EQ(Run({"b.json"}),
            (Lines{"b.json:3: warning: field xds_servers[0].call_creds[0]: no token is sent over "
                   "\"insecure\" channel_creds: every stream will fail",
                   "b.json:5: warning: field xds_servers[0].call_creds[1].type: is not known to "
                   "gRPC, and ignored",
                   "0"}));
}

TEST_F(Lint, ABootstrapWithAllThatIsKnownHasNoFinding) {
  files_.Write("b.json",
               R"({"xds_servers": [{"server_uri": "x:1",
                    "channel_creds": [{"type": "tls"}, {"type": "insecure"}],
                    "call_creds": [{"type": "jwt_token_file",
                                    "config": {"jwt_token_file": "/run/token"}}],
                    "server_features": ["delta", "fail_on_data_errors",
                                        "endpoint_weights", "lb_subsets"]},
                   {"server_uri": "file:///etc/xds"}],
                   "node": {"id": "n", "cluster": "c", "metadata": {"any": "thing"},
                            "locality": {"region": "r", "zone": "z", "subZone": "s"}},
                   "authorities": {"a": {"xds_servers": [],
                                         "fallback_on_reachability_only": true}},
                   "resource_cache": {"dir": "/var/cache/xds", "by_node_id": true},
                   "shared_stream": true,
                   "client_default_listener_resource_name_template": "%s"})");
  EXPECT_EQ(Run({"b.json"}), (Lines{"0"}));
}

TEST_F(Lint, JsonIsForPrograms) {
  files_.Write("a.yaml", std::string(kCluster) + "name: c\ntype: STRICT_DNS\n");
  EXPECT_EQ(Run({"--json", "a.yaml"}),
            (Lines{"{\"severity\":\"error\",\"file\":\"a.yaml\",\"line\":3,\"resource\":\"Cluster "
                   "\\\"c\\\"\",\"field\":\"type\",\"detail\":\"unknown discovery type\"}",
                   "1"}));
}

TEST_F(Lint, ADirectoryIsReadAsServeReadsIt) {
  files_.Write("a.yaml", std::string(kCluster) + "name: c\ntype: STRICT_DNS\n");
  files_.Write("notes.txt", "no resource\n");
  EXPECT_EQ(Run({"."}),
            (Lines{"./a.yaml:3: error: Cluster \"c\": field type: unknown discovery type", "1"}));
}

TEST_F(Lint, FilesOfADirectoryThatCannotBeReadAreNamedAndTheOthersAreChecked) {
  std::filesystem::create_directory(files_.path() + "/a.yaml");
  std::filesystem::create_symlink("nowhere", files_.path() + "/b.yaml");
  files_.Write("c.yaml", std::string(kCluster) + "name: c\ntype: STRICT_DNS\n");
  const Lines expected = {"xds lint: ./a.yaml: is no regular file",
                          "xds lint: ./b.yaml: cannot open: it is gone, or a link to nothing",
                          "./c.yaml:3: error: Cluster \"c\": field type: unknown discovery type",
                          "2"};
  EXPECT_EQ(Run({"."}), expected);
  EXPECT_EQ(Run({"./"}), expected);
}

TEST_F(Lint, WarnsOfADirectoryWithoutResourceFiles) {
  files_.Write("notes.txt", "no resource\n");
  EXPECT_EQ(Run({"."}),
            (Lines{".: warning: holds no file that `xds serve` reads: their names end in .json, "
                   ".yaml and so on (xds serve --help)",
                   "0"}));
}

TEST_F(Lint, ItsStatusDistinguishesAWrongCallFromAWrongFile) {
  EXPECT_EQ(Run({"missing.yaml"}),
            (Lines{"xds lint: missing.yaml: No such file or directory", "2"}));
  EXPECT_EQ(Run({"--nonsense"}).back(), "2");
  EXPECT_EQ(Run({}), (Lines{"xds lint: which files? (xds lint --help)", "2"}));
  Lines help = Run({"--help"});
  EXPECT_EQ(help[0].find("usage: xds lint"), 0u);
  EXPECT_EQ(help.back(), "0");
}

TEST_F(Lint, ItsStatusSaysThatItsOutputWasLost) {
  files_.Write("a.yaml", std::string(kCluster) + "name: c\ntype: STRICT_DNS\n");
  const std::string command =
      Runfile("tools/xds") + " lint " + files_.path() + "/a.yaml > /dev/full";
  Child child({"/bin/sh", "-c", command});
  EXPECT_EQ(AllLines(&child),
            (Lines{"xds: the output cannot be written: No space left on device"}));
  EXPECT_EQ(child.Wait(), 2);
}

}  // namespace
