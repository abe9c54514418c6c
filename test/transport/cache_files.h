// An open cache file of a process, and a directory with a cache file.
#ifndef GRPC_XDS_TEST_TRANSPORT_CACHE_FILES_H_
#define GRPC_XDS_TEST_TRANSPORT_CACHE_FILES_H_

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "test/support/child.h"
#include "transport/cache_file.h"

namespace gxds_test {

inline gxds_str Str(const std::string &s) { return gxds_str_of(s.data(), s.size()); }
inline std::string String(gxds_str s) { return std::string(s.data ? s.data : "", s.size); }

inline constexpr char kType[] = "type.googleapis.com/Foo";

// Added to the tests' clock, gives the time since 1970.
inline constexpr gxds_duration kWallOffset = int64_t{1700000000} * GXDS_SECOND;

class File {
 public:
  explicit File(const std::string &dir, const std::string &target = "xds:///t",
                const std::string &server = "server:1") {
    Open(dir, target, server);
  }
  // Opens the file at that time since 1970.
  File(const std::string &dir, int64_t wall) : now(wall - kWallOffset) {
    Open(dir, "xds:///t", "server:1");
  }
  ~File() {
    gxds_cache_file_close(file_);
    gxds_text_fini(&log_);
  }
  std::string Log() const { return String(gxds_text_str(&log_)); }
  std::string Path() const { return String(gxds_cache_file_path(file_)); }
  size_t Count() const { return gxds_cache_file_count(file_); }
  void Put(const std::string &name, const std::string &bytes, const std::string &version = "1") {
    gxds_cache_record r = {};
    r.accepted = 42;
    r.type = gxds_str_z(kType);
    r.name = Str(name);
    r.version = Str(version);
    r.bytes = Str(bytes);
    gxds_cache_file_put(file_, &r, now, &log_);
  }
  void Remove(const std::string &name) {
    gxds_cache_record r = {};
    r.removed = true;
    r.type = gxds_str_z(kType);
    r.name = Str(name);
    gxds_cache_file_put(file_, &r, now, &log_);
  }
  std::string Get(const std::string &name) {
    gxds_cache_record r;
    if (!gxds_cache_file_find(file_, gxds_str_z(kType), Str(name), &r)) return "nothing";
    EXPECT_EQ(r.accepted, 42);
    EXPECT_EQ(String(r.type), kType);
    EXPECT_EQ(String(r.name), name);
    return String(r.version) + " " + String(r.bytes);
  }

  void Settle() { gxds_cache_file_settle(file_, now, &log_); }
  bool TakeLost() { return gxds_cache_file_take_lost(file_); }
  std::string TakeLog() {
    std::string log = Log();
    gxds_text_clear(&log_);
    return log;
  }
  gxds_time now = 1000 * GXDS_SECOND;

 private:
  void Open(const std::string &dir, const std::string &target, const std::string &server) {
    file_ = gxds_cache_file_open(Str(dir), Str(target), Str(server), now, kWallOffset, &log_);
  }

  gxds_text log_ = {};
  gxds_cache_file *file_;
};

inline std::string Read(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

inline void Write(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// A directory that the cache made, with two resources in a file.
struct CacheFile : testing::Test {
  CacheFile() {
    File f(dir);
    f.Put("a", "one");
    f.Put("b", std::string("\0two", 4), "2");
    EXPECT_EQ(f.Log(), "");
    path = f.Path();
  }
  TempDir parent;
  std::string dir = parent.path() + "/cache";
  std::string path;
};

}  // namespace gxds_test

#endif
