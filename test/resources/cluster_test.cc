#include "resources/cluster.h"

#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

const std::string kEds = "'name':'foo','type':'EDS','eds_cluster_config':{'eds_config':{'ads':{}}}";

class Cluster {
 public:
  explicit Cluster(const std::string& json)
      : result_(decoder_.Good(gxds_cluster_type, "{" + json + "}")) {}
  const gxds_cluster* operator->() const { return &result_.As<gxds_cluster>(); }
  const gxds_cluster& operator*() const { return result_.As<gxds_cluster>(); }
  const Decoder& decoder() const { return decoder_; }

 private:
  Decoder decoder_;
  Decoded result_;
};

TEST(ClusterType, IsAsTheProtocolNamesIt) {
  EXPECT_STREQ(gxds_cluster_type.type_url, "type.googleapis.com/envoy.config.cluster.v3.Cluster");
  EXPECT_STREQ(gxds_cluster_type.v2_type_url, "type.googleapis.com/envoy.api.v2.Cluster");
  EXPECT_STREQ(gxds_cluster_type.short_name, "CDS");
  EXPECT_TRUE(gxds_cluster_type.all_resources_required_in_sotw);
  EXPECT_EQ(gxds_resource_types[2], &gxds_cluster_type);
}

TEST(Cluster, OfEds) {  // A27.24, A32.3, A37.1, A37.25
  Cluster c(kEds);
  EXPECT_EQ(c->base.type, &gxds_cluster_type);
  EXPECT_EQ(ToString(c->name), "foo");
  EXPECT_EQ(c->kind, GXDS_CLUSTER_EDS);
  EXPECT_EQ(ToString(c->eds_service_name), "");
  EXPECT_EQ(ToString(gxds_cluster_eds_name(&*c)), "foo");
  EXPECT_EQ(c->lrs_server, nullptr);
  EXPECT_EQ(c->max_concurrent_requests, 1024u);
}

TEST(Cluster, OfEdsWithAServiceName) {  // A47.18, A27.24
  Cluster c(
      "'name':'foo','type':'EDS','eds_cluster_config':{'service_name':'bar',"
      "'eds_config':{'self':{}}}");
  EXPECT_EQ(ToString(c->eds_service_name), "bar");
  EXPECT_EQ(ToString(gxds_cluster_eds_name(&*c)), "bar");
}

TEST(Cluster, OfEdsWithAnXdstpName) {  // A47
  Cluster c(
      "'name':'xdstp://a/envoy.config.cluster.v3.Cluster/c','type':'EDS',"
      "'eds_cluster_config':{'service_name':'xdstp://a/e/c','eds_config':{'self':{}}}");
  EXPECT_EQ(ToString(gxds_cluster_eds_name(&*c)), "xdstp://a/e/c");
}

TEST(Cluster, OfLogicalDns) {  // A37.1, A37.2
  Cluster c(
      "'name':'foo','type':'LOGICAL_DNS','load_assignment':{'endpoints':[{'lb_endpoints':["
      "{'endpoint':{'address':{'socket_address':{'address':'a.example',"
      "'port_value':65535}}}}]}]}");
  EXPECT_EQ(c->kind, GXDS_CLUSTER_LOGICAL_DNS);
  EXPECT_EQ(ToString(gxds_cluster_dns_host(&*c)), "a.example");
  EXPECT_EQ(c->dns_port, 65535);
}

TEST(Cluster, Aggregate) {  // A37.1, A37.3
  Cluster c(
      "'name':'foo','cluster_type':{'name':'envoy.clusters.aggregate','typed_config':{"
      "'@type':'type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig',"
      "'clusters':['b','a','b']}}");
  EXPECT_EQ(c->kind, GXDS_CLUSTER_AGGREGATE);
  ASSERT_EQ(c->aggregate_count, 3u);
  EXPECT_EQ(ToString(c->aggregate[0]), "b");
  EXPECT_EQ(ToString(c->aggregate[1]), "a");
  EXPECT_EQ(ToString(c->aggregate[2]), "b");
}

