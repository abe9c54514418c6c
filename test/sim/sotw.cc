#include "test/sim/sotw.h"

#include <algorithm>

#include "base/status.h"
#include "test/sim/client.h"
#include "test/sim/codec.h"

namespace gxds_sim {
namespace {

bool IsComplete(int type) { return TypeOf(type).all_resources_required_in_sotw; }
const char *ShortName(int type) { return TypeOf(type).short_name; }

// ---- requests of a client ----

// A request contains exactly the watched names that this server is used for. Returns the names that
// are left out until the next request.
Mask CheckNames(const Client &client, const Stream &stream, const SotwClientEnd &h,
                const Request &r) {
  if (r.odd_names) Fail("odd-names", "%s: a name twice, or unknown", ShortName(r.type));
  if (!h.requested && r.names == 0) {
    Fail("empty-start", "%s starts with an empty list, which requests everything",
         ShortName(r.type));
  }
  /* A name that is requested again is left out of an ACK or NACK, together with new names: the
   * server may not have received the request without it. */
  Mask again = client.Watched(r.type) & ~r.names & h.ever;
  bool ack_only = h.requested && (h.ack_due || h.unsure) && again;
  for (int a = 0; a < kAuthorityCount; a++) {
    Mask watched = client.Watched(r.type) & kAuthorityNames[a];
    Mask requested = r.names & kAuthorityNames[a];
    Usage usage = client.Uses(stream.server, a);
    if (ack_only) watched &= requested;
    bool right = (requested == watched && usage != kNotUsed) ||
                 (requested == 0 && !client.IsPrimary(stream.server, a));
    if (!right) {
      Fail("names", "%s on server%d: requests %03x, but %03x are watched", ShortName(r.type),
           stream.server, requested, watched);
    }
  }
  return ack_only ? client.Watched(r.type) & ~r.names : 0;
}

// A version means that the client has these resources, and a server may trust that. So the first
// request of a stream contains it only if every requested resource is held, has no error and came
// from this server, and no other server is used in its place.
void ExpectVersion(const Client &client, int server, Conn *conn, const Request &r) {
  bool has_all = true;
  bool unsure = false;
  ForEachName(r.names, [&](int name) {
    const Entry &e = client.entry(r.type, name);
    if (e.unsure || (e.held != kNothing && e.source < 0)) unsure = true;
    has_all = has_all && e.state == GXDS_RESOURCE_ACKED && e.source == server;
  });
  Usage fallback = client.HasFallback(server);
  bool may_send = has_all && fallback != kUsed;
  if (unsure || (has_all && fallback == kMaybeUsed)) {
    conn->version_unsure[r.type] = true;
  } else if (!may_send) {
    conn->version[r.type].clear();
    conn->version_unsure[r.type] = false;
  }
}

void CheckFirst(const Client &client, int server, Conn *conn, const Request &r) {
  if (r.nonce.size) Fail("first-nonce", "%s starts with a nonce", ShortName(r.type));
  if (r.nack) Fail("first-nack", "%s starts with a NACK", ShortName(r.type));
  ExpectVersion(client, server, conn, r);
  std::string version = String(r.version);
  if (!conn->version_unsure[r.type] && version != conn->version[r.type]) {
    Fail("first-version", "%s starts with version '%s', not '%s'", ShortName(r.type),
         version.c_str(), conn->version[r.type].c_str());
  }
  conn->version[r.type] = version;
  conn->version_unsure[r.type] = false;
}

void CheckAck(Conn *conn, SotwClientEnd *h, const Request &r) {
  std::string nonce = String(r.nonce);
  std::string version = String(r.version);
  if (!h->unsure && nonce != h->nonce) {
    Fail("nonce", "%s: nonce '%s', but the last response had '%s'", ShortName(r.type),
         nonce.c_str(), h->nonce.c_str());
  }
  if (!conn->version_unsure[r.type] && version != conn->version[r.type]) {
    Fail("version", "%s: version '%s', but '%s' was accepted last", ShortName(r.type),
         version.c_str(), conn->version[r.type].c_str());
  }
  bool perhaps = h->ack_due && h->may_have_errors;
  if (!h->unsure && !perhaps && r.nack != (h->ack_due && h->had_errors)) {
    Fail("nack", "%s: %s", ShortName(r.type),
         r.nack ? "a NACK of a valid response" : "no NACK of an invalid response");
  }
  if (r.nack && (r.error_code != GXDS_INVALID_ARGUMENT || r.error.size == 0)) {
    Fail("nack-detail", "%s: a NACK without an error text", ShortName(r.type));
  }
  h->nonce = nonce;
  h->unsure = false;
  conn->version[r.type] = version;
  conn->version_unsure[r.type] = false;
}

}  // namespace

void SotwCheckSend(World *world, Stream *stream, gxds_str bytes) {
  Request r = ParseRequest(bytes);
  Client &client = world->client(stream->client);
  Conn &conn = client.conn(stream->server);
  SotwClientEnd &h = stream->sotw.client_end[r.type];
  if (world->tracing()) {
    world->Trace("client%d > server%d: %s names=%03x version=%s nonce=%s%s%s", stream->client,
                 stream->server, ShortName(r.type), r.names, String(r.version).c_str(),
                 String(r.nonce).c_str(), r.nack ? " NACK " : "", String(r.error).c_str());
  }
  CheckNode(client, stream, r.has_node, r.node_id);
  Mask later = CheckNames(client, *stream, h, r);
  if (h.requested || h.unsure || !h.nonce.empty()) {
    CheckAck(&conn, &h, r);
  } else {
    CheckFirst(client, stream->server, &conn, r);
    stream->sent_version = stream->sent_version || r.version.size > 0;
  }
  if (h.ack_due) world->Did(r.nack ? kDidNack : kDidAck);
  h.first = h.requested ? h.first & r.names : r.names;
  h.requested = true;
  h.ack_due = false;
  Mask requested = r.names | (conn.requested[r.type] & later);
  ForEachName(conn.requested[r.type] & ~requested,
              [&](int name) { conn.sent_at[r.type][name] = GXDS_TIME_NEVER; });
  conn.requested[r.type] = requested;
  h.ever |= r.names;
}

// ---- the effect of a response ----

namespace {

void PredictMissing(Prediction *p) {
  int type = p->message->type;
  ForEachName(p->message->missing & ~p->seen, [&](int name) {
    p->seen |= Bit(name);
    Usage usage = p->client->Uses(p->server, AuthorityOf(name));
    if (usage == kNotUsed) return;
    bool unsure = p->client->entry(type, name).watchers == 0 || usage == kMaybeUsed;
    if (unsure) p->client->BeUnsure(type, name);
    if (!unsure) p->client->Miss(type, name, p->server);
  });
}

// A resource from the cache that no server has sent yet stays: the response may be to an earlier
// request. It is deleted only if all requests of the type had its name. One from another server may
// stay for the same reason. A name that was watched before is perhaps not requested again yet, if
// another server is used in this one's place.
void PredictDeletions(Prediction *p, const SotwClientEnd &h) {
  int type = p->message->type;
  const Conn &conn = p->client->conn(p->server);
  Mask requested = conn.requested[type];
  ForEachName(p->client->Watched(type) & requested & ~p->seen, [&](int name) {
    const Entry &e = p->client->entry(type, name);
    Usage usage = p->client->Uses(p->server, AuthorityOf(name));
    if (usage == kNotUsed) return;
    bool late = !(h.first & Bit(name));
    bool kept = e.restored && e.state != GXDS_RESOURCE_DOES_NOT_EXIST;
    bool others = late && !kept && e.source != p->server;
    bool unsure = usage == kMaybeUsed || conn.requested_before[type] & Bit(name) || others;
    bool awaited = kept && late;
    if (unsure) p->client->BeUnsure(type, name);
    if (!unsure && !awaited) p->client->Delete(type, name, p->server);
  });
}

}  // namespace

void SotwPredict(World *world, Stream *stream, const Message &message) {
  Client &client = world->client(stream->client);
  Conn &conn = client.conn(stream->server);
  Prediction p = {world, &client, stream->server, &message, false};
  bool only_heartbeats = !message.items.empty();
  for (const Item &item : message.items) {
    PredictItem(&p, item);
    only_heartbeats = only_heartbeats && item.heartbeat;
  }
  PredictMissing(&p);
  SotwClientEnd &h = stream->sotw.client_end[message.type];
  if (IsComplete(message.type) && !only_heartbeats) PredictDeletions(&p, h);
  h.ack_due = true;
  h.unsure = false;
  h.had_errors = p.errors > 0;
  h.may_have_errors = p.errors == 0 && p.maybe_errors;
  h.nonce_before = h.nonce;
  h.nonce = message.nonce;
  h.received_version = message.version;
  if ((p.errors == 0 && !p.maybe_errors) || p.any_valid) {
    conn.version[message.type] = message.version;
    conn.version_unsure[message.type] = false;
  } else if (p.maybe_valid) {
    conn.version_unsure[message.type] = true;
  }
}

// ---- the server's end ----

namespace {

void ScheduleHeartbeat(World *world, int index, int type, gxds_duration ttl) {
  Heartbeats &h = world->stream(index).sotw.server_end[type].heartbeats;
  if (h.scheduled) return;
  h.scheduled = true;
  world->ScheduleHeartbeat(index, type, ttl / 2);
}

// A client that has everything of a version, if the server trusts it, is not sent it again.
// Resources with a TTL get heartbeats.
void TrustVersion(World *world, int index, const Request &r, SotwServerEnd *s) {
  const Stream &stream = world->stream(index);
  const Server &server = world->server(stream.server);
  s->responded = server.Trusts(stream, r, s);
  if (!s->responded) return;
  s->version = String(r.version);
  if (server.options().ttl) ScheduleHeartbeat(world, index, r.type, server.options().ttl / 2);
}

std::string VersionOf(const Server &server, int content) {
  return server.options().wrapper_versions ? "v" + std::to_string(content) : "";
}

// Whether the request is the ACK or NACK of a response. Earlier responses then need none any more.
bool IsAck(SotwServerEnd *s, const Request &r) {
  auto &nonces = s->unacknowledged;
  auto found = std::find(nonces.rbegin(), nonces.rend(), String(r.nonce));
  if (found == nonces.rend()) return false;
  nonces.erase(nonces.begin(), found.base());
  return true;
}

bool Owes(ExtraResponses extra, bool is_ack, bool changed_names) {
  if (extra == kNoExtraResponses) return false;
  return changed_names || (extra == kToRequests && !is_ack);
}

}  // namespace

void SotwOnRequest(World *world, int index, gxds_str bytes) {
  Stream &stream = world->stream(index);
  Request r = ParseRequest(bytes);
  SotwServerEnd &s = stream.sotw.server_end[r.type];
  bool is_ack = IsAck(&s, r);
  bool stale = !gxds_str_equal(r.nonce, Str(s.nonce));
  if (stale) world->Did(kDidStaleRequest);
  if (stale && !world->server(stream.server).options().reads_stale) return;
  for (int name = 0; name < kNameCount; name++) {
    if (!s.requested || !(s.names & Bit(name))) s.given[name] = -1;
  }
  bool has_all = !(r.names & ~s.names);  // the acknowledged response had all these names
  const ServerOptions &o = world->server(stream.server).options();
  /* After the repair, resources with a TTL are sent again without one. */
  bool send_all = world->repaired() && o.ttl;
  if (!s.requested && s.nonce.empty() && !send_all) TrustVersion(world, index, r, &s);
  s.owes = s.owes || Owes(o.extra_responses, is_ack, r.names != s.names);
  s.requested = true;
  s.names = r.names;
  bool to_heartbeat = !s.heartbeats.nonce.empty() && !stale && s.nonce == s.heartbeats.nonce;
  if (to_heartbeat && r.nack) {
    s.heartbeats.nonce.clear();
    ForEachName(s.heartbeats.names & s.names, [&](int name) { s.given[name] = kUnknownContent; });
  }
  if (has_all && !stale && !s.odd && r.nonce.size && !r.nack && !to_heartbeat) {
    world->server(stream.server).Remember(stream, r, s);
  }
  world->SchedulePush(index, r.type, world->net().Around(o.delay));
}

namespace {

bool HasChanges(const Server &server, int type, const SotwServerEnd &s) {
  bool any = IsComplete(type) && !s.responded;
  ForEachName(s.names, [&](int name) {
    int held = server.Held(type, name);
    any = any || (held != s.given[name] && (held >= 0 || IsComplete(type)));
  });
  return any;
}

void AddResources(World *world, const Server &server, int type, const SotwServerEnd &s, bool all,
                  Random *random, Message *m) {
  bool changes_only = !all && !IsComplete(type) && server.options().only_changes;
  ForEachName(s.names, [&](int name) {
    int content = server.Held(type, name);
    if (content < 0 || (changes_only && content == s.given[name])) return;
    Item item;
    item.content = content;
    item.name = static_cast<uint8_t>(name);
    int one_in = server.options().wrap_one_in;
    bool other = world->contents().at(content).name != name;
    item.form = other || m->ttl || (one_in && random->OneIn(one_in)) ? kWrapped : kBare;
    item.version = VersionOf(server, content);
    /* A resource with its own version may get a heartbeat together with changes of others. */
    bool same = m->ttl && !all && content == s.given[name] && item.version.size();
    item.heartbeat = same && random->OneIn(2);
    m->items.push_back(item);
  });
  bool only_heartbeats = true;  // a response of heartbeats only is no state of the world
  for (const Item &item : m->items) only_heartbeats = only_heartbeats && item.heartbeat;
  if (only_heartbeats && !m->items.empty()) m->items[0].heartbeat = false;
  if (m->items.size() > 1 && random->OneIn(2)) {
    std::reverse(m->items.begin(), m->items.end());
  }
}

void Encode(World *world, Message *m) {
  static auto *views = new std::vector<AnyView>;
  views->clear();
  for (const Item &item : m->items) {
    AnyView v;
    int wrong = (m->type + 1) % kTypeCount;
    const Content &c = world->contents().at(item.content);
    v.type_url = gxds_str_z(TypeOf(item.form == kWrongType ? wrong : m->type).type_url);
    v.value = world->contents().BytesOf(item.content);
    v.wrapped = item.form == kWrapped || item.form == kBrokenWrapper || item.named;
    v.broken_wrapper = item.form == kBrokenWrapper && !item.named;
    v.bad_ttl = item.form == kBrokenWrapper;
    v.version = Str(item.version);
    v.ttl = m->ttl;
    v.heartbeat = item.heartbeat;
    v.name = Str(c.other_spelling ? OtherSpelling(m->type, item.name) : NameOf(m->type, item.name));
    views->push_back(v);
  }
  BuildResponse(gxds_str_z(TypeOf(m->type).type_url), Str(m->version), Str(m->nonce), *views,
                &m->bytes);
}

// Only a wrapper can have a TTL.
void FinishTtls(World *world, int index, Message *m) {
  Heartbeats &h = world->stream(index).sotw.server_end[m->type].heartbeats;
  h.names = 0;
  for (Item &item : m->items) {
    if (item.form == kBare) item.form = kWrapped;
    if (item.heartbeat) h.names |= Bit(item.name);
  }
  ScheduleHeartbeat(world, index, m->type, m->ttl);
}

}  // namespace

void SotwOnHeartbeat(World *world, int index, int type) {
  Stream &stream = world->stream(index);
  Server &server = world->server(stream.server);
  SotwServerEnd &s = stream.sotw.server_end[type];
  s.heartbeats.scheduled = false;
  gxds_duration ttl = server.options().ttl;
  if (stream.dying || world->repaired() || !ttl) return;
  int number = world->NewMessage();
  Message *m = &world->message(number);
  m->type = type;
  m->ttl = ttl;
  ForEachName(s.names, [&](int name) {
    int given = s.given[name];
    if (given < 0 || given != server.Held(type, name)) return;
    Item item;
    item.content = given;
    item.name = static_cast<uint8_t>(name);
    item.form = kWrapped;
    item.heartbeat = true;
    item.version = VersionOf(server, given);
    m->items.push_back(item);
  });
  if (m->items.empty()) return world->FreeMessage(number);
  world->Did(kDidSotwHeartbeat);
  /* Other resources may have changed since. That does not matter for resources with their own
   * versions. */
  bool newest = server.options().wrapper_versions && world->net().OneIn(2);
  m->version = s.version = newest ? server.Version() : s.version;
  m->nonce = s.nonce = s.heartbeats.nonce = server.NextNonce();
  s.unacknowledged.push_back(m->nonce);
  FinishTtls(world, index, m);
  Encode(world, m);
  world->SendResponse(index, number);
}

int SotwServe(World *world, int index, int type, Serving how, Random *random) {
  Stream &stream = world->stream(index);
  Server &server = world->server(stream.server);
  SotwServerEnd &s = stream.sotw.server_end[type];
  if (!s.requested && how != kServeHostile) return -1;
  if (how == kServeChanges && !s.owes && !HasChanges(server, type, s)) return -1;
  int number = world->NewMessage();
  Message *m = &world->message(number);
  m->type = type;
  m->ttl = world->repaired() ? 0 : server.options().ttl;
  AddResources(world, server, type, s, how != kServeChanges || s.repeats, random, m);
  if (how == kServeChanges && m->items.empty() && !IsComplete(type) && !s.owes) {
    world->FreeMessage(number);
    return -1;
  }
  if (how == kServeHostile) MakeHostile(world, false, type, random, m);
  s.heartbeats.names = 0;
  if (m->ttl) FinishTtls(world, index, m);
  m->version = server.Version();
  m->nonce = server.NextNonce();
  if (how == kServeHostile) {
    m->version += " odd " + m->nonce;  // a version that no other response has
    s.odd = true;
  }
  if (how == kServeOddNonce) {
    m->nonce = random->OneIn(2) ? "" : s.nonce;
    s.odd = true;
  }
  Encode(world, m);
  if (how == kServeMangled) {
    Mangle(world, false, random, m);
    m->effect = kUnsure;
  }
  if (s.owes) world->Did(s.repeats ? kDidRepeatAll : kDidOwedResponse);
  s.owes = s.repeats = false;
  s.nonce = m->nonce;
  s.version = m->version;
  if (s.heartbeats.names) s.heartbeats.nonce = m->nonce;
  s.unacknowledged.push_back(m->nonce);
  s.responded = s.requested;
  ForEachName(s.names, [&](int name) {
    int held = server.Held(type, name);
    bool known = how == kServeChanges || how == kServeAgain || how == kServeOddNonce;
    s.given[name] = !known ? -2 : held >= 0 || IsComplete(type) ? held : s.given[name];
  });
  return number;
}

}  // namespace gxds_sim
