// A fake of one file of a resource cache, at the byte level. It outlives the process that writes
// it, which may be killed in the middle of any write.
#ifndef GRPC_XDS_TEST_SIM_DISK_H_
#define GRPC_XDS_TEST_SIM_DISK_H_

#include <string>

#include "test/sim/basics.h"
#include "transport/cache_log.h"

namespace gxds_sim {

// What a process's files depend on.
struct Process {
  int64_t bytes_left = INT64_MAX;  // that the process may still write before it is killed
  bool killed = false;
};

class Disk {
 public:
  static const gxds_cache_store kStore;  // its arg is the Disk

  void Begin(Process *process) { process_ = process; }
  void End();  // the process ended; the file stays as it is
  const std::string &file() const { return file_; }
  bool exists() const { return exists_; }
  // At least so many bytes are a header and whole records.
  size_t whole() const { return whole_; }
  // The number of bytes that were written at once, when the file last replaced another.
  size_t anew() const { return anew_size_; }

  // The writes since ForgetWrites().
  struct Writes {
    bool appended = false;     // a whole record, before the process was killed
    bool anew_before = false;  // replaced before the append, or after it
    bool anew_after = false;
  };
  const Writes &writes() const { return writes_; }
  void ForgetWrites() { writes_ = Writes(); }

  // ---- changes between two processes ----
  void Cut(size_t size);
  void Replace(std::string file) { file_ = std::move(file); }

 private:
  static bool Read(void *arg, size_t at, size_t size, gxds_text *out);
  static bool Write(void *arg, size_t at, gxds_str bytes);
  static bool BeginAnew(void *arg);
  static bool AddAnew(void *arg, gxds_str bytes);
  static bool EndAnew(void *arg);
  size_t Spend(size_t size);  // how many of the bytes the process writes before it is killed
  void Freeze(size_t at, gxds_str bytes);

  Process *process_ = nullptr;
  std::string file_;  // as the process sees it; the process does not notice that it was killed
  bool exists_ = false;
  size_t whole_ = 0;
  size_t anew_size_ = 0;
  std::string anew_;
  Writes writes_;
  // The file that a killed process left.
  bool frozen_ = false;
  std::string left_;
  bool left_exists_ = false;
  size_t left_whole_ = 0;
  size_t left_anew_size_ = 0;
};

}  // namespace gxds_sim

#endif
