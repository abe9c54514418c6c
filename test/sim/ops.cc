#include "test/sim/ops.h"

#include "base/status.h"
#include "test/sim/ads.h"
#include "test/sim/channel.h"
#include "test/sim/client.h"
#include "test/sim/codec.h"
#include "test/sim/files.h"
#include "test/sim/shelf.h"
#include "test/sim/web.h"

namespace gxds_sim {
namespace {

constexpr int kWatchMax = 24;   // of one client
constexpr int kChannelMax = 3;  // of one client

int DrawName(const Options &o, Random *r) {
  int name;
  do name = r->Int(kNameCount);
  while (!(o.names & Bit(name)));
  return name;
}

Client &DrawClient(World *w, Random *r) { return w->client(r->Int(w->options().clients)); }
Server &DrawServer(World *w, Random *r) { return w->server(r->Int(w->options().servers)); }

// A random established stream; -1: none.
int DrawStream(World *w, Random *r) {
  int count = w->stream_count();
  int first = count ? r->Int(count) : 0;
  for (int i = 0; i < count; i++) {
    int stream = (first + i) % count;
    const Stream &s = w->stream(stream);
    if (s.used && s.established && !s.dying && !w->IsNoServer(s.server)) return stream;
  }
  return -1;
}

// ---- watches and channels ----

void AddWatch(World *w, Random *r) {
  Client &client = DrawClient(w, r);
  int type = r->Int(kTypeCount);
  int name = DrawName(w->options(), r);
  if (client.raw_watch_count() >= kWatchMax) return;
  const std::string &text = r->OneIn(4) ? OtherSpelling(type, name) : NameOf(type, name);
  client.AddWatch(type, name, text, -1, 0);
  client.AfterEvent();
}

void EndWatch(World *w, Random *r, bool again) {
  Client &client = DrawClient(w, r);
  int watch = client.DrawWatch(r);
  if (watch < 0) return;
  const int type = client.watch(watch).type;
  const int name = client.watch(watch).name;
  client.EndWatch(watch);
  if (again && name >= 0) client.AddWatch(type, name, NameOf(type, name), -1, 0);
  client.AfterEvent();
}

void AddOddWatch(World *w, Random *r) {
  Client &client = DrawClient(w, r);
  if (client.raw_watch_count() >= kWatchMax) return;
  static const char *const odd[] = {"",
                                    "xdstp:", "xdstp://nowhere/envoy.config.cluster.v3.Cluster/x",
                                    "xdstp://a/wrong.Type/n9", "\xff\xfe"};
  client.AddWatch(r->Int(kTypeCount), -1, odd[r->Int(5)], -1, 0);
  client.AfterEvent();
}

void StartChannel(World *w, Random *r) {
  Client &client = DrawClient(w, r);
  int name = DrawName(w->options(), r);
  int live = 0;
  for (int i = 0; i < client.channel_count(); i++) live += client.channel(i) != nullptr;
  if (live >= kChannelMax) return;
  client.StartChannel(name);
  client.AfterEvent();
}

Channel *DrawChannel(Client *client, Random *r) {
  int count = client->channel_count();
  return count ? client->channel(r->Int(count)) : nullptr;
}

void StopChannel(World *w, Random *r) {
  Client &client = DrawClient(w, r);
  Channel *channel = DrawChannel(&client, r);
  if (!channel) return;
  client.StopChannel(channel->index());
  client.AfterEvent();
}

void ChangeChannel(World *w, Op op, Random *r) {
  Client &client = DrawClient(w, r);
  Channel *channel = DrawChannel(&client, r);
  int cluster = DrawName(w->options(), r);
  if (!channel) return;
  if (op == kOpHold) channel->ToggleHold(cluster);
  if (op == kOpSubscribe) channel->ToggleSubscription(cluster, r->OneIn(3));
  if (op == kOpDns) channel->Reresolve(r->OneIn(2));
  client.Touch(channel->index());
  client.AfterEvent();
}

// ---- resources ----

void SetOne(World *w, Random *r, int type, int name, ContentFault fault) {
  Content c = DrawContent(r, type, name, w->options().names, w->options().endpoints_max);
  c.fault = fault;
  w->SetTruth(type, name, w->contents().Add(c));
}

void SetMany(World *w, Random *r) {
  int types = r->Int(15) + 1;  // a set of types
  for (int type = 0; type < kTypeCount; type++) {
    if (!(types >> type & 1)) continue;
    ForEachName(w->options().names, [&](int name) {
      if (r->OneIn(3)) return;
      if (r->OneIn(8)) return w->SetTruth(type, name, -1);
      SetOne(w, r, type, name, kValid);
    });
  }
}

// Serves a content again that any name had before.
void Restore(World *w, Random *r) {
  int count = w->contents().count();
  if (count == 0) return;
  int content = r->Int(count);
  const Content &c = w->contents().at(content);
  if (c.fault == kValid && (w->options().names & Bit(c.name))) w->SetTruth(c.type, c.name, content);
}

// Gives one name the resource of another. In delta that is one resource with an alias.
void MakeTwin(World *w, Random *r, int type, int name) {
  int other = DrawName(w->options(), r);
  int content = w->truth(type, other);
  if (other == name || content < 0 || w->contents().at(content).fault != kValid) return;
  w->contents().SetMisnamed(content);
  w->SetTruth(type, name, content);
}

// ---- network and servers ----

void ChangeLink(World *w, Op op, Random *r) {
  Client &client = DrawClient(w, r);
  Server &server = DrawServer(w, r);
  gxds_duration how_long = r->Magnitude(100 * GXDS_MILLISECOND, 60 * GXDS_SECOND);
  Conn &conn = client.conn(server.index());
  if (w->IsFiles(server.index())) return;
  switch (op) {
    case kOpLinkDown:
      conn.down_until = w->now() + how_long;
      if (w->IsWeb(server.index())) return;
      conn.ready = false;
      if (conn.stream >= 0 && w->stream(conn.stream).established) {
        w->EndStream(conn.stream, GXDS_UNAVAILABLE, r->OneIn(2));
      }
      return;
    case kOpLinkSilent:
      return w->GoSilent(client.index(), server.index(), how_long);
    case kOpLinkUp:
      conn.down_until = 0;
      return;
    case kOpStallSends:
      conn.stalled_until = w->now() + how_long;
      return;
    default:  // a failure that has nothing to do with the stream
      if (!conn.id || w->IsWeb(server.index())) return;
      return client.OnChannelFailed(server.index());
  }
}

void Restart(World *w, Random *r, bool lose_state) {
  Server &server = DrawServer(w, r);
  if (w->IsFiles(server.index())) return;
  w->ServerDown(server.index(), r->Magnitude(10 * GXDS_MILLISECOND, 40 * GXDS_SECOND), lose_state);
}

void CloseStream(World *w, Random *r) {
  int stream = DrawStream(w, r);
  static const gxds_code codes[] = {GXDS_OK, GXDS_UNAVAILABLE, GXDS_INTERNAL, GXDS_CANCELLED,
                                    GXDS_UNIMPLEMENTED};
  gxds_code code = codes[r->Int(5)];
  bool after_messages = r->OneIn(2);
  if (stream >= 0) w->EndStream(stream, code, after_messages);
}

// ---- responses that a server should not send ----

void SendGarbage(World *w, Random *r) {
  int stream = DrawStream(w, r);
  if (stream < 0) return;
  int number = w->NewMessage();
  Message &m = w->message(number);
  m.effect = kUnsure;
  for (size_t size = r->Draw(40); size > 0; size--) m.bytes += static_cast<char>(r->Draw(256));
  if (!HasOnlyValues(Str(m.bytes), w->stream(stream).delta, {})) m.bytes = "\x0f";
  w->SendResponse(stream, number);
}

void SendUnknownType(World *w, Random *r) {
  int stream = DrawStream(w, r);
  if (stream < 0) return;
  static const char *const urls[] = {"", "type.googleapis.com/envoy.api.v2.Cluster",
                                     "type.googleapis.com/envoy.extensions.Nothing"};
  int number = w->NewMessage();
  Message &m = w->message(number);
  m.effect = kIgnored;
  BuildResponse(gxds_str_z(urls[r->Int(3)]), gxds_str_z("1"), gxds_str_z("odd"), {}, &m.bytes);
  w->SendResponse(stream, number);
}

void SendOdd(World *w, Op op, Random *r) {
  int stream = DrawStream(w, r);
  int type = r->Int(kTypeCount);
  if (stream < 0) return;
  Serving how = op == kOpMangle     ? kServeMangled
                : op == kOpHostile  ? kServeHostile
                : op == kOpOddNonce ? kServeOddNonce
                                    : kServeAgain;
  int number = Serve(w, stream, type, how, r);
  if (number < 0) return;
  w->SendResponse(stream, number);
  const ServerOptions &o = w->server(w->stream(stream).server).options();
  w->SchedulePush(stream, type, r->Around(o.delay));
}

void DoServerOp(World *w, Op op, Random *r) {
  switch (op) {
    case kOpStreamCloses:
      return CloseStream(w, r);
    case kOpServerRestarts:
      return Restart(w, r, false);
    case kOpServerForgets:
      return Restart(w, r, true);
    case kOpServerMute:
      DrawServer(w, r).mute_until = w->now() + r->Magnitude(GXDS_SECOND, 60 * GXDS_SECOND);
      return;
    case kOpGarbage:
      return SendGarbage(w, r);
    case kOpUnknownType:
      return SendUnknownType(w, r);
    default:
      return SendOdd(w, op, r);
  }
}

// Ends a client by a kill, or with a cut or damaged cache.
void EndClient(World *w, Op op, Random *r) {
  Client &client = DrawClient(w, r);
  int64_t bytes = r->Magnitude(1, 4000);
  gxds_duration cut_off = r->OneIn(2) ? r->Magnitude(GXDS_SECOND, 60 * GXDS_SECOND) : 0;
  if (!client.cache()) return;
  if (op == kOpClientKilled) return w->KillClient(client.index(), bytes);
  int index = client.index();
  w->RestartClient(index, true, [&] {
    for (int i = 0; i < w->options().servers; i++) {
      Shelf &shelf = w->shelf(index, i);
      if (op == kOpCacheCut) shelf.Cut(r);
      if (op == kOpCacheDamaged) shelf.Damage(r, w->server(i).config()->uri, w->plant());
    }
  });
  w->client(index).CutOff(cut_off);
}

void DoFilesOp(World *w, Op op, Random *r, int type) {
  if (!w->directory()) return;
  if (op == kOpFilesVanish) return w->directory()->Vanish(type);
  if (op == kOpFilesDamaged) return w->directory()->Damage(type, r);
  w->directory()->Write(type);
}

void DoWebOp(World *w, Op op, Random *r) {
  gxds_duration how_long = r->Magnitude(GXDS_SECOND, 120 * GXDS_SECOND);
  if (!w->website()) return;
  w->website()->SetFault(op == kOpWebRefuses    ? kWebRefuses
                         : op == kOpWebNonsense ? kWebNonsense
                                                : kWebRepeats,
                         how_long);
}

void DoClientOp(World *w, Op op, Random *r) {
  switch (op) {
    case kOpResetBackoff:
      return DrawClient(w, r).ResetBackoff();
    case kOpLateEvents:
      return DrawClient(w, r).LateEvents(r);
    case kOpEarlyDeadline:
      return DrawClient(w, r).OnDeadline();
    case kOpClientRestarts:
      return w->RestartClient(DrawClient(w, r).index(), r->OneIn(2));
    case kOpClientKilled:
    case kOpCacheCut:
    case kOpCacheDamaged:
      return EndClient(w, op, r);
    default:
      return w->JumpClock(r->Magnitude(GXDS_SECOND, 300 * GXDS_SECOND));
  }
}

void Do(World *w, Op op, Random *r) {
  int type = r->Int(kTypeCount);
  int name = DrawName(w->options(), r);
  switch (op) {
    case kOpWatch:
      return AddWatch(w, r);
    case kOpUnwatch:
      return EndWatch(w, r, false);
    case kOpRewatch:
      return EndWatch(w, r, true);
    case kOpOddWatch:
      return AddOddWatch(w, r);
    case kOpSet:
      return SetOne(w, r, type, name, kValid);
    case kOpSetBad:
      return SetOne(w, r, type, name, r->OneIn(3) ? kUndecodable : kInvalid);
    case kOpSetMany:
      return SetMany(w, r);
    case kOpDelete:
      return w->SetTruth(type, name, -1);
    case kOpRestore:
      return Restore(w, r);
    case kOpTwin:
      return MakeTwin(w, r, type, name);
    case kOpStartChannel:
      return StartChannel(w, r);
    case kOpStopChannel:
      return StopChannel(w, r);
    case kOpHold:
    case kOpSubscribe:
    case kOpDns:
      return ChangeChannel(w, op, r);
    case kOpLinkDown:
    case kOpLinkSilent:
    case kOpLinkUp:
    case kOpStallSends:
    case kOpChannelFails:
      return ChangeLink(w, op, r);
    case kOpClockJump:
    case kOpResetBackoff:
    case kOpLateEvents:
    case kOpEarlyDeadline:
    case kOpClientRestarts:
    case kOpClientKilled:
    case kOpCacheCut:
    case kOpCacheDamaged:
      return DoClientOp(w, op, r);
    case kOpFilesVanish:
    case kOpFilesDamaged:
    case kOpFilesWritten:
      return DoFilesOp(w, op, r, type);
    case kOpWebRefuses:
    case kOpWebNonsense:
    case kOpWebRepeats:
      return DoWebOp(w, op, r);
    default:
      return DoServerOp(w, op, r);
  }
}

}  // namespace

Op DoOp(World *world, uint64_t off, Random *random) {
  const Options &o = world->options();
  uint32_t draw = static_cast<uint32_t>(random->Draw(o.weight_sum));
  int op = 0;
  while (draw >= o.weights[op]) draw -= o.weights[op++];
  if (off >> op & 1) return kOpCount;
  if (world->tracing()) world->Trace("op: %s", kOpLabels[op]);
  Do(world, static_cast<Op>(op), random);
  return static_cast<Op>(op);
}

}  // namespace gxds_sim
