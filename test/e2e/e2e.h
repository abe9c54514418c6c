// A real channel on the plugin, to a real control plane and real backends.
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

// An RPC that runs; it must be waited for before it dies.
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

// For how long a resource is waited for where a test is about one that never comes. Those that do
// may be late too: then the channel recovers.
inline constexpr int kImpatience = 500;  // milliseconds

// For how long a test's xDS channel, in which nothing comes, waits before it pings, and then for
// the answer; and at least for a connection. A server ends a connection that pings as often as
// that; the client makes another.
inline constexpr int kShortKeepalive = 1000;  // milliseconds

// What a channel's own XdsClient may be told.
struct XdsOptions {
  // Milliseconds, 0: what it does by itself. resource_timeout: 0 or kImpatience.
  XdsOptions(int resource_timeout = 0,  // NOLINT: a timeout alone will do
             int keepalive = 0, int message_size = 0)
      : resource_timeout(resource_timeout), keepalive(keepalive), message_size(message_size) {}
  int resource_timeout;
  int keepalive;
  int message_size;  // bytes; a longer one ends the stream
};

// Any thread.
class Client {
 public:
  // A channel of its own XdsClient with that bootstrap (JSON), or the process's when it is empty.
  // credentials: null for insecure ones. xds: of an XdsClient that it makes.
  Client(const std::string& target, const std::string& bootstrap, grpc::ChannelArguments args = {},
         std::shared_ptr<grpc::ChannelCredentials> credentials = nullptr,
         const XdsOptions& xds = {});
  Reply Call(const CallOptions& options = {}, const std::string& method = "/test.Echo/Name");
  std::unique_ptr<PendingCall> Start(const CallOptions& options = {},
                                     const std::string& method = "/test.Echo/Name");
  // That many calls, one after the other: how many each backend answered; "" counts failures.
  std::map<std::string, long> CallMany(long count);
  // Calls until a reply satisfies the condition; a failed call fails the test unless allowed.
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
