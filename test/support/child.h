// A child process. A thread reads its output line by line, and a test can wait for a line.
#ifndef GRPC_XDS_TEST_SUPPORT_CHILD_H_
#define GRPC_XDS_TEST_SUPPORT_CHILD_H_

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gxds_test {

// Long enough for the slowest sanitizer build on a loaded machine. No test waits for all of this
// time when it passes.
inline constexpr std::chrono::seconds kPatience{30};

class Child {
 public:
  // Starts args[0] (a path) with extra environment. Standard error is read together with standard
  // output.
  Child(const std::vector<std::string>& args, const std::map<std::string, std::string>& env = {});
  // Kills the child and waits for it, if it has not ended yet.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // The first line, from line number `from` on, that matches; empty if none came in time or the
  // child ended without one.
  std::string WaitForLine(const std::function<bool(const std::string&)>& matches, size_t from = 0,
                          std::chrono::milliseconds patience = kPatience);
  std::vector<std::string> Lines();
  std::string Output();

  void Signal(int signal);
  // Stops it (SIGSTOP) and waits until it is stopped.
  void Stop();
  // Waits until it ends and all its output is read. Returns the exit status, or -signal.
  int Wait();
  pid_t pid() const { return pid_; }

 private:
  void Read();

  pid_t pid_ = -1;
  int out_ = -1;
  std::mutex mu_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  bool ended_ = false;
  std::thread reader_;
};

// A file of the build, by its path from the top of the tree.
std::string Runfile(const std::string& path);

// ASAN_OPTIONS for a child that preloads a library, or whose children do. By default a program with
// the address sanitizer ends if its runtime is not the first library.
std::string AsanOptionsToPreload();

// A new folder that is removed with everything in it.
class TempDir {
 public:
  // In base; if that is empty, in Bazel's folder for files of tests, which other users may not
  // enter.
  explicit TempDir(const std::string& base = "");
  ~TempDir();
  const std::string& path() const { return path_; }
  // Writes another file, then renames it.
  void Write(const std::string& name, const std::string& contents) const;
  void Remove(const std::string& name) const;

 private:
  std::string path_;
};

}  // namespace gxds_test

#endif