TEST(Cluster, PolicyOfAnAggregateIsIgnored) {  // A75.5
  for (const char* policy : {"CLUSTER_PROVIDED", "RANDOM", "ROUND_ROBIN"}) {
    Cluster c(
        "'name':'foo','cluster_type':{'name':'envoy.clusters.aggregate','typed_config':{"
        "'@type':'type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig',"
        "'clusters':['a']}},'lb_policy':'" +
        std::string(policy) + "'");
    EXPECT_EQ(c->kind, GXDS_CLUSTER_AGGREGATE) << policy;
    EXPECT_EQ(ToString(c->lb_policy_json), "") << policy;
  }
}

TEST(ClusterBalancing, RoundRobinIsTheDefault) {
  const char expected[] =
      "[{'xds_wrr_locality_experimental':{'childPolicy':[{'round_robin':{}}]}}]";
  EXPECT_EQ(ToString(Cluster(kEds)->lb_policy_json), Json(expected));
  EXPECT_EQ(ToString(Cluster(kEds + ",'lb_policy':'ROUND_ROBIN'")->lb_policy_json), Json(expected));
}

TEST(ClusterBalancing, LeastRequest) {  // A48.1, A48.9, A48.10
  auto json = [](const std::string& more) {
    return ToString(Cluster(kEds + ",'lb_policy':'LEAST_REQUEST'" + more)->lb_policy_json);
  };
  auto expected = [](const std::string& count) {
    return Json(
        "[{'xds_wrr_locality_experimental':{'childPolicy':[{'least_request_experimental':{"
        "'choiceCount':" +
        count + "}}]}}]");
  };
  EXPECT_EQ(json(""), expected("2"));
  EXPECT_EQ(json(",'least_request_lb_config':{'choice_count':5,'active_request_bias':{"
                 "'default_value':2,'runtime_key':'k'},'slow_start_config':{}}"),
            expected("5"));
}

TEST(ClusterBalancing, SlowStart) {  // E1.9
  const std::string config =
      "{'slow_start_config':{'slow_start_window':'1.5s','aggression':{'default_value':0.5,"
      "'runtime_key':'k'},'min_weight_percent':{'value':2.5}}}";
  const std::string slow =
      "'slowStart':{'aggression':0.5,'minWeightPercent':2.5,'window':'1.500000000s'}";
  EXPECT_EQ(ToString(Cluster(kEds + ",'round_robin_lb_config':" + config)->lb_policy_json),
            Json("[{'xds_wrr_locality_experimental':{'childPolicy':[{'grpc_xds_slow_start':{" +
                 slow + "}}]}}]"));
  EXPECT_EQ(
      ToString(Cluster(kEds + ",'lb_policy':'LEAST_REQUEST','least_request_lb_config':" + config)
                   ->lb_policy_json),
      Json("[{'xds_wrr_locality_experimental':{'childPolicy':[{'least_request_experimental':{"
           "'choiceCount':2," +
           slow + "}}]}}]"));
  EXPECT_EQ(ToString(Cluster(kEds + ",'lb_policy':'RING_HASH','round_robin_lb_config':" + config)
                         ->lb_policy_json)
                .find("slow"),
            std::string::npos)
      << "the config of another policy";
}

// As in Envoy. gRPC's own clients ignore the whole field.
TEST(ClusterBalancing, AggressionThatIsNotPositiveIsOne) {  // E1.7
  for (const char* aggression : {"{'runtime_key':'k'}", "{'default_value':0,'runtime_key':'k'}",
                                 "{'default_value':-1}", "{'default_value':'NaN'}"}) {
    const std::string config =
        "{'slow_start_config':{'slow_start_window':'1s','aggression':" + std::string(aggression) +
        "}}";
    EXPECT_EQ(ToString(Cluster(kEds + ",'round_robin_lb_config':" + config)->lb_policy_json),
              Json("[{'xds_wrr_locality_experimental':{'childPolicy':[{'grpc_xds_slow_start':{"
                   "'slowStart':{'aggression':1,'minWeightPercent':10,'window':'1.000000000s'}"
                   "}}]}}]"))
        << aggression;
  }
}

