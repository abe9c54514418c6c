#include "test/bench/rows.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>

#include "test/bench/updates.h"

namespace gxds_bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience(300);  // for a client under valgrind
constexpr Variant kAll[] = {Variant::kPlain, Variant::kHost, Variant::kOurs};
constexpr Variant kBoth[] = {Variant::kHost, Variant::kOurs};

const char* Name(Variant v) {
  return v == Variant::kPlain ? "plain" : v == Variant::kHost ? "host" : "ours";
}

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Makes calls until the backend has answered more than that many. Returns the longest time in
// milliseconds, or nothing if a call failed.
std::optional<double> LongestCallUntil(Client* client, const gxds_test::Backend& backend,
                                       long calls) {
  double longest = 0;
  while (backend.calls() == calls) {
    const Clock::time_point start = Clock::now();
    if (!client->Call()) return std::nullopt;
    longest = std::max(longest, MillisecondsSince(start));
  }
  return longest;
}

// Prints on standard error the next measurement, and the time so far.
void Note(const std::string& what, Variant v) {
  static const Clock::time_point start = Clock::now();
  fprintf(stderr, "%6.1f s  %s: %s\n", MillisecondsSince(start) / 1e3, what.c_str(), Name(v));
}

}  // namespace

Rows::Rows(Report* report) : report_(report) {}

void Rows::RpcCpu(long calls) {
  scene_.Serve();
  Row& row = report_->At("rpc_cpu", 0, "unary RPC, CPU of the client", "us");
  for (Variant v : kAll) {
    Note(row.title, v);
    Client client(scene_.Options(v));
    if (!client.First() || !client.Calls(calls / 10)) continue;
    if (auto cost = client.Calls(calls)) row.Of(v).values.push_back(cost->cpu_seconds * 1e6);
  }
}

void Rows::InstructionsOf(Row* row, const ClientOptions& options, bool keeps, long calls) {
  ClientOptions counting = options;
  counting.counts_instructions = true;
  Client client(counting);
  if (!client.First() || (keeps && !client.Keep()) || !client.Calls(50)) return;
  auto cost = client.Calls(calls);
  if (!cost) return;
  // Work by the clock is not part of a call, and under valgrind a call takes long.
  const std::chrono::duration<double> took(cost->seconds * static_cast<double>(calls));
  auto idle = client.Idle(std::chrono::duration_cast<std::chrono::milliseconds>(took));
  if (!idle) return;
  row->Of(options.variant)
      .values.push_back(cost->instructions - *idle / static_cast<double>(calls));
}

void Rows::Instructions(Row* row, bool plain, bool polls, long calls) {
  for (Variant v : kAll) {
    if (v == Variant::kPlain && !plain) continue;
    Note(row->title, v);
    ClientOptions options = scene_.Options(v);
    options.polls = polls;
    InstructionsOf(row, options, false, calls);
  }
}

void Rows::RpcInstructions(long calls) {
  if (!HaveValgrind()) return;
  scene_.Serve(PathRoutes(1));
  Instructions(&report_->At("rpc", 0, "unary RPC, load reported, program with a polling thread",
                            "instructions"),
               true, true, calls);
}

void Rows::RpcRoutes(long routes, bool mixed, long calls) {
  if (!HaveValgrind()) return;
  scene_.Serve(mixed ? MixedRoutes(routes) : PathRoutes(routes));
  const std::string of = Grouped(routes) + (mixed         ? " routes of all kinds"
                                            : routes == 1 ? " route"
                                                          : " routes");
  Instructions(&report_->At(mixed ? "mixed_routes" : "routes", routes,
                            "unary RPC with " + of + ", synchronous program", "instructions"),
               routes == 1, false, calls);
}

void Rows::RpcMethodConfig(long calls) {
  if (!HaveValgrind()) return;
  std::vector<Route> routes = PathRoutes(1);
  routes[0].configures_method = true;
  scene_.Serve(routes);
  Instructions(&report_->At("method_config", 0,
                            "unary RPC whose route has a timeout and retries, synchronous program",
                            "instructions"),
               false, false, calls);
}

void Rows::RpcOfSession(long calls) {
  if (!HaveValgrind()) return;
  scene_.Serve();
  scene_.AddSessions();
  Row& row =
      report_->At("session", 0, "unary RPC of a session, synchronous program", "instructions");
  Note(row.title, Variant::kOurs);
  ClientOptions options = scene_.Options(Variant::kOurs);
  options.polls = false;
  InstructionsOf(&row, options, true, calls);
}

