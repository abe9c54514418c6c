// The network: connections, and messages on streams, in order and with delays.
#include <algorithm>

#include "base/status.h"
#include "test/sim/ads.h"
#include "test/sim/client.h"
#include "test/sim/files.h"
#include "test/sim/web.h"

namespace gxds_sim {
namespace {

constexpr gxds_duration kKeepalive = 30 * GXDS_SECOND;
constexpr gxds_duration kConnectRetry = 3 * GXDS_SECOND;

Event StreamEvent(EventKind kind, int stream, const Stream &s, int b = 0) {
  Event e;
  e.kind = kind;
  e.a = stream;
  e.b = b;
  e.generation = s.generation;
  return e;
}

}  // namespace

int World::NewMessage() {
  size_t i = 0;
  while (i < messages_.size() && messages_[i].used) i++;
  if (i == messages_.size()) messages_.emplace_back();
  Message &m = messages_[i];
  m.used = true;
  m.effect = kUnderstood;
  m.removed = m.missing = 0;
  m.ttl = 0;
  m.items.clear();
  m.bytes.clear();
  return static_cast<int>(i);
}

int World::OpenStream(int client, int server, gxds_stream_id id, bool delta) {
  size_t i = 0;
  while (i < streams_.size() && streams_[i].used) i++;
  if (i == streams_.size()) streams_.emplace_back();
  Stream &s = streams_[i];
  uint32_t generation = s.generation + 1;
  s = Stream();
  s.used = true;
  s.generation = generation;
  s.id = id;
  s.client = client;
  s.server = server;
  s.delta = delta;
  if (this->client(client).conn(server).ready) {
    s.established = true;
  } else {
    TryConnect(client, server, net_.Around(options_.net_delay));
  }
  return static_cast<int>(i);
}

void World::ForgetStream(int index) {
  Stream &s = stream(index);
  for (std::vector<int> *queue : {&s.inbox, &s.going_down, &s.going_up}) {
    for (int message : *queue) FreeMessage(message);
    if (queue != &s.going_up) result_.counts[kDidLostMessage] += queue->size();
    queue->clear();
  }
  if (s.unsent >= 0) FreeMessage(s.unsent);
  s.used = false;
}

// When a message that is due at `at` gets through a silent link; 0: at once. This compares with the
// due time, not the current time. Otherwise, after a jump of the clock, the message would get
// through at once and overtake those that are held back.
gxds_time World::SilentUntil(const Stream &s, gxds_time at) {
  gxds_time until = client(s.client).conn(s.server).silent_until;
  return at < until ? until : 0;
}

// ---- to the server ----

void World::SendRequest(int index, std::string bytes) {
  Stream &s = stream(index);
  s.sending = true;
  if (IsNoServer(s.server)) {
    Request r = ParseRequest(Str(bytes));
    s.sotw.server_end[r.type].requested = true;
    s.sotw.server_end[r.type].names = r.names;
    if (IsWeb(s.server)) return client(s.client).web()->OnRequest(Str(bytes));
    ScheduleAt(now_, StreamEvent(kEventSent, index, s));
    return client(s.client).files()->OnRequest(Str(bytes));
  }
  int number = NewMessage();
  message(number).bytes = std::move(bytes);
  if (s.established) {
    Launch(index, number);
  } else {
    s.unsent = number;
  }
}

void World::SendEcho(int index, std::string bytes) {
  if (!stream(index).established || IsNoServer(stream(index).server)) return;
  int number = NewMessage();
  message(number).bytes = std::move(bytes);
  Depart(index, number);
}

void World::Depart(int index, int number) {
  Stream &s = stream(index);
  s.last_up = std::max(s.last_up, now_ + net_.Around(options_.net_delay));
  s.going_up.push_back(number);
  ScheduleAt(s.last_up, StreamEvent(kEventRequest, index, s));
}

void World::Launch(int index, int number) {
  Stream &s = stream(index);
  Depart(index, number);
  gxds_time stalled = client(s.client).conn(s.server).stalled_until;
  gxds_time sent = std::max(now_, stalled) + net_.Around(options_.sent_delay);
  ScheduleAt(sent, StreamEvent(kEventSent, index, s));
}

// Messages that a silent link holds back keep their order: each arrival takes the first message.
static int TakeFirst(std::vector<int> *queue) {
  int number = queue->front();
  queue->erase(queue->begin());
  return number;
}

void World::OnRequest(int index) {
  int number = TakeFirst(&stream(index).going_up);
  Did(kDidRequest);
  gxds_sim::OnRequest(this, index, Str(message(number).bytes));
  FreeMessage(number);
}

void World::OnSent(int index) {
  Stream &s = stream(index);
  Did(kDidSent);
  s.sending = false;
  client(s.client).OnSent(index);
}

void World::SchedulePush(int index, int type, gxds_duration after) {
  Stream &s = stream(index);
  if (s.push_scheduled[type]) return;
  s.push_scheduled[type] = true;
  gxds_time at = std::max(now_ + after, server(s.server).mute_until);
  ScheduleAt(at, StreamEvent(kEventPush, index, s, type));
}

void World::ScheduleHeartbeat(int index, int type, gxds_duration after) {
  Schedule(after, StreamEvent(kEventHeartbeat, index, stream(index), type));
}

// ---- to the client ----

void World::SendResponse(int index, int number) {
  Stream &s = stream(index);
  s.last_down = std::max(s.last_down, now_ + net_.Around(options_.net_delay));
  s.going_down.push_back(number);
  ScheduleAt(s.last_down, StreamEvent(kEventMessage, index, s));
}

void World::OnMessage(int index) {
  Stream &s = stream(index);
  s.inbox.push_back(TakeFirst(&s.going_down));
  DeliverNext(index);
}

void World::DeliverNext(int index) {
  for (;;) {
    Stream &s = stream(index);
    if (!s.used || !s.read_wanted || s.inbox.empty()) return;
    int number = TakeFirst(&s.inbox);
    s.read_wanted = false;
    uint32_t generation = s.generation;
    Did(kDidMessage);
    client(s.client).OnMessage(index, message(number));
    FreeMessage(number);
    if (stream(index).generation != generation) return;
  }
}

void World::EndStream(int index, int code, bool after_messages) {
  Stream &s = stream(index);
  if (!s.used || s.dying) return;
  s.dying = true;
  gxds_time at = now_ + net_.Around(options_.net_delay);
  if (after_messages) at = std::max(at, s.last_down);
  ScheduleAt(at, StreamEvent(kEventDies, index, s, code));
}

void World::OnDies(int index, int code) {
  Stream &s = stream(index);
  Did(kDidStreamDies);
  int client_index = s.client;
  int server_index = s.server;
  gxds_stream_id id = s.id;
  Conn &conn = client(client_index).conn(server_index);
  if (!s.got_response && s.delta && code == GXDS_UNIMPLEMENTED) {
    conn.no_delta = true;
    conn.delta_unsure = s.delta_state.unsure;
  } else if (!s.got_response && !s.kept_quiet) {
    conn.failed = conn.failed_lately = true;
  }
  conn.stream = -1;
  ForgetStream(index);
  client(client_index).OnStreamClosed(server_index, id, code);
}

// ---- connections ----

void World::TryConnect(int client_index, int server_index, gxds_duration after) {
  Conn &conn = client(client_index).conn(server_index);
  if (conn.connecting) return;
  conn.connecting = true;
  Event e;
  e.kind = kEventConnect;
  e.a = client_index;
  e.b = server_index;
  e.generation = client(client_index).serial();
  Schedule(after, e);
}

void World::Establish(int index) {
  Stream &s = stream(index);
  s.established = true;
  int unsent = s.unsent;
  s.unsent = -1;
  if (unsent >= 0) Launch(index, unsent);
}

void World::OnConnect(int client_index, int server_index) {
  Client &c = client(client_index);
  Conn &conn = c.conn(server_index);
  conn.connecting = false;
  if (conn.ready || !conn.id) return;
  Did(kDidConnect);
  if (server(server_index).up && now_ >= conn.down_until && now_ >= conn.silent_until) {
    conn.ready = true;
    if (conn.stream >= 0) Establish(conn.stream);
    return;
  }
  Did(kDidConnectFails);
  TryConnect(client_index, server_index,
             repaired_ ? GXDS_SECOND : kConnectRetry + net_.Around(kConnectRetry));
  c.OnChannelFailed(server_index);
}

void World::ServerDown(int index, gxds_duration how_long, bool lose_state) {
  Server &s = server(index);
  if (!s.up) return;
  s.up = false;
  if (lose_state) s.Forget();
  for (int i = 0; i < stream_count() && !IsWeb(index); i++) {
    if (stream(i).used && stream(i).server == index) EndStream(i, GXDS_UNAVAILABLE, false);
  }
  for (auto &c : clients_) c->conn(index).ready = IsWeb(index);
  Event e;
  e.kind = kEventServerUp;
  e.a = index;
  Schedule(how_long, e);
  if (!lose_state) return;
  e.kind = kEventResync;
  Schedule(how_long + net_.Around(s.options().replication), e);
}

void World::GoSilent(int client_index, int server_index, gxds_duration how_long) {
  Conn &conn = client(client_index).conn(server_index);
  conn.silent_until = std::max(conn.silent_until, now_ + how_long);
  if (conn.stream < 0) return;
  const Stream &s = stream(conn.stream);
  if (s.established && !IsWeb(server_index))
    Schedule(kKeepalive, StreamEvent(kEventKeepalive, conn.stream, s));
}

// ---- files ----

// Does the same steps as the production's file source. A notification may end the source or the
// stream.
void World::OnFiles(int index) {
  Client &c = client(index);
  if (c.files() && !c.files()->Look()) c.OnChannelFailed(options_.files);
  int number = c.conn(options_.files).stream;
  if (c.files() && number >= 0 && stream(number).read_wanted) {
    int response = c.files()->Next();
    if (response >= 0) {
      stream(number).inbox.push_back(response);
      DeliverNext(number);
    }
  }
  if (c.files()) c.files()->Schedule();
}

// ---- the web server ----

void World::OnWebEvent(const Event &e) {
  WebSource *source = client(e.a).web();
  if (!source || source->number() != e.b) return;
  if (e.kind == kEventWebRequest) return source->OnArrival(e.c);
  if (e.kind == kEventWebResponse) source->OnResponse(e.c);
  OnWeb(e.a);
}

// Does the same steps, in the same order, as the production's thread. A notification may end the
// source or the stream.
void World::OnWeb(int index) {
  Client &c = client(index);
  c.web()->Fetch();
  int number = c.conn(options_.web).stream;
  if (number >= 0 && c.web()->WasSent()) {
    ScheduleAt(now_, StreamEvent(kEventSent, number, stream(number)));
  }
  if (number >= 0 && stream(number).read_wanted) {
    int response = c.web()->Next();
    if (response >= 0) {
      stream(number).inbox.push_back(response);
      DeliverNext(number);
    }
  }
  if (c.web() && c.web()->TakeEnd()) OnDies(number, GXDS_UNAVAILABLE);
  if (c.web()) c.web()->Schedule();
}

// ---- dispatch ----

bool World::IsLate(const Event &e) const {
  const Stream &s = streams_[static_cast<size_t>(e.a)];
  return !s.used || s.generation != e.generation;
}

void World::CarryStreamEvent(const Event &e) {
  if (IsLate(e)) return;
  Stream &s = stream(e.a);
  gxds_time later = SilentUntil(s, e.at);
  bool travels = e.kind == kEventRequest || e.kind == kEventMessage || e.kind == kEventDies;
  if (travels && later) return ScheduleAt(later, e);
  result_.events++;
  switch (e.kind) {
    case kEventRequest:
      return OnRequest(e.a);
    case kEventSent:
      return OnSent(e.a);
    case kEventMessage:
      return OnMessage(e.a);
    case kEventDies:
      return OnDies(e.a, e.b);
    case kEventKeepalive:
      if (!later) return;
      client(s.client).conn(s.server).ready = false;
      return OnDies(e.a, GXDS_UNAVAILABLE);
    case kEventHeartbeat:
      return OnHeartbeat(this, e.a, e.b);
    case kEventPush: {
      s.push_scheduled[e.b] = false;
      if (s.dying) return;
      if (now_ < server(s.server).mute_until) return SchedulePush(e.a, e.b, 0);
      Did(kDidPush);
      int number = Serve(this, e.a, e.b, kServeChanges, &net_);
      if (number >= 0) SendResponse(e.a, number);
      return;
    }
    default:
      return;
  }
}

}  // namespace gxds_sim
