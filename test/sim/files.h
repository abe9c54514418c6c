// A directory of resource files, faked byte by byte, and what the clients' file sources make of it:
// the production's gxds_file_watch, gxds_file_set_build() and gxds_file_server.
#ifndef GRPC_XDS_TEST_SIM_FILES_H_
#define GRPC_XDS_TEST_SIM_FILES_H_

#include <string>

#include "files/file_server.h"
#include "files/watch.h"
#include "test/sim/world.h"

namespace gxds_sim {

// What the files say of each name: a content, or -1.
struct FilesState {
  int content[kTypeCount][kNameCount];
  FilesState();
};

// One file for each type, a DiscoveryResponse in binary.
class Directory {
 public:
  Directory(World *world, int server) : world_(world), server_(server) {}
  Directory(const Directory &) = delete;

  int server() const { return server_; }  // that it is in bootstraps

  // The file is written anew, in place or aside.
  void Write(int type);
  void OnClosed(int type);  // a writer of the file is done
  void Vanish(int type);
  void Damage(int type, Random *random);
  // All files are there, and whole.
  void Heal();

  // Whether there is a file that can't be taken.
  bool IsBad() const;
  FilesState State() const;
  // plant: a damaged file is left out, and the others are taken.
  const gxds_file_set *Build(const gxds_file_set *previous, bool plant) const;

 private:
  struct File {
    bool there = false;
    bool damaged = false;
    bool open = false;  // a writer is at it
    std::string bytes;
    int contents[kNameCount];
  };
  void Put(int type);
  void Cut(File *file, Random *random);
  void Tell(int type, gxds_file_watch_change change);

  World *world_;
  int server_;
  File files_[kTypeCount];
};

// One client's.
class FileSource {
 public:
  FileSource(World *world, int client);
  ~FileSource();
  FileSource(const FileSource &) = delete;

  void OnChange(int type, gxds_file_watch_change change);
  void OnOpen() { gxds_file_server_open(server_); }
  void OnRequest(gxds_str bytes);
  // Reads the directory, if that is due. False: it failed, as a channel that can't connect.
  bool Look();
  // The next response, as a message; -1: there is nothing to say.
  int Next();
  void OnRead() { ScheduleAt(world_->now()); }
  // When there is something to do without that.
  void Schedule();

 private:
  void ScheduleAt(gxds_time at);
  void Check(const Message &message) const;

  World *world_;
  int client_;
  gxds_file_watch watch_;
  gxds_file_server *server_;
  const gxds_file_set *set_ = nullptr;
  bool bad_ = false;   // the last reading was
  bool told_ = false;  // and that there is no good one
  FilesState good_;
  FilesState before_;
};

}  // namespace gxds_sim

#endif
