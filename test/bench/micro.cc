// The cost of single steps, with Google Benchmark: bazel-bin/test/bench/micro --help
//
// The times are of one machine in one run. Compare only lines of the same run.
#include <benchmark/benchmark.h>
#include <grpc/grpc.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "host/host_get.h"
#include "lb_policies/ring_hash/ring.h"
#include "lrs/load_store.h"
#include "test/bench/decoding.h"
#include "test/bench/resources.h"
#include "xds_resolver/route_table.h"

namespace gxds_bench {
namespace {

gxds_str Str(const std::string& s) { return gxds_str_of(s.data(), s.size()); }

// ---- endpoints: from the bytes to the resource

void EndpointsRaw(benchmark::State& state) {
  const std::string bytes = EndpointsOf(state.range(0), false);
  for (auto _ : state) DecodeRaw(bytes);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void EndpointsBuild(benchmark::State& state) {
  const std::string bytes = EndpointsOf(state.range(0), false);
  Decoder decoder;
  for (auto _ : state) gxds_resource_unref(decoder.Decode(gxds_endpoints_type, bytes));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

// One endpoint differs from the resource before.
void EndpointsChange(benchmark::State& state) {
  const std::string bytes = EndpointsOf(state.range(0), false);
  Decoder decoder;
  const gxds_resource* before =
      decoder.Decode(gxds_endpoints_type, EndpointsOf(state.range(0), true));
  for (auto _ : state) gxds_resource_unref(decoder.Decode(gxds_endpoints_type, bytes, before));
  gxds_resource_unref(before);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(EndpointsRaw)->Arg(10)->Arg(1000)->Arg(10000);
BENCHMARK(EndpointsBuild)->Arg(10)->Arg(1000)->Arg(10000);
BENCHMARK(EndpointsChange)->Arg(10)->Arg(1000)->Arg(10000);

// ---- the snapshot: one of many clusters gets other endpoints, and the difference is found

void Nothing(void*, const gxds_cluster_entry*, const gxds_cluster_entry*) {}

void SnapshotChange(benchmark::State& state) {
  Decoder decoder;
  const std::string changing = "c" + std::to_string(state.range(0) / 2);
  const gxds_resource* cluster = decoder.Decode(gxds_cluster_type, ClusterBytes("c0"));
  const gxds_resource* endpoints = decoder.Decode(gxds_endpoints_type, EndpointsOf(10, false));
  auto entry = [&](const std::string& name) {
    return gxds_cluster_entry_endpoints(Str(name), reinterpret_cast<const gxds_cluster*>(cluster),
                                        reinterpret_cast<const gxds_endpoints*>(endpoints),
                                        nullptr);
  };
  const gxds_cluster_map* map = nullptr;
  auto put = [&](const std::string& name) {
    const gxds_cluster_map* next = gxds_cluster_map_put(map, entry(name));
    std::swap(map, next);
    return next;
  };
  for (long i = 0; i < state.range(0); ++i) gxds_name_map_unref(put("c" + std::to_string(i)));
  for (auto _ : state) {
    const gxds_cluster_map* before = put(changing);
    gxds_cluster_map_diff(before, map, Nothing, nullptr);
    gxds_name_map_unref(before);
  }
  gxds_name_map_unref(map);
  gxds_resource_unref(cluster);
  gxds_resource_unref(endpoints);
}

BENCHMARK(SnapshotChange)->Arg(1000)->Arg(10000)->Arg(100000);

// ---- routing: an RPC that the last of many routes matches

bool Tenant(void*, gxds_str name, gxds_str* value) {
  if (!gxds_str_equal(name, gxds_str_z("tenant"))) return false;
  *value = gxds_str_z("nobody");
  return true;
}

void MatchRoutes(benchmark::State& state, const std::vector<Route>& routes) {
  Decoder decoder;
  const gxds_resource* listener = decoder.Decode(gxds_listener_type, ListenerBytes("bench", "r"));
  const gxds_resource* config =
      decoder.Decode(gxds_route_config_type, RoutesBytes("bench", routes));
  const auto* rc = reinterpret_cast<const gxds_route_config*>(config);
  const gxds_names* names = gxds_route_cluster_names(&rc->virtual_hosts[0]);
  const gxds_route_table* table = gxds_route_table_create(
      rc, &rc->virtual_hosts[0], reinterpret_cast<const gxds_listener*>(listener), names,
      gxds_host_get());
  gxds_route_request request = {};
  request.path = gxds_str_z("/bench/Call");
  request.header = Tenant;
  request.random = [] {
    static gxds_random random = {1};
    return &random;
  };
  for (auto _ : state) benchmark::DoNotOptimize(gxds_route_table_find(table, &request));
  gxds_route_table_destroy(table);
  gxds_names_unref(names);
  gxds_resource_unref(config);
  gxds_resource_unref(listener);
}

void RouteByPath(benchmark::State& state) { MatchRoutes(state, PathRoutes(state.range(0))); }
// The same number of routes, of which a hundred match by regular expression, a hundred by header,
// and half of the others by prefix.
void RouteMix(benchmark::State& state) { MatchRoutes(state, MixedRoutes(state.range(0))); }

BENCHMARK(RouteByPath)->Arg(1)->Arg(100)->Arg(10000);
BENCHMARK(RouteMix)->Arg(10000);

// ---- load: an RPC is counted, by threads that share the locality

void CountLoad(benchmark::State& state) {
  static gxds_load_store* store;
  static gxds_locality_load* load;
  if (state.thread_index() == 0) {
    static gxds_bootstrap_server server;
    server.uri = gxds_str_z("bench");
    store = gxds_load_store_create([](void*, const gxds_bootstrap_server*) {}, nullptr);
    load = gxds_load_store_locality(store, &server, gxds_str_z("c"), gxds_str_z("e"),
                                    gxds_str_z("region"), gxds_str_z("zone"), gxds_str_z(""));
  }
  for (auto _ : state) {
    gxds_locality_load_started(load);
    gxds_locality_load_finished(load, false);
  }
  if (state.thread_index() == 0) {
    gxds_locality_load_unref(load);
    gxds_load_store_close(store);
    gxds_load_store_unref(store);
  }
}

BENCHMARK(CountLoad)->Threads(1)->Threads(2)->Threads(4);

// ---- a ring of many endpoints: finding the place of a hash

void RingFind(benchmark::State& state) {
  std::vector<std::string> keys;
  for (long i = 0; i < state.range(0); ++i) keys.push_back("10.0.0.1:" + std::to_string(i));
  std::vector<gxds_ring_member> members;
  for (const std::string& key : keys) members.push_back({Str(key), 1});
  const gxds_ring* ring = gxds_ring_create(members.data(), members.size(), 1024, 8192);
  uint64_t hash = 1;
  for (auto _ : state) {
    hash = hash * 6364136223846793005u + 1442695040888963407u;
    benchmark::DoNotOptimize(gxds_ring_find(ring, hash));
  }
  gxds_ring_unref(ring);
}

BENCHMARK(RingFind)->Arg(10)->Arg(1000);

}  // namespace
}  // namespace gxds_bench

int main(int argc, char** argv) {
  grpc_init();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  grpc_shutdown();
  return 0;
}
