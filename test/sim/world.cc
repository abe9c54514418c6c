#include "test/sim/world.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>

#include "base/status.h"
#include "test/sim/ads.h"
#include "test/sim/channel.h"
#include "test/sim/client.h"
#include "test/sim/files.h"
#include "test/sim/ops.h"
#include "test/sim/shelf.h"
#include "test/sim/web.h"

namespace gxds_sim {
namespace {

constexpr gxds_time kBeginning = 1000 * GXDS_SECOND;
// More events than any run needs. A run with more does not end.
constexpr uint32_t kEventMax = 100000;
// Ten times the messages after the repair in the longest of some thousand runs.
constexpr uint32_t kMessageMax = 5000;

bool IsLater(const Event &a, const Event &b) {
  return a.at != b.at ? a.at > b.at : a.order > b.order;
}

}  // namespace

World::World() = default;
World::~World() { Clear(); }

void World::Trace(const char *format, ...) {
  if (!tracing()) return;
  printf("%10.3f  ", static_cast<double>(now_ - kBeginning) / GXDS_SECOND);
  va_list args;
  va_start(args, format);
  vprintf(format, args);
  va_end(args);
  printf("\n");
  fflush(stdout);
}

void World::ScheduleAt(gxds_time at, Event event) {
  event.at = at;
  event.order = order_++;
  heap_.push_back(event);
  std::push_heap(heap_.begin(), heap_.end(), IsLater);
}

// ---- one run ----

void World::Clear() {
  clients_.clear();
  servers_.clear();
  directory_.reset();
  website_.reset();
  for (auto &of_client : shelves_) {
    for (auto &shelf : of_client) shelf.reset();
  }
  heap_.clear();
  streams_.clear();
  for (Message &m : messages_) m.used = false;
  contents_.Clear();
}

void World::Reset(const RunSpec &spec) {
  Clear();
  spec_ = spec;
  options_ = DrawOptions(spec.seed);
  result_ = RunResult();
  now_ = kBeginning;
  repaired_ = false;
  order_ = 0;
  last_client_ = 0;
  ended_ = false;
  net_ = Random(Mix(spec.seed, 2));
  for (auto &names : truth_) {
    for (int &content : names) content = -1;
  }
}

void World::StartParts() {
  for (int i = 0; i < options_.servers; i++) {
    servers_.push_back(std::make_unique<Server>(this, i));
  }
  if (options_.files >= 0) directory_ = std::make_unique<Directory>(this, options_.files);
  if (options_.web >= 0) website_ = std::make_unique<Website>(this, options_.web);
  for (int i = 0; i < options_.clients; i++) {
    clients_.push_back(std::make_unique<Client>(this, i, ++last_client_));
  }
}

RunResult World::Run(const RunSpec &spec) {
  Reset(spec);
  try {
    StartParts();
    RunOps();
    Repair();
    Converge("after the repair");
    for (auto &client : clients_) client->WatchAgain(&net_);
    Converge("after watches ended and began again");
    Finish();
  } catch (const Failure &failure) {
    result_.failed = true;
    result_.failure = failure;
    if (tracing()) Trace("FAILED %s: %s", failure.kind.c_str(), failure.what.c_str());
  }
  ended_ = true;
  Clear();
  return result_;
}

void World::RunOps() {
  result_.ops = spec_.op_limit >= 0 ? std::min(options_.ops, spec_.op_limit) : options_.ops;
  ops_done_ = 0;
  ScheduleOp(0);
  while (ops_done_ < result_.ops) Step();
}

void World::ScheduleOp(int number) {
  if (number >= result_.ops) return;
  Random random(Mix(Mix(spec_.seed, 4), static_cast<uint64_t>(number)));
  Event e;
  e.kind = kEventOp;
  e.a = number;
  Schedule(random.Around(options_.op_gap), e);
}

void World::CarryOp(int number) {
  ops_done_++;
  ScheduleOp(number + 1);
  for (auto [first, last] : spec_.drop) {
    if (number >= first && number <= last) return;
  }
  result_.events++;
  if (tracing()) Trace("#%d", number);
  Random random(Mix(Mix(spec_.seed, 3), static_cast<uint64_t>(number)));
  Op op = DoOp(this, spec_.off, &random);
  if (op != kOpCount) result_.op_counts[op]++;
  for (auto &c : clients_) {
    Random of_policies(
        Mix(Mix(spec_.seed, 5), static_cast<uint64_t>(number * kClientMax + c->index())));
    c->StepPolicies(&of_policies);
  }
}

bool World::Step() {
  if (heap_.empty()) return false;
  std::pop_heap(heap_.begin(), heap_.end(), IsLater);
  Event e = heap_.back();
  heap_.pop_back();
  now_ = std::max(now_, e.at);
  Carry(e);
  BuryKilled();
  if (result_.events > kEventMax) Fail("endless", "this goes on for ever");
  return true;
}

void World::Carry(const Event &e) {
  auto client_is = [&] { return clients_[static_cast<size_t>(e.a)]->serial() == e.generation; };
  switch (e.kind) {
    case kEventOp:
      return CarryOp(e.a);
    case kEventConnect:
      if (!client_is()) return;
      result_.events++;
      return OnConnect(e.a, e.b);
    case kEventDeadline:
      if (client_is()) client(e.a).OnDeadlineEvent(e.at);
      return;
    case kEventReplicate:
      Did(kDidReplicate);
      return server(e.a).Replicate(e.b, e.c, e.d);
    case kEventServerUp:
      result_.events++;
      Did(kDidServerUp);
      server(e.a).up = true;
      return;
    case kEventKill:
      if (!client_is()) return;
      result_.events++;
      client(e.a).cache()->process().killed = true;
      return;
    case kEventFiles:
      if (!client_is()) return;
      result_.events++;
      return OnFiles(e.a);
    case kEventWeb:
    case kEventWebRequest:
    case kEventWebResponse:
      if (!client_is()) return;
      result_.events++;
      return OnWebEvent(e);
    case kEventFileClosed:
      return directory_->OnClosed(e.a);
    case kEventResync:
      return server(e.a).Resync();
    case kEventDns:
    case kEventRelease: {
      if (!client_is()) return;
      Channel *channel = client(e.a).channel(e.b);
      if (!channel) return;
      result_.events++;
      bool changed = e.kind == kEventDns ? channel->OnDnsResult(e.c, e.d) : channel->Release(e.c);
      if (!changed) return;
      client(e.a).Touch(e.b);
      return client(e.a).AfterEvent();
    }
    default:
      return CarryStreamEvent(e);
  }
}

void World::CountDeadline() {
  result_.events++;
  Did(kDidDeadline);
}

// ---- events for all parts ----

void World::SetTruth(int type, int name, int content) {
  truth_[type][name] = content;
  if (tracing()) {
    std::string what = content < 0 ? "nothing" : Contents::Describe(contents_.at(content));
    Trace("truth: %s n%d = #%d %s", TypeOf(type).short_name, name, content, what.c_str());
  }
  for (auto &s : servers_) {
    s->last_replication =
        std::max(s->last_replication, now_ + net_.Around(s->options().replication));
    Event e;
    e.kind = kEventReplicate;
    e.a = s->index();
    e.b = type;
    e.c = name;
    e.d = content;
    ScheduleAt(s->last_replication, e);
  }
}

int World::ServerOf(const gxds_bootstrap_server *server) const {
  for (size_t i = 0; server && i < servers_.size(); i++) {
    if (gxds_str_equal(servers_[i]->config()->uri, server->uri)) return static_cast<int>(i);
  }
  return -1;
}

Shelf &World::shelf(int client, int server) {
  std::unique_ptr<Shelf> &shelf = shelves_[client][server];
  if (!shelf) shelf = std::make_unique<Shelf>();
  return *shelf;
}

void World::RestartClient(int index, bool again, const std::function<void()> &between) {
  for (int i = 0; i < stream_count(); i++) {
    if (stream(i).used && stream(i).client == index) ForgetStream(i);
  }
  std::unique_ptr<Client> &place = clients_[static_cast<size_t>(index)];
  Client::Use use = place->use();
  place.reset();
  if (between) between();
  place = std::make_unique<Client>(this, index, ++last_client_);
  if (again) place->Begin(use);
}

void World::KillClient(int index, int64_t after_bytes) {
  client(index).cache()->process().bytes_left = after_bytes;
  Event e;
  e.kind = kEventKill;
  e.a = index;
  e.generation = client(index).serial();
  Schedule(net_.Magnitude(GXDS_MILLISECOND, 20 * GXDS_SECOND), e);
}

void World::BuryKilled() {
  for (auto &c : clients_) {
    if (!c->cache() || !c->cache()->process().killed) continue;
    if (tracing()) Trace("client%d is killed", c->index());
    int index = c->index();
    bool cut_off = net_.OneIn(2);
    RestartClient(index, true);
    if (cut_off) client(index).CutOff(net_.Magnitude(GXDS_SECOND, 60 * GXDS_SECOND));
  }
}

// ---- the end ----

// Makes the final truth valid, and perhaps complete.
void World::RepairResources() {
  for (int type = 0; type < kTypeCount; type++) {
    ForEachName(options_.names, [&](int name) {
      int content = truth_[type][name];
      bool missing = content < 0 && options_.complete_truth;
      bool bad = content >= 0 && contents_.at(content).fault != kValid;
      if (!missing && !bad) return;
      Content c = DrawContent(&net_, type, name, options_.names, options_.endpoints_max);
      content = truth_[type][name] = contents_.Add(c);
      if (tracing()) Trace("truth: #%d %s", content, Contents::Describe(c).c_str());
    });
  }
  for (auto &s : servers_) {
    s->up = true;
    s->mute_until = 0;
    s->Resync();
    if (s->options().ttl) EndTtls(this, s->index());
  }
  if (directory_) directory_->Repair();
  if (website_) website_->Repair();
}

// Whether only a new stream makes the state of both ends certain.
bool World::IsTainted(const Stream &s) {
  bool tainted = s.tainted;
  for (const std::vector<int> *queue : {&s.going_down, &s.inbox}) {
    for (int number : *queue) tainted = tainted || message(number).effect == kUnsure;
  }
  return tainted;
}

void World::Repair() {
  Trace("all faults are repaired");
  repaired_ = true;
  repaired_at_ = now_;
  bool close_all = net_.OneIn(2);
  /* Removes scheduled replications, server restarts, kills and file closes. */
  heap_.erase(std::remove_if(heap_.begin(), heap_.end(),
                             [](const Event &e) {
                               return e.kind == kEventReplicate || e.kind == kEventResync ||
                                      e.kind == kEventServerUp || e.kind == kEventKill ||
                                      e.kind == kEventFileClosed;
                             }),
              heap_.end());
  std::make_heap(heap_.begin(), heap_.end(), IsLater);
  for (auto &c : clients_) {
    if (c->cache()) c->cache()->process().bytes_left = INT64_MAX;
    c->Drain();
    for (int i = 0; i < options_.servers; i++) {
      Conn &conn = c->conn(i);
      bool silent = now_ < conn.silent_until;
      conn.down_until = conn.silent_until = conn.stalled_until = 0;
      if (conn.stream < 0 || IsNoServer(i)) continue;
      const Stream &s = stream(conn.stream);
      if (s.established && (silent || IsTainted(s) || close_all)) {
        EndStream(conn.stream, GXDS_UNAVAILABLE, false);
      }
    }
    c->Repair();
  }
  RepairResources();
}

// Runs until no event is left. Nothing changes any more, so messages must come to an end.
void World::Converge(const char *when) {
  uint32_t before = MessageCount();
  while (Step()) {
    if (MessageCount() - before > kMessageMax) {
      Fail("restless", "nothing changes, but messages go on: %s", when);
    }
  }
  Trace("converged: %s", when);
  for (auto &client : clients_) client->CheckConverged();
  uint64_t digest = result_.digest;
  for (auto &client : clients_) digest = Mix(digest, client->Digest());
  result_.digest = digest;
}

void World::Finish() {
  for (auto &client : clients_) client->Finish();
  for (const Stream &s : streams_) {
    if (s.used) Fail("leftover-stream", "a stream outlives all watches");
  }
}

}  // namespace gxds_sim
