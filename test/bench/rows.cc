#include "test/bench/rows.h"

#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "test/bench/resources.h"

namespace gxds_bench {
namespace {

constexpr int kLocalities = 10;
constexpr int kEndpointsOfACluster = 10;

const char* Name(Variant v) {
  return v == Variant::kPlain ? "plain" : v == Variant::kHost ? "host" : "ours";
}

// 1234567: "1,234,567"
std::string Grouped(long number) {
  std::string text = std::to_string(number);
  for (size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

// An address of this machine on which nobody listens: a connection is refused at once.
Endpoint Refusing(long number) {
  const long n = number + 256;
  return {"127." + std::to_string(1 + (n >> 16)) + "." + std::to_string(n >> 8 & 255) + "." +
              std::to_string(n & 255),
          1};
}

// CPU seconds of each of the updates that push() makes; nothing if one failed.
std::optional<double> CpuOfUpdates(const Client& client, int updates,
                                   const std::function<bool(int)>& push) {
  client.WaitForQuiet();
  const double before = client.Cpu();
  for (int i = 0; i < updates; ++i) {
    if (!push(i)) return std::nullopt;
    client.WaitForQuiet(std::chrono::milliseconds(20));
  }
  return (client.Cpu() - before) / updates;
}

void Note(const char* what, long size, Variant v) {
  fprintf(stderr, "%s %s: %s\n", what, size == 0 ? "" : Grouped(size).c_str(), Name(v));
}

}  // namespace

Rows::Rows(Report* report) : report_(report) {
  for (int i = 0; i < kLocalities; ++i) {
    backends_.push_back(std::make_unique<gxds_test::Backend>("b" + std::to_string(i)));
  }
}

ClientOptions Rows::Options(Variant variant) const {
  ClientOptions options;
  options.variant = variant;
  options.target = variant == Variant::kPlain
                       ? "ipv4:127.0.0.1:" + std::to_string(backends_[0]->port())
                       : "xds:///bench";
  options.bootstrap = plane_.Bootstrap();
  return options;
}

void Rows::Serve(const std::vector<Route>& routes) {
  plane_.Clear();
  plane_.Set(kListener, "bench", ListenerBytes("bench", "routes"));
  plane_.Set(kRoutes, "routes",
             RoutesBytes("routes",
                         routes.empty() ? std::vector<Route>{{Match::kPrefix, "", "c0"}} : routes));
  plane_.Set(kCluster, "c0", ClusterBytes("c0"));
  plane_.Set(kEndpoints, "c0", EndpointsBytes("c0", {{{"127.0.0.1", backends_[0]->port()}}}));
}

void Rows::RpcCpu(long calls) {
  Serve();
  Row& row = report_->At("rpc_cpu", 0, "unary RPC, CPU of the client", "us");
  for (Variant v : {Variant::kPlain, Variant::kHost, Variant::kOurs}) {
    Note("CPU of a unary RPC", 0, v);
    Client client(Options(v));
    if (!client.First() || !client.Calls(calls / 10)) continue;
    if (auto cost = client.Calls(calls)) row.Of(v).values.push_back(cost->cpu_seconds * 1e6);
  }
}

void Rows::RpcInstructions(long routes, bool polls) {
  if (!HaveValgrind()) return;
  std::vector<Route> list;
  for (long i = 1; i < routes; ++i) {
    list.push_back({Match::kPath, "/bench/Route" + std::to_string(i), "c0"});
  }
  list.push_back({Match::kPath, "/bench/Call", "c0"});
  Serve(list);
  Row& row = polls
                 ? report_->At("rpc", 0, "unary RPC, load reported, program with a polling thread",
                               "instructions")
                 : report_->At("routes", routes,
                               "unary RPC with " + Grouped(routes) +
                                   (routes == 1 ? " route" : " routes") + ", synchronous program",
                               "instructions");
  for (Variant v : {Variant::kPlain, Variant::kHost, Variant::kOurs}) {
    if (v == Variant::kPlain && routes != 1) continue;
    Note("instructions of a unary RPC, routes", routes, v);
    ClientOptions options = Options(v);
    options.counts_instructions = true;
    options.polls = polls;
    Client client(options);
    if (!client.First() || !client.Calls(50)) continue;
    if (auto cost = client.Calls(300)) row.Of(v).values.push_back(cost->instructions);
  }
}

void Rows::Endpoints(long count, int updates, bool with_host) {
  std::vector<std::vector<Endpoint>> localities(kLocalities);
  for (int i = 0; i < kLocalities; ++i) {
    localities[i].push_back({"127.0.0.1", backends_[i]->port()});
  }
  for (long i = kLocalities; i < count; ++i) {
    localities[static_cast<size_t>(i % kLocalities)].push_back(Refusing(i));
  }
  const std::string of = " of " + Grouped(count) + " endpoints";
  for (Variant v : {Variant::kHost, Variant::kOurs}) {
    if (v == Variant::kHost && !with_host) continue;
    Note("endpoints", count, v);
    Serve();
    plane_.Set(kEndpoints, "c0", EndpointsBytes("c0", localities));
    Client client(Options(v));
    auto first = client.First();
    if (!first) continue;
    report_->At("first_endpoints", count, "channel to first RPC, one cluster" + of, "s")
        .Of(v)
        .values.push_back(*first);
    client.WaitForQuiet();
    report_->At("memory", count, "resident memory of the client, one cluster" + of, "kB")
        .Of(v)
        .values.push_back(client.Memory() / 1000);
    auto changed = localities;
    auto cpu = CpuOfUpdates(client, updates, [&](int i) {
      changed[static_cast<size_t>(i % kLocalities)][1] = Refusing(count + i);
      return plane_.Push(kEndpoints, "c0", EndpointsBytes("c0", changed));
    });
    if (!cpu) continue;
    report_->At("endpoint_change", count, "one" + of + " changes, CPU", "ms")
        .Of(v)
        .values.push_back(*cpu * 1e3);
  }
}

void Rows::Clusters(long count, int updates, bool with_host) {
  std::vector<Route> routes;
  for (long i = 0; i < count; ++i) {
    const std::string name = "c" + std::to_string(i);
    routes.push_back({Match::kPath, i == 0 ? "/bench/Call" : "/bench/" + name, name});
  }
  auto endpoints_of = [&](long cluster, bool swapped) {
    std::vector<Endpoint> endpoints = {{"127.0.0.1", backends_[0]->port()}};
    for (long i = 1; i < kEndpointsOfACluster; ++i) {
      endpoints.push_back(Refusing(cluster * kEndpointsOfACluster + i));
    }
    if (swapped) std::swap(endpoints[1], endpoints[2]);
    return EndpointsBytes("c" + std::to_string(cluster), {endpoints});
  };
  for (Variant v : {Variant::kHost, Variant::kOurs}) {
    if (v == Variant::kHost && !with_host) continue;
    Note("clusters", count, v);
    Serve(routes);
    for (long i = 0; i < count; ++i) {
      const std::string name = "c" + std::to_string(i);
      plane_.Set(kCluster, name, ClusterBytes(name));
      plane_.Set(kEndpoints, name, endpoints_of(i, false));
    }
    Client client(Options(v));
    auto first = client.First();
    if (!first) continue;
    report_
        ->At("first_clusters", count,
             "channel to first RPC, " + Grouped(count) + " clusters of 10 endpoints", "s")
        .Of(v)
        .values.push_back(*first);
    client.WaitForQuiet();
    auto cpu = CpuOfUpdates(client, updates, [&](int i) {
      const long cluster = 1 + i % (count - 1);
      return plane_.Push(kEndpoints, "c" + std::to_string(cluster), endpoints_of(cluster, true));
    });
    if (!cpu) continue;
    report_
        ->At("cluster_change", count, "EDS of one of " + Grouped(count) + " clusters changes, CPU",
             "ms")
        .Of(v)
        .values.push_back(*cpu * 1e3);
  }
}

void Rows::Moved(int moves) {
  Row& row = report_->At("moved", 0, "EDS moved to another backend, to the first RPC there", "ms");
  for (Variant v : {Variant::kHost, Variant::kOurs}) {
    Note("EDS moved", 0, v);
    Serve();
    Client client(Options(v));
    if (!client.First()) continue;
    for (int i = 1; i <= moves; ++i) {
      gxds_test::Backend& next = *backends_[static_cast<size_t>(i % kLocalities)];
      client.WaitForQuiet();
      const long before = next.calls();
      const auto start = std::chrono::steady_clock::now();
      if (!plane_.Push(kEndpoints, "c0", EndpointsBytes("c0", {{{"127.0.0.1", next.port()}}})))
        break;
      while (next.calls() == before) {
        if (!client.Call()) break;
      }
      const auto took = std::chrono::steady_clock::now() - start;
      row.Of(v).values.push_back(std::chrono::duration<double, std::milli>(took).count());
    }
  }
}

}  // namespace gxds_bench
