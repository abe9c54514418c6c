#include "test/sim/options.h"

#include <algorithm>

namespace gxds_sim {

const char *const kOpNames[kOpCount] = {
#define X(name, label) #name,
    GXDS_SIM_OPS(X)
#undef X
};
const char *const kOpLabels[kOpCount] = {
#define X(name, label) label,
    GXDS_SIM_OPS(X)
#undef X
};
const char *const kHappeningLabels[kHappeningCount] = {
#define X(name, label) label,
    GXDS_SIM_EVENTS(X)
#undef X
};
const char *const kPlantNames[kPlantCount] = {
#define X(name, flag, description) flag,
    GXDS_SIM_PLANTS(X)
#undef X
};
const char *const kPlantDescriptions[kPlantCount] = {
#define X(name, flag, description) description,
    GXDS_SIM_PLANTS(X)
#undef X
};

Plant PlantOf(const std::string &name) {
  int i = 0;
  while (i < kPlantCount && name != kPlantNames[i]) i++;
  return static_cast<Plant>(i);
}

Op OpOf(const std::string &name) {
  int i = 0;
  while (i < kOpCount && name != kOpNames[i]) i++;
  return static_cast<Op>(i);
}

namespace {

// The ops that every run needs. They are never off and never rare.
bool IsBasic(int op) {
  return op == kOpWatch || op == kOpSet || op == kOpSetMany || op == kOpStartChannel;
}

bool IsOfCache(int op) {
  return op == kOpClientKilled || op == kOpCacheCut || op == kOpCacheDamaged;
}

bool IsOfFiles(int op) {
  return op == kOpFilesVanish || op == kOpFilesDamaged || op == kOpFilesWritten;
}

bool IsOfWeb(int op) { return op == kOpWebRefuses || op == kOpWebNonsense || op == kOpWebRepeats; }

// Draws an order of servers, and how many of them are used.
void DrawServerList(Random *random, int servers, int count, int *list) {
  bool used[kServerMax] = {};
  for (int i = 0; i < count; i++) {
    int server = random->Int(servers);
    while (used[server]) server = (server + 1) % servers;
    used[server] = true;
    list[i] = server;
  }
}

ServerOptions DrawServer(Random *random) {
  ServerOptions s;
  s.fail_on_data_errors = random->OneIn(3);
  s.transient_timer = random->OneIn(4);
  s.only_changes = random->OneIn(2);
  bool trusting = random->OneIn(2);
  s.reads_stale = random->OneIn(2);
  s.constant_version = random->OneIn(8);
  s.trusting = trusting && !s.constant_version;  // only if versions distinguish states
  s.wrap_one_in = random->Int(4);
  s.delay = random->Magnitude(GXDS_MILLISECOND, 3 * GXDS_SECOND);
  s.replication = random->Magnitude(GXDS_MILLISECOND, 10 * GXDS_SECOND);
  s.delta = random->OneIn(2);
  s.knows_delta = !random->OneIn(6);
  s.removes_absent = random->OneIn(2);
  s.removes_changed = random->OneIn(4);
  gxds_duration ttl = random->Magnitude(2 * GXDS_SECOND, 200 * GXDS_SECOND);
  s.ttl = random->OneIn(4) && !s.constant_version ? ttl : 0;
  return s;
}

// In some runs the server with the last number is a directory. In every list that contains it, it
// is the fallback of the others.
void DrawFiles(Random *random, Options *o) {
  if (!random->OneIn(8)) return;
  o->files = o->servers - 1;
  for (int a = 0; a < kAuthorityCount; a++) {
    int *last = o->authority_servers[a] + o->authority_count[a] - 1;
    std::swap(*std::find(o->authority_servers[a], last, o->files), *last);
  }
  ServerOptions &s = o->server[o->files];
  s.delta = s.trusting = false;
  s.ttl = 0;
  for (int op = 0; op < kOpCount; op++) {
    if (IsOfFiles(op)) o->weights[op] = uint32_t{1} << random->Int(6);
  }
  o->weights[kOpTwin] = 0;  // a file has each resource under its own name
}

// In some runs another server is a web server.
void DrawWeb(Random *random, Options *o) {
  if (!random->OneIn(6)) return;
  int web = random->Int(o->servers);
  if (web == o->files) return;
  o->web = web;
  o->web_refresh = random->Magnitude(GXDS_SECOND, 60 * GXDS_SECOND);
  gxds_duration max_age = random->Magnitude(GXDS_SECOND, 100 * GXDS_SECOND);
  o->web_max_age = random->OneIn(3) ? max_age : 0;
  o->web_files = random->OneIn(3);
  o->web_versions_names = random->OneIn(2);
  ServerOptions &s = o->server[web];
  s.delta = s.trusting = false;
  s.ttl = 0;
  for (int op = 0; op < kOpCount; op++) {
    if (IsOfWeb(op)) o->weights[op] = random->OneIn(3) ? 0 : uint32_t{1} << random->Int(6);
  }
  o->weights[kOpTwin] = 0;  // a response has each resource under its own name
}

}  // namespace

Options DrawOptions(uint64_t seed) {
  Random random(Mix(seed, 1));
  Options o;
  o.clients = 1 + (random.OneIn(2) ? 0 : random.Int(kClientMax));
  o.servers = 1 + random.Int(kServerMax);
  for (int a = 0; a < kAuthorityCount; a++) {
    o.authority_count[a] = 1 + random.Int(o.servers);
    DrawServerList(&random, o.servers, o.authority_count[a], o.authority_servers[a]);
  }
  o.names = (Mask{1} << (2 + random.Int(kOldNameCount - 1))) - 1;
  if (random.OneIn(2)) {
    Mask some = (Mask{1} << (1 + random.Int(kNameCount - kOldNameCount))) - 1;
    o.names |= some << kOldNameCount;
  }
  o.ops = 60 + random.Int(140);
  o.op_gap = random.Magnitude(GXDS_MILLISECOND, 4 * GXDS_SECOND);
  o.net_delay = random.Magnitude(GXDS_MILLISECOND / 10, 2 * GXDS_SECOND);
  o.sent_delay = random.Magnitude(GXDS_MILLISECOND / 10, 2 * GXDS_SECOND);
  o.lag = random.OneIn(2) ? 0 : random.Magnitude(GXDS_MILLISECOND, 4 * GXDS_SECOND);
  o.drain_late_one_in = random.OneIn(2) ? 0 : 2 + random.Int(8);
  o.settle_at_once = random.OneIn(3);
  o.complete_truth = random.OneIn(2);
  o.cache = random.OneIn(2);
  for (ServerOptions &s : o.server) {
    s = DrawServer(&random);
    o.any_ttl = o.any_ttl || s.ttl;
  }
  for (int op = 0; op < kOpCount; op++) {
    bool off = random.OneIn(3) || (IsOfCache(op) && !o.cache);
    uint32_t weight = uint32_t{1} << random.Int(7);
    bool elsewhere = IsOfFiles(op) || IsOfWeb(op);
    o.weights[op] = IsBasic(op) ? 16 + weight : off || elsewhere ? 0 : weight;
  }
  Random wrappers(Mix(seed, 6));
  for (ServerOptions &s : o.server) s.wrapper_versions = wrappers.OneIn(2);
  Random extra(Mix(seed, 7));
  for (ServerOptions &s : o.server) {
    s.extra_responses = static_cast<ExtraResponses>(extra.Int(3));
    s.repeats = extra.OneIn(4);
  }
  Random dropping(Mix(seed, 8));
  for (ServerOptions &s : o.server) s.drops_names = dropping.OneIn(2);
  Random files(Mix(seed, 5));
  DrawFiles(&files, &o);
  Random web(Mix(seed, 9));
  DrawWeb(&web, &o);
  Random limits(Mix(seed, 10));
  if (limits.OneIn(3)) {
    o.endpoints_max = 2 + limits.Int(6);
    o.limits.eager = static_cast<size_t>(limits.Int(8));
    o.limits.window = 1 + static_cast<uint32_t>(limits.Int(3));
  }
  for (uint32_t weight : o.weights) o.weight_sum += weight;
  return o;
}

std::string Arguments(const RunSpec &spec) {
  std::string out = "--seed=" + std::to_string(spec.seed);
  if (spec.plant != kPlantNone) out += std::string(" --plant=") + kPlantNames[spec.plant];
  if (spec.op_limit >= 0) out += " --ops=" + std::to_string(spec.op_limit);
  for (size_t i = 0; i < spec.drop.size(); i++) {
    auto [first, last] = spec.drop[i];
    out += (i ? "," : " --drop=") + std::to_string(first);
    if (last != first) out += "-" + std::to_string(last);
  }
  bool first = true;
  for (int op = 0; op < kOpCount; op++) {
    if (!(spec.off >> op & 1)) continue;
    out += (first ? " --off=" : ",") + std::string(kOpNames[op]);
    first = false;
  }
  return out;
}

}  // namespace gxds_sim
