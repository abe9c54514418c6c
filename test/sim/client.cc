#include "test/sim/client.h"

#include <algorithm>
#include <cstring>

#include "base/status.h"
#include "test/sim/ads.h"
#include "test/sim/channel.h"
#include "test/sim/codec.h"

namespace gxds_sim {
namespace {

// More than the actions that one event can cause, by far.
constexpr int kActionMax = 20000;

uint64_t Hash(gxds_str s) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < s.size; i++) {
    hash = (hash ^ static_cast<unsigned char>(s.data[i])) * 1099511628211u;
  }
  return hash;
}

bool IsOutage(const gxds_status &status) {
  return gxds_str_starts_with(status.message, gxds_str_z("xDS channel for server"));
}

const gxds_host kHost = {};

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
  return kUsed;  // for nobody else would it have a stream
}

void Client::GiveUpAfter(int server) {
  const Options &o = world_->options();
  for (int a = 0; a < kAuthorityCount; a++) {
    bool after = false;
    for (int i = 0; i < o.authority_count[a]; i++) {
      int each = o.authority_servers[a][i];
      if (after) {
        Conn &conn = conns_[each];
        conn.maybe_given_up = true;  // and it may be taken into use again at once
        for (int type = 0; type < kTypeCount; type++) conn.vague[type] |= conn.said[type];
      }
      after = after || each == server;
    }
  }
}

bool Client::IsPrimary(int server, int authority) const {
  return world_->options().authority_servers[authority][0] == server;
}

// ---- what its owner does ----

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
      BeUnsure(type, name);  // it may still be there from before
      watched_[type] |= Bit(name);
      for (Conn &conn : conns_) conn.vague[type] |= conn.said[type] & Bit(name);
    }
  }
  if (world_->tracing()) {
    world_->Trace("client%d: watch%zu %s '%s'", index_, i, TypeOf(type).short_name, text.c_str());
  }
  uint64_t id = i | uint64_t{generation} << 32;
  w.id =
      gxds_client_watch(engine_, &TypeOf(type), Str(text), gxds_watcher{this, id}, world_->now());
  return static_cast<int>(i);
}

