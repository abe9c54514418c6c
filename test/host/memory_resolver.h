// Runs a resolver in C on a channel in memory, keeps its results, and makes RPCs with the
// ConfigSelector of a result. One thread. Drain() does the work that the resolver schedules with
// schedule().
#ifndef GRPC_XDS_TEST_HOST_MEMORY_RESOLVER_H_
#define GRPC_XDS_TEST_HOST_MEMORY_RESOLVER_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/config_selector.h"
#include "host/resolver.h"
#include "test/host/memory_values.h"
#include "xds_resolver/config.h"

namespace memory {

using Headers = std::map<std::string, std::string>;

// An RPC that a ConfigSelector routed. It must end before the selector does. Only Commit() commits
// it.
class RoutedRpc {
 public:
  RoutedRpc(const gxds_config_selector* selector, const std::string& path,
            const Headers& with = {});
  RoutedRpc(const RoutedRpc&) = delete;
  RoutedRpc& operator=(const RoutedRpc&) = delete;

  // The RPC's error, or else its cluster.
  std::string Text() const { return memory::Text(failed() ? route_.error : route_.cluster); }
  bool failed() const { return route_.error.size > 0; }
  // Only for an RPC that did not fail.
  size_t method_config() const { return route_.method_config; }
  gxds_duration timeout() const { return route_.timeout; }
  const gxds_routed_call& routed() const {
    return reinterpret_cast<const gxds_routed_call*>(route_.cluster.data)[-1];
  }
  void Commit() const { route_.hold->commit(route_.hold); }

  Headers headers;  // including those that the selector added
  size_t allocations = 0;

 private:
  struct InC : gxds_call {
    RoutedRpc* rpc;
  };
  static const gxds_call_ops kOps;

  std::string value_;
  std::unique_ptr<std::max_align_t[]> memory_;
  gxds_call_route route_ = {};
};

// A result that the resolver reported. It holds references of its own.
class Result {
 public:
  explicit Result(const gxds_resolution& r);
  ~Result();
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;

  const Status failure;
  const std::string service_config;
  const std::string note;
  const gxds_config* const snapshot;     // null: none
  gxds_mailbox* const mailbox;           // borrow, for comparison
  gxds_config_selector* const selector;  // null: none
};

using Event = std::pair<gxds_resolver_severity, std::string>;

// The properties of a target.
struct Target {
  std::string uri = "xds:///service";
  std::string authority = "";
  std::string path = "/service";
  const char* data_plane_authority = nullptr;  // null: the program sets none
  const char* bootstrap_json = nullptr;
};

class ResolverHost {
 public:
  ResolverHost(const gxds_resolver_type* type, const gxds_host* services, const Target& target,
               const grpc_channel_args* client_args = nullptr);
  // Only after ShutDown(), and after the reactor has called gone().
  ~ResolverHost() { type_->destroy(self_); }
  ResolverHost(const ResolverHost&) = delete;
  ResolverHost& operator=(const ResolverHost&) = delete;

  bool Start() { return type_->start(self_, &link_); }
  // Does the scheduled work.
  void Drain();
  void Reresolve() { type_->reresolve(self_); }
  void ResetBackoff() { type_->reset_backoff(self_); }
  void ShutDown() { type_->shutdown(self_); }

  std::vector<std::unique_ptr<Result>> results;
  const Result& last() const { return *results.back(); }
  std::vector<Event> events;  // of the channel's trace
  std::vector<std::string> log;
  int scheduled = 0;  // calls of schedule() whose work Drain() has not done
  int gone = 0;

  bool has_trace = true;
  static inline bool traces = false;  // GRPC_TRACE=xds_resolver

 private:
  struct Channel : gxds_resolver_channel {
    ResolverHost* host;
  };
  struct Link : gxds_resolver_link {
    ResolverHost* host;
  };
  static ResolverHost* Of(gxds_resolver_channel* c) { return static_cast<Channel*>(c)->host; }
  static ResolverHost* Of(gxds_resolver_link* l) { return static_cast<Link*>(l)->host; }
  static void Log(gxds_resolver_severity severity, gxds_str line);
  static const gxds_resolver_channel_ops kOps;
  static inline ResolverHost* current = nullptr;  // the newest, which receives log lines

  const gxds_resolver_type* const type_;
  const Target target_;
  Channel channel_ = {};
  Link link_ = {};
  void* self_;
};

}  // namespace memory

#endif