TEST(ClusterBalancing, RoundRobinIsByWeightOfEndpointsIfTheServerHasThatFeature) {  // E3.5, E3.6
  auto json = [](const std::string& more) {
    Decoder d;
    d.UseEndpointWeights();
    Decoded result = d.Good(gxds_cluster_type, "{" + kEds + more + "}");
    return ToString(result.As<gxds_cluster>().lb_policy_json);
  };
  EXPECT_EQ(json(""), Json("[{'xds_wrr_locality_experimental':{'childPolicy':[{"
                           "'grpc_xds_endpoint_weights':{}}]}}]"));
  EXPECT_EQ(json(",'round_robin_lb_config':{'slow_start_config':{'slow_start_window':'1s'}}"),
            Json("[{'xds_wrr_locality_experimental':{'childPolicy':[{"
                 "'grpc_xds_endpoint_weights':{'slowStart':{'aggression':1,"
                 "'minWeightPercent':10,'window':'1.000000000s'}}}]}}]"));
  EXPECT_EQ(json(",'lb_policy':'RING_HASH'"),
            ToString(Cluster(kEds + ",'lb_policy':'RING_HASH'")->lb_policy_json));
}

TEST(ClusterBalancing, RingHash) {  // A42.11, A42.13
  auto json = [](const std::string& more) {
    return ToString(Cluster(kEds + ",'lb_policy':'RING_HASH'" + more)->lb_policy_json);
  };
  auto expected = [](const std::string& max, const std::string& min) {
    return Json("[{'ring_hash_experimental':{'maxRingSize':" + max + ",'minRingSize':" + min +
                "}}]");
  };
  EXPECT_EQ(json(""), expected("8388608", "1024"));
  EXPECT_EQ(json(",'ring_hash_lb_config':{}"), expected("8388608", "1024"));
  EXPECT_EQ(json(",'ring_hash_lb_config':{'minimum_ring_size':'1','maximum_ring_size':'8388608'}"),
            expected("8388608", "1"));
  // The host compares the two only when the minimum is given.
  EXPECT_EQ(json(",'ring_hash_lb_config':{'maximum_ring_size':'10'}"), expected("10", "1024"));
}

TEST(ClusterLoad, IsReportedToTheServerThatSentIt) {  // A47.17, A27.26
  Cluster c(kEds + ",'lrs_server':{'self':{}}");
  EXPECT_EQ(c->lrs_server, c.decoder().server());
  EXPECT_EQ(c->bootstrap, &c.decoder().bootstrap());
}

TEST(ClusterLoad, TheBootstrapLivesAsLongAsTheCluster) {
  Decoder d;
  {
    Decoded result = d.Good(gxds_cluster_type, "{" + kEds + "}");
    EXPECT_EQ(d.bootstrap().refs.count, 2);
  }
  EXPECT_EQ(d.bootstrap().refs.count, 1);
  d.Decode(gxds_cluster_type, Resource(gxds_cluster_type, "{}"));
  EXPECT_EQ(d.bootstrap().refs.count, 1) << "also when it was refused";
}

// The metrics that the cluster reports: "cpu mem app *", or the keys of named metrics; "none".
std::string LrsMetrics(const std::vector<std::string>& names) {
  Decoder d;
  std::string bytes = Resource(gxds_cluster_type, "{" + kEds + "}");
  for (const std::string& name : names) bytes += Field(57, name);
  Decoded result = d.Decode(gxds_cluster_type, bytes);
  EXPECT_EQ(result.message(), "");
  const gxds_lrs_metrics* m = gxds_cluster_lrs_metrics(&result.As<gxds_cluster>());
  if (m == nullptr) return "none";
  std::string out;
  if (m->cpu_utilization) out += " cpu";
  if (m->mem_utilization) out += " mem";
  if (m->application_utilization) out += " app";
  if (m->all_named) out += " *";
  for (size_t i = 0; i < m->named_count; i++) out += " '" + ToString(m->named[i]) + "'";
  return out.substr(1);
}

