// From files to sets of resources: accepted input, every error with its file, line and field, and
// sharing.
#include "files/file_set.h"

#include <envoy/config/cluster/v3/cluster.upb.h>
#include <envoy/config/endpoint/v3/endpoint.upb.h>
#include <envoy/config/endpoint/v3/endpoint_components.upb.h>
#include <envoy/config/listener/v3/listener.upb.h>
#include <envoy/config/route/v3/route.upb.h>
#include <google/protobuf/duration.upb.h>
#include <google/protobuf/wrappers.upb.h>
#include <gtest/gtest.h>
#include <locale.h>
#include <upb/def.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "files/schema.h"
#include "test/files/support.h"
#include "test/support/made_locale.h"

namespace {

const char kCluster[] = "'@type': type.googleapis.com/envoy.config.cluster.v3.Cluster\n";
const char kListener[] = "'@type': type.googleapis.com/envoy.config.listener.v3.Listener\n";
const char kRoute[] = "'@type': type.googleapis.com/envoy.config.route.v3.RouteConfiguration\n";
const char kEndpoints[] =
    "'@type': type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment\n";

struct SetDeleter {
  void operator()(const gxds_file_set *s) const { gxds_file_set_unref(s); }
};
using Set = std::unique_ptr<const gxds_file_set, SetDeleter>;

class FileSet : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { schema_ = gxds_schema_create(); }
  static void TearDownTestSuite() { gxds_schema_destroy(schema_); }

  // Builds a set, which must succeed.
  static Set Good(const Files &files, const gxds_file_set *previous = nullptr) {
    gxds_file_errors errors = {};
    Set set(Build(schema_, files, &errors, previous));
    EXPECT_EQ(Take(&errors), "");
    EXPECT_NE(set, nullptr);
    return set;
  }

  // Returns the errors of files, which must not build.
  static std::string Bad(const Files &files) {
    gxds_file_errors errors = {};
    Set set(Build(schema_, files, &errors));
    EXPECT_EQ(set, nullptr);
    return Take(&errors);
  }

  static std::string BadCluster(const std::string &fields) {
    return Bad({{"f.yaml", kCluster + fields}});
  }

  // "LDS a b CDS c": the names in a set.
  static std::string Names(const Set &set) {
    std::string s;
    for (int type = 0; type < GXDS_FILE_TYPE_COUNT; type++) {
      const gxds_file_list &list = set->types[type];
      if (list.count) s += std::string(s.empty() ? "" : " ") + gxds_file_types[type].short_name;
      for (size_t i = 0; i < list.count; i++) s += " " + String(list.entries[i].resource->name);
    }
    return s;
  }

  static const gxds_file_resource *Find(const Set &set, gxds_file_type type, const char *name) {
    const gxds_file_entry *entry = gxds_file_set_find(set.get(), type, gxds_str_z(name));
    return entry ? entry->resource : nullptr;
  }

  static gxds_schema *schema_;
};

gxds_schema *FileSet::schema_;

TEST_F(FileSet, AResourceOfEachTypeSortedByTypeThenName) {
  Set set = Good({{"b.yaml", std::string(kEndpoints) + "cluster_name: e\n---\n" + kCluster +
                                 "name: z\n---\n" + kCluster + "name: a\n"},
                  {"a.yaml", std::string(kRoute) + "name: r\n---\n" + kListener + "name: l\n"}});
  EXPECT_EQ(Names(set), "LDS l RDS r CDS a z EDS e");
  EXPECT_EQ(Find(set, GXDS_FILE_CLUSTER, "b"), nullptr);
}

TEST_F(FileSet, ListsAndResourcesObjectsHoldManyInYamlAndJson) {
  const std::string a =
      R"({"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":")";
  EXPECT_EQ(Names(Good({{"1.json", a + "a\"}"},
                        {"2.json", "[" + a + "b\"}," + a + "c\"}]"},
                        {"3.json", "{\"resources\":[" + a + "d\"}]}"},
                        {"4.yaml", "- " + a + "e\"}\n- " + a + "f\"}\n---\nresources:\n- " + a +
                                       "g\"}\n---\n# nothing here\n---\n" + a + "h\"}\n"},
                        {"5.yml", "[]"},
                        {"6.json", "{\"resources\":[]}"}})),
            "CDS a b c d e f g h");
}

