// Carries out the engine's actions as the production's transport does.
#include <algorithm>
#include <cstring>

#include "test/sim/ads.h"
#include "test/sim/channel.h"
#include "test/sim/client.h"
#include "test/sim/codec.h"

namespace gxds_sim {
namespace {

// Far more than the actions that one event can cause.
constexpr int kActionMax = 20000;

}  // namespace

void Client::AfterEvent() {
  gxds_client_validate(engine_);
  int one_in = world_->options().drain_late_one_in;
  if (one_in && !world_->repaired() && world_->net().OneIn(one_in)) {
    ScheduleDeadline();
    return;
  }
  Drain();
}

void Client::Drain() {
  int count = 0;
  SettleChannels();
  do {
    while (const gxds_action *action = gxds_client_next_action(engine_)) {
      if (++count > kActionMax) Fail("endless-actions", "the actions don't end");
      bool notifies =
          action->kind == GXDS_ACTION_RESOURCE || action->kind == GXDS_ACTION_AMBIENT_ERROR;
      Carry(*action);
      if (notifies && world_->options().settle_at_once) SettleChannels();
    }
  } while (SettleChannels());
  gxds_client_validate(engine_);
  Observe();
  if (cache_) cache_->CheckStarted(carried_);
  if (cache_) cache_->CheckEnding();
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

// Returns whether any channel had to settle.
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
      if (world_->IsWeb(world_->stream(stream).server)) web_->OnClose();
      return world_->ForgetStream(stream);
    }
    case GXDS_ACTION_SEND:
      return CarrySend(action);
    case GXDS_ACTION_READ: {
      int stream = StreamOf(action.stream);
      if (stream < 0) Fail("read-unknown", "a message is read from a stream that there is none of");
      if (world_->stream(stream).read_wanted) Fail("read-twice", "two reads at a time");
      world_->stream(stream).read_wanted = true;
      if (world_->IsFiles(world_->stream(stream).server)) files_->OnRead();
      if (world_->IsWeb(world_->stream(stream).server)) web_->OnRead();
      return;
    }
    case GXDS_ACTION_RESOURCE:
    case GXDS_ACTION_AMBIENT_ERROR:
      return Notify(action);
    case GXDS_ACTION_PERSIST:
    case GXDS_ACTION_FORGET:
    case GXDS_ACTION_RESTORE:
      return cache_->Carry(action);
    case GXDS_ACTION_LOG:
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
    conn.ready = world_->IsNoServer(server);
    if (world_->IsFiles(server)) files_ = std::make_unique<FileSource>(world_, index_);
    if (world_->IsWeb(server)) {
      web_ = std::make_unique<WebSource>(world_, index_, static_cast<int>(conn.id));
    }
    if (!IsPrimary(server, 0) && !IsPrimary(server, 1)) world_->Did(kDidFallback);
    return;
  }
  int server = ServerOf(action.server_id);
  if (server < 0) Fail("unknown-server", "a server that was not connected to");
  Conn &conn = conns_[server];
  if (conn.stream >= 0) Fail("stream-twice", "a second stream, or the channel goes before it");
  if (action.kind == GXDS_ACTION_DISCONNECT) {
    conn.id = 0;
    if (world_->IsFiles(server)) files_.reset();
    if (world_->IsWeb(server)) web_.reset();
    conn.ready = conn.failed = conn.failed_lately = false;
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
  if (conn.delta_unsure) conn.no_delta = !delta;
  conn.delta_unsure = false;
  if (delta != (world_->server(server).options().delta && !conn.no_delta)) {
    Fail("encoding", "a stream in the wrong encoding");
  }
  conn.stream = world_->OpenStream(index_, server, action.stream, delta);
  if (world_->IsFiles(server)) files_->OnOpen();
  if (world_->IsWeb(server)) web_->OnOpen();
  for (int type = 0; type < kTypeCount; type++) {
    conn.requested[type] = conn.requested_before[type] = 0;
    for (gxds_time &at : conn.sent_at[type]) at = GXDS_TIME_NEVER;
  }
}

void Client::CarrySend(const gxds_action &action) {
  int index = StreamOf(action.stream);
  if (index < 0) Fail("send-unknown", "a request on a stream that there is none of");
  Stream &s = world_->stream(index);
  if (s.sending) Fail("send-twice", "two requests at a time");
  std::string bytes = String(action.bytes) + String(gxds_block_str(action.rest));
  if (world_->plant() != kPlantNone) bytes = PlantInRequest(&s, Str(bytes));
  if (bytes.empty()) { /* the planted fault drops it */
    s.sending = true;
    Event e;
    e.kind = kEventSent;
    e.a = index;
    e.generation = s.generation;
    return world_->Schedule(0, e);
  }
  CheckSend(world_, &s, Str(bytes));
  bool echo = world_->plant() == kPlantEcho && !s.delta;
  std::string twin = echo ? bytes : "";
  world_->SendRequest(index, std::move(bytes));
  if (echo) world_->SendEcho(index, std::move(twin));
}

std::string Client::PlantInRequest(Stream *s, gxds_str bytes) {
  if (s->delta) return PlantInDelta(s, bytes);
  Request r = ParseRequest(bytes);
  const SotwClientEnd &h = s->sotw.client_end[r.type];
  RequestChange change;
  bool sure = !h.unsure && !conns_[s->server].version_unsure[r.type];
  switch (world_->plant()) {
    case kPlantNackVersion:
      if (r.nack && sure) change.version = &h.received_version;
      break;
    case kPlantStaleNonce:
      if (h.ack_due && sure) change.nonce = &h.nonce_before;
      break;
    case kPlantForgottenName:
      if (!h.requested && s->id > 20) change.without = r.names & (~r.names + 1);
      break;
    case kPlantSecondNode:
      if (s->node_sent) change.node_id = &node_id_;
      break;
    case kPlantEmptyStart:
      if (!h.requested) change.without = r.names;
      break;
    case kPlantLostAck:
      if (h.ack_due && !planted_) {
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
  const DeltaClientEnd &h = s->delta_state.client_end[r.type];
  DeltaRequestChange change;
  switch (world_->plant()) {
    case kPlantSpontaneousNonce:
      if (h.acks_due.empty()) change.nonce = &odd;
      break;
    case kPlantNamesInAck:
      if (r.nonce.size == 0 && !h.acks_due.empty()) change.nonce = &h.acks_due.front().nonce;
      break;
    case kPlantWrongVersion:
      change.versions = &odd;
      break;
    case kPlantNoVersion:
      change.without_versions = true;
      break;
    case kPlantLostUnsubscribe:
      change.without_unsubscribe = r.subscribe != 0 || !h.acks_due.empty();
      break;
    default:
      return String(bytes);
  }
  return ChangeDeltaRequest(bytes, change);
}

}  // namespace gxds_sim