void Rows::RpcWithSubset(long calls) {
  if (!HaveValgrind()) return;
  scene_.ServeSubset();
  Row& row = report_->At("subset", 0, "unary RPC to one of two subsets, synchronous program",
                         "instructions");
  Note(row.title, Variant::kOurs);
  ClientOptions options = scene_.SubsetOptions();
  options.polls = false;
  InstructionsOf(&row, options, false, calls);
}

void Rows::ChangeCpu(Row* row, Variant variant, const Client& client, const Updates& updates,
                     int count) {
  auto cpu = CpuOfUpdates(client.process(), updates, count);
  if (!cpu) return;
  row->Of(variant).values.push_back(*cpu * 1e3);
  if (variant == Variant::kOurs) {
    row->plain.values.push_back(CpuOfRawDecode(updates.resource) * 1e3);
  }
}

void Rows::ChangeInstructions(Row* row, const Updates& updates, int count) {
  Note(row->title + ", instructions", Variant::kOurs);
  ClientOptions options = scene_.Options(Variant::kOurs);
  options.counts_instructions = true;
  Client client(options);
  if (!client.First(kPatience)) return;
  auto instructions = InstructionsOfUpdates(&client, updates, count);
  if (!instructions) return;
  row->ours.values.push_back(*instructions);
  // The value is always the same.
  if (row->plain.values.empty()) {
    row->plain.values.push_back(InstructionsOfRawDecode(updates.resource));
  }
}

void Rows::Endpoints(long count, int updates, bool with_host) {
  const std::string of = " of " + Grouped(count) + " endpoints";
  for (Variant v : kBoth) {
    if (v == Variant::kHost && !with_host) continue;
    Note("one cluster" + of, v);
    Row& first_row =
        report_->At("first_endpoints", count, "channel to first RPC, one cluster" + of, "s");
    Row& memory_row =
        report_->At("memory", count, "resident memory of the client, one cluster" + of, "kB");
    Row& change_row = report_->At("endpoint_change", count, "one" + of + " changes, CPU", "ms");
    const Updates changes = scene_.ServeEndpoints(count);
    Client client(scene_.Options(v));
    auto first = client.First();
    if (!first) continue;
    first_row.Of(v).values.push_back(*first);
    if (!client.process().WaitForQuiet()) continue;
    memory_row.Of(v).values.push_back(client.process().Memory() / 1000);
    ChangeCpu(&change_row, v, client, changes, updates);
  }
}

void Rows::EndpointInstructions(long count, int updates) {
  if (!HaveValgrind()) return;
  ChangeInstructions(
      &report_->At("endpoint_change_instructions", count,
                   "one of " + Grouped(count) + " endpoints changes", "instructions"),
      scene_.ServeEndpoints(count), updates);
}

void Rows::SessionEndpointInstructions(long count, int updates) {
  if (!HaveValgrind()) return;
  const Updates changes = scene_.ServeEndpoints(count);
  scene_.AddSessions();
  ChangeInstructions(
      &report_->At("session_endpoint_change_instructions", count,
                   "one of " + Grouped(count) + " endpoints changes, RPCs have sessions",
                   "instructions"),
      changes, updates);
}

void Rows::Clusters(long count, int updates, bool with_host, std::chrono::seconds patience) {
  const std::string of = Grouped(count) + " clusters";
  for (Variant v : kBoth) {
    if (v == Variant::kHost && !with_host) continue;
    Note(of, v);
    Row& first_row = report_->At("first_clusters", count,
                                 "channel to first RPC, " + of + " of 10 endpoints", "s");
    Row& change_row =
        report_->At("cluster_change", count, "EDS of one of " + of + " changes, CPU", "ms");
    const Updates changes = scene_.ServeClusters(count);
    Client client(scene_.Options(v));
    auto first = client.First(patience);
    if (!first) {
      first_row.Of(v).beyond = static_cast<double>(patience.count());
      continue;
    }
    first_row.Of(v).values.push_back(*first);
    ChangeCpu(&change_row, v, client, changes, updates);
  }
}

void Rows::ClusterInstructions(long count, int updates) {
  if (!HaveValgrind()) return;
  ChangeInstructions(
      &report_->At("cluster_change_instructions", count,
                   "EDS of one of " + Grouped(count) + " clusters changes", "instructions"),
      scene_.ServeClusters(count), updates);
}