TEST_F(FileSet, JsonNamesAndOriginalNamesMeanTheSameField) {
  Set set = Good({{"f.yaml", std::string(kCluster) + "name: a\nlb_policy: RING_HASH\n---\n" +
                                 kCluster + "name: b\nlbPolicy: 2\n"}});
  upb_Arena *arena = upb_Arena_New();
  for (const char *name : {"a", "b"}) {
    gxds_str bytes = Find(set, GXDS_FILE_CLUSTER, name)->bytes;
    const auto *c = envoy_config_cluster_v3_Cluster_parse(bytes.data, bytes.size, arena);
    ASSERT_NE(c, nullptr);
    EXPECT_EQ(envoy_config_cluster_v3_Cluster_lb_policy(c),
              envoy_config_cluster_v3_Cluster_RING_HASH);
  }
  upb_Arena_Free(arena);
}

TEST_F(FileSet, ScalarsGoOverExactly) {
  Set set = Good({{"f.yaml", std::string(kCluster) +
                                 "name: a\n"
                                 "connect_timeout: 1.500s\n"
                                 "per_connection_buffer_limit_bytes: 0x10\n"
                                 "ring_hash_lb_config: {minimum_ring_size: 9007199254740993}\n"
                                 "common_lb_config: {healthy_panic_threshold: {value: 12.5}}\n"
                                 "metadata: {filter_metadata: {x: {n: 1.5, l: [null, {b: true}]}}}"
                                 "\n"}});
  upb_Arena *arena = upb_Arena_New();
  gxds_str bytes = Find(set, GXDS_FILE_CLUSTER, "a")->bytes;
  const auto *c = envoy_config_cluster_v3_Cluster_parse(bytes.data, bytes.size, arena);
  const auto *timeout = envoy_config_cluster_v3_Cluster_connect_timeout(c);
  EXPECT_EQ(google_protobuf_Duration_seconds(timeout), 1);
  EXPECT_EQ(google_protobuf_Duration_nanos(timeout), 500000000);
  EXPECT_EQ(google_protobuf_UInt32Value_value(
                envoy_config_cluster_v3_Cluster_per_connection_buffer_limit_bytes(c)),
            16u);
  const auto *ring = envoy_config_cluster_v3_Cluster_ring_hash_lb_config(c);
  EXPECT_EQ(google_protobuf_UInt64Value_value(
                envoy_config_cluster_v3_Cluster_RingHashLbConfig_minimum_ring_size(ring)),
            9007199254740993u);  // a double would give …992
  upb_Arena_Free(arena);
}

TEST_F(FileSet, EveryTypeThatAResourceMayHoldIsKnown) {
  for (const char *name : {
           "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
           "envoy.extensions.filters.http.router.v3.Router",
           "envoy.extensions.filters.http.fault.v3.HTTPFault",
           "envoy.extensions.filters.http.rbac.v3.RBAC",
           "envoy.extensions.filters.http.rbac.v3.RBACPerRoute",
           "envoy.config.route.v3.FilterConfig",
           "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
           "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext",
           "envoy.extensions.clusters.aggregate.v3.ClusterConfig",
           "envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin",
           "envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash",
           "envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality",
           "envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst",
           "envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest",
           "envoy.extensions.load_balancing_policies.random.v3.Random",
           "envoy.extensions.load_balancing_policies.random_subsetting.v3.RandomSubsetting",
           "envoy.extensions.load_balancing_policies.client_side_weighted_round_robin.v3."
           "ClientSideWeightedRoundRobin",
           "envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
           "xds.type.v3.TypedStruct",
           "udpa.type.v1.TypedStruct",
           "grpc.lookup.v1.RouteLookupClusterSpecifier",
           "google.protobuf.Struct",
           "google.protobuf.Empty",
       }) {
    EXPECT_NE(gxds_schema_find(schema_, View(std::string("type.googleapis.com/") + name)), nullptr)
        << name;
  }
  for (const char *url : {"", "/", "x/", "/x", "envoy.config.cluster.v3.Cluster", "a/b"}) {
    EXPECT_EQ(gxds_schema_find(schema_, gxds_str_z(url)), nullptr) << url;
  }
}

