// A fake directory of resource files, at the byte level, and the clients' file sources: the
// production's gxds_file_watch, gxds_file_set_build() and gxds_file_server.
#ifndef GRPC_XDS_TEST_SIM_FILES_H_
#define GRPC_XDS_TEST_SIM_FILES_H_

#include <string>

#include "files/file_server.h"
#include "files/watch.h"
#include "test/sim/world.h"

namespace gxds_sim {

// The resource of each name in the files: a content, or -1.
struct FilesState {
  int content[kTypeCount][kNameCount];
  FilesState();
};

// One file for each type, a DiscoveryResponse in binary.
class Directory {
 public:
  Directory(World *world, int server) : world_(world), server_(server) {}
  Directory(const Directory &) = delete;

  int server() const { return server_; }  // its index in bootstraps

  // Writes the file again, in place, or as a new file that replaces it.
  void Write(int type);
  void OnClosed(int type);  // a writer of the file has closed it
  void Vanish(int type);
  void Damage(int type, Random *random);
  // Makes all files exist and whole.
  void Repair();

  // Whether a file cannot be used.
  bool IsBad() const;
  FilesState State() const;
  // plant: the fault that leaves out a damaged file and uses the others.
  const gxds_file_set *Build(const gxds_file_set *previous, bool plant) const;

 private:
  struct File {
    bool there = false;
    bool damaged = false;
    bool open = false;  // a writer has it open
    std::string bytes;
    int contents[kNameCount];
  };
  void Put(int type);
  void Cut(File *file, Random *random);
  void Notify(int type, gxds_file_watch_change change);

  World *world_;
  int server_;
  File files_[kTypeCount];
};

// The file source of one client.
class FileSource {
 public:
  FileSource(World *world, int client);
  ~FileSource();
  FileSource(const FileSource &) = delete;

  void OnChange(int type, gxds_file_watch_change change);
  void OnOpen() { gxds_file_server_open(server_); }
  void OnRequest(gxds_str bytes);
  // Reads the directory if that is due. False: it failed, which has the effect of a channel that
  // cannot connect.
  bool Look();
  // The next response, as a message; -1: none.
  int Next();
  void OnRead() { ScheduleAt(world_->now()); }
  // Schedules its next work that no event triggers.
  void Schedule();

 private:
  void ScheduleAt(gxds_time at);
  void Check(const Message &message) const;

  World *world_;
  int client_;
  gxds_file_watch watch_;
  gxds_file_server *server_;
  const gxds_file_set *set_ = nullptr;
  bool bad_ = false;       // the last reading failed
  bool reported_ = false;  // the client knows that there is no valid set
  FilesState good_;
  FilesState before_;
};

}  // namespace gxds_sim

#endif
