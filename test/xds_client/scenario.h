// A client engine, its servers and its watchers, all controlled by the test.
//
// After every event the actions are drained and the invariants checked. Everything is strict: a
// request or a notification that the test did not read, or a timer that still runs, fails the test
// at its end.
#ifndef GRPC_XDS_TEST_XDS_CLIENT_SCENARIO_H_
#define GRPC_XDS_TEST_XDS_CLIENT_SCENARIO_H_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "test/xds_client/test_types.h"

namespace gxds_test {

// The bootstrap's settings of a server.
struct ServerConfig {
  std::string uri = "server1";
  bool fail_on_data_errors = false;
  bool resource_timer_is_transient_error = false;
  bool ignore_resource_deletion = false;
  bool delta = false;
};

// The stored resources of an engine's owner: by "server type name" (or "server/authority type
// name"), "version bytes". For a scope other than 0 the key is "scope: server type name".
using Disk = std::map<std::string, std::string>;

struct ScenarioOptions {
  Disk *disk = nullptr;  // not NULL: resources are stored there
  std::vector<ServerConfig> servers = {ServerConfig{}};
  std::map<std::string, std::vector<ServerConfig>> authorities = {};
  bool fallback_on_reachability_only = false;  // for all authorities
  gxds_duration resource_timeout = 0;
  gxds_duration wall_offset = 0;
  std::string node_id = "xds_client_test";
  bool trace = false;  // GRPC_TRACE=xds_client
};

class Scenario;

class Watcher {
 public:
  // The next notification: "foo1=6", "error CODE: …", "ambient CODE: …" or "ambient OK"; "nothing"
  // if there is none.
  std::string Next();
  bool HasNotification() const { return !notifications_.empty(); }

  gxds_watch_id id() const { return id_; }

 private:
  friend class Scenario;
  gxds_watch_id id_ = 0;
  bool cancelled_ = false;
  std::deque<std::string> notifications_;
  std::function<void()> then_;  // called once, at the next notification
};

class Server {
 public:
  // The next request as text; "nothing" if there is none.
  std::string NextRequest();
  bool HasRequest() const { return !requests_.empty(); }
  bool connected() const { return connected_; }
  bool has_stream() const { return stream_ != 0; }
  bool wants_message() const { return wants_message_; }
  bool speaks_delta() const { return delta_; }
  // The size of the last request.
  size_t request_bytes() const { return request_bytes_; }
  size_t request_head_bytes() const { return request_head_bytes_; }
  const gxds_block *request_rest() const { return request_rest_.get(); }
  size_t streams_opened() const { return streams_opened_; }

  // Sends resources; the nonce is n1, n2, … on each stream.
  void Respond(const gxds_resource_type &type, const std::string &version,
               const std::vector<std::string> &resources);
  void Send(const std::string &type_url, const std::string &version,
            const std::vector<Any> &resources);
  // The same with errors of single resources (xRFC TP3).
  void RespondWithErrors(const gxds_resource_type &type, const std::string &version,
                         const std::vector<std::string> &resources,
                         const std::vector<ResourceError> &errors);
  // The same in delta: "removed" are names.
  void RespondDelta(const gxds_resource_type &type, const std::vector<Item> &items,
                    const std::vector<std::string> &removed = {});
  void SendRaw(const std::string &message);
  void CloseStream(gxds_code code = GXDS_UNAVAILABLE, const std::string &message = "gone");
  // The same, but the next stream is opened without a wait.
  void RestartStream(gxds_code code = GXDS_UNAVAILABLE, const std::string &message = "gone");
  void FailChannel(const std::string &message, gxds_code code = GXDS_UNAVAILABLE);
  // From now on a SEND is completed only by ReleaseSend().
  void HoldSends() { hold_sends_ = true; }
  void ReleaseSend();

