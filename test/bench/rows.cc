#include "test/bench/rows.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "test/bench/decoding.h"
#include "test/bench/resources.h"

namespace gxds_bench {
namespace {

constexpr int kLocalities = 10;
constexpr int kEndpointsOfACluster = 10;
constexpr std::chrono::seconds kPatience(300);  // with a client under valgrind

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

using Push = std::function<bool(int)>;

// Makes the updates one after the other; false if one failed.
bool MakeUpdates(const Client& client, int updates, const Push& push) {
  for (int i = 0; i < updates; ++i) {
    if (!push(i) || !client.WaitForQuiet(std::chrono::milliseconds(20))) return false;
  }
  return true;
}

// What each of the updates costs that push() makes, by what the client used() so far; nothing if
// one failed. Taken off is what the client uses afterwards in as much time (five seconds of it at
// most) when nothing comes: gRPC looks at its sockets and timers by the clock, and under valgrind
// an update takes long.
std::optional<double> CostOfUpdates(const Client& client, int updates, const Push& push,
                                    const std::function<double()>& used) {
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  if (!client.WaitForQuiet()) return std::nullopt;
  const double before = used();
  const Clock::time_point start = Clock::now();
  if (!MakeUpdates(client, updates, push)) return std::nullopt;
  const double after = used();
  const Seconds took = Clock::now() - start;
  const Clock::time_point idle_start = Clock::now();
  std::this_thread::sleep_for(std::min(took, Seconds(5)));
  const double idle = used() - after;
  const Seconds idle_took = Clock::now() - idle_start;
  return (after - before - idle * (took / idle_took)) / updates;
}

std::optional<double> CpuOfUpdates(const Client& client, int updates, const Push& push) {
  return CostOfUpdates(client, updates, push, [&client] { return client.Cpu(); });
}

std::optional<double> InstructionsOfUpdates(Client* client, int updates, const Push& push) {
  return CostOfUpdates(*client, updates, push, [client] { return client->Instructions(); });
}

// CPU seconds for which protobuf alone reads an EDS resource.
double CpuOfRawDecode(const std::string& bytes) {
  constexpr int kRounds = 50;
  const clock_t before = clock();
  for (int i = 0; i < kRounds; ++i) DecodeRaw(bytes);
  return static_cast<double>(clock() - before) / CLOCKS_PER_SEC / kRounds;
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

void Rows::Instructions(Row* row, bool plain, bool polls) {
  constexpr long kCalls = 500;
  for (Variant v : {Variant::kPlain, Variant::kHost, Variant::kOurs}) {
    if (v == Variant::kPlain && !plain) continue;
    Note(row->title.c_str(), 0, v);
    ClientOptions options = Options(v);
    options.counts_instructions = true;
    options.polls = polls;
    Client client(options);
    if (!client.First() || !client.Calls(50)) continue;
    auto cost = client.Calls(kCalls);
    if (!cost) continue;
    // What goes by the clock is no call's, and under valgrind a call takes long.
    const std::chrono::duration<double> took(cost->seconds * kCalls);
    auto idle = client.Idle(std::chrono::duration_cast<std::chrono::milliseconds>(took));
    if (idle) row->Of(v).values.push_back(cost->instructions - *idle / kCalls);
  }
}

void Rows::RpcInstructions() {
  if (!HaveValgrind()) return;
  Serve(PathRoutes(1));
  Instructions(&report_->At("rpc", 0, "unary RPC, load reported, program with a polling thread",
                            "instructions"),
               true, true);
}

void Rows::RpcRoutes(long routes, bool mixed) {
  if (!HaveValgrind()) return;
  Serve(mixed ? MixedRoutes(routes) : PathRoutes(routes));
  const std::string of = Grouped(routes) + (mixed         ? " routes of all kinds"
                                            : routes == 1 ? " route"
                                                          : " routes");
  Instructions(&report_->At(mixed ? "mixed_routes" : "routes", routes,
                            "unary RPC with " + of + ", synchronous program", "instructions"),
               routes == 1, false);
}

Localities Rows::LocalitiesOf(long count) const {
  Localities localities(kLocalities);
  for (size_t i = 0; i < kLocalities; ++i) {
    localities[i].push_back({"127.0.0.1", backends_[i]->port()});
  }
  for (long i = kLocalities; i < count; ++i) {
    localities[static_cast<size_t>(i % kLocalities)].push_back(Refusing(i));
  }
  return localities;
}

bool Rows::ChangeEndpoint(Localities* localities, long count, int update) {
  (*localities)[static_cast<size_t>(update % kLocalities)][1] = Refusing(count + update);
  return plane_.Push(kEndpoints, "c0", EndpointsBytes("c0", *localities));
}

void Rows::Endpoints(long count, int updates, bool with_host) {
  const std::string of = " of " + Grouped(count) + " endpoints";
  for (Variant v : {Variant::kHost, Variant::kOurs}) {
    if (v == Variant::kHost && !with_host) continue;
    Note("endpoints", count, v);
    Row& first_row =
        report_->At("first_endpoints", count, "channel to first RPC, one cluster" + of, "s");
    Row& memory_row =
        report_->At("memory", count, "resident memory of the client, one cluster" + of, "kB");
    Row& change_row = report_->At("endpoint_change", count, "one" + of + " changes, CPU", "ms");
    Localities localities = LocalitiesOf(count);
    Serve();
    plane_.Set(kEndpoints, "c0", EndpointsBytes("c0", localities));
    Client client(Options(v));
    auto first = client.First();
    if (!first) continue;
    first_row.Of(v).values.push_back(*first);
    if (!client.WaitForQuiet()) continue;
    memory_row.Of(v).values.push_back(client.Memory() / 1000);
    auto cpu =
        CpuOfUpdates(client, updates, [&](int i) { return ChangeEndpoint(&localities, count, i); });
    if (!cpu) continue;
    change_row.Of(v).values.push_back(*cpu * 1e3);
    if (v == Variant::kOurs) {
      change_row.plain.values.push_back(CpuOfRawDecode(EndpointsBytes("c0", localities)) * 1e3);
    }
  }
}

void Rows::EndpointInstructions(long count, int updates) {
  if (!HaveValgrind()) return;
  Note("one endpoint changes, in instructions,", count, Variant::kOurs);
  Row& row = report_->At("endpoint_change_instructions", count,
                         "one of " + Grouped(count) + " endpoints changes", "instructions");
  Localities localities = LocalitiesOf(count);
  Serve();
  plane_.Set(kEndpoints, "c0", EndpointsBytes("c0", localities));
  ClientOptions options = Options(Variant::kOurs);
  options.counts_instructions = true;
  Client client(options);
  if (!client.First(kPatience)) return;
  auto cost = InstructionsOfUpdates(&client, updates,
                                    [&](int i) { return ChangeEndpoint(&localities, count, i); });
  if (!cost) return;
  row.ours.values.push_back(*cost);
  row.plain.values.push_back(InstructionsOfRawDecode(EndpointsBytes("c0", localities)));
}

std::string Rows::EndpointsOfCluster(long cluster, bool swapped) const {
  std::vector<Endpoint> endpoints = {{"127.0.0.1", backends_[0]->port()}};
  for (long i = 1; i < kEndpointsOfACluster; ++i) {
    endpoints.push_back(Refusing(cluster * kEndpointsOfACluster + i));
  }
  if (swapped) std::swap(endpoints[1], endpoints[2]);
  return EndpointsBytes("c" + std::to_string(cluster), {endpoints});
}

void Rows::ServeClusters(long count) {
  std::vector<Route> routes;
  for (long i = 0; i < count; ++i) {
    const std::string name = "c" + std::to_string(i);
    routes.push_back({Match::kPath, i == 0 ? "/bench/Call" : "/bench/" + name, name});
  }
  Serve(routes);
  for (long i = 0; i < count; ++i) {
    const std::string name = "c" + std::to_string(i);
    plane_.Set(kCluster, name, ClusterBytes(name));
    plane_.Set(kEndpoints, name, EndpointsOfCluster(i, false));
  }
}

bool Rows::ChangeCluster(long count, int update) {
  const long cluster = 1 + update % (count - 1);
  return plane_.Push(kEndpoints, "c" + std::to_string(cluster), EndpointsOfCluster(cluster, true));
}

void Rows::Clusters(long count, int updates, bool with_host, std::chrono::seconds patience) {
  for (Variant v : {Variant::kHost, Variant::kOurs}) {
    if (v == Variant::kHost && !with_host) continue;
    Note("clusters", count, v);
    const std::string of = Grouped(count) + " clusters";
    Row& first_row = report_->At("first_clusters", count,
                                 "channel to first RPC, " + of + " of 10 endpoints", "s");
    Row& change_row =
        report_->At("cluster_change", count, "EDS of one of " + of + " changes, CPU", "ms");
    ServeClusters(count);
    Client client(Options(v));
    auto first = client.First(patience);
    if (!first) {
      first_row.Of(v).beyond = static_cast<double>(patience.count());
      continue;
    }
    first_row.Of(v).values.push_back(*first);
    auto cpu = CpuOfUpdates(client, updates, [&](int i) { return ChangeCluster(count, i); });
    if (!cpu) continue;
    change_row.Of(v).values.push_back(*cpu * 1e3);
    if (v == Variant::kOurs) {
      change_row.plain.values.push_back(CpuOfRawDecode(EndpointsOfCluster(1, true)) * 1e3);
    }
  }
}

ClientOptions Rows::AloneOptions() const {
  ClientOptions options;
  options.variant = Variant::kPlain;
  options.target = "ipv4:127.0.0.1:" + std::to_string(plane_.port());
  options.polls = false;
  return options;
}

void Rows::AcknowledgementAlone(long clusters, int updates) {
  Note("gRPC alone, clusters", clusters, Variant::kPlain);
  Row& row = report_->At(
      "acknowledgement", clusters,
      "gRPC alone: EDS of one of " + Grouped(clusters) + " clusters comes, all names go back, CPU",
      "ms");
  row.is_of_plain_alone = true;
  ServeClusters(clusters);
  Client client(AloneOptions());
  if (!client.Watch(clusters)) return;
  auto cpu = CpuOfUpdates(client, updates, [&](int i) { return ChangeCluster(clusters, i); });
  if (cpu) row.plain.values.push_back(*cpu * 1e3);
}

void Rows::AcknowledgementInstructions(long clusters, int updates) {
  if (!HaveValgrind()) return;
  Note("gRPC alone, in instructions, clusters", clusters, Variant::kPlain);
  Row& row = report_->At(
      "acknowledgement_instructions", clusters,
      "gRPC alone: EDS of one of " + Grouped(clusters) + " clusters comes, all names go back",
      "instructions");
  row.is_of_plain_alone = true;
  ServeClusters(clusters);
  ClientOptions options = AloneOptions();
  options.counts_instructions = true;
  Client client(options);
  if (!client.Watch(clusters)) return;
  auto cost =
      InstructionsOfUpdates(&client, updates, [&](int i) { return ChangeCluster(clusters, i); });
  if (cost) row.plain.values.push_back(*cost);
}

void Rows::ClusterInstructions(long count, int updates) {
  if (!HaveValgrind()) return;
  Note("EDS of one cluster changes, in instructions,", count, Variant::kOurs);
  Row& row = report_->At("cluster_change_instructions", count,
                         "EDS of one of " + Grouped(count) + " clusters changes", "instructions");
  ServeClusters(count);
  ClientOptions options = Options(Variant::kOurs);
  options.counts_instructions = true;
  Client client(options);
  if (!client.First(kPatience)) return;
  auto cost =
      InstructionsOfUpdates(&client, updates, [&](int i) { return ChangeCluster(count, i); });
  if (!cost) return;
  row.ours.values.push_back(*cost);
  row.plain.values.push_back(InstructionsOfRawDecode(EndpointsOfCluster(1, true)));
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

void Rows::Late(int times) {
  constexpr auto kLate = std::chrono::milliseconds(500);
  Row& row = report_->At("late", 0, "route switched to a cluster 500 ms before its endpoints come",
                         "ms, longest RPC");
  for (Variant v : {Variant::kHost, Variant::kOurs}) {
    Note("endpoints late", 0, v);
    for (int i = 0; i < times; ++i) {
      Serve();
      plane_.Set(kCluster, "c1", ClusterBytes("c1"));
      Client client(Options(v));
      if (!client.First()) break;
      gxds_test::Backend& next = *backends_[1];
      const long before = next.calls();
      if (!plane_.Push(kRoutes, "routes", RoutesBytes("routes", {{Match::kPrefix, "", "c1"}}))) {
        break;
      }
      std::thread late([this, &next, kLate] {
        std::this_thread::sleep_for(kLate);
        plane_.Push(kEndpoints, "c1", EndpointsBytes("c1", {{{"127.0.0.1", next.port()}}}));
      });
      double longest = 0;
      while (next.calls() == before) {
        const auto start = std::chrono::steady_clock::now();
        if (!client.Call()) break;
        const auto took = std::chrono::steady_clock::now() - start;
        longest = std::max(longest, std::chrono::duration<double, std::milli>(took).count());
      }
      late.join();
      row.Of(v).values.push_back(longest);
    }
  }
}

void Rows::Idle(int updates) {
  Row& row = report_->At("idle_update", 0,
                         "idle synchronous program, from an update to its acceptance", "ms");
  for (Variant v : {Variant::kHost, Variant::kOurs}) {
    Note("update of an idle program", 0, v);
    Serve();
    ClientOptions options = Options(v);
    options.polls = false;
    Client client(options);
    if (!client.First()) continue;
    for (int i = 1; i <= updates; ++i) {
      client.WaitForQuiet();
      const int port = backends_[static_cast<size_t>(i % kLocalities)]->port();
      const auto start = std::chrono::steady_clock::now();
      if (!plane_.Push(kEndpoints, "c0", EndpointsBytes("c0", {{{"127.0.0.1", port}}}))) break;
      const auto took = std::chrono::steady_clock::now() - start;
      row.Of(v).values.push_back(std::chrono::duration<double, std::milli>(took).count());
    }
  }
}

void Rows::Decode(long endpoints) {
  const std::string of = "EDS of " + Grouped(endpoints) + " endpoints: ";
  const DecodeCost cost = MeasureDecode(endpoints);
  if (HaveValgrind()) {
    Row& build =
        report_->At("decode", endpoints, of + "decode, validate and build (plain: protobuf alone)",
                    "instructions");
    Row& change =
        report_->At("decode_change", endpoints,
                    of + "the same after one that differs in one endpoint", "instructions");
    build.plain.values.push_back(cost.raw);
    build.ours.values.push_back(cost.build);
    change.plain.values.push_back(cost.raw);
    change.ours.values.push_back(cost.change);
  }
  report_
      ->At("held", endpoints, of + "held for each, before connecting, beside the received bytes",
           "bytes")
      .ours.values.push_back(cost.held);
}

}  // namespace gxds_bench
