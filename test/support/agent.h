// A proxy between the clients of one node and their control plane. Like Istio's agent in a pod, it
// keeps one ADS stream: when a second stream opens, it ends the first. Everything else passes
// through.
#ifndef GRPC_XDS_TEST_SUPPORT_AGENT_H_
#define GRPC_XDS_TEST_SUPPORT_AGENT_H_

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gxds_test {

class Agent {
 public:
  // control_plane: "127.0.0.1:port". credentials: null for none.
  explicit Agent(const std::string& control_plane,
                 const std::shared_ptr<grpc::ServerCredentials>& credentials = nullptr);
  ~Agent();

  int port() const { return port_; }
  // How many ADS streams clients opened, and how many of them ended because of a later one.
  long opened() const;
  long ended() const;
  // The "authorization" headers of the streams of a service, "AggregatedDiscoveryService" or
  // "LoadReportingService", in the order in which the streams were opened; "": the stream had no
  // header.
  std::vector<std::string> Authorizations(const std::string& service) const;
  // Ends the ADS stream that is kept.
  void EndStream();

 private:
  class Service;
  class Relay;

  mutable std::mutex mu_;
  Relay* ads_ = nullptr;  // the stream that is kept
  long opened_ = 0;
  long ended_ = 0;
  std::vector<std::pair<std::string, std::string>> headers_;  // method and "authorization"
  grpc::GenericStub control_plane_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

}  // namespace gxds_test

#endif