 private:
  friend class Scenario;
  Scenario *scenario_ = nullptr;
  std::string uri_;
  bool connected_ = false;
  bool wants_message_ = false;
  bool hold_sends_ = false;
  bool delta_ = false;  // the stream uses delta
  bool send_outstanding_ = false;
  gxds_server_id id_ = 0;
  gxds_stream_id stream_ = 0;
  size_t streams_opened_ = 0;
  size_t nonce_ = 0;
  size_t request_bytes_ = 0;
  size_t request_head_bytes_ = 0;
  std::unique_ptr<const gxds_block, decltype(&gxds_block_unref)> request_rest_{nullptr,
                                                                               gxds_block_unref};
  std::deque<std::string> requests_;
};

class Scenario {
 public:
  explicit Scenario(ScenarioOptions options = {});
  ~Scenario();
  Scenario(const Scenario &) = delete;

  Watcher &Watch(const gxds_resource_type &type, const std::string &name);
  // Starts several watches before a drain.
  std::vector<Watcher *> WatchTogether(
      const std::vector<std::pair<const gxds_resource_type *, std::string>> &wanted);
  void Cancel(Watcher &watcher);
  void KeepAll(const std::string &uri, uint32_t scope = 0);
  // Sets the scope of later watches.
  void SetScope(uint32_t scope) { scope_ = scope; }
  // Runs fn, then drains once.
  void Together(const std::function<void()> &fn);
  // Calls fn, without a drain of its own, at the watcher's next notification.
  void WhenNotified(Watcher &watcher, std::function<void()> fn) { watcher.then_ = std::move(fn); }

  Server &server(const std::string &uri = "server1");
  // Short forms for the first server.
  std::string NextRequest() { return server().NextRequest(); }
  void Respond(const gxds_resource_type &type, const std::string &version,
               const std::vector<std::string> &resources) {
    server().Respond(type, version, resources);
  }

  // Lets time pass, deadline after deadline.
  void Advance(gxds_duration duration);
  gxds_time now() const { return now_; }
  // The time until the next deadline; GXDS_TIME_NEVER: there is none.
  gxds_duration UntilDeadline() const;
  void ResetBackoff();

  // One line for each held resource: "Foo foo1 ACKED 1 foo1=6", "… failed 2 CODE: …".
  std::string Dump() const;
  // The actions since the last call, without the contents of requests and notifications: "CONNECT
  // server1", "OPEN server1", "READ", "CLOSE", "DISCONNECT", "SEND", "NOTIFY".
  std::vector<std::string> TakeTrace();
  const std::vector<std::string> &log() const { return log_; }
  bool Logged(const std::string &part) const;
  gxds_client *client() { return client_; }

  // Checks the invariants once for each drain, not after each event: for large tests.
  void ValidateSeldom() { validating_seldom_ = true; }
  // The end of the test ignores requests and notifications that were not read.
  void Forgive() { forgiving_ = true; }
  void ForgiveTimers() { forgiving_timers_ = true; }

 private:
  friend class Server;
  void Validate();
  void Drain();
  void Carry(const gxds_action &action);
  void Notify(const gxds_action &action);
  void CarryKept(const gxds_action &action);
  Server &by_stream(gxds_stream_id stream);
  const gxds_bootstrap_server *const *Build(const std::vector<ServerConfig> &configs);
  void BuildBootstrap(const ScenarioOptions &options);

  std::deque<std::string> strings_;
  std::deque<gxds_bootstrap_server> bootstrap_servers_;
  std::deque<std::vector<const gxds_bootstrap_server *>> server_lists_;
  std::vector<gxds_bootstrap_authority> bootstrap_authorities_;
  gxds_bootstrap bootstrap_ = {};
  Disk *disk_;
  gxds_client *client_ = nullptr;
  gxds_time now_ = 1000 * GXDS_SECOND;
  std::map<std::string, std::unique_ptr<Server>> servers_;
  std::deque<std::unique_ptr<Watcher>> watchers_;
  std::vector<std::string> log_;
  std::vector<std::string> trace_;
  uint32_t scope_ = 0;
  int draining_ = 0;  // a drain is in progress, or will follow
  bool validating_seldom_ = false;
  bool forgiving_ = false;
  bool forgiving_timers_ = false;
};

}  // namespace gxds_test

#endif
