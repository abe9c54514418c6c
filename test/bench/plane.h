// The benchmark's control plane: state-of-the-world ADS and LRS from prepared bytes. It costs
// little compared with the client, and the caller can wait for a push.
#ifndef GRPC_XDS_TEST_BENCH_PLANE_H_
#define GRPC_XDS_TEST_BENCH_PLANE_H_

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace gxds_bench {

// Any thread.
class Plane {
 public:
  Plane();
  ~Plane();
  // A bootstrap that names this server, with that additional server feature (empty: none).
  std::string Bootstrap(const std::string& feature = "") const;
  int port() const { return port_; }

  // Drops every resource.
  void Clear();
  // Clients get it only at their next request.
  void Set(const std::string& type, const std::string& name, std::string bytes);
  // Sets it, sends it to every subscribed client, and waits until each has accepted it. False: one
  // refused it (the reason is printed), or did not answer within a minute.
  bool Push(const std::string& type, const std::string& name, std::string bytes);

 private:
  class Service;
  class AdsStream;
  class LrsStream;
  // The subscription of one client to one type.
  struct Subscription {
    std::set<std::string> names;
    bool is_of_all = false;  // the first request named none: all listeners or clusters
    uint64_t sent = 0;
    uint64_t accepted = 0;
    std::string refusal;
  };

  // Under mu_.
  std::string Response(const std::string& type, const std::set<std::string>& names);
  void OnRequest(AdsStream* stream, const std::string& bytes);

  std::mutex mu_;
  std::condition_variable changed_;
  std::map<std::string, std::map<std::string, std::string>> resources_;  // by type, then name
  std::set<AdsStream*> streams_;
  uint64_t version_ = 0;
  int port_ = 0;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace gxds_bench

#endif
