#include "test/transport/raw_server.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstdlib>
#include <vector>

#include "test/support/kept_port.h"

namespace grpc_xds {
namespace {

grpc::ByteBuffer FromString(const std::string &bytes) {
  grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

std::string ToString(const grpc::ByteBuffer &buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (buffer.Dump(&slices).ok()) {
    for (const grpc::Slice &s : slices) {
      bytes.append(reinterpret_cast<const char *>(s.begin()), s.size());
    }
  }
  return bytes;
}

// One lock for all streams. gRPC passes a stream from thread to thread in an order that the thread
// sanitizer cannot see, since gRPC is not instrumented. It sees this lock.
std::mutex &mu = *new std::mutex;

class Stream : public RawStream, public grpc::ServerGenericBidiReactor {
 public:
  explicit Stream(grpc::GenericCallbackServerContext *context) : method_(context->method()) {}
  // Keeps a reference to the stream as long as gRPC needs it.
  void Start(std::shared_ptr<Stream> self) {
    std::lock_guard<std::mutex> lock(mu);
    self_ = std::move(self);
    StartRead(&incoming_);
  }

  const std::string &Method() const override { return method_; }
  std::optional<std::string> Take() override { return messages_.Take(); }
  bool Empty() override { return messages_.Empty(); }
  void HoldReads() override {
    std::lock_guard<std::mutex> lock(mu);
    holds_reads_ = true;
  }
  void ReadOn() override {
    std::lock_guard<std::mutex> lock(mu);
    holds_reads_ = false;
    if (read_is_due_ && !finished_) StartRead(&incoming_);
    read_is_due_ = false;
  }
  void WaitForEnd() override {
    if (ended_.Take()) ended_.Put(true);
  }
  bool IsCancelled() override {
    std::lock_guard<std::mutex> lock(mu);
    return cancelled_;
  }

  void Send(std::string message) override {
    std::lock_guard<std::mutex> lock(mu);
    outgoing_.push_back(FromString(message));
    WriteNext();
  }
  void Finish(grpc::Status status) override {
    std::lock_guard<std::mutex> lock(mu);
    if (!status_) status_ = std::move(status);
    WriteNext();
  }

  void FinishWithClient() override {
    std::lock_guard<std::mutex> lock(mu);
    finishes_with_client_ = true;
    FinishIfClientIsDone();
  }

  void OnReadDone(bool ok) override {
    std::lock_guard<std::mutex> lock(mu);
    if (!ok) {
      client_is_done_ = true;
      FinishIfClientIsDone();
      return;
    }
    messages_.Put(ToString(incoming_));
    incoming_.Clear();
    read_is_due_ = holds_reads_;
    if (!finished_ && !read_is_due_) StartRead(&incoming_);
  }
  void OnWriteDone(bool) override {
    std::lock_guard<std::mutex> lock(mu);
    writing_ = false;
    outgoing_.pop_front();
    WriteNext();
  }
  void OnCancel() override {
    std::lock_guard<std::mutex> lock(mu);
    cancelled_ = true;
    if (!status_) status_ = grpc::Status::CANCELLED;
    WriteNext();
    ended_.Put(true);
  }
  void OnDone() override {
    std::shared_ptr<Stream> self;
    std::lock_guard<std::mutex> lock(mu);
    ended_.Put(true);
    self.swap(self_);  // released after the lock
  }

 private:
  void FinishIfClientIsDone() {
    if (!finishes_with_client_ || !client_is_done_) return;
    if (!status_) status_ = grpc::Status::OK;
    WriteNext();
  }
  void WriteNext() {
    if (writing_ || finished_) return;
    if (!outgoing_.empty()) {
      writing_ = true;
      StartWrite(&outgoing_.front());
    } else if (status_) {
      finished_ = true;
      grpc::ServerGenericBidiReactor::Finish(*status_);
    }
  }

  const std::string method_;
  std::shared_ptr<Stream> self_;
  Inbox<std::string> messages_;
  Inbox<bool> ended_;
  grpc::ByteBuffer incoming_;
  std::deque<grpc::ByteBuffer> outgoing_;
  std::optional<grpc::Status> status_;
  bool writing_ = false;
  bool finished_ = false;
  bool cancelled_ = false;
  bool holds_reads_ = false;
  bool read_is_due_ = false;
  bool client_is_done_ = false;
  bool finishes_with_client_ = false;
};

}  // namespace

class RawServer::Service : public grpc::CallbackGenericService {
 public:
  explicit Service(RawServer *server) : server_(server) {}
  grpc::ServerGenericBidiReactor *CreateReactor(
      grpc::GenericCallbackServerContext *context) override {
    auto stream = std::make_shared<Stream>(context);
    stream->Start(stream);
    server_->streams_.Put(stream);
    return stream.get();
  }

 private:
  RawServer *server_;
};

RawServer::RawServer(int port, std::shared_ptr<grpc::ServerCredentials> credentials)
    : service_(std::make_unique<Service>(this)) {
  grpc::ServerBuilder builder;
  if (!credentials) credentials = grpc::InsecureServerCredentials();
  if (port == 0) port = gxds_test::KeptPort();
  builder.AddListeningPort("127.0.0.1:" + std::to_string(port), credentials, &port_);
  builder.RegisterCallbackGenericService(service_.get());
  builder.SetMaxReceiveMessageSize(-1);
  server_ = builder.BuildAndStart();
  EXPECT_NE(server_, nullptr) << "port " << port;
}

RawServer::~RawServer() { Stop(); }

void RawServer::Stop() {
  if (!server_) return;
  server_->Shutdown(std::chrono::system_clock::now());
  server_->Wait();
  server_.reset();
}

std::shared_ptr<RawStream> RawServer::Take() {
  std::optional<std::shared_ptr<RawStream>> stream = streams_.Take();
  if (!stream) abort();  // the test cannot go on without it
  return *stream;
}

}  // namespace grpc_xds
