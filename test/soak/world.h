// The processes of a soak run: backends, control planes and the client under test.
#ifndef GRPC_XDS_TEST_SOAK_WORLD_H_
#define GRPC_XDS_TEST_SOAK_WORLD_H_

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "test/soak/account.h"
#include "test/soak/config.h"
#include "test/soak/schedule.h"
#include "test/support/child.h"
#include "test/support/control_plane.h"

namespace gxds_soak {

Time Now();

class BackendProcess {
 public:
  BackendProcess(int index, Outages* outages);
  int port() const { return port_; }
  // Does a deed of the schedule, and records its effect in the outages.
  void Do(Deed deed);
  void Recover();

 private:
  void Start();

  const std::string name_;
  const int port_;
  Outages* const outages_;
  bool stopped_ = false;
  std::unique_ptr<gxds_test::Child> child_;  // null: it was killed
};

class PlaneProcess {
 public:
  explicit PlaneProcess(const std::string& config);
  void Do(Deed deed);
  void Configure(const std::string& config) { plane_.WriteFile("mesh.json", config); }
  void Recover();
  const gxds_test::ControlPlane& plane() const { return plane_; }

 private:
  gxds_test::ControlPlane plane_;
  bool stopped_ = false;
  bool down_ = false;
};

// The open objects of the client.
struct Open {
  long fds = 0;  // except connections
  long connections = 0;
  long subchannels = 0;
  long threads = 0;  // except those of the host's pool
  long pool = 0;     // threads of the host's pool
};

// The client at rest.
struct Rest {
  long calls = 0;
  double heap = 0;      // bytes in use
  double resident = 0;  // bytes
  Open open;
};

class ClientProcess {
 public:
  // cache: the folder that the bootstrap names.
  ClientProcess(const std::string& bootstrap, const std::string& cache);
  ~ClientProcess();

  // These return false if the client ended, or did not respond in time.
  bool Start(Open* before);
  bool Probe(const std::string& method);  // also false if the call had no response
  bool Counts(std::map<std::string, long>* counts);
  bool AtRest(Rest* rest);
  bool End(Open* after);
  void Renew(int thread);
  void Leak();

  // The failures since the last call.
  std::vector<Failure> TakeFailures() { return std::move(failures_); }
  // Whether the plugin logged that it is registered. Without it, everything might run on the host's
  // xDS.
  bool RanPlugin() const { return ran_plugin_; }
  // How often the client used a control plane other than the first, and how often it started from
  // its cache.
  long fallbacks() const { return fallbacks_; }
  long cache_starts() const { return cache_starts_; }
  // Describes whether it runs or how it ended, and its last output.
  std::string Describe();

 private:
  void Order(const std::string& order);
  // Reads the rest of the next line that begins with that word.
  bool ReadReply(const std::string& word, std::string* rest);
  void OnLine(const std::string& line);

  gxds_test::TempDir dir_;
  std::unique_ptr<gxds_test::Child> child_;
  FILE* orders_ = nullptr;
  size_t seen_ = 0;  // lines
  std::vector<Failure> failures_;
  bool ran_plugin_ = false;
  long fallbacks_ = 0;
  long cache_starts_ = 0;
};

}  // namespace gxds_soak

#endif
