// A gRPC server of one process that takes any bidirectional stream and shows the test its raw
// messages: the test is the service.
#ifndef GRPC_XDS_TEST_TRANSPORT_RAW_SERVER_H_
#define GRPC_XDS_TEST_TRANSPORT_RAW_SERVER_H_

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "test/transport/on_reactor.h"

namespace grpc_xds {

// One stream, as the server sees it. Any thread.
class RawStream {
 public:
  virtual ~RawStream() = default;
  virtual const std::string &Method() const = 0;
  // The next message; waits for it.
  virtual std::optional<std::string> Take() = 0;
  virtual bool Empty() = 0;
  virtual void Send(std::string message) = 0;
  // Ends it after all that was sent.
  virtual void Finish(grpc::Status status) = 0;
  // Waits until the client cancelled it or is gone, or it was finished.
  virtual void WaitForEnd() = 0;
};

class RawServer {
 public:
  // port 0: one that is free. credentials: null for none.
  explicit RawServer(int port = 0, std::shared_ptr<grpc::ServerCredentials> credentials = nullptr);
  ~RawServer();
  // Ends every stream and the connections.
  void Stop();
  int port() const { return port_; }
  std::string uri() const { return "127.0.0.1:" + std::to_string(port_); }
  // The next stream that a client opened; waits for it. Never null.
  std::shared_ptr<RawStream> Take();
  bool NoMoreStreams() { return streams_.Empty(); }

 private:
  class Service;
  int port_;
  Inbox<std::shared_ptr<RawStream>> streams_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace grpc_xds

#endif