void Rows::Alone(Row* row, const Updates& changes, long clusters, int updates) {
  const bool counts_instructions = row->unit == "instructions";
  if (counts_instructions && !HaveValgrind()) return;
  row->is_of_plain_alone = true;
  Note(row->title + ", " + row->unit, Variant::kPlain);
  ClientOptions options = scene_.AloneOptions();
  options.counts_instructions = counts_instructions;
  Client client(options);
  if (!client.Watch(clusters)) return;
  if (counts_instructions) {
    auto instructions = InstructionsOfUpdates(&client, changes, updates);
    if (instructions) row->plain.values.push_back(*instructions);
  } else {
    ChangeCpu(row, Variant::kPlain, client, changes, updates);
  }
}

void Rows::Acknowledgement(long clusters, int updates, bool counts_instructions) {
  const std::string title = "gRPC alone: EDS of one of " + Grouped(clusters) +
                            " clusters arrives, a request with all names is sent";
  Row& row = counts_instructions
                 ? report_->At("acknowledgement_instructions", clusters, title, "instructions")
                 : report_->At("acknowledgement", clusters, title + ", CPU", "ms");
  Alone(&row, scene_.ServeClusters(clusters), clusters, updates);
}

void Rows::EndpointsArrive(long endpoints, int updates) {
  const std::string title =
      "gRPC alone: EDS of " + Grouped(endpoints) + " endpoints arrives, a request is sent";
  Row& row = report_->At("endpoints_arrive_instructions", endpoints, title, "instructions");
  Alone(&row, scene_.ServeEndpoints(endpoints), 1, updates);
}

void Rows::Moved(int moves) {
  Row& row = report_->At("moved", 0, "EDS moved to another backend, to the first RPC there", "ms");
  for (Variant v : kBoth) {
    Note(row.title, v);
    scene_.Serve();
    Client client(scene_.Options(v));
    if (!client.First()) continue;
    for (int i = 1; i <= moves; ++i) {
      client.process().WaitForQuiet();
      const Clock::time_point start = Clock::now();
      const long before = scene_.backend(i).calls();
      if (!scene_.plane().Push(kEndpoints, "c0", scene_.OnlyEndpoint("c0", i))) break;
      if (!LongestCallUntil(&client, scene_.backend(i), before)) break;
      row.Of(v).values.push_back(MillisecondsSince(start));
    }
  }
}

void Rows::Late(int times) {
  constexpr auto kLate = std::chrono::milliseconds(500);
  Row& row = report_->At("late", 0, "route switched to a cluster 500 ms before its endpoints come",
                         "ms, longest RPC");
  for (Variant v : kBoth) {
    Note(row.title, v);
    for (int i = 0; i < times; ++i) {
      scene_.Serve();
      Plane& plane = scene_.plane();
      plane.Set(kCluster, "c1", ClusterBytes("c1"));
      Client client(scene_.Options(v));
      if (!client.First()) break;
      const long before = scene_.backend(1).calls();
      if (!plane.Push(kRoutes, "routes", RoutesBytes("routes", {{Match::kPrefix, "", "c1"}}))) {
        break;
      }
      std::thread late([this, kLate] {
        std::this_thread::sleep_for(kLate);
        scene_.plane().Push(kEndpoints, "c1", scene_.OnlyEndpoint("c1", 1));
      });
      auto longest = LongestCallUntil(&client, scene_.backend(1), before);
      late.join();
      if (!longest) break;
      row.Of(v).values.push_back(*longest);
    }
  }
}

void Rows::Idle(int updates) {
  Row& row = report_->At("idle_update", 0,
                         "idle synchronous program, from an update to its acceptance", "ms");
  for (Variant v : kBoth) {
    Note(row.title, v);
    scene_.Serve();
    ClientOptions options = scene_.Options(v);
    options.polls = false;
    Client client(options);
    if (!client.First()) continue;
    for (int i = 1; i <= updates; ++i) {
      client.process().WaitForQuiet();
      const Clock::time_point start = Clock::now();
      if (!scene_.plane().Push(kEndpoints, "c0", scene_.OnlyEndpoint("c0", i))) break;
      row.Of(v).values.push_back(MillisecondsSince(start));
    }
  }
}

void Rows::Decode(long endpoints) {
  const std::string of = "EDS of " + Grouped(endpoints) + " endpoints: ";
  Note(of + "decoding", Variant::kOurs);
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
      ->At("held", endpoints, of + "memory of each, before connecting, without the received bytes",
           "bytes")
      .ours.values.push_back(cost.held);
}

}  // namespace gxds_bench
