// A real gRPC server that answers every unary call with its name.
#ifndef GRPC_XDS_TEST_SUPPORT_BACKEND_H_
#define GRPC_XDS_TEST_SUPPORT_BACKEND_H_

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace gxds_test {

class Backend {
 public:
  // port 0: a free port, which is kept (KeptPort()). credentials: null for none. address: one of
  // this machine's; "0.0.0.0" for all of them.
  explicit Backend(std::string name, int port = 0,
                   std::shared_ptr<grpc::ServerCredentials> credentials = nullptr,
                   const std::string& address = "127.0.0.1");
  ~Backend();

  const std::string& name() const { return name_; }
  int port() const { return port_; }
  long calls() const { return calls_; }
  // The number of connections on which calls came so far.
  size_t connections() const;
  // The ":authority" of the last call.
  std::string authority() const;
  // From now on calls are not answered until Release().
  void Hold();
  void Release();
  // Waits until that many calls are held.
  bool WaitForHeld(size_t count);
  // From now on calls are answered with this text in place of the name.
  void RespondWith(std::string text);
  // From now on calls are answered with this status.
  void FailWith(grpc::StatusCode code);
  // That many calls are answered with this status; those after them as before.
  void FailTimes(int count, grpc::StatusCode code);
  // From now on each response carries this load report (a serialized OrcaLoadReport); empty: none.
  void ReportLoad(std::string report);
  // From now on it serves load reports out of band (OpenRcaService): current and later streams are
  // sent this report. Before that it does not know the service. These streams do not count as
  // calls.
  void ReportLoadOutOfBand(std::string report);
  // The requests for out-of-band reports so far, serialized.
  std::vector<std::string> oob_requests() const;
  // Wait until it has received that many such requests in all, or until it sends reports on that
  // many streams.
  bool WaitForOobRequests(size_t count);
  bool WaitForOobStreams(size_t count);
  // Stops at once: connections break.
  void Stop();

 private:
  class Service;
  class Reactor;
  class OobReactor;

  std::string name_;
  int port_ = 0;
  std::atomic<long> calls_{0};
  std::atomic<int> status_{0};
  std::atomic<int> failures_left_{0};
  std::atomic<int> failure_{0};
  mutable std::mutex mu_;
  std::condition_variable changed_;
  std::string response_;  // empty: the name
  std::string load_;      // empty: none
  bool serves_oob_ = false;
  std::string oob_load_;
  std::vector<std::string> oob_requests_;
  std::set<OobReactor*> oob_streams_;
  bool hold_ = false;
  std::vector<Reactor*> held_;
  std::set<std::string> peers_;
  std::string authority_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace gxds_test

#endif
