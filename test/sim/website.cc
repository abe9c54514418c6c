#include "test/sim/website.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "test/sim/codec.h"
#include "test/sim/server.h"
#include "web/index.h"
#include "web/json.h"
#include "web/paths.h"

namespace gxds_sim {
namespace {

std::string Quoted(const std::string &s) { return '"' + s + '"'; }

gxds_schema *MakeLenient() {
  gxds_schema *s = gxds_schema_create();
  gxds_schema_set_lenient(s);
  return s;
}

}  // namespace

std::string WebPath(bool files, int type) {
  static const char *const rest[] = {"listeners", "routes", "clusters", "endpoints"};
  if (type == kIndex) return files ? GXDS_WEB_INDEX_PATH : "";
  return files ? std::string("/") + TypeOf(type).short_name + ".pb"
               : std::string("/v3/discovery:") + rest[type];
}

// Made once for all runs, because it reads the tables of every message.
const gxds_schema *WebSchema(bool files) {
  static const gxds_schema *lenient = MakeLenient();
  static const gxds_schema *strict = gxds_schema_create();
  return files ? strict : lenient;
}

WebState::WebState() { std::fill(content, content + kNameCount, -1); }

Website::Website(World *world, int server)
    : world_(world),
      server_(server),
      sends_all_(world->net().OneIn(3)),
      camel_case_(world->net().OneIn(2)),
      has_nonces_(world->net().OneIn(2)),
      has_etags_(world->net().OneIn(2)) {}

void Website::SetFault(WebFault fault, gxds_duration how_long) {
  fault_ = fault;
  fault_until_ = world_->now() + how_long;
  before_ = AllHeld();
}

bool Website::HasFault(WebFault fault) const {
  return fault_ == fault && world_->now() < fault_until_;
}

void Website::Respond(WebExchange *e) {
  e->after_repair = world_->repaired();
  e->content_type = "application/json";
  e->good = true;
  if (HasFault(kWebRefuses)) return Refuse(e);
  if (!world_->repaired()) e->max_age = world_->options().web_max_age;
  if (world_->options().web_files) {
    RespondFiles(e);
  } else {
    RespondRest(e);
  }
}

// ---- faults ----

void Website::Refuse(WebExchange *e) {
  Random &random = world_->net();
  e->code = random.OneIn(4) ? 500 : 503;
  e->text = "try again later";
  e->content_type = "text/plain";
  if (e->code == 503) e->retry_after = random.Int(3) * random.Draw(30) * GXDS_SECOND;
  e->good = false;
}

void Website::Garble(WebExchange *e) {
  Random &random = world_->net();
  e->good = false;
  switch (random.Int(6)) {
    case 0:  // half of the body
      e->text.resize(random.Draw(e->text.size()));
      return;
    case 1:
      e->text = "<html>Log in first</html>";
      e->content_type = "text/html";
      return;
    case 2:
      e->code = e->version.empty() && e->etag.empty() ? 304 : 302;
      e->text.clear();
      return;
    case 3:
      e->code = 404;
      e->text = "no such page";
      return;
    case 4:  // a response of another type
      if (e->type == kIndex) break;
      e->text = R"({"version_info":"odd","type_url":)" +
                Quoted(TypeOf((e->type + 1) % kTypeCount).type_url) + "}";
      return;
    default:
      break;
  }
  e->text = R"({"version_info":"odd","resources":[{"name":"n1"}]})";
}

// ---- REST ----

// The version is a hash of the contents: equal versions mean equal contents.
WebState Website::StateFor(int type, Mask names) const {
  WebState state;
  state.names = names;
  const Server &server = world_->server(server_);
  const bool of_names = world_->options().web_versions_names;
  uint64_t hash = of_names ? Mix(static_cast<uint64_t>(type), names) : 0;
  for (int t = 0; t < kTypeCount; t++) {
    for (int name = 0; name < kNameCount; name++) {
      const bool requested = t == type && (names & Bit(name));
      if (!of_names || requested) hash = Mix(hash, static_cast<uint64_t>(server.Held(t, name) + 1));
      if (requested || (t == type && sends_all_)) state.content[name] = server.Held(t, name);
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
  const bool ok = gxds_web_json_write(WebSchema(false), message.c_str(),
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

void Website::RespondRest(WebExchange *e) {
  auto &last = responses_[e->type];
  const bool repeats = HasFault(kWebRepeats) && last.count(e->names);
  e->state = repeats ? last[e->names] : StateFor(e->type, e->names);
  last[e->names] = e->state;
  const bool constant = world_->server(server_).options().constant_version;
  if (e->version == e->state.version && !constant && !HasFault(kWebNonsense)) {
    e->code = 304;
    return;
  }
  e->code = 200;
  e->text = BodyOf(e->type, e->state);
  for (int content : e->state.content) {
    if (content >= 0 && world_->contents().at(content).fault == kUndecodable) e->good = false;
  }
  if (HasFault(kWebNonsense)) Garble(e);
}

// ---- files ----

FilesState Website::AllHeld() const {
  FilesState state;
  for (int type = 0; type < kTypeCount; type++) {
    for (int name = 0; name < kNameCount; name++) {
      state.content[type][name] = world_->server(server_).Held(type, name);
    }
  }
  return state;
}

std::string Website::FileOf(int type, const FilesState &state) const {
  std::vector<AnyView> resources;
  for (int content : state.content[type]) {
    if (content < 0) continue;
    AnyView v;
    v.type_url = gxds_str_z(TypeOf(type).type_url);
    v.value = world_->contents().BytesOf(content);
    resources.push_back(v);
  }
  std::string bytes;
  BuildResponse(gxds_str_z(TypeOf(type).type_url), {}, {}, resources, &bytes);
  return bytes;
}

std::string Website::IndexOf(const FilesState &state) const {
  std::string names[kTypeCount];
  std::string bytes[kTypeCount];
  gxds_file_input inputs[kTypeCount];
  for (int type = 0; type < kTypeCount; type++) {
    names[type] = WebPath(true, type).substr(1);
    bytes[type] = FileOf(type, state);
    inputs[type] = {Str(names[type]), Str(bytes[type])};
  }
  const size_t left_out = world_->plant() == kPlantWebHalf ? 1 : 0;
  const gxds_dir_files all = {inputs, kTypeCount - left_out, 0, false, nullptr};
  gxds_text text = {};
  gxds_web_index_write(&all, &text);
  std::string index = String(gxds_text_str(&text));
  gxds_text_fini(&text);
  return index;
}

namespace {

std::string EtagOf(const FilesState &state) {
  uint64_t hash = 0;
  for (const auto &names : state.content) {
    for (int content : names) hash = Mix(hash, static_cast<uint64_t>(content + 1));
  }
  return std::to_string(hash);
}

}  // namespace

// The files may have changed since the index was fetched.
void Website::RespondFiles(WebExchange *e) {
  const bool repeats = HasFault(kWebRepeats) && world_->net().OneIn(2);
  e->files = repeats ? before_ : AllHeld();
  e->code = 200;
  if (e->type != kIndex) {
    e->text = FileOf(e->type, e->files);
  } else {
    e->text = IndexOf(e->files);
    if (has_etags_) e->new_etag = Quoted(EtagOf(e->files));
  }
  if (HasFault(kWebNonsense)) return Garble(e);
  if (e->type == kIndex && has_etags_ && e->etag == e->new_etag) {
    e->code = 304;
    e->text.clear();
  }
}

}  // namespace gxds_sim
