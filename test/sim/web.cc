#include "test/sim/web.h"

#include <algorithm>

#include "base/text.h"
#include "base/wire.h"
#include "files/make_before_break.h"
#include "test/sim/ads.h"
#include "test/sim/client.h"
#include "test/sim/codec.h"
#include "test/support/proto_json.h"

namespace gxds_sim {
namespace {

// The time limit of a request in the production code (GXDS_HTTP_WHOLE).
constexpr gxds_duration kWhole = 60 * GXDS_SECOND;

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

// All names in their order. Another order is a new request.
std::string NamesIn(gxds_str request) {
  std::string out;
  gxds_wire_field f;
  while (gxds_wire_next(&request, &f)) {
    if (f.number == 3) out += String(f.value) + "\n";
  }
  return out;
}

}  // namespace

WebSource::WebSource(World *world, int client, int number)
    : world_(world),
      client_(client),
      number_(number),
      server_(gxds_web_server_create(world->server(world->website()->server()).config(),
                                     WebSchema(world->options().web_files),
                                     Mix(world->seed(), static_cast<uint64_t>(number)))),
      files_(world->options().web_files) {}

WebSource::~WebSource() { gxds_web_server_destroy(server_); }

Conn &WebSource::conn() const { return world_->client(client_).conn(world_->website()->server()); }

// The production code cancels its requests. Here some of the responses still arrive, to test that
// they are ignored.
void WebSource::CancelSome() {
  for (auto i = exchanges_.begin(); i != exchanges_.end();) {
    i = world_->net().OneIn(2) ? exchanges_.erase(i) : std::next(i);
  }
  for (Type &t : types_) t = Type();
  open_ = to_end_ = may_end_ = false;
}

void WebSource::OnOpen() {
  CancelSome();
  open_ = true;
  streams_++;
  requested_at_ = world_->now();
  gxds_web_server_open(server_, world_->now());
  ScheduleAt(world_->now());
}

void WebSource::OnClose() {
  CancelSome();
  gxds_web_server_close(server_);
}

void WebSource::OnRequest(gxds_str bytes) {
  const Request r = ParseRequest(bytes);
  Type &t = types_[r.type];
  if (t.ack_due && gxds_str_equal(r.nonce, Str(t.nonce))) {
    t.ack_due = false;
    t.nack = r.nack;
  }
  const std::string list = NamesIn(bytes);
  if (t.list != list) {
    t.newest = 0;
    t.versions.clear();
    t.has_state = t.ack_due = false;
    t.due = 0;
  }
  t.list = list;
  t.names = r.names;
  requested_at_ = world_->now();
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
  if (!files_ && gxds_web_server_deadline(server_) > PollsUntil()) return;
  gxds_web_request request;
  while (gxds_web_server_next_fetch(server_, world_->now(), &request)) {
    WebExchange e;
    e.id = request.id;
    e.stream = streams_;
    e.body = String(request.body);
    e.etag = String(request.etag);
    e.since = world_->now();
    while (e.type <= kIndex && String(request.path) != WebPath(files_, e.type)) e.type++;
    gxds_web_request_fini(&request);
    if (e.type > kIndex) Fail("web-path", "a path that there is none of");
    if (!open_) Fail("web-closed", "a request without a stream");
    if (world_->now() < retry_until_) Fail("web-early", "a request before Retry-After is over");
    if (files_) {
      CheckGet(e);
    } else {
      Plant(&e);
      CheckPost(&e);
      types_[e.type].newest = e.id;
    }
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
  const bool has_version = e->body.find("version_info") != std::string::npos;
  if (world_->plant() != kPlantWebVersion || has_version || version.empty()) return;
  e->body = R"({"version_info":)" + Quoted(version) + "," + e->body.substr(1);
}

// Checks that a request is complete, with the node, and has a version only with the names that it
// was received for.
void WebSource::CheckPost(WebExchange *e) {
  const std::string bytes = ToBytes(e->body);
  const Request r = ParseRequest(Str(bytes));
  Type &t = types_[e->type];
  e->names = r.names;
  e->version = String(r.version);
  if (world_->tracing()) {
    world_->Trace("client%d > web server: %d %s names=%03x version=%s%s", client_,
                  static_cast<int>(e->id), TypeOf(e->type).short_name, e->names, e->version.c_str(),
                  r.nack ? " NACK" : "");
  }
  if (r.type != e->type) Fail("web-type", "a request for one type has the path of another");
  if (String(r.node_id) != world_->client(client_).node_id()) {
    Fail("web-node", "a request without the node, or with another's");
  }
  if (r.odd_names || r.names != t.names) {
    Fail("web-names", "%s: %03x are requested, should be %03x", TypeOf(e->type).short_name, r.names,
         t.names);
  }
  if (r.nack != t.nack) {
    Fail("web-nack", "%s: %s", TypeOf(e->type).short_name,
         r.nack ? "a NACK that is none of the engine's" : "a NACK is not sent");
  }
  const bool early = world_->now() < t.due;
  if (t.ack_due || (early && (!r.nack || t.hurried))) {
    Fail("web-hasty", "%s: a poll before its time", TypeOf(e->type).short_name);
  }
  t.hurried = early;
  const auto &v = t.versions;
  if (!e->version.empty() && std::find(v.begin(), v.end(), e->version) == v.end()) {
    Fail("web-version", "%s: the version that is sent was not received for these names",
         TypeOf(e->type).short_name);
  }
}

void WebSource::CheckGet(const WebExchange &e) const {
  if (!e.body.empty()) Fail("web-post", "a request to a server of files has a body");
  if (!world_->tracing()) return;
  world_->Trace("client%d > web server: %d %s %s", client_, static_cast<int>(e.id),
                WebPath(true, e.type).c_str(), e.etag.c_str());
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
    e.text = "too slow";
  } else if (!server.up || world_->now() < conn().down_until) {
    e.text = "connection refused";
  } else {
    world_->website()->Respond(&e);
  }
  ScheduleExchange(kEventWebResponse,
                   world_->now() + world_->net().Around(world_->options().net_delay), e);
}

namespace {

Happening HappeningOf(const WebExchange &e) {
  if (e.code == 0) return kDidWebFails;
  if (e.code >= 500) return kDidWebRefused;
  if (!e.good) return kDidWebBroken;
  return e.code == 304 ? kDidWebSame : kDidWebWhole;
}

}  // namespace

bool WebSource::IsAwaited(const WebExchange &e) const {
  return open_ && (files_ ? e.stream == streams_ : types_[e.type].newest == e.id);
}

void WebSource::ExpectOfRest(const WebExchange &e) {
  Type &t = types_[e.type];
  t.newest = 0;
  to_end_ = !e.good && e.code != 304;  // a 304 to a request without a version is ignored
  t.due = world_->now() + std::max(world_->options().web_refresh, e.max_age);
  if (!e.good || e.code != 200) return;
  t.versions.push_back(e.state.version);
  t.last_version = e.state.version;
  t.state = e.state;
  t.has_state = true;
}

// The stream may end because of a bad response, a file that does not match the index, or an
// undecodable file.
void WebSource::ExpectOfFiles(const WebExchange &e) {
  may_end_ = may_end_ || !e.good;
  if (!e.good || e.code != 200) return;
  if (e.type == kIndex) {
    indexes_.push_back(e.files);
    for (const auto &names : e.files.content) {
      for (int content : names) {
        may_end_ =
            may_end_ || (content >= 0 && world_->contents().at(content).fault == kUndecodable);
      }
    }
  } else if (!indexes_.empty()) {
    const int *of_index = indexes_.back().content[e.type];
    may_end_ = may_end_ || !std::equal(of_index, of_index + kNameCount, e.files.content[e.type]);
  }
}

void WebSource::OnResponse(int id) {
  auto found = exchanges_.find(static_cast<uint64_t>(id));
  if (found == exchanges_.end()) return;
  const WebExchange e = std::move(found->second);
  exchanges_.erase(found);
  const gxds_time now = world_->now();
  const bool awaited = IsAwaited(e);
  world_->Did(awaited ? HappeningOf(e) : kDidWebLate);
  if (world_->tracing()) {
    world_->Trace("client%d < web server: %d %s %d version=%s%s%s", client_, static_cast<int>(e.id),
                  WebPath(files_, e.type).c_str(), e.code, e.state.version.c_str(),
                  e.good ? "" : " bad", awaited ? "" : " late");
  }
  gxds_web_response response = {};
  response.id = e.id;
  const bool old = world_->plant() == kPlantWebOldResponse && !files_ && open_;
  if (old && types_[e.type].newest) response.id = types_[e.type].newest;
  response.code = e.code;
  (e.code ? response.body : response.error) = Str(e.text);
  response.content_type = Str(e.content_type);
  response.etag = Str(e.new_etag);
  response.max_age = e.max_age;
  response.retry_after = e.retry_after;
  if (awaited && files_) ExpectOfFiles(e);
  if (awaited && !files_) ExpectOfRest(e);
  gxds_web_server_on_fetched(server_, &response, now);
  if (e.retry_after) retry_until_ = now + e.retry_after;
  const Options &o = world_->options();
  const gxds_duration poll = std::max(o.web_refresh, o.web_max_age);
  /* A poll of files begins with the index. */
  if (!files_ || e.type == kIndex) polled_after_repair_ = e.after_repair;
  if (!polled_after_repair_) poll_until_ = std::max(poll_until_, now + poll + poll / 5);
  poll_until_ = std::max(poll_until_, retry_until_);
}

namespace {

int ContentIn(const Message &m, int name) {
  int content = -1;
  for (const Item &item : m.items) {
    if (item.name == name) content = item.content;
  }
  return content;
}

bool IsSame(const Contents &contents, int a, int b) {
  if (a < 0 || b < 0) return a == b;
  return gxds_str_equal(contents.BytesOf(a), contents.BytesOf(b));
}

}  // namespace

int WebSource::Next() {
  gxds_str bytes;
  if (!gxds_web_server_next_response(server_, world_->now(), &bytes)) return -1;
  const int number = ReadResponse(world_, bytes);
  gxds_str_free(&bytes);
  world_->Did(kDidWebResponse);
  if (files_) {
    CheckFiles(world_->message(number));
  } else {
    CheckRest(world_->message(number));
  }
  return number;
}

// Checks that the response equals the last response to these names.
void WebSource::CheckRest(const Message &m) {
  Type &t = types_[m.type];
  const char *type = TypeOf(m.type).short_name;
  if (!t.has_state) Fail("web-stray", "%s: an update without a response to these names", type);
  t.has_state = false;
  t.nonce = m.nonce;
  t.ack_due = true;
  if (m.version != t.state.version) Fail("web-other-version", "%s: another version", type);
  for (int name = 0; name < kNameCount; name++) {
    const int passed = ContentIn(m, name);
    const int received = t.state.content[name];
    if (!IsSame(world_->contents(), passed, received)) {
      Fail("web-other", "%s n%d: #%d was received, and #%d is passed on", type, name, received,
           passed);
    }
    const bool missing = (m.missing & Bit(name)) != 0;
    if (missing != (received < 0 && (t.state.names & Bit(name)))) {
      Fail("web-missing", "%s n%d: is%s reported as missing", type, name, missing ? "" : " not");
    }
  }
}

// Whether the response matches that index. It may still contain resources that this index lacks and
// an earlier one had.
bool WebSource::MatchesIndex(const Message &m, size_t index) const {
  Mask names = m.missing;
  for (const Item &item : m.items) names |= Bit(item.name);
  bool all = true;
  ForEachName(names, [&](int name) {
    const int passed = ContentIn(m, name);
    const int now = indexes_[index].content[m.type][name];
    bool is = IsSame(world_->contents(), passed, now);
    for (size_t i = 0; now < 0 && !is && i < index; i++) {
      is = IsSame(world_->contents(), passed, indexes_[i].content[m.type][name]);
    }
    all = all && is;
  });
  return all;
}

void WebSource::CheckFiles(const Message &m) const {
  for (size_t i = indexes_.size(); i > 0; i--) {
    if (MatchesIndex(m, i - 1)) return;
  }
  Fail("web-half", "%s: an update that matches no index", TypeOf(m.type).short_name);
}

bool WebSource::TakeEnd() {
  gxds_str why;
  const bool ended = gxds_web_server_take_end(server_, &why);
  const std::string text = ended ? String(why) : "";
  if (ended) gxds_str_free(&why);
  if (files_ ? ended && !may_end_ : ended != to_end_) {
    Fail("web-end", "%s", ended ? text.c_str() : "a bad response is applied");
  }
  if (!ended) return false;
  if (world_->tracing()) world_->Trace("client%d: %s", client_, text.c_str());
  CancelSome();
  return true;
}

// After the repair, each type is polled until the time by which one more poll must have brought all
// changes. Without this limit, polling would never stop.
gxds_time WebSource::PollsUntil() const {
  if (!world_->repaired()) return GXDS_TIME_NEVER;
  const Options &o = world_->options();
  const gxds_duration poll = std::max(o.web_refresh, o.web_max_age);
  return std::max({requested_at_, poll_until_, world_->repaired_at() + poll + poll / 5});
}

void WebSource::Schedule() {
  const gxds_time deadline = gxds_web_server_deadline(server_);
  /* The removal of a resource from the files is reported after a delay. */
  const gxds_time soon = files_ ? world_->now() + GXDS_FILE_REMOVAL_GRACE : 0;
  if (deadline <= std::max(PollsUntil(), soon)) ScheduleAt(deadline);
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
