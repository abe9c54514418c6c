#include "test/differential/history.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/check.h"
#include "test/sim/codec.h"

namespace gxds_differential {

using gxds_sim::Bit;
using gxds_sim::Content;
using gxds_sim::Contents;
using gxds_sim::kCds;
using gxds_sim::kEds;
using gxds_sim::kLds;
using gxds_sim::kNameCount;
using gxds_sim::kRds;
using gxds_sim::kTypeCount;
using gxds_sim::Mask;
using gxds_sim::NameOf;
using gxds_sim::Random;
using gxds_sim::Str;

namespace {

constexpr int kWatches = 6;
constexpr int kMoveMax = 10000;  // until a quiet point; more means that it never comes

const gxds_schema *Schema() {
  static gxds_schema *const schema = gxds_schema_create();
  return schema;
}

class History {
 public:
  History(uint64_t seed, Plant plant);
  ~History();
  HistoryResult Run();

 private:
  int DrawName();
  bool MayDelete(int type) const;
  void Step();
  void ChangeResource();
  void ChangeMany();
  void ChangeUse();
  void ToggleWatch();
  void EndStreams();
  void Wait(gxds_duration how_long);
  void Set(int type, int name, gxds_sim::ContentFault fault);
  void MakeAllValid();
  void Publish();
  void CarryServer();
  bool Move();
  gxds_time Deadline() const;
  void OnDeadline();
  void Settle();
  void Compare(const char *when);