TEST_F(FileSet, PoliciesInsideOfPoliciesGoIntoAnys) {
  Good({{"f.yaml",
         std::string(kCluster) +
             "name: a\n"
             "load_balancing_policy:\n"
             "  policies:\n"
             "  - typed_extension_config:\n"
             "      name: x\n"
             "      typed_config:\n"
             "        '@type': type.googleapis.com/envoy.extensions.load_balancing_policies."
             "wrr_locality.v3.WrrLocality\n"
             "        endpoint_picking_policy:\n"
             "          policies:\n"
             "          - typed_extension_config:\n"
             "              typed_config:\n"
             "                hash_function: XX_HASH\n"
             "                minimum_ring_size: 1024\n"
             "                '@type': type.googleapis.com/envoy.extensions."
             "load_balancing_policies.ring_hash.v3.RingHash\n"
             "          - typed_extension_config:\n"
             "              typed_config:\n"
             "                '@type': type.googleapis.com/xds.type.v3.TypedStruct\n"
             "                type_url: type.googleapis.com/my.Policy\n"
             "                value: {a: [1, {b: null}]}\n"
             "          - typed_extension_config:\n"
             "              typed_config: {'@type': a/google.protobuf.Struct, value: {c: d}}\n"}});
}

TEST_F(FileSet, WhatAFileHoldsIsCheckedFieldByField) {
  const struct {
    const char *fields;  // after "@type" of a Cluster, which is on line 1
    const char *error;
  } cases[] = {
      {"", "f.yaml:1: field name: must be set: the name of the resource\n"},
      {"name: ''", "f.yaml:1: field name: must be set: the name of the resource\n"},
      {"name: null", "f.yaml:1: field name: must be set: the name of the resource\n"},
      {"name: 12",
       "f.yaml:2: field name: expected a string (put it in quotes), found the number 12\n"},
      {"name: on\nname2: x",
       "f.yaml:3: field name2: no such field in envoy.config.cluster.v3.Cluster\n"},
      {"name: true", "f.yaml:2: field name: expected a string (put it in quotes), found true\n"},
      {"name: [a]", "f.yaml:2: field name: expected a string, found a list\n"},
      {"lb_policy: RR",
       "f.yaml:2: field lb_policy: expected a value of envoy.config.cluster.v3.Cluster.LbPolicy "
       "(ROUND_ROBIN, LEAST_REQUEST, RING_HASH, RANDOM, MAGLEV, CLUSTER_PROVIDED, "
       "LOAD_BALANCING_POLICY_CONFIG), found the string \"RR\"\n"},
      {"lb_policy: 1.5",
       "f.yaml:2: field lb_policy: expected a value of envoy.config.cluster.v3.Cluster.LbPolicy "
       "(ROUND_ROBIN, LEAST_REQUEST, RING_HASH, RANDOM, MAGLEV, CLUSTER_PROVIDED, "
       "LOAD_BALANCING_POLICY_CONFIG), found the number 1.5\n"},
      {"connect_timeout: 5",
       "f.yaml:2: field connect_timeout: expected a duration such as \"1.5s\", found the number "
       "5\n"},
      {"connect_timeout: 5ms",
       "f.yaml:2: field connect_timeout: expected a duration such as \"1.5s\", found the string "
       "\"5ms\"\n"},
      {"connect_timeout: 315576000001s",
       "f.yaml:2: field connect_timeout: expected a duration such as \"1.5s\", found the string "
       "\"315576000001s\"\n"},
      {"connect_timeout: 1.0000000001s",
       "f.yaml:2: field connect_timeout: expected a duration such as \"1.5s\", found the string "
       "\"1.0000000001s\"\n"},
      {"per_connection_buffer_limit_bytes: -1",
       "f.yaml:2: field per_connection_buffer_limit_bytes: expected an integer from 0 to "
       "4294967295, found the number -1\n"},
      {"per_connection_buffer_limit_bytes: 4294967296",
       "f.yaml:2: field per_connection_buffer_limit_bytes: expected an integer from 0 to "
       "4294967295, found the number 4294967296\n"},
      {"per_connection_buffer_limit_bytes: 1.5",
       "f.yaml:2: field per_connection_buffer_limit_bytes: expected an integer from 0 to "
       "4294967295, found the number 1.5\n"},
      {"per_connection_buffer_limit_bytes: '0x10'",
       "f.yaml:2: field per_connection_buffer_limit_bytes: expected an integer from 0 to "
       "4294967295, found the string \"0x10\"\n"},
      {"per_connection_buffer_limit_bytes: {value: 1}",
       "f.yaml:2: field per_connection_buffer_limit_bytes: expected an integer from 0 to "
       "4294967295, found an object\n"},
      {"close_connections_on_host_health_failure: 'true'",
       "f.yaml:2: field close_connections_on_host_health_failure: expected true or false, found "
       "the string \"true\"\n"},
      {"eds_cluster_config: x",
       "f.yaml:2: field eds_cluster_config: expected an object, found the string \"x\"\n"},
      {"eds_cluster_config:\n  eds_config:\n    ads: {}\n    self: {}",
       "f.yaml:5: field eds_cluster_config.eds_config.self: only one of a oneof may be given: ads "
       "stands on line 4\n"},
      {"alt_stat_name: x\naltStatName: y",
       "f.yaml:3: field altStatName: given twice: as alt_stat_name on line 2 too\n"},
      {"circuit_breakers: {thresholds: {}}",
       "f.yaml:2: field circuit_breakers.thresholds: expected a list, found an object\n"},
      {"circuit_breakers:\n  thresholds:\n  - null\n  - {max_requests: x}",
       "f.yaml:4: field circuit_breakers.thresholds[0]: expected an object, found null\n"
       "f.yaml:5: field circuit_breakers.thresholds[1].max_requests: expected an integer from 0 to "
       "4294967295, found the string \"x\"\n"},
      {"circuit_breakers:\n  thresholds:\n  - retry_budget: {budget_percent: {value: abc}}",
       "f.yaml:4: field circuit_breakers.thresholds[0].retry_budget.budget_percent.value: expected "
       "a number, found the string \"abc\"\n"},
      {"metadata: {filter_metadata: []}",
       "f.yaml:2: field metadata.filter_metadata: expected an object, found a list\n"},
      {"metadata: {filter_metadata: {a: 1}}",
       "f.yaml:2: field metadata.filter_metadata[\"a\"]: expected an object, found the number 1\n"},
      {"metadata: {filter_metadata: {a: {b: [1e999]}}}",
       "f.yaml:2: field metadata.filter_metadata[\"a\"].b[0]: expected a number that a double can "
       "hold, found the number 1e999\n"},
      {"metadata: {filter_metadata: {a: {b: .inf}}}",
       "f.yaml:2: field metadata.filter_metadata[\"a\"].b: expected a number that a double can "
       "hold, found the number Infinity\n"},
      {"transport_socket: {typed_config: 1}",
       "f.yaml:2: field transport_socket.typed_config: expected an object with \"@type\", found "
       "the number 1\n"},
      {"transport_socket: {typed_config: {}}",
       "f.yaml:2: field transport_socket.typed_config.@type: must be set\n"},
      {"transport_socket: {typed_config: {'@type': 1}}",
       "f.yaml:2: field transport_socket.typed_config.@type: expected a type URL, found the number "
       "1\n"},
      {"transport_socket:\n  typed_config:\n    '@type': type.googleapis.com/a.B",
       "f.yaml:4: field transport_socket.typed_config.@type: no such type is known: "
       "type.googleapis.com/a.B\n"},
      {"transport_socket: {typed_config: {'@type': x/google.protobuf.Struct, a: 1}}",
       "f.yaml:2: field transport_socket.typed_config.a: a google.protobuf.Struct in an Any has "
       "nothing but \"value\"\n"
       "f.yaml:2: field transport_socket.typed_config.value: must be set\n"},
      {"transport_socket:\n"
       "  typed_config:\n"
       "    '@type': type.googleapis.com/envoy.extensions.transport_sockets.tls.v3."
       "UpstreamTlsContext\n"
       "    snii: x\n"
       "    common_tls_context:\n"
       "      tls_certificates:\n"
       "      - private_key: {inline_bytes: 'a?'}",
       "f.yaml:5: field transport_socket.typed_config.snii: no such field in "
       "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext\n"
       "f.yaml:8: field transport_socket.typed_config.common_tls_context.tls_certificates[0]."
       "private_key.inline_bytes: expected a string in base64, found the string \"a?\"\n"},
      // All faults of one resource are reported.
      {"nam: a\nlbPolicy: X1\ntype: EDS\neds_cluster_config: {eds_config: 1}",
       "f.yaml:2: field nam: no such field in envoy.config.cluster.v3.Cluster\n"
       "f.yaml:3: field lbPolicy: expected a value of envoy.config.cluster.v3.Cluster.LbPolicy "
       "(ROUND_ROBIN, LEAST_REQUEST, RING_HASH, RANDOM, MAGLEV, CLUSTER_PROVIDED, "
       "LOAD_BALANCING_POLICY_CONFIG), found the string \"X1\"\n"
       "f.yaml:5: field eds_cluster_config.eds_config: expected an object, found the number 1\n"},
  };
  for (const auto &c : cases) EXPECT_EQ(BadCluster(c.fields), c.error) << c.fields;
}

