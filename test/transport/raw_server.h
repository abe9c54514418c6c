// A gRPC server in this process that accepts any bidirectional stream and gives the test its raw
// messages. The test acts as the service.
#ifndef GRPC_XDS_TEST_TRANSPORT_RAW_SERVER_H_
#define GRPC_XDS_TEST_TRANSPORT_RAW_SERVER_H_

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "test/transport/on_reactor.h"

namespace grpc_xds {

// The server's side of a stream. Any thread.
class RawStream {
 public:
  virtual ~RawStream() = default;
  virtual const std::string &Method() const = 0;
  // Waits for the next message.
  virtual std::optional<std::string> Take() = 0;
  virtual bool Empty() = 0;
  // Does not ask for further messages until ReadOn(). A read that has begun still takes one.
  virtual void HoldReads() = 0;
  virtual void ReadOn() = 0;
  virtual void Send(std::string message) = 0;
  // Ends the stream after everything that was sent.
  virtual void Finish(grpc::Status status) = 0;
  // Ends the stream with OK as soon as the client sends nothing more.
  virtual void FinishWithClient() = 0;
  // Waits until the client has cancelled the stream or disconnected, or the stream was finished.
  virtual void WaitForEnd() = 0;
  // Whether the client cancelled the stream or disconnected. Certain after WaitForEnd().
  virtual bool IsCancelled() = 0;
};

class RawServer {
 public:
  // port 0: a free port. credentials: null for none.
  explicit RawServer(int port = 0, std::shared_ptr<grpc::ServerCredentials> credentials = nullptr);
  ~RawServer();
  // Ends every stream and the connections.
  void Stop();
  int port() const { return port_; }
  std::string uri() const { return "127.0.0.1:" + std::to_string(port_); }
  // Waits for the next stream that a client opens. Never null.
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
