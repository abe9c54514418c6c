#include "lrs/load_metrics.h"

#include <gtest/gtest.h>

#include "test/lrs/lrs_fakes.h"

namespace lrs_test {
namespace {

std::string Render(const Store &store) {
  const gxds_load_source source = {store.get(), gxds_str_z("xds:///a")};
  gxds_text text = {};
  gxds_load_metrics_render(&source, 1, &text);
  std::string out = Text(gxds_text_str(&text));
  gxds_text_fini(&text);
  return out;
}

std::string Line(const std::string &kind, const std::string &zone, const std::string &value) {
  return "grpc_xds_client_locality_rpcs_" + kind +
         "_total{grpc_target=\"xds:///a\",grpc_lb_backend_service=\"c\",grpc_lb_locality=\"{region="
         "\\\"r\\\", zone=\\\"" +
         zone +
         "\\\", sub_zone=\\\"s\\\"}\",grpc_xds_eds_service=\"svc\",grpc_xds_server=\"lrs:1\"} " +
         value + "\n";
}

TEST(LoadMetrics, EveryFamilyIsDeclaredEvenWithoutLoad) {
  Store store(gxds_load_store_create(nullptr, nullptr));
  EXPECT_EQ(
      Render(store),
      "# HELP grpc_xds_client_locality_rpcs_started_total RPC attempts started on a backend of "
      "the locality.\n"
      "# TYPE grpc_xds_client_locality_rpcs_started_total counter\n"
      "# HELP grpc_xds_client_locality_rpcs_succeeded_total RPC attempts on a backend of the "
      "locality that ended with OK.\n"
      "# TYPE grpc_xds_client_locality_rpcs_succeeded_total counter\n"
      "# HELP grpc_xds_client_locality_rpcs_failed_total RPC attempts on a backend of the "
      "locality that ended otherwise.\n"
      "# TYPE grpc_xds_client_locality_rpcs_failed_total counter\n");
}

TEST(LoadMetrics, AreTheRpcsOfEachLocalityThatAReportDoesNotReset) {
  Store store(gxds_load_store_create(nullptr, nullptr));
  gxds_bootstrap_server server = Server("lrs:1");
  Load a = Locality(store.get(), server, "c", "a", "svc");
  Load b = Locality(store.get(), server, "c", "b", "svc");
  Call(a);
  Call(a);
  Call(a, true);
  gxds_locality_load_started(a.get());
  gxds_load_report_sent(gxds_load_report_build(store.get(), &server, {true, nullptr, 0}, 1));
  const std::string all = Render(store);
  for (const std::string &line :
       {Line("started", "a", "4"), Line("succeeded", "a", "2"), Line("failed", "a", "1"),
        Line("started", "b", "0"), Line("succeeded", "b", "0"), Line("failed", "b", "0")}) {
    EXPECT_NE(all.find(line), std::string::npos) << line << all;
  }
  gxds_locality_load_finished(a.get(), false);
}

TEST(LoadMetrics, EachTargetThatSharesAStoreHasItsOwnCounts) {
  Store store(gxds_load_store_create(nullptr, nullptr));
  gxds_load_store *view = gxds_load_store_of_target(store.get(), gxds_str_z("xds:///b"));
  gxds_bootstrap_server server = Server("lrs:1");
  Load a = Locality(store.get(), server, "c", "z", "svc");
  Load b = Locality(view, server, "c", "z", "svc");
  Load again = Locality(view, server, "c", "z", "svc");
  EXPECT_NE(a.get(), b.get());
  EXPECT_EQ(b.get(), again.get());
  Call(a);
  Call(b);
  Call(b, true);
  const std::string all = Render(store);
  std::string of_b = Line("started", "z", "2");
  of_b.replace(of_b.find("xds:///a"), 8, "xds:///b");
  EXPECT_NE(all.find(Line("started", "z", "1")), std::string::npos) << all;
  EXPECT_NE(all.find(of_b), std::string::npos) << all;
  gxds_load_store_unref(view);
}

}  // namespace
}  // namespace lrs_test
