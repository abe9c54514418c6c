#include "test/sim/web.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "test/sim/ads.h"
#include "test/sim/client.h"
#include "test/sim/codec.h"
#include "test/support/proto_json.h"
#include "web/json.h"

namespace gxds_sim {
namespace {

// What a request may take, in the production (GXDS_HTTP_WHOLE).
constexpr gxds_duration kWhole = 60 * GXDS_SECOND;

const char *const kPaths[kTypeCount] = {"/v3/discovery:listeners", "/v3/discovery:routes",
                                        "/v3/discovery:clusters", "/v3/discovery:endpoints"};

// It reads the tables of every message: once for all runs.
const gxds_schema *Schema() {
  static const gxds_schema *schema = [] {
    gxds_schema *s = gxds_schema_create();
    gxds_schema_set_lenient(s);
    return s;
  }();
  return schema;
}

std::string Quoted(const std::string &s) { return '"' + s + '"'; }

std::string ToBytes(const std::string &request) {
  gxds_str bytes;
  gxds_text error = {};
  if (!gxds_test_proto_from_json("envoy.service.discovery.v3.DiscoveryRequest", Str(request),
                                 &bytes, &error)) {
    Fail("web-request", "what is sent is no DiscoveryRequest: %s", error.data);
  }
  std::string out = String(bytes);
  gxds_str_free(&bytes);
  return out;
}

}  // namespace

WebState::WebState() { std::fill(content, content + kNameCount, -1); }

// ---- the web server ----

Website::Website(World *world, int server)
    : world_(world),
      server_(server),
      sends_all_(world->net().OneIn(3)),
      camel_case_(world->net().OneIn(2)),
      has_nonces_(world->net().OneIn(2)) {}

void Website::BeIn(WebTrouble trouble, gxds_duration how_long) {
  trouble_ = trouble;
  trouble_until_ = world_->now() + how_long;
}

// Its version is a hash: what it has is the same whenever the version is.
WebState Website::StateFor(int type, Mask names) const {
  WebState state;
  state.names = names;
  const Server &server = world_->server(server_);
  const bool of_names = world_->options().web_versions_names;
  uint64_t hash = of_names ? Mix(static_cast<uint64_t>(type), names) : 0;
  for (int t = 0; t < kTypeCount; t++) {
    for (int name = 0; name < kNameCount; name++) {
      const bool asked = t == type && (names & Bit(name));
      if (!of_names || asked) hash = Mix(hash, static_cast<uint64_t>(server.Held(t, name) + 1));
      if (asked || (t == type && sends_all_)) state.content[name] = server.Held(t, name);
    }
  }
  state.version = server.options().constant_version ? "1" : "h" + std::to_string(hash);
  return state;
}

std::string Website::JsonOf(int content) {
  const Content &c = world_->contents().at(content);
  const std::string url = TypeOf(c.type).type_url;
  std::string &json = json_[content];
  if (!json.empty()) return json;
  json = R"({"@type":)" + Quoted(url);
  if (c.fault == kUndecodable) {
    return json += R"(,"name":["undecodable"],"cluster_name":["undecodable"]})";
  }
  gxds_text fields = {};
  gxds_text error = {};
  const std::string message = url.substr(url.find('/') + 1);
  const bool ok = gxds_web_json_write(Schema(), message.c_str(),
                                      world_->contents().BytesOf(content), &fields, &error);
  GXDS_CHECK(ok);
  json += "," + String(gxds_text_str(&fields)).substr(1);
  gxds_text_fini(&fields);
  gxds_text_fini(&error);
  return json;
}

std::string Website::BodyOf(int type, const WebState &state) {
  const int one_in = world_->server(server_).options().wrap_one_in;
  std::string list;
  for (int name = 0; name < kNameCount; name++) {
    const int content = state.content[name];
    if (content < 0) continue;
    const Content &c = world_->contents().at(content);
    const std::string &text = c.other_spelling ? OtherSpelling(type, name) : NameOf(type, name);
    std::string json = JsonOf(content);
    if (one_in && name % one_in == 0) {
      json = R"({"@type":"type.googleapis.com/envoy.service.discovery.v3.Resource","name":)" +
             Quoted(text) + R"(,"resource":)" + json + "}";
    }
    list += (list.empty() ? "" : ",") + json;
  }
  std::string body = camel_case_ ? R"({"versionInfo":)" : R"({"version_info":)";
  body += Quoted(state.version) + R"(,"resources":[)" + list + "]";
  if (camel_case_) body += R"(,"typeUrl":)" + Quoted(TypeOf(type).type_url);
  if (has_nonces_) body += R"(,"nonce":)" + Quoted(std::to_string(++nonces_));
  return body + "}";
}

void Website::Refuse(WebExchange *e) {
  Random &random = world_->net();
  e->code = random.OneIn(4) ? 500 : 503;
  e->words = "try again later";
  e->content_type = "text/plain";
  if (e->code == 503) e->retry_after = random.Int(3) * random.Draw(30) * GXDS_SECOND;
  e->good = false;
}

void Website::Garble(WebExchange *e) {
  Random &random = world_->net();
  e->good = false;
  switch (random.Int(6)) {
    case 0:  // half of it
      e->words.resize(random.Draw(e->words.size()));
      return;
    case 1:
      e->words = "<html>Log in first</html>";
      e->content_type = "text/html";
      return;
    case 2:
      e->code = e->version.empty() ? 304 : 302;
      e->words.clear();
      return;
    case 3:
      e->code = 404;
      e->words = "no such page";
      return;
    case 4:  // of another type
      e->words = R"({"version_info":"odd","type_url":)" +
                 Quoted(TypeOf((e->type + 1) % kTypeCount).type_url) + "}";
      return;
    default:
      e->words = R"({"version_info":"odd","resources":[{"name":"n1"}]})";
      return;
  }
}

void Website::Answer(WebExchange *e) {
  const bool troubled = trouble_ != kWebWell && world_->now() < trouble_until_;
  e->after_healing = world_->healed();
  e->content_type = "application/json";
  if (troubled && trouble_ == kWebRefuses) return Refuse(e);
  auto &said = said_[e->type];
  const bool repeats = troubled && trouble_ == kWebRepeats && said.count(e->names);
  e->state = repeats ? said[e->names] : StateFor(e->type, e->names);
  said[e->names] = e->state;
  if (!world_->healed()) e->max_age = world_->options().web_max_age;
  const bool constant = world_->server(server_).options().constant_version;
  const bool nonsense = troubled && trouble_ == kWebNonsense;
  e->good = true;
  if (e->version == e->state.version && !constant && !nonsense) {
    e->code = 304;
    return;
  }
  e->code = 200;
  e->words = BodyOf(e->type, e->state);
  for (int content : e->state.content) {
    if (content >= 0 && world_->contents().at(content).fault == kUndecodable) e->good = false;
  }
  if (nonsense) Garble(e);
}

// ---- one client's source ----

WebSource::WebSource(World *world, int client, int number)
    : world_(world),
      client_(client),
      number_(number),
      server_(gxds_web_server_create(world->server(world->website()->server()).config(), Schema(),
                                     Mix(world->seed(), static_cast<uint64_t>(number)))) {}

WebSource::~WebSource() { gxds_web_server_destroy(server_); }

Conn &WebSource::conn() const { return world_->client(client_).conn(world_->website()->server()); }

// The production cancels what is on its way; to be sure, some of it still comes.
void WebSource::CancelSome() {
  for (auto i = exchanges_.begin(); i != exchanges_.end();) {
    i = world_->net().OneIn(2) ? exchanges_.erase(i) : std::next(i);
  }
  for (Type &t : types_) t = Type();
  open_ = to_end_ = false;
}

void WebSource::OnOpen() {
  CancelSome();
  open_ = true;
  gxds_web_server_open(server_, world_->now());
}

void WebSource::OnClose() {
  CancelSome();
  gxds_web_server_close(server_);
}

void WebSource::OnRequest(gxds_str bytes) {
  const Request r = ParseRequest(bytes);
  Type &t = types_[r.type];
  if (!t.asked || t.names != r.names) {
    t.newest = 0;
    t.versions.clear();
    t.given = false;
  }
  t.asked = true;
  t.names = r.names;
  gxds_web_server_on_request(server_, bytes, world_->now());
  ScheduleAt(world_->now());
}

void WebSource::ScheduleExchange(EventKind kind, gxds_time at, const WebExchange &e) {
  Event event;
  event.kind = kind;
  event.a = client_;
  event.b = number_;
  event.c = static_cast<int>(e.id);
  event.generation = world_->client(client_).serial();
  world_->ScheduleAt(at, event);
}

void WebSource::Fetch() {
  if (world_->now() >= wake_at_) wake_at_ = GXDS_TIME_NEVER;
  gxds_web_request request;
  while (gxds_web_server_next_fetch(server_, world_->now(), &request)) {
    WebExchange e;
    e.id = request.id;
    e.body = String(request.body);
    e.since = world_->now();
    while (e.type < kTypeCount && String(request.path) != kPaths[e.type]) e.type++;
    gxds_web_request_fini(&request);
    if (e.type == kTypeCount) Fail("web-path", "a path that there is none of");
    Plant(&e);
    CheckRequest(&e);
    types_[e.type].newest = e.id;
    world_->Did(kDidWebRequest);
    const Server &server = world_->server(world_->website()->server());
    const gxds_duration way = world_->net().Around(world_->options().net_delay);
    ScheduleExchange(kEventWebRequest,
                     world_->now() + way + world_->net().Around(server.options().delay), e);
    exchanges_[e.id] = std::move(e);
  }
}

void WebSource::Plant(WebExchange *e) const {
  const std::string &version = types_[e->type].last_version;
  const bool tells = e->body.find("version_info") != std::string::npos;
  if (world_->plant() != kPlantWebVersion || tells || version.empty()) return;
  e->body = R"({"version_info":)" + Quoted(version) + "," + e->body.substr(1);
}

// A whole request, with the node. A version is told only with the names that it was given for.
void WebSource::CheckRequest(WebExchange *e) {
  const std::string bytes = ToBytes(e->body);
  const Request r = ParseRequest(Str(bytes));
  const Type &t = types_[e->type];
  e->names = r.names;
  e->version = String(r.version);
  if (world_->tracing()) {
    world_->Trace("client%d > web server: %d %s names=%03x version=%s%s", client_,
                  static_cast<int>(e->id), TypeOf(e->type).short_name, e->names, e->version.c_str(),
                  r.nack ? " NACK" : "");
  }
  if (!open_) Fail("web-closed", "a request without a stream");
  if (r.type != e->type) Fail("web-type", "a request for one type has the path of another");
  if (String(r.node_id) != world_->client(client_).node_id()) {
    Fail("web-node", "a request without the node, or with another's");
  }
  if (r.odd_names || r.names != t.names) {
    Fail("web-names", "%s: %03x are asked for, should be %03x", TypeOf(e->type).short_name, r.names,
         t.names);
  }
  const auto &v = t.versions;
  if (!e->version.empty() && std::find(v.begin(), v.end(), e->version) == v.end()) {
    Fail("web-version", "%s: the version that is told was not given for these names",
         TypeOf(e->type).short_name);
  }
  if (world_->now() < retry_until_) Fail("web-early", "a request before Retry-After is over");
}

void WebSource::OnArrival(int id) {
  auto found = exchanges_.find(static_cast<uint64_t>(id));
  if (found == exchanges_.end()) return;
  WebExchange &e = found->second;
  const Server &server = world_->server(world_->website()->server());
  const gxds_time held = std::max(conn().silent_until, server.mute_until);
  if (world_->now() < held && !e.lost) {
    e.lost = held >= e.since + kWhole;
    return ScheduleExchange(kEventWebRequest, e.lost ? e.since + kWhole : held, e);
  }
  if (e.lost) {
    e.words = "too slow";
  } else if (!server.up || world_->now() < conn().down_until) {
    e.words = "connection refused";
  } else {
    world_->website()->Answer(&e);
  }
  ScheduleExchange(kEventWebAnswer,
                   world_->now() + world_->net().Around(world_->options().net_delay), e);
}

namespace {

Happening HappeningOf(const WebExchange &e) {
  if (e.code == 0) return kDidWebFails;
  if (e.code >= 500) return kDidWebRefused;
  if (!e.good) return kDidWebBroken;
  return e.code == 304 ? kDidWebSame : kDidWebNews;
}

}  // namespace

void WebSource::OnAnswer(int id) {
  auto found = exchanges_.find(static_cast<uint64_t>(id));
  if (found == exchanges_.end()) return;
  const WebExchange e = std::move(found->second);
  exchanges_.erase(found);
  const gxds_time now = world_->now();
  Type &t = types_[e.type];
  const bool awaited = open_ && t.newest == e.id;
  world_->Did(awaited ? HappeningOf(e) : kDidWebLate);
  if (world_->tracing()) {
    world_->Trace("client%d < web server: %d %s %d version=%s%s%s", client_, static_cast<int>(e.id),
                  TypeOf(e.type).short_name, e.code, e.state.version.c_str(), e.good ? "" : " bad",
                  awaited ? "" : " late");
  }
  gxds_web_answer answer = {};
  answer.id = e.id;
  if (world_->plant() == kPlantWebOldAnswer && open_ && t.newest) answer.id = t.newest;
  answer.code = e.code;
  (e.code ? answer.body : answer.error) = Str(e.words);
  answer.content_type = Str(e.content_type);
  answer.max_age = e.max_age;
  answer.retry_after = e.retry_after;
  if (awaited) {
    t.newest = 0;
    to_end_ = !e.good;
  }
  if (awaited && e.good && e.code == 200) {
    t.versions.push_back(e.state.version);
    t.last_version = e.state.version;
    t.state = e.state;
    t.given = true;
  }
  gxds_web_server_on_answer(server_, &answer, now);
  if (e.retry_after) retry_until_ = now + e.retry_after;
  const Options &o = world_->options();
  const gxds_duration poll = std::max(o.web_refresh, e.max_age);
  if (!e.after_healing) poll_until_ = std::max(poll_until_, now + poll + poll / 5);
  poll_until_ = std::max(poll_until_, retry_until_);
}

int WebSource::Next() {
  gxds_str bytes;
  if (!gxds_web_server_next_response(server_, world_->now(), &bytes)) return -1;
  const int number = ReadResponse(world_, bytes);
  gxds_str_free(&bytes);
  world_->Did(kDidWebAnswer);
  CheckResponse(world_->message(number));
  return number;
}

// It is what the last answer to these names said, and all of it.
void WebSource::CheckResponse(const Message &m) {
  Type &t = types_[m.type];
  const char *type = TypeOf(m.type).short_name;
  if (!t.given) Fail("web-stray", "%s: a response of no answer to these names", type);
  t.given = false;
  if (m.version != t.state.version) Fail("web-said-version", "%s: another version", type);
  for (int name = 0; name < kNameCount; name++) {
    int told = -1;
    for (const Item &item : m.items) {
      if (item.name == name) told = item.content;
    }
    const int said = t.state.content[name];
    const auto &contents = world_->contents();
    const bool same = told < 0 || said < 0
                          ? told == said
                          : gxds_str_equal(contents.BytesOf(told), contents.BytesOf(said));
    if (!same)
      Fail("web-said", "%s n%d: #%d was answered, and #%d is told", type, name, said, told);
    const bool missing = (m.missing & Bit(name)) != 0;
    if (missing != (said < 0 && (t.state.names & Bit(name)))) {
      Fail("web-missing", "%s n%d: is%s said to be missing", type, name, missing ? "" : " not");
    }
  }
}

bool WebSource::TakeEnd() {
  gxds_str why;
  const bool ended = gxds_web_server_take_end(server_, &why);
  const std::string words = ended ? String(why) : "";
  if (ended) gxds_str_free(&why);
  if (ended != to_end_) {
    Fail("web-end", "%s", ended ? words.c_str() : "what is no good answer is taken for one");
  }
  if (!ended) return false;
  if (world_->tracing()) world_->Trace("client%d: %s", client_, words.c_str());
  CancelSome();
  return true;
}

// When all is well, each type is asked for once more, which is to bring all that is new: until the
// time is over in which that has to happen.
void WebSource::Schedule() {
  const gxds_time deadline = gxds_web_server_deadline(server_);
  if (world_->healed()) {
    const Options &o = world_->options();
    const gxds_duration poll = std::max(o.web_refresh, o.web_max_age);
    if (deadline > std::max(poll_until_, world_->healed_at() + poll + poll / 5)) return;
  }
  ScheduleAt(deadline);
}

void WebSource::ScheduleAt(gxds_time at) {
  at = std::max(at, world_->now());
  if (at >= wake_at_) return;
  wake_at_ = at;
  Event e;
  e.kind = kEventWeb;
  e.a = client_;
  e.b = number_;
  e.generation = world_->client(client_).serial();
  world_->ScheduleAt(at, e);
}

}  // namespace gxds_sim
