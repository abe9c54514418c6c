// What is kept of one server for the clients in one place, one process after the other: the
// production's log on a faked disk, and what should be on it.
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
  // A process reads what the ones before it left: all of it, an earlier state if it was cut, or
  // nothing, and says so, if it was damaged.
  void Open(World *world, Process *process, gxds_str server);
  void Close();  // the process ended

  void Put(const gxds_action &action);  // PERSIST and FORGET
  // Borrow: until the next call.
  bool Find(int type, int name, gxds_cache_record *out);
  bool Has(int type, int name) const { return state_.records[type][name] != 0; }
  // Whether that is what is kept of that name.
  bool Holds(int type, int name, gxds_str bytes);
  // It is somebody else's: nothing is written to it.
  bool read_only() const { return read_only_; }

  // ---- while no process has it ----
  void Cut(Random *random);
  void Damage(Random *random, gxds_str server, Plant plant);

 private:
  struct State {
    uint64_t records[kTypeCount][kNameCount] = {};  // hashes; 0: none
    uint64_t Hash() const;
  };
  enum Rest { kWhole, kCut, kDamaged, kPerhapsDamaged };  // while no process had it

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
  State anew_;                    // when it was written anew last
  std::vector<uint64_t> states_;  // since then, and perhaps before
};

}  // namespace gxds_sim

#endif