  Random random_;
  HistoryResult result_;
  bool calm_;
  bool fail_on_data_errors_;
  Mask names_;
  gxds_time now_ = 1000 * GXDS_SECOND;
  Contents contents_;
  int truth_[kTypeCount][kNameCount];
  int before_[kTypeCount][kNameCount];  // the content before the deletion; -1: none
  const gxds_file_set *set_ = nullptr;
  gxds_ads_server *server_;
  std::unique_ptr<Peer> peers_[2];
  bool watching_[kWatches] = {};
  Mask subscribed_ = 0;
  Mask held_ = 0;
};

History::History(uint64_t seed, Plant plant)
    : random_(gxds_sim::Mix(seed, 7)), server_(gxds_ads_server_create()) {
  calm_ = random_.OneIn(2);
  fail_on_data_errors_ = random_.OneIn(3);
  names_ = (Mask{1} << (2 + random_.Int(4))) - 1;
  if (random_.OneIn(3)) names_ |= Mask{3} << gxds_sim::kOldNameCount;
  for (int type = 0; type < kTypeCount; type++) {
    std::fill_n(truth_[type], kNameCount, -1);
    std::fill_n(before_[type], kNameCount, -1);
    gxds_sim::ForEachName(names_, [&](int name) {
      if (!random_.OneIn(6))
        Set(type, name, random_.OneIn(8) ? gxds_sim::kInvalid : gxds_sim::kValid);
    });
  }
  bool transient_timer = random_.OneIn(4);
  bool drops_names = gxds_sim::Random(gxds_sim::Mix(seed, 8)).OneIn(2);
  Publish();
  for (bool delta : {false, true}) {
    PeerOptions options = {delta, fail_on_data_errors_, transient_timer, delta && drops_names,
                           delta ? plant : kPlantNone};
    peers_[delta] = std::make_unique<Peer>(server_, options, now_);
  }
}

History::~History() {
  for (auto &peer : peers_) peer.reset();
  gxds_ads_server_destroy(server_);
  gxds_file_set_unref(set_);
}

HistoryResult History::Run() {
  int steps = 10 + random_.Int(20);
  if (calm_) Compare("at the start");
  for (int i = 0; i < steps && result_.difference.empty(); i++) {
    Step();
    if (calm_) {
      Compare("after a change");
    } else if (random_.OneIn(8) || i + 1 == steps) {
      MakeAllValid();
      Publish();
      Compare("after a rough time");
    } else {
      for (int moves = random_.Int(8); moves > 0 && Move(); moves--) {
      }
    }
  }
  return result_;
}

// ---- events ----

int History::DrawName() {
  int name;
  do name = random_.Int(kNameCount);
  while (!(names_ & Bit(name)));
  return name;
}

void History::Step() {
  int draw = random_.Int(16);
  if (draw < 8) return ChangeResource();
  if (draw < 9) return ChangeMany();
  if (draw < 13) return ChangeUse();
  if (draw < 15) return EndStreams();
  result_.counts[kDidWait]++;
  Wait(random_.Magnitude(GXDS_MILLISECOND, 60 * GXDS_SECOND));
}

void History::Set(int type, int name, gxds_sim::ContentFault fault) {
  Content c = gxds_sim::DrawContent(&random_, type, name, names_);
  c.other_spelling = false;  // a server finds resources by the requested name
  c.fault = fault;
  truth_[type][name] = contents_.Add(c);
}

bool History::MayDelete(int type) const {
  return !calm_ || !fail_on_data_errors_ || type == kLds || type == kCds;
}

void History::ChangeResource() {
  int type = random_.Int(kTypeCount);
  int name = DrawName();
  int &truth = truth_[type][name];
  int draw = random_.Int(8);
  if (truth < 0 && before_[type][name] >= 0 && draw < 4) {
    result_.counts[kDidAddAgain]++;
    truth = before_[type][name];
  } else if (draw < 2 && truth >= 0 && MayDelete(type)) {
    result_.counts[kDidDelete]++;
    before_[type][name] = truth;
    truth = -1;
  } else {
    bool bad = draw == 2;
    result_.counts[bad ? kDidSetBad : kDidSet]++;
    Set(type, name, bad ? gxds_sim::kInvalid : gxds_sim::kValid);
  }
  Publish();
}

void History::ChangeMany() {
  result_.counts[kDidSetMany]++;
  for (int type = 0; type < kTypeCount; type++) {
    gxds_sim::ForEachName(names_, [&](int name) {
      if (random_.OneIn(3)) Set(type, name, gxds_sim::kValid);
    });
  }
  MakeAllValid();
  Publish();
}

void History::MakeAllValid() {
  for (int type = 0; type < kTypeCount; type++) {
    gxds_sim::ForEachName(names_, [&](int name) {
      int truth = truth_[type][name];
      bool valid = truth >= 0 && contents_.at(truth).fault == gxds_sim::kValid;
      if (!valid) Set(type, name, gxds_sim::kValid);
    });
  }
}

void History::ToggleWatch() {
  int slot = random_.Int(kWatches);
  int type = random_.Int(kTypeCount);
  std::string name = NameOf(type, DrawName());
  bool watching = watching_[slot] = !watching_[slot];
  result_.counts[watching ? kDidWatch : kDidEndWatch]++;
  for (auto &peer : peers_) {
    if (watching) {
      peer->Watch(slot, type, name, now_);
    } else {
      peer->EndWatch(slot, now_);
    }
  }
}

void History::ChangeUse() {
  int draw = random_.Int(4);
  if (draw < 2) return ToggleWatch();
  Mask *mask = draw == 2 ? &subscribed_ : &held_;
  result_.counts[draw == 2 ? kDidSubscribe : kDidHold]++;
  int cluster = DrawName();
  *mask ^= Bit(cluster);
  bool begin = (*mask & Bit(cluster)) != 0;
  for (auto &peer : peers_) {
    if (draw == 2) {
      peer->Subscribe(NameOf(kCds, cluster), begin, now_);
    } else {
      peer->Hold(NameOf(kCds, cluster), begin, now_);
    }
  }
}

// Ends streams. Perhaps something changes before they are opened again.
void History::EndStreams() {
  result_.counts[kDidReconnect]++;
  int which = 1 + random_.Int(3);  // one of the clients, or both
  for (int i = 0; i < 2; i++) {
    if (which >> i & 1) peers_[i]->EndStream(now_);
  }
  if (random_.OneIn(2)) ChangeResource();
}

void History::Wait(gxds_duration how_long) {
  gxds_time until = now_ + how_long;
  for (int i = 0; i < kMoveMax && Deadline() <= until; i++) OnDeadline();
  now_ = until;
}

// ---- the server ----

// Makes the server serve the truth.
void History::Publish() {
  std::string bytes[kTypeCount];
  gxds_file_input files[kTypeCount];
  static const char *const file_names[kTypeCount] = {"lds.pb", "rds.pb", "cds.pb", "eds.pb"};
  for (int type = 0; type < kTypeCount; type++) {
    std::vector<gxds_sim::AnyView> views;
    gxds_str url = gxds_str_z(gxds_sim::TypeOf(type).type_url);
    gxds_sim::ForEachName(names_, [&](int name) {
      if (truth_[type][name] < 0) return;
      gxds_sim::AnyView view;
      view.type_url = url;
      view.value = contents_.BytesOf(truth_[type][name]);
      views.push_back(view);
    });
    gxds_sim::BuildResponse(url, gxds_str_z("1"), gxds_str_z(""), views, &bytes[type]);
    files[type] = {gxds_str_z(file_names[type]), Str(bytes[type])};
  }
  gxds_file_errors errors = {};
  const gxds_file_set *set = gxds_file_set_build(Schema(), files, kTypeCount, set_, &errors);
  GXDS_CHECK(set != nullptr);
  gxds_file_errors_fini(&errors);
  gxds_file_set_unref(set_);
  set_ = set;
  gxds_ads_server_set_resources(server_, set, now_);
}

void History::CarryServer() {
  gxds_serve_action a;
  while (gxds_ads_server_next_action(server_, &a)) {
    GXDS_CHECK(a.kind != GXDS_SERVE_CLOSE);
    if (a.kind == GXDS_SERVE_SEND) {
      for (auto &peer : peers_) {
        if (peer->TakeResponse(a.stream, a.bytes)) gxds_ads_server_on_sent(server_, a.stream, now_);
      }
    }
    gxds_serve_action_fini(&a);
  }
  gxds_ads_server_validate(server_);
}

// ---- time ----

// Delivers a message. False: no message is on its way.
bool History::Move() {
  CarryServer();
  int first = random_.Int(2);
  for (int i : {first, 1 - first}) {
    if (!peers_[i]->CanMove()) continue;
    peers_[i]->Move(&random_, now_);
    return true;
  }
  return false;
}

gxds_time History::Deadline() const {
  return std::min(
      {gxds_ads_server_deadline(server_), peers_[0]->deadline(), peers_[1]->deadline()});
}

void History::OnDeadline() {
  now_ = std::max(now_, Deadline());
  gxds_ads_server_on_deadline(server_, now_);
  for (auto &peer : peers_) peer->OnDeadline(now_);
}

void History::Settle() {
  for (int i = 0; i < kMoveMax; i++) {
    if (Move()) continue;
    if (Deadline() == GXDS_TIME_NEVER) return;
    OnDeadline();
  }
  result_.difference = "this goes on for ever";
}

void History::Compare(const char *when) {
  Settle();
  result_.counts[kDidCompare]++;
  std::string sotw = peers_[0]->Dump();
  std::string delta = peers_[1]->Dump();
  result_.counts[kDidCompareSnapshots] += sotw.find("cluster ") != std::string::npos;
  if (sotw == delta) return;
  result_.difference =
      std::string(calm_ ? "calm" : "rough") + ", " + when + "\nSotW:\n" + sotw + "delta:\n" + delta;
}

}  // namespace

HistoryResult RunHistory(uint64_t seed, Plant plant) { return History(seed, plant).Run(); }

}  // namespace gxds_differential
