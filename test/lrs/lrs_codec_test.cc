#include "lrs/lrs_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/wire.h"
#include "envoy/config/core/v3/base.upb.h"
#include "envoy/config/endpoint/v3/load_report.upb.h"
#include "envoy/service/load_stats/v3/lrs.upb.h"
#include "google/protobuf/duration.upb.h"
#include "test/lrs/lrs_fakes.h"

namespace lrs_test {
namespace {

std::string Text(upb_StringView s) { return std::string(s.data, s.size); }

struct Arena {
  upb_Arena *arena = upb_Arena_New();
  ~Arena() { upb_Arena_Free(arena); }
};

// The fields 12, 13 and 14, which the tables of some hosts lack.
std::string Unnamed(const envoy_config_endpoint_v3_UpstreamLocalityStats *stats) {
  Arena a;
  size_t size = 0;
  const char *bytes =
      envoy_config_endpoint_v3_UpstreamLocalityStats_serialize(stats, a.arena, &size);
  gxds_str rest = gxds_str_of(bytes, size);
  std::string out;
  for (gxds_wire_field field; gxds_wire_next(&rest, &field);) {
    if (field.number >= 12) out.append(field.whole.data, field.whole.size);
  }
  return out;
}

struct Request : Arena {
  envoy_service_load_stats_v3_LoadStatsRequest *message;
  explicit Request(gxds_str take) {
    message = envoy_service_load_stats_v3_LoadStatsRequest_parse(take.data, take.size, arena);
    EXPECT_NE(message, nullptr);
    bytes = take;
  }
  ~Request() { gxds_str_free(&bytes); }
  gxds_str bytes;
};

gxds_str Whole(const gxds_load_report &report) {
  gxds_load_place place = {};
  gxds_str bytes = gxds_lrs_encode_report(&report, GXDS_LRS_REQUEST_BYTES_MAX, &place);
  EXPECT_EQ(place.cluster, report.cluster_count);
  return bytes;
}

TEST(LrsCodec, FirstRequestIsTheNodeWithOneMoreFeature) {
  Arena a;
  envoy_config_core_v3_Node *node = envoy_config_core_v3_Node_new(a.arena);
  envoy_config_core_v3_Node_set_id(node, upb_StringView_FromString("me"));
  envoy_config_core_v3_Node_add_client_features(node, upb_StringView_FromString("one"), a.arena);
  size_t size;
  char *bytes = envoy_config_core_v3_Node_serialize(node, a.arena, &size);
  Request r(gxds_lrs_encode_first_request(gxds_str_of(bytes, size)));
  const envoy_config_core_v3_Node *sent =
      envoy_service_load_stats_v3_LoadStatsRequest_node(r.message);
  EXPECT_EQ(Text(envoy_config_core_v3_Node_id(sent)), "me");
  size_t count;
  const upb_StringView *features = envoy_config_core_v3_Node_client_features(sent, &count);
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(Text(features[0]), "one");
  EXPECT_EQ(Text(features[1]), "envoy.lrs.supports_send_all_clusters");
}

TEST(LrsCodec, ReportCarriesEveryCount) {  // A27.43
  gxds_locality_report locality = {};
  locality.region = gxds_str_z("r");
  locality.zone = gxds_str_z("z");
  locality.sub_zone = gxds_str_z("s");
  locality.issued = 10;
  locality.succeeded = 6;
  locality.failed = 3;
  locality.in_progress = 1;
  gxds_drop_report drop = {gxds_str_z("lb"), 4, 1};
  gxds_cluster_report cluster = {};
  cluster.cluster = gxds_str_z("c");
  cluster.eds_service = gxds_str_z("svc");
  cluster.interval = 1500 * GXDS_MILLISECOND;
  cluster.localities = &locality;
  cluster.locality_count = 1;
  cluster.drops = &drop;
  cluster.drop_count = 1;
  cluster.total_dropped = 6;
  gxds_load_report report = {};
  report.clusters = &cluster;
  report.cluster_count = 1;
  Request r(Whole(report));
  EXPECT_FALSE(envoy_service_load_stats_v3_LoadStatsRequest_has_node(r.message));
  size_t count;
  auto *stats = envoy_service_load_stats_v3_LoadStatsRequest_cluster_stats(r.message, &count);
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(Text(envoy_config_endpoint_v3_ClusterStats_cluster_name(stats[0])), "c");
  EXPECT_EQ(Text(envoy_config_endpoint_v3_ClusterStats_cluster_service_name(stats[0])), "svc");
  EXPECT_EQ(envoy_config_endpoint_v3_ClusterStats_total_dropped_requests(stats[0]), 6u);
  auto *interval = envoy_config_endpoint_v3_ClusterStats_load_report_interval(stats[0]);
  EXPECT_EQ(google_protobuf_Duration_seconds(interval), 1);
  EXPECT_EQ(google_protobuf_Duration_nanos(interval), 500000000);
  auto *drops = envoy_config_endpoint_v3_ClusterStats_dropped_requests(stats[0], &count);
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(Text(envoy_config_endpoint_v3_ClusterStats_DroppedRequests_category(drops[0])), "lb");
  EXPECT_EQ(envoy_config_endpoint_v3_ClusterStats_DroppedRequests_dropped_count(drops[0]), 4u);
  auto *localities =
      envoy_config_endpoint_v3_ClusterStats_upstream_locality_stats(stats[0], &count);
  ASSERT_EQ(count, 1u);
  using L = const envoy_config_endpoint_v3_UpstreamLocalityStats;
  L *l = localities[0];
  auto *name = envoy_config_endpoint_v3_UpstreamLocalityStats_locality(l);
  EXPECT_EQ(Text(envoy_config_core_v3_Locality_region(name)), "r");
  EXPECT_EQ(Text(envoy_config_core_v3_Locality_zone(name)), "z");
  EXPECT_EQ(Text(envoy_config_core_v3_Locality_sub_zone(name)), "s");
  EXPECT_EQ(envoy_config_endpoint_v3_UpstreamLocalityStats_total_issued_requests(l), 10u);
  EXPECT_EQ(envoy_config_endpoint_v3_UpstreamLocalityStats_total_successful_requests(l), 6u);
  EXPECT_EQ(envoy_config_endpoint_v3_UpstreamLocalityStats_total_error_requests(l), 3u);
  EXPECT_EQ(envoy_config_endpoint_v3_UpstreamLocalityStats_total_requests_in_progress(l), 1u);
}

TEST(LrsCodec, MetricsOfBackendsAreInTheirFields) {  // A64.5, A85.6, A85.7
  gxds_metric_report metrics[] = {
      {GXDS_METRIC_CPU_UTILIZATION, {nullptr, 0}, 300, 0.5, nullptr},
      {GXDS_METRIC_MEM_UTILIZATION, {nullptr, 0}, 1, 0.25, nullptr},
      {GXDS_METRIC_APPLICATION_UTILIZATION, {nullptr, 0}, UINT64_MAX, 2, nullptr},
      {GXDS_METRIC_NAMED, gxds_str_z("queue"), 3, 4.5, nullptr},
      {GXDS_METRIC_NAMED, gxds_str_z(""), 1, -1, nullptr},
  };
  gxds_locality_report locality = {};
  locality.metrics = metrics;
  locality.metric_count = 5;
  gxds_cluster_report cluster = {};
  cluster.localities = &locality;
  cluster.locality_count = 1;
  gxds_load_report report = {};
  report.clusters = &cluster;
  report.cluster_count = 1;
  Request r(Whole(report));
  size_t count;
  auto *stats = envoy_service_load_stats_v3_LoadStatsRequest_cluster_stats(r.message, &count);
  auto *l = envoy_config_endpoint_v3_ClusterStats_upstream_locality_stats(stats[0], &count)[0];
  auto *named = envoy_config_endpoint_v3_UpstreamLocalityStats_load_metric_stats(l, &count);
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(Text(envoy_config_endpoint_v3_EndpointLoadMetricStats_metric_name(named[0])),
            "named_metrics.queue");
  EXPECT_EQ(
      envoy_config_endpoint_v3_EndpointLoadMetricStats_num_requests_finished_with_metric(named[0]),
      3u);
  EXPECT_EQ(envoy_config_endpoint_v3_EndpointLoadMetricStats_total_metric_value(named[0]), 4.5);
  EXPECT_EQ(Text(envoy_config_endpoint_v3_EndpointLoadMetricStats_metric_name(named[1])),
            "named_metrics.");
  // By the fields 12, 13 and 14: {requests: 300, sum: 0.5}, and so on.
  const std::string expected(
      "\x62\x0c\x08\xac\x02\x11\x00\x00\x00\x00\x00\x00\xe0\x3f"
      "\x6a\x0b\x08\x01\x11\x00\x00\x00\x00\x00\x00\xd0\x3f"
      "\x72\x14\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
      "\x11\x00\x00\x00\x00\x00\x00\x00\x40",
      14 + 13 + 22);
  EXPECT_EQ(Unnamed(l), expected);
}

TEST(LrsCodec, TargetsThatShareAStoreAreOneSumInTheReport) {
  Store store(gxds_load_store_create(nullptr, nullptr));
  gxds_bootstrap_server server = Server("lrs:1");
  gxds_load_store *views[] = {gxds_load_store_of_target(store.get(), gxds_str_z("a")),
                              gxds_load_store_of_target(store.get(), gxds_str_z("b"))};
  std::vector<Load> loads;
  for (gxds_load_store *view : views) {
    loads.push_back(Locality(view, server, "c", "z1"));
    loads.push_back(Locality(view, server, "c", "z2"));
    loads.push_back(Locality(view, server, "d", "z1"));
  }
  for (const Load &l : loads) Call(l);
  gxds_locality_load_started(loads[0].get());
  for (int i : {0, 3}) {  // the same locality of both clusters
    gxds_locality_load_reported(loads[i].get(), GXDS_METRIC_CPU_UTILIZATION, {nullptr, 0}, 0.25);
    gxds_locality_load_reported(loads[i].get(), GXDS_METRIC_NAMED, gxds_str_z("queue"), 1);
  }
  gxds_locality_load_finished(loads[0].get(), true);
  for (int round = 0; round < 2; round++) {
    gxds_load_report *report = gxds_load_report_build(store.get(), &server, {true, nullptr, 0}, 1);
    Request r(Whole(*report));
    gxds_load_report_sent(report);
    size_t count;
    auto *stats = envoy_service_load_stats_v3_LoadStatsRequest_cluster_stats(r.message, &count);
    ASSERT_EQ(count, 2u);
    auto *l = envoy_config_endpoint_v3_ClusterStats_upstream_locality_stats(stats[0], &count);
    ASSERT_EQ(count, 2u);
    auto issued = [&](size_t i) {
      return envoy_config_endpoint_v3_UpstreamLocalityStats_total_issued_requests(l[i]);
    };
    if (round == 1) {  // reported once
      EXPECT_EQ(issued(0) + issued(1), 0u);
      break;
    }
    EXPECT_EQ(issued(0), 3u);
    EXPECT_EQ(issued(1), 2u);
    EXPECT_EQ(envoy_config_endpoint_v3_UpstreamLocalityStats_total_error_requests(l[0]), 1u);
    auto *named = envoy_config_endpoint_v3_UpstreamLocalityStats_load_metric_stats(l[0], &count);
    ASSERT_EQ(count, 1u);
    EXPECT_EQ(envoy_config_endpoint_v3_EndpointLoadMetricStats_total_metric_value(named[0]), 2);
    // The field 12: {requests: 2, sum: 0.5}.
    EXPECT_EQ(Unnamed(l[0]),
              std::string("\x62\x0b\x08\x02\x11\x00\x00\x00\x00\x00\x00\xe0\x3f", 13));
  }
  for (gxds_load_store *view : views) gxds_load_store_unref(view);
}

// A report of clusters with that many localities each. The first has a drop.
struct Large {
  std::vector<std::vector<gxds_locality_report>> localities;
  std::vector<gxds_cluster_report> clusters;
  std::vector<std::string> names, zones;
  gxds_drop_report drop = {gxds_str_z("lb"), 4, 1};
  gxds_load_report report = {};

