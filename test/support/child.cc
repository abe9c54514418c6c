#include "test/support/child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace gxds_test {

Child::Child(const std::vector<std::string>& args, const std::map<std::string, std::string>& env) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) abort();
  // Everything that the child needs is made before the fork, because only async-signal-safe calls
  // are allowed after it.
  std::vector<char*> argv;
  for (const auto& a : args) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  std::vector<std::string> variables;
  for (char** e = environ; *e != nullptr; ++e) {
    std::string variable = *e;
    if (env.count(variable.substr(0, variable.find('='))) == 0) variables.push_back(variable);
  }
  for (const auto& [name, value] : env) variables.push_back(name + "=" + value);
  std::vector<char*> envp;
  for (auto& v : variables) envp.push_back(v.data());
  envp.push_back(nullptr);
  pid_ = vfork();
  if (pid_ == 0) {
    dup2(fds[1], STDOUT_FILENO);
    dup2(fds[1], STDERR_FILENO);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // so that a test that crashes leaves no child
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  close(fds[1]);
  out_ = fds[0];
  reader_ = std::thread([this] { Read(); });
}

Child::~Child() {
  Signal(SIGKILL);
  Wait();
  if (reader_.joinable()) reader_.join();
  close(out_);
}

void Child::Read() {
  std::string pending;
  char bytes[4096];
  for (ssize_t size; (size = read(out_, bytes, sizeof bytes)) > 0;) {
    pending.append(bytes, static_cast<size_t>(size));
    std::lock_guard<std::mutex> lock(mu_);
    for (size_t end; (end = pending.find('\n')) != std::string::npos;) {
      lines_.push_back(pending.substr(0, end));
      pending.erase(0, end + 1);
    }
    changed_.notify_all();
  }
  std::lock_guard<std::mutex> lock(mu_);
  if (!pending.empty()) lines_.push_back(pending);
  ended_ = true;
  changed_.notify_all();
}

std::string Child::WaitForLine(const std::function<bool(const std::string&)>& matches, size_t from,
                               std::chrono::milliseconds patience) {
  std::unique_lock<std::mutex> lock(mu_);
  std::string found;
  changed_.wait_for(lock, patience, [&] {
    for (; from < lines_.size(); ++from) {
      if (matches(lines_[from])) {
        found = lines_[from];
        return true;
      }
    }
    return ended_;
  });
  return found;
}

std::vector<std::string> Child::Lines() {
  std::lock_guard<std::mutex> lock(mu_);
  return lines_;
}

std::string Child::Output() {
  std::string all;
  for (const auto& line : Lines()) all += line + "\n";
  return all;
}

void Child::Signal(int signal) {
  if (pid_ > 0) kill(pid_, signal);
}

void Child::Stop() {
  Signal(SIGSTOP);
  siginfo_t info;
  while (pid_ > 0 && waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED) < 0 &&
         errno == EINTR) {
  }
}

int Child::Wait() {
  if (pid_ <= 0) return 0;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  std::unique_lock<std::mutex> lock(mu_);
  changed_.wait_for(lock, kPatience, [this] { return ended_; });
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string Runfile(const std::string& path) {
  const char* dir = getenv("TEST_SRCDIR");
  const char* workspace = getenv("TEST_WORKSPACE");
  if (dir == nullptr || workspace == nullptr) return path;
  return std::filesystem::canonical(std::string(dir) + "/" + workspace + "/" + path);
}

std::string AsanOptionsToPreload() {
  const char* options = getenv("ASAN_OPTIONS");
  return (options != nullptr ? std::string(options) + ":" : "") + "verify_asan_link_order=0";
}

TempDir::TempDir(const std::string& base) {
  const char* of_bazel = getenv("TEST_TMPDIR");
  path_ = (base.empty() ? std::string(of_bazel != nullptr ? of_bazel : "/tmp") : base) + "/XXXXXX";
  if (mkdtemp(path_.data()) == nullptr) abort();
}

TempDir::~TempDir() { std::filesystem::remove_all(path_); }

void TempDir::Write(const std::string& name, const std::string& contents) const {
  const std::string aside = path_ + "/." + name + ".tmp";
  std::ofstream(aside, std::ios::binary) << contents;
  std::filesystem::rename(aside, path_ + "/" + name);
}

void TempDir::Remove(const std::string& name) const { std::filesystem::remove(path_ + "/" + name); }

}  // namespace gxds_test
