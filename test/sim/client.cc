#include "test/sim/client.h"

#include <algorithm>
#include <cstring>

#include "base/status.h"
#include "test/sim/ads.h"
#include "test/sim/channel.h"
#include "test/sim/codec.h"

namespace gxds_sim {
namespace {

const gxds_host kHost = {};
constexpr gxds_duration kWallOffset = int64_t{1700000000} * GXDS_SECOND;

}  // namespace

int NumberOf(const gxds_resource *resource) {
  if (!resource) return kNothing;
  int number = Contents::NumberOf(resource);
  return number < 0 ? kSomeSocket : number;
}

// ---- begin and end ----

Client::Client(World *world, int index, uint64_t serial)
    : world_(world),
      index_(index),
      serial_(serial),
      node_id_("client" + std::to_string(serial)),
      node_(BuildNode(node_id_)) {
  for (Conn &conn : conns_) {
    for (auto &names : conn.sent_at) {
      for (gxds_time &at : names) at = GXDS_TIME_NEVER;
    }
  }
  MakeBootstrap();
  gxds_client_options options = {};
  options.bootstrap = &bootstrap_;
  options.host = &kHost;
  options.types = gxds_resource_types;
  options.type_count = kTypeCount;
  options.seed = serial;
  options.keeps_resources = world->options().cache;
  if (options.keeps_resources) {
    cache_ = std::make_unique<ClientCache>(world, this);
    options.wall_offset = kWallOffset;
  }
  engine_ = gxds_client_create(&options);
}

void Client::MakeBootstrap() {
  const Options &o = world_->options();
  for (int a = 0; a < kAuthorityCount; a++) {
    for (int i = 0; i < o.authority_count[a]; i++) {
      lists_[a][i] = world_->server(o.authority_servers[a][i]).config();
    }
  }
  authority_.name = gxds_str_z("a");
  authority_.servers = lists_[1];
  authority_.server_count = static_cast<size_t>(o.authority_count[1]);
  gxds_ref_init(&bootstrap_.refs);
  bootstrap_.servers = lists_[0];
  bootstrap_.server_count = static_cast<size_t>(o.authority_count[0]);
  bootstrap_.node_id = Str(node_id_);
  bootstrap_.node = Str(node_);
  bootstrap_.authorities = &authority_;
  bootstrap_.authority_count = 1;
}

Client::~Client() {
  channels_.clear();
  gxds_client_destroy(engine_);
}

Usage Client::Uses(int server, int authority) const {
  const Options &o = world_->options();
  int place = -1;
  for (int i = 0; i < o.authority_count[authority]; i++) {
    if (o.authority_servers[authority][i] == server) place = i;
  }
  if (place <= 0) return place == 0 ? kUsed : kNotUsed;
  if (conns_[server].maybe_given_up) return kMaybeUsed;
  int other = 1 - authority;
  for (int i = 0; i < o.authority_count[other]; i++) {
    if (o.authority_servers[other][i] == server) return kMaybeUsed;
  }
  return kUsed;  // the server has a stream only for this authority
}

void Client::GiveUpAfter(int server) {
  const Options &o = world_->options();
  for (int a = 0; a < kAuthorityCount; a++) {
    bool after = false;
    for (int i = 0; i < o.authority_count[a]; i++) {
      int each = o.authority_servers[a][i];
      if (after) {
        Conn &conn = conns_[each];
        conn.maybe_given_up = true;  // and may be used again at once
        for (int type = 0; type < kTypeCount; type++)
          conn.requested_before[type] |= conn.requested[type];
      }
      after = after || each == server;
    }
  }
}

bool Client::IsPrimary(int server, int authority) const {
  return world_->options().authority_servers[authority][0] == server;
}

Usage Client::HasFallback(int server) const {
  const Options &o = world_->options();
  const Conn &conn = conns_[server];
  bool in_doubt = conn.failed || conn.failed_unsure || conn.failed_lately;
  Usage usage = kNotUsed;
  for (int a = 0; a < kAuthorityCount; a++) {
    bool after = false;
    for (int i = 0; i < o.authority_count[a]; i++) {
      int each = o.authority_servers[a][i];
      if (after && conns_[each].id) usage = std::max(usage, Uses(each, a));
      if (after && in_doubt) usage = std::max(usage, kMaybeUsed);
      after = after || each == server;
    }
  }
  return usage;
}

// ---- actions of its owner ----

Client::Use Client::use() const {
  Use use;
  for (const auto &c : channels_) {
    if (c) use.channels.push_back(c->listener());
  }
  for (const Watch &w : watches_) {
    if (w.used && w.channel < 0 && w.name >= 0) use.watches.emplace_back(w.type, w.name);
  }
  return use;
}

void Client::Begin(const Use &use) {
  for (int listener : use.channels) StartChannel(listener);
  for (auto [type, name] : use.watches) AddWatch(type, name, NameOf(type, name), -1, 0);
  AfterEvent();
}

void Client::CutOff(gxds_duration how_long) {
  for (Conn &conn : conns_) conn.down_until = world_->now() + how_long;
}

const gxds_bootstrap_server *Client::SourceOf(int type, int name) const {
  for (const Watch &w : watches_) {
    if (w.used && w.type == type && w.name == name) return gxds_client_source(engine_, w.id);
  }
  return nullptr;
}

int Client::AddWatch(int type, int name, const std::string &text, int channel, uint64_t token) {
  size_t i = 0;
  while (i < watches_.size() && watches_[i].used) i++;
  if (i == watches_.size()) watches_.emplace_back();
  uint32_t generation = watches_[i].generation + 1;
  watches_[i] = Watch();
  Watch &w = watches_[i];
  w.used = true;
  w.generation = generation;
  w.type = type;
  w.name = name;
  w.channel = channel;
  w.token = token;
  if (name >= 0) {
    Entry &e = entries_[type][name];
    if (e.watchers++ == 0) {
      BeUnsure(type, name);  // the engine may still hold it from an earlier watch
      watched_[type] |= Bit(name);
      if (cache_) cache_->OnWatch(AuthorityOf(name));
      for (Conn &conn : conns_) conn.requested_before[type] |= conn.requested[type] & Bit(name);
    }
  }
  if (world_->tracing()) {
    world_->Trace("client%d: watch%zu %s '%s'", index_, i, TypeOf(type).short_name, text.c_str());
  }
  uint64_t id = i | uint64_t{generation} << 32;
  w.id = gxds_client_watch(engine_, &TypeOf(type), Str(text), gxds_watcher{this, id, 0},
                           world_->now());
  return static_cast<int>(i);
}

void Client::EndWatch(int index) {
  Watch &w = watch(index);
  if (world_->tracing()) world_->Trace("client%d: watch%d ends", index_, index);
  w.used = false;
  if (w.name >= 0 && --entries_[w.type][w.name].watchers == 0) {
    watched_[w.type] &= ~Bit(w.name);
    Mask left = 0;
    for (Mask names : watched_) left |= names & kAuthorityNames[AuthorityOf(w.name)];
    if (cache_ && !left) cache_->OnUnwatch(AuthorityOf(w.name));
  }
  if (world_->plant() == kPlantUndead && w.held >= 0 && !planted_) {
    planted_ = true;
    return;
  }
  gxds_client_unwatch(engine_, w.id, world_->now());
}

int Client::raw_watch_count() const {
  int count = 0;
  for (const Watch &w : watches_) count += w.used && w.channel < 0;
  return count;
}

int Client::DrawWatch(Random *random) const {
  int count = raw_watch_count();
  if (count == 0) return -1;
  int skip = random->Int(count);
  size_t i = 0;
  for (;; i++) {
    if (watches_[i].used && watches_[i].channel < 0 && skip-- == 0) return static_cast<int>(i);
  }
}

void Client::WatchAgain(Random *random) {
  for (int i = 0; i < 6; i++) {
    int number = DrawWatch(random);
    if (number < 0) return;
    const int type = watch(number).type;
    const int name = watch(number).name;
    EndWatch(number);
    if (random->OneIn(2)) Drain();
    if (name >= 0) AddWatch(type, name, NameOf(type, name), -1, 0);
    if (random->OneIn(2)) Drain();
  }
  Drain();
}

int Client::StartChannel(int listener) {
  size_t i = 0;
  while (i < channels_.size() && channels_[i]) i++;
  if (i == channels_.size()) channels_.emplace_back();
  int index = static_cast<int>(i);
  channels_[i] = std::make_unique<Channel>(world_, this, index, listener);
  Touch(index);
  return index;
}

void Client::StopChannel(int index) {
  std::unique_ptr<Channel> &channel = channels_[static_cast<size_t>(index)];
  if (channel) channel->Finish();
  channel.reset();
}

void Client::StepPolicies(Random *random) {
  for (const auto &c : channels_) {
    if (c) c->StepPolicies(random);
  }
}

void Client::Touch(int index) {
  if (channel(index)->touched) return;
  channel(index)->touched = true;
  touched_.push_back(index);
}

// ---- events of the network ----

// The time that a server has for a response.
static gxds_duration TimeToRespond(World *world, int server) {
  return (world->server(server).options().transient_timer ? 30 : 15) * GXDS_SECOND;
}

void Client::OnSent(int index) {
  Stream &s = world_->stream(index);
  Conn &conn = conns_[s.server];
  bool awaits = s.sent_version && !s.got_response && !s.kept_quiet;
  if (awaits && s.quiet_at == GXDS_TIME_NEVER) {
    s.quiet_at = world_->now() + TimeToRespond(world_, s.server);
  }
  for (int type = 0; type < kTypeCount; type++) {
    ForEachName(conn.requested[type], [&](int name) {
      gxds_time &at = conn.sent_at[type][name];
      if (at == GXDS_TIME_NEVER) at = world_->now();
    });
  }
  gxds_client_on_sent(engine_, s.id, world_->now());
  AfterEvent();
}

void Client::OnMessage(int index, const Message &message) {
  Stream &s = world_->stream(index);
  if (world_->tracing()) {
    std::string items;
    for (const Item &item : message.items) {
      static const char *const forms[] = {"", "wrapped ", "wrong-type ", "broken "};
      items += std::string("; ") + forms[item.form] + "n" + std::to_string(item.name) +
               (item.heartbeat ? "~#" : "=#") + std::to_string(item.content);
      if (item.alias >= 0) items += " alias n" + std::to_string(item.alias);
    }
    ForEachName(message.missing, [&](int name) { items += "; no n" + std::to_string(name); });
    ForEachName(message.removed, [&](int name) { items += "; -n" + std::to_string(name); });
    static const char *const effects[] = {"", " of an unknown type", " tampered with"};
    world_->Trace("client%d < server%d: %s version=%s nonce=%s%s%s", index_, s.server,
                  TypeOf(message.type).short_name, message.version.c_str(), message.nonce.c_str(),
                  effects[message.effect], items.c_str());
  }
  gxds_stream_id id = s.id;
  Predict(world_, &s, message);
  gxds_client_on_message(engine_, id, message.bytes.data(), message.bytes.size(), world_->now());
  bool returned = false;
  for (const Conn &conn : conns_) returned = returned || (conn.id && conn.maybe_given_up);
  if (!returned) return AfterEvent();
  Drain();  // the engine may have cancelled the stream, after which it must get no events of it
}

void Client::OnStreamClosed(int server, gxds_stream_id id, int code) {
  if (world_->tracing()) world_->Trace("client%d: stream to server%d ends", index_, server);
  gxds_status status =
      code ? gxds_status_make(static_cast<gxds_code>(code), "closed") : gxds_status_ok();
  gxds_client_on_stream_closed(engine_, id, &status, world_->now());
  gxds_status_fini(&status);
  AfterEvent();
}

void Client::OnChannelFailed(int server) {
  if (world_->tracing()) world_->Trace("client%d: no connection to server%d", index_, server);
  conns_[server].failed = conns_[server].failed_lately = true;
  if (conns_[server].stream >= 0) world_->stream(conns_[server].stream).quiet_at = GXDS_TIME_NEVER;
  gxds_status status = gxds_status_make(GXDS_UNAVAILABLE, "connection refused");
  gxds_client_on_channel_failed(engine_, conns_[server].id, &status, world_->now());
  gxds_status_fini(&status);
  Drain();  // the engine may have cancelled the stream, after which it must get no events of it
}

void Client::OnDeadline() { CarryDeadline(world_->now()); }

void Client::CarryDeadline(gxds_time now) {
  for (int server = 0; server < world_->options().servers; server++) {
    Conn &conn = conns_[server];
    if (conn.stream < 0) continue;
    bool transient = world_->server(server).options().transient_timer;
    gxds_duration time = TimeToRespond(world_, server);
    Stream &s = world_->stream(conn.stream);
    if (s.quiet_at <= now) { /* the server has no changes */
      world_->Did(kDidSilence);
      s.quiet_at = GXDS_TIME_NEVER;
      s.kept_quiet = true;
      conn.failed = conn.failed_unsure = false;
    }
    for (int type = 0; type < kTypeCount; type++) {
      ForEachName(conn.requested[type], [&](int name) {
        gxds_time at = conn.sent_at[type][name];
        if (at == GXDS_TIME_NEVER || world_->now() < at + time) return;
        Entry &e = entries_[type][name];
        (transient ? e.may_be_late : e.may_not_exist) = true;
        // The resource did not arrive. One of another server may have had its time since the
        // return.
        if (e.restored || e.unsure || e.source != server) BeUnsure(type, name);
      });
    }
  }
  EndTtls(now);
  carried_ = std::max(carried_, now);
  gxds_client_on_deadline(engine_, now);
  AfterEvent();
}

void Client::OnDeadlineEvent(gxds_time at) {
  if (at == deadline_event_) deadline_event_ = GXDS_TIME_NEVER;
  gxds_duration early = world_->plant() == kPlantEarlyTimer ? 10 * GXDS_SECOND : 0;
  gxds_time deadline = gxds_client_deadline(engine_);
  if (deadline != GXDS_TIME_NEVER && deadline <= world_->now() + early) {
    world_->CountDeadline();
    CarryDeadline(world_->now() + early);
  } else {
    ScheduleDeadline();
  }
}

void Client::ScheduleDeadline() {
  gxds_time deadline = gxds_client_deadline(engine_);
  if (deadline == GXDS_TIME_NEVER) return;
  if (world_->plant() == kPlantEarlyTimer) deadline -= 10 * GXDS_SECOND;
  if (deadline >= deadline_event_) return;
  deadline_event_ = deadline + world_->net().Around(world_->options().lag);
  Event e;
  e.kind = kEventDeadline;
  e.a = index_;
  e.generation = serial_;
  world_->ScheduleAt(deadline_event_, e);
}

void Client::ResetBackoff() {
  gxds_client_reset_backoff(engine_, world_->now());
  AfterEvent();
}

// Events of streams, watches and servers that are gone or never existed. They must change nothing.
void Client::LateEvents(Random *random) {
  gxds_stream_id stream = random->Draw(last_stream_id_ + 2);
  if (StreamOf(stream) < 0) {
    gxds_status status = gxds_status_make(GXDS_UNAVAILABLE, "late");
    gxds_client_on_sent(engine_, stream, world_->now());
    gxds_client_on_message(engine_, stream, "x", 1, world_->now());
    gxds_client_on_stream_closed(engine_, stream, &status, world_->now());
    gxds_status_fini(&status);
  }
  gxds_watch_id id = random->Draw(last_stream_id_ + 2);
  bool live = false;
  for (const Watch &w : watches_) live = live || (w.used && w.id == id);
  if (!live) gxds_client_unwatch(engine_, id, world_->now());
  gxds_server_id server = static_cast<gxds_server_id>(random->Draw(last_server_id_ + 1));
  if (ServerOf(server) < 0) {
    gxds_status status = gxds_status_make(GXDS_UNAVAILABLE, "late");
    gxds_client_on_channel_failed(engine_, server, &status, world_->now());
    gxds_status_fini(&status);
  }
  for (auto &c : channels_) {
    if (!c) continue;
    c->LateEvent(random);
    Touch(c->index());
  }
  AfterEvent();
}

}  // namespace gxds_sim