TEST_F(FileSet, WhatIsNoResourceIsReported) {
  const std::string url = "type.googleapis.com/envoy.";
  const struct {
    std::string name;
    std::string text;
    std::string error;
  } cases[] = {
      {"f.yaml", "", "f.yaml:1: holds no resource: write [] for none\n"},
      {"f.yaml", "# nothing\n---\n", "f.yaml:1: holds no resource: write [] for none\n"},
      {"f.json", "null", "f.json:1: holds no resource: write [] for none\n"},
      {"f.json", "",
       "f.json:1: syntax error at column 1: expected a value, found the end of the file\n"},
      {"f.json", "{\n\"name\":\"x\"}",
       "f.json:1: field @type: must be set: the type of the resource\n"},
      {"f.yaml", "hello\n",
       "f.yaml:1: expected a resource (an object with \"@type\"), found the string \"hello\"\n"},
      {"f.json", "[1,\n2]",
       "f.json:1: field [0]: expected a resource (an object with \"@type\"), found the number 1\n"
       "f.json:2: field [1]: expected a resource (an object with \"@type\"), found the number 2\n"},
      {"f.yaml", "resources: {}\nother: 1\n",
       "f.yaml:2: field other: no such field in envoy.service.discovery.v3.DiscoveryResponse\n"
       "f.yaml:1: field resources: expected a list\n"},
      {"f.yaml", "resources:\n- {}\n",
       "f.yaml:2: field resources[0].@type: must be set: the type of the resource\n"},
      {"f.yaml", "'@type': " + url + "api.v2.Cluster\nname: x\n",
       "f.yaml:1: field @type: the v2 API is retired: expected " + url +
           "config.cluster.v3.Cluster\n"},
      {"f.yaml", "'@type': 1\n",
       "f.yaml:1: field @type: expected the type URL of a Listener, RouteConfiguration, Cluster "
       "or ClusterLoadAssignment, found the number 1\n"},
      {"f.yaml", "'@type': " + url + "config.core.v3.Node\n",
       "f.yaml:1: field @type: expected the type URL of a Listener, RouteConfiguration, Cluster "
       "or ClusterLoadAssignment, found the string \"" +
           url + "config.core.v3.Node\"\n"},
  };
  for (const auto &c : cases) EXPECT_EQ(Bad({{c.name, c.text}}), c.error) << c.text;
}

