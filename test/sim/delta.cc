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
// NACK, and then has no names, because servers may ignore them (DropsNames()). Each response is
// answered once, in the order of arrival.
void CheckAnswer(World *world, const Stream &stream, DeltaHeard *h, const DeltaRequest &r) {
  if (stream.delta_state.unsure) return;
  if (r.subscribe || r.unsubscribe) {
    if (r.nonce.size) Fail("nonce-with-names", "%s: an ACK with names", ShortName(r.type));
    if (r.nack) Fail("nack-with-names", "%s: a NACK with names", ShortName(r.type));
    return;
  }
  if (h->unanswered.empty()) {
    if (r.nonce.size) Fail("spontaneous-nonce", "%s: a nonce, but no answer", ShortName(r.type));
    if (r.nack) Fail("spontaneous-nack", "%s: a NACK of nothing", ShortName(r.type));
    Fail("says-nothing", "%s", ShortName(r.type));
  }
  DeltaAnswer expected = h->unanswered.front();
  h->unanswered.erase(h->unanswered.begin());
  if (!gxds_str_equal(r.nonce, Str(expected.nonce))) {
    Fail("delta-nonce", "%s: answers '%s', but '%s' is the oldest to be answered",
         ShortName(r.type), String(r.nonce).c_str(), expected.nonce.c_str());
  }
  if (!expected.unsure && r.nack != expected.nack) {
    Fail("delta-nack", "%s: %s", ShortName(r.type),
         r.nack ? "a NACK of what was right" : "no NACK of what was wrong");
  }
  if (r.nack && (r.error_code != GXDS_INVALID_ARGUMENT || r.error.size == 0)) {
    Fail("nack-detail", "%s: a NACK that doesn't say why", ShortName(r.type));
  }
  world->Did(r.nack ? kDidNack : kDidAck);
}

void CheckNames(const Client &client, const Stream &stream, const DeltaHeard &h, const Conn &conn,
                const DeltaRequest &r) {
  if (r.odd_names) Fail("odd-names", "%s: a name twice, or unknown", ShortName(r.type));
  if (!h.requested && !r.subscribe) {
    Fail("empty-start", "%s starts without names, which asks for everything", ShortName(r.type));
  }
  if (r.subscribe & r.unsubscribe) Fail("both", "%s: a name given up and asked for at once", "");
  Mask before = conn.said[r.type];
  if (r.unsubscribe & ~before) {
    Fail("phantom", "%s: %03x given up that were not asked for", ShortName(r.type),
         r.unsubscribe & ~before);
  }
  Mask now = (before & ~r.unsubscribe) | r.subscribe;
  for (int a = 0; a < kAuthorityCount; a++) {
    Mask watched = client.Watched(r.type) & kAuthorityNames[a];
    Mask said = now & kAuthorityNames[a];
    Usage usage = client.Uses(stream.server, a);
    Mask missing = watched & ~said;
    bool none = said == 0 && !client.IsPrimary(stream.server, a);
    /* A name that is unsubscribed and needed again takes two requests, in this order. */
    bool right = usage != kNotUsed && !(said & ~watched) && (!missing || r.unsubscribe);
    if (!right && !none) {
      Fail("names", "%s on server%d: asks for %03x, but %03x are watched", ShortName(r.type),
           stream.server, said, watched);
    }
  }
}

// Whether the request may contain the version of a held resource: only if this server sent the
// resource, and it is used under its own name.
enum Claimable { kMayNot, kMay, kWhoCanTell };
Claimable MayClaim(const Client &client, int server, int type, int name) {
  const Entry &e = client.entry(type, name);
  if (e.unsure || (e.held != kNothing && (e.source < 0 || e.alias_of == kUnknownAlias))) {
    return kWhoCanTell;
  }
  bool may = e.held != kNothing && e.state == GXDS_RESOURCE_ACKED && e.source == server &&
             e.alias_of < 0 && !e.restored;
  return may ? kMay : kMayNot;
}