TEST(ClusterLrsMetrics, AreNoneUnlessConfigured) {  // A85.1
  EXPECT_EQ(LrsMetrics({}), "none");
}

TEST(ClusterLrsMetrics, AreThoseThatAreNamed) {  // A85.2, A85.3
  EXPECT_EQ(LrsMetrics({"cpu_utilization"}), "cpu");
  EXPECT_EQ(LrsMetrics({"application_utilization", "mem_utilization"}), "mem app");
  EXPECT_EQ(LrsMetrics({"named_metrics.b", "named_metrics.a.c", "named_metrics.b"}), "'a.c' 'b'");
  EXPECT_EQ(LrsMetrics({"named_metrics."}), "''");
}

TEST(ClusterLrsMetrics, AStarIsAllOfTheMap) {  // A85.4
  EXPECT_EQ(LrsMetrics({"named_metrics.*"}), "*");
  EXPECT_EQ(LrsMetrics({"named_metrics.a", "named_metrics.*", "cpu_utilization"}), "cpu *");
}

TEST(ClusterLrsMetrics, UnknownOnesAreIgnored) {  // A85.5
  EXPECT_EQ(LrsMetrics({"", "eps", "named_metrics", "request_cost.x", "cpu_utilization.x", "*"}),
            "none");
  EXPECT_EQ(LrsMetrics({"of_later", "mem_utilization"}), "mem");
}

TEST(ClusterLrsMetrics, AreComparedByWhatTheyReport) {
  Decoder d;
  const std::string base = Resource(gxds_cluster_type, "{" + kEds + "}");
  std::vector<Decoded> all;
  for (const std::string& bytes :
       {base, base + Field(57, "cpu_utilization"), base + Field(57, "named_metrics.a"),
        base + Field(57, "named_metrics.b"), base + Field(57, "named_metrics.*"),
        base + Field(57, "named_metrics.a") + Field(57, "named_metrics.b")}) {
    all.push_back(d.Decode(gxds_cluster_type, bytes));
  }
  for (size_t i = 0; i < all.size(); i++) {
    for (size_t k = 0; k < all.size(); k++) {
      EXPECT_EQ(gxds_lrs_metrics_equal(gxds_cluster_lrs_metrics(&all[i].As<gxds_cluster>()),
                                       gxds_cluster_lrs_metrics(&all[k].As<gxds_cluster>())),
                i == k);
    }
  }
  Decoded again = d.Decode(gxds_cluster_type,
                           base + Field(57, "named_metrics.b") + Field(57, "named_metrics.a"));
  EXPECT_TRUE(gxds_lrs_metrics_equal(gxds_cluster_lrs_metrics(&all[5].As<gxds_cluster>()),
                                     gxds_cluster_lrs_metrics(&again.As<gxds_cluster>())))
      << "in whatever order";
}

TEST(ClusterLimits, TheFirstThresholdOfPriorityDefaultCounts) {  // A32.1, A32.3
  auto limit = [](const std::string& thresholds) {
    return Cluster(kEds + ",'circuit_breakers':{'thresholds':[" + thresholds + "]}")
        ->max_concurrent_requests;
  };
  EXPECT_EQ(limit("{'max_requests':7}"), 7u);
  EXPECT_EQ(limit("{'priority':'HIGH','max_requests':1},{'max_requests':8},{'max_requests':9}"),
            8u);
  EXPECT_EQ(limit("{'priority':'HIGH','max_requests':1}"), 1024u);
  EXPECT_EQ(limit("{},{'max_requests':9}"), 1024u);
  EXPECT_EQ(limit("{'max_requests':0}"), 0u);
}

TEST(ClusterLimits, OtherLimitsAreIgnored) {  // A32.2
  Cluster c(kEds +
            ",'max_requests_per_connection':1,'circuit_breakers':{'thresholds':[{"
            "'max_connections':1,'max_pending_requests':1,'max_retries':1,"
            "'max_connection_pools':1}]}");
  EXPECT_EQ(c->max_concurrent_requests, 1024u);
}

}  // namespace
}  // namespace grpc_xds_test