TEST_F(FileSet, ErrorsOfAllFilesAreReportedInTheOrderOfTheirNames) {
  const Files files = {{"b.yaml", std::string(kCluster) + "nam: x\n"},
                       {"c.json", "{"},
                       {"a.yaml", std::string(kCluster) + "name: ok\n---\n- 1\n"}};
  const std::string expected =
      "a.yaml:4: field [0]: expected a resource (an object with \"@type\"), found the number 1\n"
      "b.yaml:2: field nam: no such field in envoy.config.cluster.v3.Cluster\n"
      "c.json:1: syntax error at column 2: expected a key in quotes, found the end of the file\n";
  EXPECT_EQ(Bad(files), expected);
  EXPECT_EQ(Bad({files[2], files[1], files[0]}), expected);
}

TEST_F(FileSet, ErrorsAreCountedBeyondTheLimit) {
  std::string text = "[";
  for (int i = 0; i < GXDS_FILE_ERRORS_MAX + 7; i++) text += "1,";
  std::string errors = Bad({{"f.json", text + "1]"}});
  EXPECT_NE(errors.find("f.json:1: field [99]:"), std::string::npos);
  EXPECT_EQ(errors.find("f.json:1: field [100]:"), std::string::npos);
  EXPECT_NE(errors.find("and 8 more errors\n"), std::string::npos);
}