  explicit Large(const std::vector<size_t> &sizes) {
    clusters.resize(sizes.size());
    for (size_t i = 0; i < sizes.size(); i++) names.push_back("c" + std::to_string(i));
    for (size_t i = 0; i < 1000; i++) zones.push_back("z" + std::to_string(i));
    for (size_t i = 0; i < sizes.size(); i++) {
      localities.emplace_back(sizes[i]);
      for (size_t k = 0; k < sizes[i]; k++) localities[i][k].zone = gxds_str_z(zones[k].c_str());
      clusters[i].cluster = gxds_str_z(names[i].c_str());
      clusters[i].interval = 5 * GXDS_SECOND;
      clusters[i].localities = localities[i].data();
      clusters[i].locality_count = sizes[i];
    }
    clusters[0].drops = &drop;
    clusters[0].drop_count = 1;
    clusters[0].total_dropped = 4;
    report.clusters = clusters.data();
    report.cluster_count = clusters.size();
  }

  // The requests, separated by "|", none larger than max bytes: "c0(z0 z1, 4 dropped) c1(z0) |
  // c1(z1)".
  std::string Requests(size_t max) const {
    std::string out;
    gxds_load_place place = {};
    do {
      Request r(gxds_lrs_encode_report(&report, max, &place));
      EXPECT_LE(r.bytes.size, max);
      if (!out.empty()) out += " | ";
      out += Contents(r);
    } while (place.cluster < report.cluster_count);
    return out;
  }
  static std::string Contents(const Request &r) {
    std::string out;
    size_t count, n;
    auto *stats = envoy_service_load_stats_v3_LoadStatsRequest_cluster_stats(r.message, &count);
    for (size_t i = 0; i < count; i++) {
      out +=
          (i ? " " : "") + Text(envoy_config_endpoint_v3_ClusterStats_cluster_name(stats[i])) + "(";
      auto *ls = envoy_config_endpoint_v3_ClusterStats_upstream_locality_stats(stats[i], &n);
      for (size_t k = 0; k < n; k++) {
        auto *name = envoy_config_endpoint_v3_UpstreamLocalityStats_locality(ls[k]);
        out += (k ? " " : "") + Text(envoy_config_core_v3_Locality_zone(name));
      }
      uint64_t drops = envoy_config_endpoint_v3_ClusterStats_total_dropped_requests(stats[i]);
      auto *interval = envoy_config_endpoint_v3_ClusterStats_load_report_interval(stats[i]);
      EXPECT_EQ(google_protobuf_Duration_seconds(interval), 5);
      envoy_config_endpoint_v3_ClusterStats_dropped_requests(stats[i], &n);
      EXPECT_EQ(n, drops ? 1u : 0u);
      out += (drops ? ", " + std::to_string(drops) + " dropped)" : ")");
    }
    return out;
  }
};

TEST(LrsCodec, ReportIsDividedBetweenClusters) {
  const Large large({2, 2, 1});
  EXPECT_EQ(large.Requests(1 << 20), "c0(z0 z1, 4 dropped) c1(z0 z1) c2(z0)");
  EXPECT_EQ(large.Requests(500), "c0(z0 z1, 4 dropped) | c1(z0 z1) | c2(z0)");
}

TEST(LrsCodec, ClusterThatFitsNoRequestIsDividedBetweenLocalities) {
  const Large large({6, 0, 1});
  EXPECT_EQ(large.Requests(450), "c0(z0 z1, 4 dropped) | c0(z2 z3 z4) | c0(z5) c1() | c2(z0)");
}

TEST(LrsCodec, LocalityThatFitsNoRequestGoesAlone) {
  const Large large({2, 1});
  gxds_load_place place = {};
  std::string out;
  while (place.cluster < large.report.cluster_count) {
    out += Large::Contents(Request(gxds_lrs_encode_report(&large.report, 1, &place))) + " ";
  }
  EXPECT_EQ(out, "c0(z0, 4 dropped) c0(z1) c1(z0) ");
}

// With the longest numbers, to check that the size of a request is never underestimated.
TEST(LrsCodec, RequestIsNeverAboveItsSize) {
  Large large({100, 300, 1, 0, 40});
  std::vector<gxds_metric_report> metrics(30);
  std::string name(256, 'n');
  for (size_t i = 0; i < metrics.size(); i++) {
    metrics[i] = {
        gxds_load_metric(std::min(i, size_t{GXDS_METRIC_NAMED})), {}, UINT64_MAX, 1.5, nullptr};
    if (i >= GXDS_METRIC_NAMED) metrics[i].name = gxds_str_of(name.data(), i * 8 % 257);
  }
  for (auto &cluster : large.localities) {
    for (auto &l : cluster) {
      l.region = l.sub_zone = gxds_str_of(name.data(), name.size());
      l.issued = l.succeeded = l.failed = l.in_progress = UINT64_MAX;
      l.metrics = metrics.data();
      l.metric_count = size_t(&l - cluster.data()) % (metrics.size() + 1);
    }
  }
  for (size_t max : {10000, 20000, 50000, 300000}) large.Requests(max);
}

struct Response {
  gxds_lrs_response r;
  bool ok;
  explicit Response(const std::string &bytes) {
    gxds_status status = gxds_lrs_decode_response(bytes.data(), bytes.size(), &r);
    ok = gxds_status_is_ok(&status);
    gxds_status_fini(&status);
  }
  ~Response() { gxds_lrs_response_fini(&r); }
};

TEST(LrsCodec, NamedClustersAreSortedAndEachOnce) {
  Response r(
      std::string("\x0a\x01"
                  "b"
                  "\x0a\x01"
                  "a"
                  "\x0a\x01"
                  "b",
                  9));
  ASSERT_TRUE(r.ok);
  EXPECT_FALSE(r.r.all_clusters);
  ASSERT_EQ(r.r.cluster_count, 2u);
  EXPECT_EQ(lrs_test::Text(r.r.clusters[0]), "a");
  EXPECT_EQ(lrs_test::Text(r.r.clusters[1]), "b");
}

TEST(LrsCodec, SendAllClustersMakesNamesMeaningless) {
  Response r(
      std::string("\x0a\x01"
                  "b"
                  "\x20\x01",
                  5));
  ASSERT_TRUE(r.ok);
  EXPECT_TRUE(r.r.all_clusters);
  EXPECT_EQ(r.r.cluster_count, 0u);
}

TEST(LrsCodec, IntervalHasAFloorOfOneSecond) {
  EXPECT_EQ(Response(std::string("\x12\x02\x08\x05", 4)).r.interval, 5 * GXDS_SECOND);
  EXPECT_EQ(Response("").r.interval, GXDS_SECOND) << "absent";
  EXPECT_EQ(Response(std::string("\x12\x02\x10\x05", 4)).r.interval, GXDS_SECOND) << "5 ns";
  EXPECT_EQ(Response("\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").r.interval,
            GXDS_SECOND)
      << "negative";
}

TEST(LrsCodec, HugeIntervalIsBounded) {
  EXPECT_EQ(Response("\x12\x0a\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f").r.interval,
            GXDS_LRS_INTERVAL_MAX);
}

TEST(LrsCodec, NonsenseIsRefused) {
  Response r(
      std::string("\x0a\x10"
                  "abc",
                  5));
  EXPECT_FALSE(r.ok);
  EXPECT_EQ(r.r.cluster_count, 0u);
}

TEST(LrsCodec, ResponsesCompareByWhatTheyRequest) {
  Response a(
      "\x0a\x01"
      "a"),
      b("\x0a\x01"
        "b"),
      again(
          "\x0a\x01"
          "a");
  Response all("\x20\x01"), slower(
                                "\x0a\x01"
                                "a\x12\x02\x08\x05");
  EXPECT_TRUE(gxds_lrs_response_equal(&a.r, &again.r));
  EXPECT_FALSE(gxds_lrs_response_equal(&a.r, &b.r));
  EXPECT_FALSE(gxds_lrs_response_equal(&a.r, &all.r));
  EXPECT_FALSE(gxds_lrs_response_equal(&a.r, &slower.r));
}

}  // namespace
}  // namespace lrs_test
