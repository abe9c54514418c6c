// `xds serve` in a process of its own, on a folder of its own.
#ifndef GRPC_XDS_TEST_SUPPORT_CONTROL_PLANE_H_
#define GRPC_XDS_TEST_SUPPORT_CONTROL_PLANE_H_

#include <signal.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "test/support/child.h"
#include "test/support/kept_port.h"
#include "test/support/mesh.h"

namespace gxds_test {

struct Metric {
  long requests = 0;
  double sum = 0;
};

struct Load {
  long issued = 0;
  long successful = 0;
  long error = 0;
  long in_progress = 0;                   // of the last report
  std::map<std::string, Metric> metrics;  // that backends reported, by name
};

class ControlPlane {
 public:
  // address: the one it listens on.
  explicit ControlPlane(std::string address = "127.0.0.1") : address_(std::move(address)) {}

  // Replaces the configuration. Clients get it when the server has noticed the change.
  void Set(const Mesh& mesh) { files_.Write("mesh.json", mesh.Json()); }
  void WriteFile(const std::string& name, const std::string& contents) {
    files_.Write(name, contents);
  }
  void RemoveFile(const std::string& name) { files_.Remove(name); }

  // Call it before Start(): the server then also serves resources as a web server.
  void AlsoServeRest() { rest_port_ = KeptPort(); }
  void Start();  // the port is the same at every start
  void Kill();   // with SIGKILL
  // Freeze() stops the process with SIGSTOP, so that it answers nothing; Thaw() continues it.
  void Freeze() { server_->Stop(); }
  void Thaw() { server_->Signal(SIGCONT); }
  int port() const { return port_; }
  std::string address() const { return address_ + ":" + std::to_string(port_); }
  // A bootstrap that names this server, as JSON text. feature: of the server; empty: none.
  std::string Bootstrap(const std::string& feature = "") const;
  // Its entry in a bootstrap's list of servers.
  std::string ServerJson(const std::string& feature = "") const;

  // The same for what it serves as a web server. form: "rest" or "files".
  std::string WebServerJson(const std::string& form) const;

  // The number of lines that the server printed so far. Pass it to Wait() to see only later lines.
  size_t Mark() { return server_->Lines().size(); }
  // The first event, from line number `from` on, whose line (one JSON object) contains all of
  // parts; empty: none came.
  std::string Wait(const std::vector<std::string>& parts, size_t from = 0,
                   std::chrono::milliseconds patience = kPatience);
  size_t Count(const std::vector<std::string>& parts);

  // All loads reported so far, by {cluster, zone}.
  std::map<std::pair<std::string, std::string>, Load> Loads();
  // All drops reported so far, by {cluster, category}; "" holds the totals.
  std::map<std::pair<std::string, std::string>, long> Drops();
  // Waits until that many RPCs were reported as issued in all.
  bool WaitForIssued(long count);

 private:
  const std::string address_;
  TempDir files_;
  const int port_ = KeptPort();
  int rest_port_ = 0;  // 0: none
  std::unique_ptr<Child> server_;
};

}  // namespace gxds_test

#endif
