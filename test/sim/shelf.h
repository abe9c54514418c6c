// The cached resources of one server for the successive client processes at one index: the
// production's log on a fake disk, and a model of its contents.
#ifndef GRPC_XDS_TEST_SIM_SHELF_H_
#define GRPC_XDS_TEST_SIM_SHELF_H_

#include <vector>

#include "test/sim/disk.h"
#include "test/sim/world.h"
#include "xds_client/client.h"

namespace gxds_sim {

class Shelf {
 public:
  Shelf() = default;
  ~Shelf() { Close(); }
  Shelf(const Shelf &) = delete;

  bool is_open() const { return log_ != nullptr; }
  // A process reads the log that earlier processes left: all of it, an earlier state if it was cut,
  // or nothing, with an error, if it was damaged.
  void Open(World *world, Process *process, gxds_str server);
  void Close();  // when the process ended

  void Put(const gxds_action &action);  // PERSIST and FORGET
  // *out is borrowed: valid until the next call.
  bool Find(int type, int name, gxds_cache_record *out);
  bool Has(int type, int name) const { return state_.records[type][name] != 0; }
  // Whether these bytes are stored for that name.
  bool Holds(int type, int name, gxds_str bytes);
  // Another process owns it, so nothing is written to it.
  bool read_only() const { return read_only_; }

  // ---- changes while no process uses it ----
  void Cut(Random *random);
  void Damage(Random *random, gxds_str server, Plant plant);

 private:
  struct State {
    uint64_t records[kTypeCount][kNameCount] = {};  // hashes; 0: none
    uint64_t Hash() const;
  };
  enum Rest { kWhole, kCut, kDamaged, kPerhapsDamaged };  // what happened while no process used it

  void Check(const State &found, const char *problem) const;
  State ReadBack();
  bool WasOnce(const State &found) const;

  World *world_ = nullptr;
  Process *process_ = nullptr;
  Disk disk_;
  gxds_cache_log *log_ = nullptr;
  bool read_only_ = false;
  Rest rest_ = kWhole;
  State state_;                   // of the disk
  State anew_;                    // when the log was last rewritten
  std::vector<uint64_t> states_;  // the states since then, perhaps also earlier ones
};

}  // namespace gxds_sim

#endif
