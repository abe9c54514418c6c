#include "test/sim/shelf.h"

#include <algorithm>

namespace gxds_sim {
namespace {

constexpr size_t kCompactMin = 2000;  // bytes; small, so that compaction happens

uint64_t HashOf(gxds_str s, uint64_t seed) {
  uint64_t hash = seed ^ 14695981039346656037u;
  for (size_t i = 0; i < s.size; i++) {
    hash = (hash ^ static_cast<unsigned char>(s.data[i])) * 1099511628211u;
  }
  return hash;
}

uint64_t HashOf(const gxds_cache_record &r) { return HashOf(r.bytes, HashOf(r.version, 1)) | 1; }

}  // namespace

uint64_t Shelf::State::Hash() const {
  uint64_t hash = 0;
  for (const auto &names : records) {
    for (uint64_t each : names) hash = Mix(hash, each);
  }
  return hash;
}

void Shelf::Open(World *world, Process *process, gxds_str server) {
  world_ = world;
  process_ = process;
  disk_.Begin(process);
  log_ = gxds_cache_log_create(gxds_str_z("target"), server, kCompactMin, &Disk::kStore, &disk_);
  const char *problem = nullptr;
  read_only_ = false;
  if (disk_.exists()) problem = gxds_cache_log_load(log_, Str(disk_.file()), &read_only_);
  if (problem) world->Did(kDidCacheIgnored);
  State found = ReadBack();
  Check(found, problem);
  if (found.Hash() != State().Hash()) world->Did(kDidCacheRead);
  state_ = found;
  states_.push_back(found.Hash());
  rest_ = problem ? kDamaged : kWhole;
}

void Shelf::Close() {
  if (!log_) return;
  gxds_cache_log_destroy(log_);
  log_ = nullptr;
  disk_.End();
}

Shelf::State Shelf::ReadBack() {
  State found;
  for (int type = 0; type < kTypeCount; type++) {
    for (int name = 0; name < kNameCount; name++) {
      gxds_cache_record r;
      if (Find(type, name, &r)) found.records[type][name] = HashOf(r);
    }
  }
  return found;
}

bool Shelf::WasOnce(const State &found) const {
  if (std::find(states_.begin(), states_.end(), found.Hash()) != states_.end()) return true;
  if (disk_.file().size() >= disk_.anew()) return false;
  for (int type = 0; type < kTypeCount; type++) {
    for (int name = 0; name < kNameCount; name++) {
      uint64_t each = found.records[type][name];
      if (each && each != anew_.records[type][name]) return false;
    }
  }
  return true;
}

void Shelf::Check(const State &found, const char *problem) const {
  bool nothing = found.Hash() == State().Hash();
  bool all = found.Hash() == state_.Hash();
  if (problem && !nothing) Fail("cache-half", "a cache is ignored, and used");
  switch (rest_) {
    case kWhole:
      if (!all || problem) Fail("cache-lost", "a cache is not what the process before it left");
      return;
    case kCut:
      if (problem) Fail("cache-cut", "a cache that was cut is ignored: %s", problem);
      if (!WasOnce(found)) Fail("cache-cut", "what is left of a cache that was cut never was");
      return;
    case kPerhapsDamaged:
      if (!problem && !all) Fail("cache-damage", "a damaged cache is half used");
      return;
    case kDamaged:
      if (!problem) Fail("cache-damage", "a damaged cache is used");
  }
}

void Shelf::Put(const gxds_action &a) {
  if (read_only_) return;
  gxds_cache_record r = {};
  r.removed = a.kind == GXDS_ACTION_FORGET;
  r.accepted = a.accepted;
  r.type = gxds_str_z(a.type->type_url);
  r.name = a.name;
  r.version = a.version;
  r.bytes = a.bytes;
  int type = TypeIndex(a.type);
  int name = IdOf(type, a.name);
  if (name < 0) Fail("cache-name", "what is kept has a name that nobody knows");
  bool was_killed = process_->killed;
  disk_.ForgetWrites();
  State before = state_;
  if (!gxds_cache_log_put(log_, &r)) Fail("cache-put", "what is to be kept is not");
  const Disk::Writes &w = disk_.writes();
  if (!process_->killed || w.appended) state_.records[type][name] = r.removed ? 0 : HashOf(r);
  if (process_->killed && !was_killed && !w.appended) world_->Did(kDidCacheTorn);
  if (w.anew_before || w.anew_after) {
    anew_ = w.anew_after ? state_ : before;
    states_.clear();
    states_.push_back(anew_.Hash());
    rest_ = kWhole;
    if (w.anew_after) world_->Did(kDidCacheRewritten);
  }
  states_.push_back(state_.Hash());
}

bool Shelf::Find(int type, int name, gxds_cache_record *out) {
  return gxds_cache_log_find(log_, gxds_str_z(TypeOf(type).type_url), Str(NameOf(type, name)), out);
}

bool Shelf::Holds(int type, int name, gxds_str bytes) {
  gxds_cache_record r;
  return Find(type, name, &r) && gxds_str_equal(r.bytes, bytes);
}

// ---- changes while no process uses it ----

void Shelf::Cut(Random *random) {
  if (log_ || !disk_.exists() || rest_ != kWhole) return;
  disk_.Cut(random->Draw(disk_.file().size() + 1));
  rest_ = kCut;
}

namespace {

// The file as a reader without checksums would see the damage: every record is read, with other
// contents at its end.
std::string WithOtherBytes(const std::string &file, gxds_str server) {
  gxds_str rest = Str(file);
  gxds_str target = gxds_str_z("target");
  gxds_text out = {};
  gxds_cache_header_encode(target, server, &out);
  bool ok = gxds_cache_header_decode(&rest, target, server) == GXDS_CACHE_PART_OK;
  gxds_cache_record r;
  while (ok && gxds_cache_record_decode(&rest, &r) == GXDS_CACHE_PART_OK) {
    if (!r.removed && r.version.size > 0) r.version.size--;
    gxds_cache_record_encode(&r, &out);
  }
  std::string text = String(gxds_text_str(&out));
  gxds_text_fini(&out);
  return text;
}

}  // namespace

void Shelf::Damage(Random *random, gxds_str server, Plant plant) {
  if (log_ || disk_.file().empty() || rest_ != kWhole) return;
  std::string file = disk_.file();
  size_t at = random->Draw(file.size());
  size_t end = std::min(file.size(), at + (random->OneIn(2) ? 1 : random->Draw(64)) + 1);
  rest_ = at < disk_.whole() ? kDamaged : kPerhapsDamaged;
  for (size_t i = at; i < end; i++) {
    file[i] = static_cast<char>(file[i] ^ (1 + random->Draw(255)));
  }
  if (plant == kPlantCacheUnchecked) file = WithOtherBytes(disk_.file(), server);
  disk_.Replace(std::move(file));
}

}  // namespace gxds_sim
