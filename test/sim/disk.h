// One file of a resource cache, faked at the byte level: it outlives the process that writes it,
// which may end within any write.
#ifndef GRPC_XDS_TEST_SIM_DISK_H_
#define GRPC_XDS_TEST_SIM_DISK_H_

#include <string>

#include "test/sim/basics.h"
#include "transport/cache_log.h"

namespace gxds_sim {

// A process, as far as its files are concerned.
struct Process {
  int64_t bytes_left = INT64_MAX;  // that it writes before it is killed
  bool killed = false;
};

class Disk {
 public:
  static const gxds_cache_store kStore;  // its arg is the Disk

  void Begin(Process *process) { process_ = process; }
  void End();  // the process did: the file is as it left it
  const std::string &file() const { return file_; }
  bool exists() const { return exists_; }
  // How much of it is a header and whole records, at least.
  size_t whole() const { return whole_; }
  // How much of it was written at once, in place of the file before it.
  size_t anew() const { return anew_size_; }

  // What was done to it since ForgetWrites().
  struct Writes {
    bool appended = false;     // a record, and all of it before the process was killed
    bool anew_before = false;  // written anew before that, or after
    bool anew_after = false;
  };
  const Writes &writes() const { return writes_; }
  void ForgetWrites() { writes_ = Writes(); }

  // ---- what happens to it between two processes ----
  void Cut(size_t size);
  void Replace(std::string file) { file_ = std::move(file); }

 private:
  static bool Read(void *arg, size_t at, size_t size, gxds_text *out);
  static bool Write(void *arg, size_t at, gxds_str bytes);
  static bool BeginAnew(void *arg);
  static bool AddAnew(void *arg, gxds_str bytes);
  static bool EndAnew(void *arg);
  size_t Spend(size_t size);  // how much of it the process writes before it is killed
  void Freeze(size_t at, gxds_str bytes);

  Process *process_ = nullptr;
  std::string file_;  // as the process sees it, which does not know that it was killed
  bool exists_ = false;
  size_t whole_ = 0;
  size_t anew_size_ = 0;
  std::string anew_;
  Writes writes_;
  // What a killed process left.
  bool frozen_ = false;
  std::string left_;
  bool left_exists_ = false;
  size_t left_whole_ = 0;
  size_t left_anew_size_ = 0;
};

}  // namespace gxds_sim

#endif
