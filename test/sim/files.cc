#include "test/sim/files.h"

#include <algorithm>
#include <vector>

#include "base/wire.h"
#include "test/sim/ads.h"
#include "test/sim/client.h"
#include "test/sim/codec.h"

namespace gxds_sim {
namespace {

const char *const kFileNames[kTypeCount] = {"lds.pb", "rds.pb", "cds.pb", "eds.pb"};

// Made once for all runs, because it reads the tables of every message.
const gxds_schema *Schema() {
  static const gxds_schema *schema = gxds_schema_create();
  return schema;
}

}  // namespace

FilesState::FilesState() {
  for (auto &names : content) std::fill(names, names + kNameCount, -1);
}

// ---- the directory ----

void Directory::Notify(int type, gxds_file_watch_change change) {
  for (int i = 0; i < world_->options().clients; i++) {
    FileSource *source = world_->client(i).files();
    if (source) source->OnChange(type, change);
  }
}

void Directory::Put(int type) {
  File &f = files_[type];
  std::vector<AnyView> resources;
  for (int name = 0; name < kNameCount; name++) {
    f.contents[name] = world_->server(server_).Held(type, name);
    if (f.contents[name] < 0) continue;
    AnyView v;
    v.type_url = gxds_str_z(TypeOf(type).type_url);
    v.value = world_->contents().BytesOf(f.contents[name]);
    resources.push_back(v);
  }
  BuildResponse(gxds_str_z(TypeOf(type).type_url), {}, {}, resources, &f.bytes);
  f.there = true;
  f.damaged = f.open = false;
}

void Directory::Write(int type) {
  File &f = files_[type];
  bool in_place = world_->net().OneIn(2);
  Put(type);
  if (!in_place || world_->repaired()) return Notify(type, GXDS_FILE_WATCH_REPLACED);
  Cut(&f, &world_->net());
  f.open = true;
  Event e;
  e.kind = kEventFileClosed;
  e.a = type;
  world_->Schedule(world_->net().Magnitude(GXDS_MILLISECOND, 10 * GXDS_SECOND), e);
  Notify(type, GXDS_FILE_WATCH_WRITTEN);
}

void Directory::OnClosed(int type) {
  if (!files_[type].open) return;
  Put(type);
  Notify(type, GXDS_FILE_WATCH_CLOSED);
}

void Directory::Vanish(int type) {
  files_[type] = File();
  Notify(type, GXDS_FILE_WATCH_REPLACED);
}

// Cuts within a field: a cut between two fields would leave another whole file.
void Directory::Cut(File *f, Random *random) {
  size_t at = 1 + random->Draw(f->bytes.size() - 1);
  if (gxds_wire_is_whole(gxds_str_of(f->bytes.data(), at))) at--;
  f->bytes.resize(at);
  f->damaged = true;
}

void Directory::Damage(int type, Random *random) {
  File &f = files_[type];
  if (!f.there || f.damaged) return;
  if (random->OneIn(2)) {
    Cut(&f, random);
  } else {  // an invalid wire type
    f.bytes[0] = static_cast<char>(f.bytes[0] | 7);
    f.damaged = true;
  }
  world_->Trace("files: %s is damaged", kFileNames[type]);
  Notify(type, GXDS_FILE_WATCH_REPLACED);
}

void Directory::Repair() {
  for (int type = 0; type < kTypeCount; type++) {
    Put(type);
    Notify(type, GXDS_FILE_WATCH_REPLACED);
  }
}

bool Directory::IsBad() const {
  for (const File &f : files_) {
    if (!f.there) continue;
    if (f.damaged) return true;
    for (int content : f.contents) {
      if (content >= 0 && world_->contents().at(content).fault == kUndecodable) return true;
    }
  }
  return false;
}

FilesState Directory::State() const {
  FilesState state;
  for (int type = 0; type < kTypeCount; type++) {
    const File &f = files_[type];
    if (f.there) std::copy(f.contents, f.contents + kNameCount, state.content[type]);
  }
  return state;
}

const gxds_file_set *Directory::Build(const gxds_file_set *previous, bool plant) const {
  gxds_file_input inputs[kTypeCount];
  size_t count = 0;
  for (int type = 0; type < kTypeCount; type++) {
    const File &f = files_[type];
    if (!f.there || (plant && f.damaged)) continue;
    inputs[count++] = {gxds_str_z(kFileNames[type]), Str(f.bytes)};
  }
  gxds_file_errors errors = {};
  const gxds_file_set *set = gxds_file_set_build(Schema(), inputs, count, previous, &errors);
  gxds_file_errors_fini(&errors);
  return set;
}

// ---- the source of one client ----

FileSource::FileSource(World *world, int client)
    : world_(world), client_(client), server_(gxds_file_server_create(gxds_str_z("/files"))) {
  gxds_file_watch_init(&watch_, world->now());
  Schedule();
}

FileSource::~FileSource() {
  gxds_file_watch_fini(&watch_);
  gxds_file_server_destroy(server_);
  gxds_file_set_unref(set_);
}

void FileSource::OnChange(int type, gxds_file_watch_change change) {
  gxds_file_watch_on_change(&watch_, gxds_str_z(kFileNames[type]), change, world_->now());
  Schedule();
}

void FileSource::OnRequest(gxds_str bytes) {
  gxds_file_server_on_request(server_, bytes, world_->now());
  ScheduleAt(world_->now());
}

bool FileSource::Look() {
  if (!gxds_file_watch_take(&watch_, world_->now())) return true;
  const Directory &directory = *world_->directory();
  bool bad = directory.IsBad();
  const gxds_file_set *set = directory.Build(set_, world_->plant() == kPlantFilesHalf);
  if (world_->plant() != kPlantFilesHalf && bad != (set == nullptr)) {
    Fail("files-applied", bad ? "damaged files are applied" : "valid files are refused");
  }
  if (!set) {
    world_->Did(set_ ? kDidFilesRefused : kDidFilesFailed);
    bad_ = true;
    bool failed = !set_ && !reported_;
    reported_ = reported_ || failed;
    return !failed;
  }
  if (!set_ || bad_ || !gxds_file_set_equal(set_, set)) {
    before_ = good_;
    if (!bad) good_ = directory.State();
    world_->Did(kDidFilesApplied);
    gxds_file_server_set(server_, set, world_->now());
  }
  bad_ = reported_ = false;
  ScheduleAt(world_->now());
  gxds_file_set_unref(set_);
  set_ = set;
  return true;
}

void FileSource::Schedule() {
  gxds_time at = gxds_file_watch_deadline(&watch_);
  const Conn &conn = world_->client(client_).conn(world_->directory()->server());
  bool reads = conn.stream >= 0 && world_->stream(conn.stream).read_wanted;
  if (reads) at = std::min(at, gxds_file_server_deadline(server_));
  ScheduleAt(at);
}

void FileSource::ScheduleAt(gxds_time at) {
  if (at == GXDS_TIME_NEVER) return;
  Event e;
  e.kind = kEventFiles;
  e.a = client_;
  e.generation = world_->client(client_).serial();
  world_->ScheduleAt(std::max(at, world_->now()), e);
}

int FileSource::Next() {
  gxds_str bytes;
  if (!gxds_file_server_next(server_, world_->now(), &bytes)) return -1;
  int number = ReadResponse(world_, bytes);
  gxds_str_free(&bytes);
  world_->Did(kDidFilesResponse);
  Check(world_->message(number));
  return number;
}

// The response contains resources of the last valid state, or resources that this state lacks and
// the state before had.
void FileSource::Check(const Message &m) const {
  Mask names = m.missing;
  for (const Item &item : m.items) names |= Bit(item.name);
  ForEachName(names, [&](int name) {
    int sent = -1;
    for (const Item &item : m.items) {
      if (item.name == name) sent = item.content;
    }
    int good = good_.content[m.type][name];
    int before = before_.content[m.type][name];
    auto is = [&](int content) {
      if (content < 0 || sent < 0) return content == sent;
      return gxds_str_equal(world_->contents().BytesOf(content), world_->contents().BytesOf(sent));
    };
    if (!is(good) && !(good < 0 && is(before))) {
      Fail("files-half", "%s n%d: the files' last valid state has #%d, but #%d is sent",
           TypeOf(m.type).short_name, name, good, sent);
    }
  });
}

}  // namespace gxds_sim