TEST_F(FileSet, ADuplicateNamesBothPlaces) {
  EXPECT_EQ(Bad({{"b.yaml", std::string(kCluster) + "name: x\n"},
                 {"a.yaml", "# first\n" + std::string(kCluster) + "name: x\n---\n" + kListener +
                                "name: x\n"}}),
            "b.yaml:1: field name: a Cluster named \"x\" is in a.yaml:2 too\n");
  EXPECT_EQ(Bad({{"a.yaml", std::string(kEndpoints) + "cluster_name: x\n---\n" + kEndpoints +
                                "clusterName: x\n"}}),
            "a.yaml:4: field cluster_name: a ClusterLoadAssignment named \"x\" is in a.yaml:1 "
            "too\n");
}

TEST_F(FileSet, TwoSpellingsOfANameAreOne) {  // A47
  const std::string name = "name: xdstp://a/envoy.config.cluster.v3.Cluster/c?";
  const std::string cluster = kCluster + name;
  EXPECT_EQ(Bad({{"a.yaml", cluster + "x=1&y=2\n---\n" + cluster + "y=2&x=1\n"}}),
            "a.yaml:4: field name: a Cluster named "
            "\"xdstp://a/envoy.config.cluster.v3.Cluster/c?x=1&y=2\" is in a.yaml:1 too\n");
}

TEST_F(FileSet, WhatUpbAloneFindsIsReportedWithItsLine) {
  // The codec reports a malformed Timestamp.
  EXPECT_EQ(
      Bad({{"f.yaml", std::string(kListener) + "name: x\n"
                                               "access_log:\n"
                                               "- filter:\n"
                                               "    extension_filter:\n"
                                               "      typed_config:\n"
                                               "        '@type': x/google.protobuf.Timestamp\n"
                                               "        value: yesterday\n"}}),
      "f.yaml:8: field access_log[0].filter.extension_filter.typed_config.value: Malformed "
      "timestamp\n");
}

TEST_F(FileSet, StructsAreAsDeepAsAReceiverCanDecode) {
  auto nested = [](int levels) {
    return std::string(kCluster) + "name: x\nmetadata: {filter_metadata: {a: " + [&] {
      std::string s = "{}";
      for (int i = 0; i < levels; i++) s = "{k: " + s + "}";
      return s;
    }() + "}}\n";
  };
  Set set = Good({{"f.yaml", nested(19)}});
  upb_Arena *arena = upb_Arena_New();
  gxds_str bytes = Find(set, GXDS_FILE_CLUSTER, "x")->bytes;
  EXPECT_NE(envoy_config_cluster_v3_Cluster_parse(bytes.data, bytes.size, arena), nullptr);
  upb_Arena_Free(arena);
  EXPECT_NE(Bad({{"f.yaml", nested(20)}}).find("more than 60 messages inside of each other"),
            std::string::npos);
}

TEST_F(FileSet, DeepStructsInAnAnyDoNotAbort) {
  std::string s = "{}";
  for (int i = 0; i < 50; i++) s = "{k: " + s + "}";
  EXPECT_NE(Bad({{"f.yaml", std::string(kCluster) +
                                "name: x\ntransport_socket:\n"
                                "  typed_config: {'@type': x/google.protobuf.Struct, value: " +
                                s + "}\n"}})
                .find("more than 60 messages inside of each other"),
            std::string::npos);
}

TEST_F(FileSet, AFileThatIsTooLongIsNotRead) {
  const gxds_file_input file = {gxds_str_z("f.yaml"), gxds_str_of("", GXDS_FILE_SIZE_MAX + 1)};
  gxds_file_errors errors = {};
  EXPECT_EQ(gxds_file_set_build(schema_, &file, 1, nullptr, &errors), nullptr);
  EXPECT_EQ(Take(&errors), "f.yaml: longer than 268435456 bytes\n");
}

TEST_F(FileSet, AnUnchangedResourceIsSharedWithTheSetBefore) {
  Files files = {{"f.yaml", std::string(kCluster) + "name: a\n---\n" + kCluster + "name: b\n"}};
  Set first = Good(files);
  files[0].second += "lb_policy: RING_HASH\n";
  Set second = Good(files, first.get());
  EXPECT_EQ(Find(first, GXDS_FILE_CLUSTER, "a"), Find(second, GXDS_FILE_CLUSTER, "a"));
  EXPECT_NE(Find(first, GXDS_FILE_CLUSTER, "b"), Find(second, GXDS_FILE_CLUSTER, "b"));
  first.reset();  // shared parts stay valid
  EXPECT_EQ(String(Find(second, GXDS_FILE_CLUSTER, "a")->name), "a");
}

