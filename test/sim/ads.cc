#include "test/sim/ads.h"

#include "base/wire.h"
#include "test/sim/client.h"
#include "test/sim/codec.h"
#include "test/sim/delta.h"
#include "test/sim/sotw.h"

namespace gxds_sim {

void CheckSend(World *world, Stream *stream, gxds_str bytes) {
  return stream->delta ? DeltaCheckSend(world, stream, bytes) : SotwCheckSend(world, stream, bytes);
}

void Predict(World *world, Stream *stream, const Message &message) {
  if (message.effect == kIgnored) return;
  if (message.effect == kUnsure) return PredictAnything(world, stream);
  Client &client = world->client(stream->client);
  client.GiveUpAfter(stream->server);
  if (client.cache()) client.cache()->OnResponse(stream->server, false);
  if (stream->delta) {
    DeltaPredict(world, stream, message);
  } else {
    SotwPredict(world, stream, message);
  }
  PredictWell(world, stream);
}

void OnRequest(World *world, int index, gxds_str bytes) {
  bool delta = world->stream(index).delta;
  return delta ? DeltaOnRequest(world, index, bytes) : SotwOnRequest(world, index, bytes);
}

int Serve(World *world, int index, int type, Serving how, Random *random) {
  bool delta = world->stream(index).delta;
  return delta ? DeltaServe(world, index, type, how, random)
               : SotwServe(world, index, type, how, random);
}

void OnHeartbeat(World *world, int index, int type) {
  bool delta = world->stream(index).delta;
  return delta ? DeltaOnHeartbeat(world, index, type) : SotwOnHeartbeat(world, index, type);
}

void EndTtls(World *world, int server) {
  for (int i = 0; i < world->stream_count(); i++) {
    Stream &s = world->stream(i);
    if (!s.used || s.server != server) continue;
    for (int type = 0; type < kTypeCount; type++) {
      int *given = s.delta ? s.delta_state.server_end[type].given : s.sotw.server_end[type].given;
      for (int name = 0; name < kNameCount; name++) {
        if (given[name] >= 0) given[name] = kUnknownContent;
      }
    }
  }
  for (int type = 0; type < kTypeCount; type++) world->server(server).PushAll(type);
}

bool HasRequested(const Stream &s, int type) {
  return s.delta ? s.delta_state.server_end[type].requested : s.sotw.server_end[type].requested;
}

Mask RequestedNames(const Stream &s, int type) {
  return s.delta ? s.delta_state.server_end[type].names : s.sotw.server_end[type].names;
}

void CheckNode(const Client &client, Stream *s, bool has_node, gxds_str node_id) {
  if (has_node == s->node_sent) {
    Fail("node", "%s", has_node ? "the node is sent twice" : "no node in the first request");
  }
  s->node_sent = true;
  if (has_node && String(node_id) != client.node_id()) Fail("node-id", "another node's id");
}

// ---- what a response does ----

void PredictWell(World *world, Stream *stream) {
  Conn &conn = world->client(stream->client).conn(stream->server);
  stream->got_response = true;
  stream->quiet_at = GXDS_TIME_NEVER;
  conn.failed = conn.failed_unsure = false;
}

void PredictAnything(World *world, Stream *stream) {
  Client &client = world->client(stream->client);
  Conn &conn = client.conn(stream->server);
  client.BeUnsure();
  client.GiveUpAfter(stream->server);
  if (client.cache()) client.cache()->OnResponse(stream->server, true);
  stream->tainted = true;
  stream->delta_state.unsure = true;
  conn.failed_unsure = conn.failed;
  for (int type = 0; type < kTypeCount; type++) {
    stream->sotw.client_end[type].unsure = true;
    conn.version_unsure[type] = true;
  }
}

namespace {

// The name by which the client identifies the resource; -1: none.
int NameOfItem(const Item &item, const Content &c) {
  if (item.form == kWrapped || item.named) return item.name;
  return c.fault == kUndecodable ? -1 : c.name;
}

// The effect of an item on the model of the resource with that name.
void Apply(Prediction *p, int name, const Item &item, bool bad, int alias_of) {
  int type = p->message->type;
  Usage usage = p->client->Uses(p->server, AuthorityOf(name));
  Entry &e = p->client->entry(type, name);
  if (usage == kNotUsed) return;
  if (e.watchers == 0 || usage == kMaybeUsed) {
    p->client->BeUnsure(type, name);  // its last watch may just have ended
    p->maybe_valid = p->maybe_valid || !bad;
  } else if (bad) {
    p->client->Reject(type, name, p->server);
  } else {
    p->any_valid = true;
    p->client->Accept(type, name, p->server, item, p->message->ttl, alias_of);
  }
}

// A heartbeat is an error unless the client holds that version of the resource. In delta this is
// decided by its version. In state of the world, servers set versions in several ways, and each of
// them identifies what they sent last.
void PredictHeartbeat(Prediction *p, const Item &item) {
  int name = item.name;
  int type = p->message->type;
  if (p->seen & Bit(name)) {
    p->errors++;
    return;
  }
  p->seen |= Bit(name);
  Usage usage = p->client->Uses(p->server, AuthorityOf(name));
  const Entry &e = p->client->entry(type, name);
  if (usage == kNotUsed) return;
  if (e.watchers == 0 || usage == kMaybeUsed || e.unsure || (e.held != kNothing && e.source < 0)) {
    p->client->BeUnsure(type, name);
    p->maybe_errors = p->maybe_valid = true;
    return;
  }
  bool same =
      p->delta ? e.version == item.version : e.held == Client::ModelNumber(p->world, item.content);
  bool in_use = e.held != kNothing && e.source == p->server && !e.restored &&
                e.state == GXDS_RESOURCE_ACKED && same;
  if (in_use) {
    p->any_valid = true;
    p->client->Renew(type, name, p->message->ttl);
  } else {
    p->errors++;
  }
}

}  // namespace

void PredictItem(Prediction *p, const Item &item) {
  if (item.heartbeat) return PredictHeartbeat(p, item);
  const Content &c = p->world->contents().at(item.content);
  int name = NameOfItem(item, c);
  bool unusable = item.form == kBrokenWrapper || item.form == kWrongType;
  bool bad = unusable || c.fault != kValid || c.type != p->message->type;
  if ((unusable && !item.named) || name < 0) {
    p->errors++;
    return;
  }
  if (item.alias >= 0 && !(p->seen & Bit(item.alias))) {
    p->seen |= Bit(item.alias);
    Apply(p, item.alias, item, bad, name);
  }
  if (bad) p->errors++;
  if (p->seen & Bit(name)) {
    p->errors++;
    return;
  }
  p->seen |= Bit(name);
  Apply(p, name, item, bad, -1);
}

// ---- responses that the production code makes ----

namespace {

int ContentOf(const Contents &contents, int type, gxds_str bytes) {
  for (int i = contents.count() - 1; i >= 0; i--) {
    if (contents.at(i).type == type && gxds_str_equal(contents.BytesOf(i), bytes)) return i;
  }
  Fail("made-up", "a resource is made up, or is not what the server has");
}

gxds_str FieldOf(gxds_str message, uint64_t number) {
  gxds_wire_field f;
  while (gxds_wire_next(&message, &f)) {
    if (f.number == number) return f.value;
  }
  return gxds_str_of(nullptr, 0);
}

}  // namespace

int ReadResponse(World *world, gxds_str bytes) {
  int number = world->NewMessage();
  Message &m = world->message(number);
  m.bytes = String(bytes);
  m.type = TypeOfUrl(FieldOf(bytes, 4));
  m.version = String(FieldOf(bytes, 1));
  m.nonce = String(FieldOf(bytes, 5));
  gxds_str rest = bytes;
  gxds_wire_field f;
  while (gxds_wire_next(&rest, &f)) {
    if (f.number == 2) {
      Item item;
      item.content = ContentOf(world->contents(), m.type, FieldOf(f.value, 2));
      item.name = world->contents().at(item.content).name;
      m.items.push_back(item);
    } else if (f.number == 7) {  // xRFC TP3
      m.missing |= Bit(IdOf(m.type, FieldOf(FieldOf(f.value, 1), 1)));
    }
  }
  return number;
}

// ---- faults of responses ----

int MakeOdd(World *world, int type, int name, ContentFault fault, Random *random) {
  Content c =
      DrawContent(random, type, name, world->options().names, world->options().endpoints_max);
  c.fault = fault;
  return world->contents().Add(c);
}

void MakeHostile(World *world, bool delta, int type, Random *random, Message *m) {
  size_t count = m->items.size();
  for (size_t i = 0; i < count; i++) {
    Item &item = m->items[i];
    switch (random->Int(9)) {
      case 0:
        item.form = kWrongType;
        item.named = delta || random->OneIn(2);
        break;
      case 1:
        item.form = kBrokenWrapper;
        item.named = delta || random->OneIn(2);
        break;
      case 2:
        item.content = MakeOdd(world, type, item.name, kUndecodable, random);
        break;
      case 3:
        item.content = MakeOdd(world, type, item.name, kInvalid, random);
        break;
      case 4: {
        Item twin = item;
        m->items.push_back(twin);
        break;
      }
      case 5:  // a wrapper with another name than its content
        item.form = kWrapped;
        item.content = MakeOdd(world, type, random->Int(kNameCount), kValid, random);
        world->contents().SetMisnamed(item.content);
        break;
      default:
        break;
    }
  }
  if (random->OneIn(2)) {  // a resource that perhaps nobody requested
    Item item;
    item.name = static_cast<uint8_t>(random->Int(kNameCount));
    item.content = MakeOdd(world, type, item.name, kValid, random);
    m->items.push_back(item);
  }
}

void Mangle(World *world, bool delta, Random *random, Message *m) {
  std::vector<gxds_str> known;
  for (const Item &item : m->items) known.push_back(world->contents().BytesOf(item.content));
  std::string whole = m->bytes;
  for (int attempt = 0; attempt < 4; attempt++) {
    m->bytes = whole;
    size_t at = random->Draw(whole.size() + 1);
    if (random->OneIn(2)) {
      m->bytes.resize(at);
    } else {
      for (size_t i = 0; i < 1 + random->Draw(3) && at + i < m->bytes.size(); i++) {
        m->bytes[at + i] = static_cast<char>(random->Draw(256));
      }
    }
    if (HasOnlyValues(Str(m->bytes), delta, known)) return;
  }
  m->bytes = "\x0f nonsense";
}

}  // namespace gxds_sim