// The first request of a type contains the versions of held resources, and later requests contain
// none.
void CheckClaims(World *world, const Client &client, const Stream &stream, const DeltaHeard &h,
                 const DeltaRequest &r) {
  if (r.claims & ~r.subscribe) Fail("claim-names", "%s: a version of no name", ShortName(r.type));
  if (h.requested && r.claims) Fail("late-claim", "%s: a version later on", ShortName(r.type));
  Mask withheld = 0;
  ForEachName(r.subscribe, [&](int name) {
    Claimable may = MayClaim(client, stream.server, r.type, name);
    bool claimed = (r.claims & Bit(name)) != 0;
    const Entry &e = client.entry(r.type, name);
    if (claimed) world->Did(kDidClaim);
    if (may == kWhoCanTell) return;
    if (claimed && (may == kMayNot || !gxds_str_equal(r.versions[name], Str(e.version)))) {
      Fail("false-claim", "%s n%d: says version '%s', but has '%s' (#%d of server%d)",
           ShortName(r.type), name, String(r.versions[name]).c_str(), e.version.c_str(), e.held,
           e.source);
    }
    if (!claimed && may == kMay) withheld |= Bit(name);
  });
  Usage stand_in = client.HasStandIn(stream.server);
  if (r.claims && stand_in == kUsed) {
    Fail("claim-beside", "%s: says what it has, while another stands in", ShortName(r.type));
  }
  if (withheld && stand_in == kNotUsed && !h.requested) {
    Fail("no-claim", "%s: does not say that it has %03x", ShortName(r.type), withheld);
  }
}

}  // namespace