TEST_F(FileSet, VersionsFollowContentsAndNothingElse) {
  const std::string a = std::string(kCluster) + "name: a\n";
  const std::string b = std::string(kCluster) + "name: b\n";
  const std::string l = std::string(kListener) + "name: l\n";
  Set first = Good({{"1.yaml", a + "---\n" + b}, {"2.yaml", l}});
  Set moved = Good({{"x.yaml", "# other places, other order\n" + b}, {"y.yaml", a + "---\n" + l}});
  Set changed = Good({{"1.yaml", a + "type: EDS\n---\n" + b}, {"2.yaml", l}});
  EXPECT_TRUE(gxds_file_set_equal(first.get(), moved.get()));
  EXPECT_FALSE(gxds_file_set_equal(first.get(), changed.get()));
  for (int type = 0; type < GXDS_FILE_TYPE_COUNT; type++) {
    EXPECT_EQ(first->types[type].version, moved->types[type].version);
    EXPECT_EQ(first->types[type].version == changed->types[type].version,
              type != GXDS_FILE_CLUSTER);
  }
  EXPECT_EQ(Find(first, GXDS_FILE_CLUSTER, "a")->version,
            Find(moved, GXDS_FILE_CLUSTER, "a")->version);
  EXPECT_NE(Find(first, GXDS_FILE_CLUSTER, "a")->version,
            Find(changed, GXDS_FILE_CLUSTER, "a")->version);
  gxds_text text = {};
  gxds_file_version_render(0xab, &text);
  EXPECT_EQ(Take(&text), "00000000000000ab");
}

TEST_F(FileSet, NumbersAreReadTheSameInEveryLocale) {
  gxds_test::MadeLocale locale("de_DE");
  if (!locale.made()) GTEST_SKIP() << "localedef makes no de_DE.UTF-8 here";
  ASSERT_EQ(strtod("1,5", nullptr), 1.5);
  const std::string type = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
  const std::string panic = "common_lb_config: {healthy_panic_threshold: {value: ";
  const Files cases[] = {
      {{"f.yaml", kCluster + ("name: c\n" + panic) + "0.5}}\n"}},
      {{"f.yaml", kCluster + ("name: c\n" + panic) + "5e-1}}\n"}},
      {{"f.json", R"({"@type":")" + type + R"(","name":"c",
          "common_lb_config":{"healthy_panic_threshold":{"value":0.5}}})"}},
      {{"f.json", R"({"@type":")" + type + R"(","name":"c",
          "common_lb_config":{"healthy_panic_threshold":{"value":"0.5"}}})"}},
      {{"f.textproto", "[" + type + "] { name: \"c\" " + panic + "0.5}} }"}},
  };
  for (const Files &files : cases) {
    Set set = Good(files);
    ASSERT_NE(set, nullptr) << files[0].second;
    gxds_str bytes = Find(set, GXDS_FILE_CLUSTER, "c")->bytes;
    const double half = 0.5;
    EXPECT_NE(String(bytes).find(std::string(reinterpret_cast<const char *>(&half), sizeof half)),
              std::string::npos)
        << files[0].second;
  }
  EXPECT_EQ(BadCluster("name: c\nper_connection_buffer_limit_bytes: 1.5\n"),
            "f.yaml:3: field per_connection_buffer_limit_bytes: expected an integer from 0 to "
            "4294967295, found the number 1.5\n");
  EXPECT_EQ(strtod("1,5", nullptr), 1.5) << "it is the caller's again";
}

TEST_F(FileSet, EntriesHaveTheFileAndLineOfAResource) {
  Set set = Good({{"f.yaml", "\n\n" + std::string(kCluster) + "name: a\n"}});
  EXPECT_EQ(String(set->types[GXDS_FILE_CLUSTER].entries[0].file), "f.yaml");
  EXPECT_EQ(set->types[GXDS_FILE_CLUSTER].entries[0].line, 3u);
}

}  // namespace