void Client::EndWatch(int index) {
  Watch &w = watch(index);
  if (world_->tracing()) world_->Trace("client%d: watch%d ends", index_, index);
  w.used = false;
  if (w.name >= 0 && --entries_[w.type][w.name].watchers == 0) watched_[w.type] &= ~Bit(w.name);
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

void Client::StopChannel(int index) { channels_[static_cast<size_t>(index)].reset(); }

void Client::Touch(int index) {
  if (channel(index)->touched) return;
  channel(index)->touched = true;
  touched_.push_back(index);
}

// ---- what the network does ----

void Client::OnSent(int index) {
  const Stream &s = world_->stream(index);
  Conn &conn = conns_[s.server];
  for (int type = 0; type < kTypeCount; type++) {
    ForEachName(conn.said[type], [&](int name) {
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
  Drain();  // it may have given up the stream, of which nothing must come any more
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
  gxds_status status = gxds_status_make(GXDS_UNAVAILABLE, "connection refused");
  gxds_client_on_channel_failed(engine_, conns_[server].id, &status, world_->now());
  gxds_status_fini(&status);
  Drain();  // it may have given up the stream, of which nothing must come any more
}

void Client::OnDeadline() { CarryDeadline(world_->now()); }

void Client::CarryDeadline(gxds_time now) {
  for (int server = 0; server < world_->options().servers; server++) {
    const Conn &conn = conns_[server];
    if (conn.stream < 0) continue;
    bool transient = world_->server(server).options().transient_timer;
    gxds_duration time = (transient ? 30 : 15) * GXDS_SECOND;
    for (int type = 0; type < kTypeCount; type++) {
      ForEachName(conn.said[type], [&](int name) {
        gxds_time at = conn.sent_at[type][name];
        if (at == GXDS_TIME_NEVER || world_->now() < at + time) return;
        Entry &e = entries_[type][name];
        (transient ? e.may_be_late : e.may_not_exist) = true;
      });
    }
  }
  EndTtls(now);
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

// Events of streams, watches and servers that are gone, or never were: they change nothing.
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

void Client::AfterEvent() {
  gxds_client_validate(engine_);
  int one_in = world_->options().drain_late_one_in;
  if (one_in && !world_->healed() && world_->net().OneIn(one_in)) {
    ScheduleDeadline();
    return;
  }
  Drain();
}

// ---- the drain ----

void Client::Drain() {
  int count = 0;
  SettleChannels();
  do {
    while (const gxds_action *action = gxds_client_next_action(engine_)) {
      if (++count > kActionMax) Fail("endless-actions", "the actions don't end");
      bool told = action->kind == GXDS_ACTION_RESOURCE || action->kind == GXDS_ACTION_AMBIENT_ERROR;
      Carry(*action);
      if (told && world_->options().settle_at_once) SettleChannels();
    }
  } while (SettleChannels());
  gxds_client_validate(engine_);
  Observe();
  ScheduleDeadline();
  for (int server = 0; server < world_->options().servers; server++) {
    Conn &conn = conns_[server];
    if (conn.stream < 0) continue;
    const Stream &s = world_->stream(conn.stream);
    if (s.read_wanted && !s.inbox.empty() && !draining_) {
      draining_ = true;
      world_->DeliverNext(conn.stream);
      draining_ = false;
    }
  }
}

// Whether there was anything to do.
bool Client::SettleChannels() {
  bool any = false;
  while (!touched_.empty()) {
    int index = touched_.back();
    touched_.pop_back();
    Channel *c = channel(index);
    if (!c) continue;
    c->touched = false;
    c->Settle();
    any = true;
  }
  return any;
}

int Client::ServerOf(gxds_server_id id) const {
  for (int i = 0; id && i < kServerMax; i++) {
    if (conns_[i].id == id) return i;
  }
  return -1;
}

int Client::StreamOf(gxds_stream_id id) const {
  for (const Conn &conn : conns_) {
    if (conn.stream >= 0 && world_->stream(conn.stream).id == id) return conn.stream;
  }
  return -1;
}

void Client::Carry(const gxds_action &action) {
  switch (action.kind) {
    case GXDS_ACTION_CONNECT:
    case GXDS_ACTION_DISCONNECT:
    case GXDS_ACTION_OPEN_STREAM:
      return CarryServer(action);
    case GXDS_ACTION_CLOSE_STREAM: {
      int stream = StreamOf(action.stream);
      if (stream < 0) Fail("close-unknown", "a stream is closed that there is none of");
      conns_[world_->stream(stream).server].stream = -1;
      return world_->ForgetStream(stream);
    }
    case GXDS_ACTION_SEND:
      return CarrySend(action);
    case GXDS_ACTION_READ: {
      int stream = StreamOf(action.stream);
      if (stream < 0) Fail("read-unknown", "a message is read from a stream that there is none of");
      if (world_->stream(stream).read_wanted) Fail("read-twice", "two reads at a time");
      world_->stream(stream).read_wanted = true;
      return;
    }
    case GXDS_ACTION_RESOURCE:
    case GXDS_ACTION_AMBIENT_ERROR:
      return Tell(action);
    default: /* a line of the log */
      return;
  }
}

void Client::CarryServer(const gxds_action &action) {
  if (action.kind == GXDS_ACTION_CONNECT) {
    int server = 0;
    while (server < kServerMax &&
           !gxds_str_equal(world_->server(server).config()->uri, action.server->uri)) {
      server++;
    }
    Conn &conn = conns_[server];
    if (conn.id) Fail("connect-twice", "two channels to server%d", server);
    conn.id = action.server_id;
    last_server_id_ = std::max(last_server_id_, conn.id);
    if (!IsPrimary(server, 0) && !IsPrimary(server, 1)) world_->Did(kDidFallback);
    return;
  }
  int server = ServerOf(action.server_id);
  if (server < 0) Fail("unknown-server", "a server that was not connected to");
  Conn &conn = conns_[server];
  if (conn.stream >= 0) Fail("stream-twice", "a second stream, or the channel goes before it");
  if (action.kind == GXDS_ACTION_DISCONNECT) {
    conn.id = 0;
    conn.ready = conn.failed = conn.failed_lately = conn.doubted = false;
    for (int type = 0; type < kTypeCount; type++) {
      conn.version[type].clear();
      conn.version_unsure[type] = false;
    }
    if (!IsPrimary(server, 0) && !IsPrimary(server, 1)) world_->Did(kDidReturn);
    return;
  }
  if (action.stream <= last_stream_id_) Fail("stream-id", "the id of a stream is used again");
  last_stream_id_ = action.stream;
  static const char delta_method[] =
      "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";
  bool delta = strcmp(action.method, delta_method) == 0;
  if (delta != (world_->server(server).options().delta && !conn.no_delta)) {
    Fail("encoding", "a stream in the wrong encoding");
  }
  conn.stream = world_->OpenStream(index_, server, action.stream, delta);
  for (int type = 0; type < kTypeCount; type++) {
    conn.said[type] = conn.vague[type] = 0;
    for (gxds_time &at : conn.sent_at[type]) at = GXDS_TIME_NEVER;
  }
}

void Client::CarrySend(const gxds_action &action) {
  int index = StreamOf(action.stream);
  if (index < 0) Fail("send-unknown", "a request on a stream that there is none of");
  Stream &s = world_->stream(index);
  if (s.sending) Fail("send-twice", "two requests at a time");
  std::string bytes =
      world_->plant() == kPlantNone ? String(action.bytes) : PlantInRequest(&s, action.bytes);
  if (bytes.empty()) { /* the planted fault keeps it back */
    s.sending = true;
    Event e;
    e.kind = kEventSent;
    e.a = index;
    e.generation = s.generation;
    return world_->Schedule(0, e);
  }
  CheckSend(world_, &s, Str(bytes));
  world_->SendRequest(index, std::move(bytes));
}

std::string Client::PlantInRequest(Stream *s, gxds_str bytes) {
  if (s->delta) return PlantInDelta(s, bytes);
  Request r = ParseRequest(bytes);
  const SotwHeard &h = s->sotw.heard[r.type];
  RequestChange change;
  bool sure = !h.unsure && !conns_[s->server].version_unsure[r.type];
  switch (world_->plant()) {
    case kPlantNackVersion:
      if (r.nack && sure) change.version = &h.received_version;
      break;
    case kPlantStaleNonce:
      if (h.unanswered && sure) change.nonce = &h.nonce_before;
      break;
    case kPlantForgottenName:
      if (!h.requested && s->id > 20) change.without = r.names & (~r.names + 1);
      break;
    case kPlantSecondNode:
      if (s->node_said) change.node_id = &node_id_;
      break;
    case kPlantEmptyStart:
      if (!h.requested) change.without = r.names;
      break;
    case kPlantLostAck:
      if (h.unanswered && !planted_) {
        planted_ = true;
        return "";
      }
      break;
    default:
      break;
  }
  return ChangeRequest(bytes, change);
}

std::string Client::PlantInDelta(Stream *s, gxds_str bytes) {
  static const std::string odd = "odd";
  DeltaRequest r = ParseDeltaRequest(bytes);
  const DeltaHeard &h = s->delta_state.heard[r.type];
  DeltaRequestChange change;
  switch (world_->plant()) {
    case kPlantSpontaneousNonce:
      if (h.unanswered.empty()) change.nonce = &odd;
      break;
    case kPlantFalseClaim:
      change.versions = &odd;
      break;
    case kPlantNoClaim:
      change.without_claims = true;
      break;
    case kPlantLostUnsubscribe:
      change.without_unsubscribe = r.subscribe != 0 || !h.unanswered.empty();
      break;
    default:
      return String(bytes);
  }
  return ChangeDeltaRequest(bytes, change);
}

// ---- what watchers are told ----

Watch *Client::WatchOf(const gxds_action &action) {
  if (action.watcher.owner != this) Fail("watcher", "a watcher that is nobody's");
  size_t index = static_cast<uint32_t>(action.watcher.token);
  uint32_t generation = static_cast<uint32_t>(action.watcher.token >> 32);
  bool live = index < watches_.size() && watches_[index].used &&
              watches_[index].generation == generation && watches_[index].id == action.watch;
  if (!live) Fail("ended-watch", "a watch that was ended is told something");
  return &watches_[index];
}

void Client::Tell(const gxds_action &action) {
  Watch *w = WatchOf(action);
  bool resource = action.kind == GXDS_ACTION_RESOURCE && action.resource;
  if (world_->tracing()) {
    world_->Trace("client%d: watch%d %s: %s #%d %s %s", index_,
                  static_cast<int>(w - watches_.data()), TypeOf(w->type).short_name,
                  resource                                   ? "resource"
                  : action.kind == GXDS_ACTION_AMBIENT_ERROR ? "ambient"
                                                             : "error",
                  NumberOf(action.resource), gxds_code_name(action.status.code),
                  String(action.status.message).c_str());
  }
  Plant plant = world_->plant();
  if (plant == kPlantLostUpdate && resource && w->held >= 0 && !planted_) {
    planted_ = true;
    return;
  }
  if (plant == kPlantStrayAmbient && !resource && action.kind == GXDS_ACTION_RESOURCE &&
      w->name >= 0) {
    return TellAmbient(w, action);
  }
  if (action.kind == GXDS_ACTION_AMBIENT_ERROR) return TellAmbient(w, action);
  TellResource(w, action);
  if (plant == kPlantDoubleUpdate && resource && !planted_) {
    planted_ = true;
    TellResource(w, action);
  }
}

void Client::TellResource(Watch *w, const gxds_action &action) {
  const gxds_resource *resource = action.resource;
  if ((resource != nullptr) != gxds_status_is_ok(&action.status)) {
    Fail("resource-or-error", "a watcher is told of both, or of neither");
  }
  if (w->name < 0) {
    if (resource || w->told) Fail("refused", "a refused watch is told of more than that");
  } else if (resource) {
    int number = NumberOf(resource);
    const Entry &e = entries_[w->type][w->name];
    if (resource->type != &TypeOf(w->type)) Fail("resource-type", "a resource of another type");
    if (number >= 0) {
      const Content &c = world_->contents().at(number);
      if (e.unsure && c.name != w->name) world_->contents().SetMisnamed(number);
      if (c.name != w->name && !c.misnamed) Fail("resource-name", "a resource of another name");
    }
    bool same = w->held == number && number >= 0;
    if (same && !e.may_renew && !e.unsure) Fail("told-twice", "a watcher is told what it has");
    world_->Did(kDidResource);
  } else {
    CheckTimeout(*w, action.status);
    CheckUnreachable(*w, action.status);
    world_->Did(kDidDataError);
  }
  w->told = true;
  w->held = NumberOf(resource);
  w->error_code = action.status.code;
  w->ambient_code = 0;
  w->ambient_hash = 0;
  if (w->channel < 0) return;
  channel(w->channel)->OnResource(*w, resource, &action.status);
  Touch(w->channel);
}

void Client::TellAmbient(Watch *w, const gxds_action &action) {
  if (w->held == kNothing) Fail("stray-ambient", "an ambient error for who holds nothing");
  uint64_t hash = action.status.code ? Hash(action.status.message) : 0;
  if (w->ambient_code == static_cast<int>(action.status.code) && w->ambient_hash == hash) {
    Fail("ambient-twice", "an ambient error is told twice");
  }
  if (action.status.code) CheckUnreachable(*w, action.status);
  w->ambient_code = action.status.code;
  w->ambient_hash = hash;
  w->ambient_outage = IsOutage(action.status);
  world_->Did(kDidAmbient);
  if (w->channel < 0) return;
  channel(w->channel)->OnAmbient(*w, &action.status);
  Touch(w->channel);
}

// A57: that a resource does not exist is only known when it was asked for that long ago, or
// deleted.
void Client::CheckTimeout(const Watch &w, const gxds_status &status) {
  bool transient = gxds_str_starts_with(status.message, gxds_str_z("timeout obtaining"));
  if (!transient && !gxds_str_starts_with(status.message, gxds_str_z("does not exist"))) return;
  world_->Did(kDidDoesNotExist);
  const Entry &e = entries_[w.type][w.name];
  bool in_time = transient ? e.may_be_late : e.may_not_exist;
  if (!in_time && !e.unsure && e.held == kNothing) {
    Fail("early-not-found", "a resource is said not to exist before its time is up");
  }
}

// A server is out of reach only when a stream or a channel failed, and nothing came since.
void Client::CheckUnreachable(const Watch &w, const gxds_status &status) {
  if (!IsOutage(status)) return;
  int primary = world_->options().authority_servers[AuthorityOf(w.name)][0];
  if (!conns_[primary].failed_lately) Fail("false-outage", "server%d has not failed", primary);
}

}  // namespace gxds_sim