void DeltaCheckSend(World *world, Stream *stream, gxds_str bytes) {
  DeltaRequest r = ParseDeltaRequest(bytes);
  Client &client = world->client(stream->client);
  Conn &conn = client.conn(stream->server);
  DeltaHeard &h = stream->delta_state.heard[r.type];
  if (world->tracing()) {
    world->Trace("client%d > server%d: %s +%03x -%03x claims=%03x nonce=%s%s%s", stream->client,
                 stream->server, ShortName(r.type), r.subscribe, r.unsubscribe, r.claims,
                 String(r.nonce).c_str(), r.nack ? " NACK " : "", String(r.error).c_str());
  }
  CheckNode(client, stream, r.has_node, r.node_id);
  CheckNames(client, *stream, h, conn, r);
  CheckClaims(world, client, *stream, h, r);
  CheckAnswer(world, *stream, &h, r);
  h.requested = true;
  if (r.claims) stream->claimed = true;
  conn.said[r.type] = (conn.said[r.type] & ~r.unsubscribe) | r.subscribe;
  conn.vague[r.type] &= ~r.subscribe;
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
  bool asked = (conn.said[type] & Bit(name)) != 0;
  if (!asked) return;  // the client has unsubscribed from it
  if (usage == kMaybeUsed || (conn.vague[type] & Bit(name))) {
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
  DeltaHeard &h = stream->delta_state.heard[message.type];
  /* A client that has requested nothing of that type must not answer, because that would request
   * everything. */
  if (!h.requested) return;
  h.unanswered.push_back({message.nonce, p.errors > 0, p.errors == 0 && p.maybe_errors});
}

// ---- the server's end ----

namespace {

void ScheduleHeartbeat(World *world, int index, int type, gxds_duration ttl) {
  DeltaServed &s = world->stream(index).delta_state.served[type];
  if (s.heartbeats.scheduled) return;
  s.heartbeats.scheduled = true;
  world->ScheduleHeartbeat(index, type, ttl / 2);
}

std::string VersionOf(const Server &server, int content) {
  return server.options().constant_version ? "1" : "v" + std::to_string(content);
}

// What the client has for that name, by its claim. After healing, resources with a TTL are sent
// again without one. A hostile response that crossed the request may have replaced what it claims.
int Believe(const World &world, const Server &server, const DeltaServed &s, int name,
            const DeltaRequest &r) {
  bool claimed = (r.claims & Bit(name)) != 0;
  if (!claimed) return kNotSent;
  if (s.lied_early || (world.healed() && server.options().ttl)) return kWhoKnows;
  int held = server.Held(r.type, name);
  bool same = held >= 0 && gxds_str_equal(r.versions[name], Str(VersionOf(server, held)));
  return same && server.options().trusting ? held : kWhoKnows;
}

// Like Istio, ignores an ACK of any response but the last, and every NACK, together with their
// names.
bool DropsNames(const Server &server, const DeltaServed &s, const DeltaRequest &r) {
  if (!server.options().drops_names || !s.asked || r.nonce.size == 0) return false;
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
  DeltaServed &s = stream.delta_state.served[r.type];
  if (DropsNames(server, s, r)) {
    world->Did(kDidIgnored);
    r.subscribe = r.unsubscribe = r.claims = 0;
  }
  s.asked = true;
  s.left = (s.left | (r.unsubscribe & s.names)) & ~r.subscribe;
  s.names = (s.names & ~r.unsubscribe) | r.subscribe;
  ForEachName(r.subscribe, [&](int name) {
    s.given[name] = Believe(*world, server, s, name, r);
    s.alias_of[name] = -1;
    if (s.given[name] < 0) return;
    world->Did(kDidSpared);
    if (server.options().ttl) ScheduleHeartbeat(world, index, r.type, server.options().ttl / 2);
  });
  Heartbeats &h = s.heartbeats;
  if (r.nack && !h.nonce.empty() && gxds_str_equal(r.nonce, Str(h.nonce))) {
    h.nonce.clear();
    ForEachName(h.names & s.names, [&](int name) { s.given[name] = kWhoKnows; });
  }
  world->SchedulePush(index, r.type, world->net().Around(server.options().delay));
}

namespace {

// A response that is being made.
struct Making {
  World *world;
  const Server *server;
  DeltaServed *served;
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
  bool same =
      real != name && (m->served->names & Bit(real)) && m->server->Held(m->type, real) == content;
  if (!same || m->random->OneIn(2)) return false;
  if (!(m->added & Bit(real))) AddItem(m, real, content);
  for (Item &item : m->message->items) {
    if (item.name != real || item.alias >= 0) continue;
    item.form = kWrapped;
    item.alias = static_cast<int8_t>(name);
    m->served->alias_of[name] = static_cast<int8_t>(real);
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
  m->served->alias_of[name] = -1;
}

bool IsKnownToHave(int given) { return given >= 0 || given == kWhoKnows; }

// Adds removals. A name that the client got as an alias of a removed name is removed too, so it is
// sent again.
void Remove(Making *m, Mask gone, Mask back) {
  DeltaServed *s = m->served;
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
  if (back) m->world->Did(kDidBreath);
}

void MakeNews(Making *m, bool again) {
  DeltaServed *s = m->served;
  Mask gone = 0;
  Mask back = 0;
  ForEachName(s->names, [&](int name) {
    int held = m->server->Held(m->type, name);
    int given = s->given[name];
    if (held >= 0 && (again || held != given)) {
      if (m->server->options().breathless && IsKnownToHave(given)) back |= Bit(name);
      Add(m, name);
    }
    bool tells =
        IsKnownToHave(given) || (m->server->options().removes_absent && given != kSentRemoved);
    if (held < 0 && tells) gone |= Bit(name);
  });
  Remove(m, gone, back);
  ForEachName(s->names, [&](int name) {
    int held = m->server->Held(m->type, name);
    if (held >= 0) s->given[name] = held;
    if (gone & Bit(name)) s->given[name] = kSentRemoved;
  });
}

// Adds resources that the client has unsubscribed from, as if the server did not know that.
void AddPhantoms(Making *m) {
  ForEachName(m->served->left, [&](int name) {
    bool is_alias = false;
    for (int8_t of : m->served->alias_of) is_alias = is_alias || of == name;
    if (is_alias || m->random->OneIn(2)) return;
    int held = m->server->Held(m->type, name);
    m->world->Did(kDidPhantom);
    if (held >= 0 && !(m->added & Bit(name))) AddItem(m, name, held);
    if (held < 0) m->message->removed |= Bit(name);
  });
  m->served->left = 0;
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
  if (ttl && !world->healed()) {
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
  DeltaServed &s = stream.delta_state.served[type];
  if (!s.asked && how != kServeHostile) return -1;
  int number = world->NewMessage();
  Message *message = &world->message(number);
  Making m = {world, &server, &s, type, random, message};
  message->type = type;
  MakeNews(&m, how != kServeNews);
  if (how == kServeAgain) AddPhantoms(&m);
  bool nothing = message->items.empty() && !message->removed;
  if (how == kServeNews && nothing) {
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
    ForEachName(s.names, [&](int name) { s.given[name] = kWhoKnows; });
    s.lied_early = s.lied_early || !s.asked;
  }
  if (random->OneIn(2)) std::reverse(message->items.begin(), message->items.end());
  return Finish(&m, index, number, how);
}

void DeltaOnHeartbeat(World *world, int index, int type) {
  Stream &stream = world->stream(index);
  Server &server = world->server(stream.server);
  DeltaServed &s = stream.delta_state.served[type];
  s.heartbeats.scheduled = false;
  gxds_duration ttl = server.options().ttl;
  if (stream.dying || world->healed() || !ttl) return;
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
  world->Did(kDidHeartbeat);
  m->nonce = s.nonce = s.heartbeats.nonce = server.NextNonce();
  Encode(world, m);
  ScheduleHeartbeat(world, index, type, ttl);
  world->SendResponse(index, number);
}

}  // namespace gxds_sim
