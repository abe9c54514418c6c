// End-to-end tests: a real channel on the plugin, with a real control plane and real backends.
#ifndef GRPC_XDS_TEST_E2E_E2E_H_
#define GRPC_XDS_TEST_E2E_E2E_H_

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "test/support/backend.h"
#include "test/support/control_plane.h"

namespace gxds_test {

struct Reply {
  grpc::Status status;
  std::string name;                      // of the backend
  std::vector<std::string> set_cookies;  // of the response's headers
  std::chrono::microseconds took{0};
};

struct CallOptions {
  std::chrono::milliseconds timeout = kPatience;
  bool wait_for_ready = false;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::string authority = {};  // empty: the channel's
};

// An RPC in progress. The destructor waits for its end.
class PendingCall {
 public:
  PendingCall(grpc::GenericStub* stub, const std::string& method, const CallOptions& options);
  ~PendingCall() { Wait(); }
  Reply Wait();
  void Cancel() { context_.TryCancel(); }

 private:
  grpc::ClientContext context_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
  Reply reply_;
  std::mutex mu_;
  std::condition_variable changed_;
  bool done_ = false;
};

// The resource timeout in tests about a resource that never arrives. Other resources may then be
// late too, and the channel recovers.
inline constexpr int kImpatience = 500;  // milliseconds

// The keepalive time and keepalive timeout of a test's xDS channel, and its minimum connect
// timeout. A server closes a connection that pings this often, and the client makes another.
inline constexpr int kShortKeepalive = 1000;  // milliseconds

// The options of a channel's own XdsClient.
struct XdsOptions {
  // Milliseconds; 0: the client's default. resource_timeout: 0 or kImpatience.
  XdsOptions(int resource_timeout = 0,  // NOLINT: a timeout alone will do
             int keepalive = 0, int message_size = 0)
      : resource_timeout(resource_timeout), keepalive(keepalive), message_size(message_size) {}
  int resource_timeout;
  int keepalive;
  int message_size;  // bytes; a longer message ends the stream
};

// Any thread.
class Client {
 public:
  // A channel with its own XdsClient and this bootstrap (JSON). If bootstrap is empty, the channel
  // uses the process's bootstrap and its XdsClient. credentials: null for insecure ones. xds:
  // options of the channel's own XdsClient.
  Client(const std::string& target, const std::string& bootstrap, grpc::ChannelArguments args = {},
         std::shared_ptr<grpc::ChannelCredentials> credentials = nullptr,
         const XdsOptions& xds = {});
  Reply Call(const CallOptions& options = {}, const std::string& method = "/test.Echo/Name");
  std::unique_ptr<PendingCall> Start(const CallOptions& options = {},
                                     const std::string& method = "/test.Echo/Name");
  // Makes that many calls, one after the other. Returns how many each backend answered; "" counts
  // failures.
  std::map<std::string, long> CallMany(long count);
  // Makes calls until a reply satisfies the condition. A failed call fails the test unless failures
  // are allowed.
  testing::AssertionResult CallUntil(const std::function<bool(const Reply&)>& condition,
                                     bool failures_allowed = false);
  testing::AssertionResult CallUntilAnsweredBy(const std::string& backend) {
    return CallUntil([&](const Reply& r) { return r.name == backend; });
  }
  grpc::Channel* channel() { return channel_.get(); }
  // How many calls were made so far.
  long made() const { return made_; }

 private:
  std::shared_ptr<grpc::Channel> channel_;
  grpc::GenericStub stub_;
  std::atomic<long> made_{0};
};

// One cluster "a" with one locality per backend, all of weight 1 and priority 0, and a route to it.
Mesh SimpleMesh(const std::vector<Backend*>& backends);

}  // namespace gxds_test

#endif
