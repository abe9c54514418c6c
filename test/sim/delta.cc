#include "test/sim/delta.h"

#include <algorithm>

#include "base/status.h"
#include "test/sim/client.h"
#include "test/sim/codec.h"

namespace gxds_sim {
namespace {

const char *ShortName(int type) { return TypeOf(type).short_name; }

// ---- requests of a client ----

// A request either changes the subscription, and then has names and no nonce, or it is an ACK or
// NACK, and then has no names, because servers may ignore them (DropsNames()). Each response gets
// one ACK or NACK, in the order of arrival.
void CheckAck(World *world, const Stream &stream, DeltaClientEnd *h, const DeltaRequest &r) {
  if (stream.delta_state.unsure) return;
  if (r.subscribe || r.unsubscribe) {
    if (r.nonce.size) Fail("nonce-with-names", "%s: an ACK with names", ShortName(r.type));
    if (r.nack) Fail("nack-with-names", "%s: a NACK with names", ShortName(r.type));
    return;
  }
  if (h->acks_due.empty()) {
    if (r.nonce.size)
      Fail("spontaneous-nonce", "%s: a nonce, but no ACK is due", ShortName(r.type));
    if (r.nack) Fail("spontaneous-nack", "%s: a NACK of nothing", ShortName(r.type));
    Fail("empty-request", "%s", ShortName(r.type));
  }
  DeltaAck expected = h->acks_due.front();
  h->acks_due.erase(h->acks_due.begin());
  if (!gxds_str_equal(r.nonce, Str(expected.nonce))) {
    Fail("delta-nonce", "%s: nonce '%s', but the oldest response without an ACK has '%s'",
         ShortName(r.type), String(r.nonce).c_str(), expected.nonce.c_str());
  }
  if (!expected.unsure && r.nack != expected.nack) {
    Fail("delta-nack", "%s: %s", ShortName(r.type),
         r.nack ? "a NACK of a valid response" : "no NACK of an invalid response");
  }
  if (r.nack && (r.error_code != GXDS_INVALID_ARGUMENT || r.error.size == 0)) {
    Fail("nack-detail", "%s: a NACK without an error text", ShortName(r.type));
  }
  world->Did(r.nack ? kDidNack : kDidAck);
}

void CheckNames(const Client &client, const Stream &stream, const DeltaClientEnd &h,
                const Conn &conn, const DeltaRequest &r) {
  if (r.odd_names) Fail("odd-names", "%s: a name twice, or unknown", ShortName(r.type));
  if (!h.requested && !r.subscribe) {
    Fail("empty-start", "%s starts without names, which requests everything", ShortName(r.type));
  }
  if (r.subscribe & r.unsubscribe)
    Fail("both", "%s: a name unsubscribed and subscribed at once", "");
  Mask before = conn.requested[r.type];
  if (r.unsubscribe & ~before) {
    Fail("unsubscribed-twice", "%s: %03x unsubscribed that were not requested", ShortName(r.type),
         r.unsubscribe & ~before);
  }
  Mask now = (before & ~r.unsubscribe) | r.subscribe;
  for (int a = 0; a < kAuthorityCount; a++) {
    Mask watched = client.Watched(r.type) & kAuthorityNames[a];
    Mask requested = now & kAuthorityNames[a];
    Usage usage = client.Uses(stream.server, a);
    Mask missing = watched & ~requested;
    bool none = requested == 0 && !client.IsPrimary(stream.server, a);
    /* A name that is unsubscribed and needed again takes two requests, in this order. */
    bool right = usage != kNotUsed && !(requested & ~watched) && (!missing || r.unsubscribe);
    if (!right && !none) {
      Fail("names", "%s on server%d: requests %03x, but %03x are watched", ShortName(r.type),
           stream.server, requested, watched);
    }
  }
}

// Whether the request may contain the version of a held resource: only if this server sent the
// resource, and it is used under its own name.
enum Permission { kMustNot, kMay, kNotKnown };
Permission MaySendVersion(const Client &client, int server, int type, int name) {
  const Entry &e = client.entry(type, name);
  if (e.unsure || (e.held != kNothing && (e.source < 0 || e.alias_of == kUnknownAlias))) {
    return kNotKnown;
  }
  bool may = e.held != kNothing && e.state == GXDS_RESOURCE_ACKED && e.source == server &&
             e.alias_of < 0 && !e.restored;
  return may ? kMay : kMustNot;
}

// The first request of a type contains the versions of held resources, and later requests contain
// none.
void CheckVersions(World *world, const Client &client, const Stream &stream,
                   const DeltaClientEnd &h, const DeltaRequest &r) {
  if (r.versioned & ~r.subscribe)
    Fail("version-names", "%s: a version of no name", ShortName(r.type));
  if (h.requested && r.versioned)
    Fail("late-version", "%s: a version in a later request", ShortName(r.type));
  Mask not_sent = 0;
  ForEachName(r.subscribe, [&](int name) {
    Permission may = MaySendVersion(client, stream.server, r.type, name);
    bool versioned = (r.versioned & Bit(name)) != 0;
    const Entry &e = client.entry(r.type, name);
    if (versioned) world->Did(kDidHeldVersion);
    if (may == kNotKnown) return;
    if (versioned && (may == kMustNot || !gxds_str_equal(r.versions[name], Str(e.version)))) {
      Fail("wrong-version", "%s n%d: sends version '%s', but holds '%s' (#%d of server%d)",
           ShortName(r.type), name, String(r.versions[name]).c_str(), e.version.c_str(), e.held,
           e.source);
    }
    if (!versioned && may == kMay) not_sent |= Bit(name);
  });
  Usage fallback = client.HasFallback(stream.server);
  if (r.versioned && fallback == kUsed) {
    Fail("version-beside", "%s: sends versions, while another server is used", ShortName(r.type));
  }
  if (not_sent && fallback == kNotUsed && !h.requested) {
    Fail("no-version", "%s: no versions of %03x, which it holds", ShortName(r.type), not_sent);
  }
}

}  // namespace

void DeltaCheckSend(World *world, Stream *stream, gxds_str bytes) {
  DeltaRequest r = ParseDeltaRequest(bytes);
  Client &client = world->client(stream->client);
  Conn &conn = client.conn(stream->server);
  DeltaClientEnd &h = stream->delta_state.client_end[r.type];
  if (world->tracing()) {
    world->Trace("client%d > server%d: %s +%03x -%03x versions=%03x nonce=%s%s%s", stream->client,
                 stream->server, ShortName(r.type), r.subscribe, r.unsubscribe, r.versioned,
                 String(r.nonce).c_str(), r.nack ? " NACK " : "", String(r.error).c_str());
  }
  CheckNode(client, stream, r.has_node, r.node_id);
  CheckNames(client, *stream, h, conn, r);
  CheckVersions(world, client, *stream, h, r);
  CheckAck(world, *stream, &h, r);
  h.requested = true;
  if (r.versioned) stream->sent_version = true;
  conn.requested[r.type] = (conn.requested[r.type] & ~r.unsubscribe) | r.subscribe;
  conn.requested_before[r.type] &= ~r.subscribe;
  ForEachName(r.unsubscribe | r.subscribe,
              [&](int name) { conn.sent_at[r.type][name] = GXDS_TIME_NEVER; });
}

// ---- the effect of a response ----

namespace {

// If the response also contains the name, the resource was removed and has returned.
void PredictRemoval(Prediction *p, int name) {
  if (p->seen & Bit(name)) return;
  p->seen |= Bit(name);
  int type = p->message->type;
  Usage usage = p->client->Uses(p->server, AuthorityOf(name));
  const Conn &conn = p->client->conn(p->server);
  if (usage == kNotUsed || p->client->entry(type, name).watchers == 0) return;
  bool requested = (conn.requested[type] & Bit(name)) != 0;
  if (!requested) return;  // the client has unsubscribed from it
  if (usage == kMaybeUsed || (conn.requested_before[type] & Bit(name))) {
    p->client->BeUnsure(type, name);
    p->client->entry(type, name).may_not_exist = true;
  } else {
    p->client->Remove(type, name, p->server);
  }
}

void PredictRemovals(Prediction *p) {
  Mask removed = p->message->removed;
  if (!removed) return;
  ForEachName(removed, [&](int name) { PredictRemoval(p, name); });
  ForEachName(p->client->Watched(p->message->type), [&](int name) {
    const Entry &e = p->client->entry(p->message->type, name);
    if (e.alias_of == kUnknownAlias && !(p->seen & Bit(name))) {
      p->client->BeUnsure(p->message->type, name);
      p->client->entry(p->message->type, name).may_not_exist = true;
    } else if (e.alias_of >= 0 && (removed & Bit(e.alias_of))) {
      PredictRemoval(p, name);
    }
  });
}

}  // namespace

void DeltaPredict(World *world, Stream *stream, const Message &message) {
  Client &client = world->client(stream->client);
  Prediction p = {world, &client, stream->server, &message, true};
  for (const Item &item : message.items) PredictItem(&p, item);
  PredictRemovals(&p);
  DeltaClientEnd &h = stream->delta_state.client_end[message.type];
  /* A client that has requested nothing of that type must not send an ACK, because that would
   * request everything. */
  if (!h.requested) return;
  h.acks_due.push_back({message.nonce, p.errors > 0, p.errors == 0 && p.maybe_errors});
}

// ---- the server's end ----

namespace {

void ScheduleHeartbeat(World *world, int index, int type, gxds_duration ttl) {
  DeltaServerEnd &s = world->stream(index).delta_state.server_end[type];
  if (s.heartbeats.scheduled) return;
  s.heartbeats.scheduled = true;
  world->ScheduleHeartbeat(index, type, ttl / 2);
}

std::string VersionOf(const Server &server, int content) {
  return server.options().constant_version ? "1" : "v" + std::to_string(content);
}

// What the client has for that name, by the version in its request. After the repair, resources
// with a TTL are sent again without one. A hostile response that crossed the request may have
// replaced that resource.
int TrustVersion(const World &world, const Server &server, const DeltaServerEnd &s, int name,
                 const DeltaRequest &r) {
  bool versioned = (r.versioned & Bit(name)) != 0;
  if (!versioned) return kNotSent;
  if (s.hostile_early || (world.repaired() && server.options().ttl)) return kUnknownContent;
  int held = server.Held(r.type, name);
  bool same = held >= 0 && gxds_str_equal(r.versions[name], Str(VersionOf(server, held)));
  return same && server.options().trusting ? held : kUnknownContent;
}

// Like Istio, ignores an ACK of any response but the last, and every NACK, together with their
// names.
bool DropsNames(const Server &server, const DeltaServerEnd &s, const DeltaRequest &r) {
  if (!server.options().drops_names || !s.requested || r.nonce.size == 0) return false;
  return r.nack || !gxds_str_equal(r.nonce, Str(s.nonce));
}

}  // namespace

void DeltaOnRequest(World *world, int index, gxds_str bytes) {
  Stream &stream = world->stream(index);
  Server &server = world->server(stream.server);
  if (!server.options().knows_delta) {
    world->Did(kDidNoDelta);
    return world->EndStream(index, GXDS_UNIMPLEMENTED, false);
  }
  DeltaRequest r = ParseDeltaRequest(bytes);
  DeltaServerEnd &s = stream.delta_state.server_end[r.type];
  if (DropsNames(server, s, r)) {
    world->Did(kDidIgnored);
    r.subscribe = r.unsubscribe = r.versioned = 0;
  }
  s.requested = true;
  s.unsubscribed = (s.unsubscribed | (r.unsubscribe & s.names)) & ~r.subscribe;
  s.names = (s.names & ~r.unsubscribe) | r.subscribe;
  ForEachName(r.subscribe, [&](int name) {
    s.given[name] = TrustVersion(*world, server, s, name, r);
    s.alias_of[name] = -1;
    if (s.given[name] < 0) return;
    world->Did(kDidTrusted);
    if (server.options().ttl) ScheduleHeartbeat(world, index, r.type, server.options().ttl / 2);
  });
  Heartbeats &h = s.heartbeats;
  if (r.nack && !h.nonce.empty() && gxds_str_equal(r.nonce, Str(h.nonce))) {
    h.nonce.clear();
    ForEachName(h.names & s.names, [&](int name) { s.given[name] = kUnknownContent; });
  }
  world->SchedulePush(index, r.type, world->net().Around(server.options().delay));
}

namespace {

// A response that is being made.
struct Making {
  World *world;
  const Server *server;
  DeltaServerEnd *server_end;
  int type;
  Random *random;
  Message *message;
  Mask added = 0;
};

void AddItem(Making *m, int name, int content) {
  Item item;
  item.content = content;
  item.name = static_cast<uint8_t>(name);
  bool other = m->world->contents().at(content).name != name;
  int one_in = m->server->options().wrap_one_in;
  item.form = other || !one_in || m->random->OneIn(one_in) ? kWrapped : kBare;
  item.version = VersionOf(*m->server, content);
  m->message->items.push_back(item);
  m->added |= Bit(name);
}

// If another name has the same resource, sends it once under both names.
bool AddAsAlias(Making *m, int name, int content) {
  int real = m->world->contents().at(content).name;
  bool same = real != name && (m->server_end->names & Bit(real)) &&
              m->server->Held(m->type, real) == content;
  if (!same || m->random->OneIn(2)) return false;
  if (!(m->added & Bit(real))) AddItem(m, real, content);
  for (Item &item : m->message->items) {
    if (item.name != real || item.alias >= 0) continue;
    item.form = kWrapped;
    item.alias = static_cast<int8_t>(name);
    m->server_end->alias_of[name] = static_cast<int8_t>(real);
    m->world->Did(kDidAlias);
    m->added |= Bit(name);
    return true;
  }
  return false;
}

void Add(Making *m, int name) {
  int content = m->server->Held(m->type, name);
  if (m->added & Bit(name)) return;
  if (AddAsAlias(m, name, content)) return;
  AddItem(m, name, content);
  m->server_end->alias_of[name] = -1;
}

bool IsKnownToHave(int given) { return given >= 0 || given == kUnknownContent; }

// Adds removals. A name that the client got as an alias of a removed name is removed too, so it is
// sent again.
void Remove(Making *m, Mask gone, Mask back) {
  DeltaServerEnd *s = m->server_end;
  m->message->removed |= gone | back;
  ForEachName(s->names & ~m->added, [&](int name) {
    bool by_it = s->alias_of[name] >= 0 && ((gone | back) & Bit(s->alias_of[name]));
    if (by_it && m->server->Held(m->type, name) >= 0) {
      AddItem(m, name, m->server->Held(m->type, name));
      s->alias_of[name] = -1;
    }
  });
  ForEachName(gone, [&](int name) {
    m->world->Did(kDidRemoved);
    s->alias_of[name] = -1;
  });
  if (back) m->world->Did(kDidRemovedAndSent);
}

void MakeChanges(Making *m, bool again) {
  DeltaServerEnd *s = m->server_end;
  Mask gone = 0;
  Mask back = 0;
  ForEachName(s->names, [&](int name) {
    int held = m->server->Held(m->type, name);
    int given = s->given[name];
    if (held >= 0 && (again || held != given)) {
      if (m->server->options().removes_changed && IsKnownToHave(given)) back |= Bit(name);
      Add(m, name);
    }
    bool removes =
        IsKnownToHave(given) || (m->server->options().removes_absent && given != kSentRemoved);
    if (held < 0 && removes) gone |= Bit(name);
  });
  Remove(m, gone, back);
  ForEachName(s->names, [&](int name) {
    int held = m->server->Held(m->type, name);
    if (held >= 0) s->given[name] = held;
    if (gone & Bit(name)) s->given[name] = kSentRemoved;
  });
}

// Adds resources that the client has unsubscribed from, as if the server did not know that.
void AddUnsubscribed(Making *m) {
  ForEachName(m->server_end->unsubscribed, [&](int name) {
    bool is_alias = false;
    for (int8_t of : m->server_end->alias_of) is_alias = is_alias || of == name;
    if (is_alias || m->random->OneIn(2)) return;
    int held = m->server->Held(m->type, name);
    m->world->Did(kDidUnsubscribed);
    if (held >= 0 && !(m->added & Bit(name))) AddItem(m, name, held);
    if (held < 0) m->message->removed |= Bit(name);
  });
  m->server_end->unsubscribed = 0;
}

void Encode(World *world, Message *m) {
  static auto *views = new std::vector<DeltaView>;
  views->clear();
  for (const Item &item : m->items) {
    DeltaView v;
    int wrong = (m->type + 1) % kTypeCount;
    const Content &c = world->contents().at(item.content);
    auto name_of = [&](int name) {
      return Str(c.other_spelling ? OtherSpelling(m->type, name) : NameOf(m->type, name));
    };
    v.type_url = gxds_str_z(TypeOf(item.form == kWrongType ? wrong : m->type).type_url);
    if (!item.heartbeat) v.value = world->contents().BytesOf(item.content);
    v.heartbeat = item.heartbeat;
    v.version = Str(item.version);
    v.ttl = m->ttl;
    v.bad_ttl = item.form == kBrokenWrapper;
    if (item.form != kBare) v.name = name_of(item.name);
    if (item.alias >= 0) v.alias = name_of(item.alias);
    views->push_back(v);
  }
  BuildDeltaResponse(m->type, Str(m->version), Str(m->nonce), *views, m->removed, &m->bytes);
}

int Finish(Making *m, int index, int number, Serving how) {
  World *world = m->world;
  Message *message = m->message;
  gxds_duration ttl = m->server->options().ttl;
  if (ttl && !world->repaired()) {
    message->ttl = ttl;
    ScheduleHeartbeat(world, index, m->type, ttl);
  }
  if (how == kServeHostile) {
    for (Item &item : message->items) item.version = "odd " + message->nonce;
  }
  Encode(world, message);
  if (how == kServeMangled) {
    Mangle(world, true, m->random, message);
    message->effect = kUnsure;
  }
  return number;
}

}  // namespace

int DeltaServe(World *world, int index, int type, Serving how, Random *random) {
  Stream &stream = world->stream(index);
  Server &server = world->server(stream.server);
  DeltaServerEnd &s = stream.delta_state.server_end[type];
  if (!s.requested && how != kServeHostile) return -1;
  int number = world->NewMessage();
  Message *message = &world->message(number);
  Making m = {world, &server, &s, type, random, message};
  message->type = type;
  MakeChanges(&m, how != kServeChanges);
  if (how == kServeAgain) AddUnsubscribed(&m);
  bool nothing = message->items.empty() && !message->removed;
  if (how == kServeChanges && nothing) {
    world->FreeMessage(number);
    return -1;
  }
  message->version = server.Version();
  message->nonce = server.NextNonce();
  if (how == kServeOddNonce) message->nonce = random->OneIn(2) ? "" : "n1";
  s.nonce = message->nonce;
  if (how == kServeHostile) {
    for (Item &item : message->items) item.alias = -1;
    MakeHostile(world, true, type, random, message);
  }
  if (how == kServeHostile || how == kServeMangled) {
    ForEachName(s.names, [&](int name) { s.given[name] = kUnknownContent; });
    s.hostile_early = s.hostile_early || !s.requested;
  }
  if (random->OneIn(2)) std::reverse(message->items.begin(), message->items.end());
  return Finish(&m, index, number, how);
}

void DeltaOnHeartbeat(World *world, int index, int type) {
  Stream &stream = world->stream(index);
  Server &server = world->server(stream.server);
  DeltaServerEnd &s = stream.delta_state.server_end[type];
  s.heartbeats.scheduled = false;
  gxds_duration ttl = server.options().ttl;
  if (stream.dying || world->repaired() || !ttl) return;
  int number = world->NewMessage();
  Message *m = &world->message(number);
  m->type = type;
  m->ttl = ttl;
  s.heartbeats.names = 0;
  ForEachName(s.names, [&](int name) {
    int given = s.given[name];
    if (given < 0 || given != server.Held(type, name) || s.alias_of[name] >= 0) return;
    Item item;
    item.content = given;
    item.name = static_cast<uint8_t>(name);
    item.form = kWrapped;
    item.heartbeat = true;
    item.version = VersionOf(server, given);
    m->items.push_back(item);
    s.heartbeats.names |= Bit(name);
  });
  if (m->items.empty()) return world->FreeMessage(number);
  world->Did(kDidDeltaHeartbeat);
  m->nonce = s.nonce = s.heartbeats.nonce = server.NextNonce();
  Encode(world, m);
  ScheduleHeartbeat(world, index, type, ttl);
  world->SendResponse(index, number);
}

}  // namespace gxds_sim
