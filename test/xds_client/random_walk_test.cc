// A random walk from a seed: watches start and end, servers respond, send bad data, fail and
// return. Then everything recovers, and every watcher must hold what the servers have.
//
// The servers send as little as the protocol allows. They ignore a request with a stale nonce, and
// send nothing while they assume that the client has everything it requested. So a client that
// forgets a resource, or requests it in a way that the server cannot notice, never converges.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "test/xds_client/test_types.h"

namespace gxds_test {
namespace {

constexpr int kTypeCount = 2;

struct WalkWatcher {
  gxds_watch_id id = 0;
  int type = 0;
  std::string name;
  std::string held;     // empty: nothing
  std::string error;    // instead of a resource
  std::string ambient;  // beside a resource
};

// A server's state of one type on one stream.
struct ServedType {
  bool requested = false;
  bool responded = false;
  std::set<std::string> names;
  std::map<std::string, std::string> given;  // what the client has, as the server assumes
  std::string nonce;
  std::set<std::string> unanswered;  // delta: nonces
};

struct WalkServer {
  std::string uri;
  gxds_bootstrap_server config = {};
  bool knows_delta = true;
  bool removes_absent = true;  // delta: also removes resources that never existed
  gxds_server_id id = 0;
  gxds_stream_id stream = 0;
  bool delta = false;  // the stream uses delta
  bool read = false;
  bool send_outstanding = false;
  std::deque<Request> requests;
  std::deque<std::string> messages;
  ServedType types[kTypeCount];
  int nonces = 0;
};

class Walk {
 public:
  explicit Walk(uint64_t seed) : random_{seed} {
    const char *uris[] = {"server1", "server2"};
    for (int i = 0; i < 2; i++) {
      servers_[i].uri = uris[i];
      servers_[i].config.uri = Str(servers_[i].uri);
      servers_[i].config.creds_type = gxds_str_z("insecure");
      servers_[i].config.fail_on_data_errors = Draw(3) == 0;
      servers_[i].config.resource_timer_is_transient_error = Draw(4) == 0;
      servers_[i].config.delta = Draw(2) == 0;
      servers_[i].knows_delta = Draw(4) != 0;
      servers_[i].removes_absent = Draw(4) != 0;
      list_[i] = &servers_[i].config;
    }
    authority_.name = gxds_str_z("a");
    authority_.servers = &list_[1];
    authority_.server_count = 1;
    gxds_ref_init(&bootstrap_.refs);
    bootstrap_.servers = list_;
    bootstrap_.server_count = 1 + Draw(2);
    bootstrap_.authorities = &authority_;
    bootstrap_.authority_count = 1;
    gxds_client_options options = {};
    options.bootstrap = &bootstrap_;
    options.types = kTypes;
    options.type_count = kTypeCount;
    options.seed = seed;
    client_ = gxds_client_create(&options);
    for (uint64_t &weight : weights_) weight = Draw(4) == 0 ? 0 : 1 + Draw(20);
  }

  ~Walk() {
    gxds_client_destroy(client_);
    EXPECT_EQ(g_live_resources, 0u);
  }

  void Run(int steps) {
    uint64_t total = 0;
    for (uint64_t weight : weights_) total += weight;
    for (int i = 0; i < steps && total > 0 && !testing::Test::HasFailure(); i++) {
      uint64_t draw = Draw(total);
      size_t kind = 0;
      while (draw >= weights_[kind]) draw -= weights_[kind++];
      Step(kind);
      gxds_client_validate(client_);
      if (Draw(4)) Drain();
    }
  }

  void HealAndCheck() {
    Drain();
    // A failed channel works again after the next response, which is certain only on a new stream.
    // If none failed, the streams go on, and nothing is sent again.
    for (WalkServer &server : servers_) {
      if (server.stream && (channels_failed_ || Draw(2))) CloseStream(&server);
    }
    Converge();
    // Watches that end and start again must not lose resources that the servers do not send twice.
    for (int i = 0; i < 10 && !watchers_.empty(); i++) {
      size_t index = Draw(watchers_.size());
      int type = watchers_[index]->type;
      std::string name = watchers_[index]->name;
      Unwatch(index);
      if (Draw(2)) Drain();
      AddWatch(type, name);
      if (Draw(2)) Drain();
    }
    Converge();
    while (!watchers_.empty()) Unwatch(0);
    Drain();
    for (const WalkServer &server : servers_) EXPECT_TRUE(server.id == 0 && server.stream == 0);
    EXPECT_EQ(gxds_client_deadline(client_), GXDS_TIME_NEVER);
  }

 private:
  uint64_t Draw(uint64_t n) { return gxds_random_next(&random_) % n; }

  std::string DrawName(int type) {
    std::string id = "n" + std::to_string(Draw(6));
    if (Draw(4)) return id;
    return "xdstp://a/" + String(gxds_str_z(kTypes[type]->type_url + 20)) + "/" + id;
  }

  void Step(size_t kind) {
    WalkServer *server = &servers_[Draw(2)];
    int type = static_cast<int>(Draw(kTypeCount));
    switch (kind) {
      case 0:
        return AddWatch(type, DrawName(type));
      case 1:
        if (!watchers_.empty()) Unwatch(Draw(watchers_.size()));
        return;
      case 2:
        truth_[type][DrawName(type)] = "v" + std::to_string(values_++);
        return;
      case 3:
        truth_[type].erase(DrawName(type));
        return;
      case 4:
        TakeRequest(server);
        return;
      case 5:
        Serve(server, type, false);
        return;
      case 6:
        Deliver(server);
        return;
      case 7:
        ReleaseSend(server);
        return;
      case 8:
        if (server->stream && server->types[type].requested) Serve(server, type, true);
        return;
      case 9:
        if (server->stream) server->messages.push_back("\x0a\xff nonsense");
        return;
      case 10:
        if (server->stream && Draw(4) == 0) CloseStream(server);
        return;
      case 11: {
        gxds_status status = gxds_status_make(GXDS_UNAVAILABLE, "down %d", int(Draw(3)));
        if (Draw(4) == 0) {
          gxds_client_on_channel_failed(client_, server->id, &status, now_);
          channels_failed_ = true;
        }
        gxds_status_fini(&status);
        return;
      }
      case 12:
        now_ += static_cast<gxds_time>(Draw(3 * GXDS_SECOND));
        return gxds_client_on_deadline(client_, now_);
      default:
        if (Draw(10) == 0) gxds_client_reset_backoff(client_, now_);
        return;
    }
  }

  void AddWatch(int type, const std::string &name) {
    watchers_.push_back(std::make_unique<WalkWatcher>());
    WalkWatcher *watcher = watchers_.back().get();
    watcher->type = type;
    watcher->name = name;
    watcher->id = gxds_client_watch(client_, kTypes[type], Str(name), {watcher, 0, 0}, now_);
  }

  void Unwatch(size_t index) {
    gxds_client_unwatch(client_, watchers_[index]->id, now_);
    watchers_.erase(watchers_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  // ---- the servers ----

  bool TakeRequest(WalkServer *server) {
    if (server->requests.empty()) return false;
    Request request = server->requests.front();
    server->requests.pop_front();
    int type = request.type_url == kFoo.type_url ? 0 : 1;
    ServedType *served = &server->types[type];
    EXPECT_TRUE(served->requested || !request.names.empty()) << "a type starts with an empty list";
    EXPECT_EQ(request.delta, server->delta);
    if (request.delta) return TakeDeltaRequest(request, served);
    if (request.nonce != served->nonce) return true;  // stale
    served->requested = true;
    std::set<std::string> names(request.names.begin(), request.names.end());
    EXPECT_EQ(names.size(), request.names.size());
    for (const std::string &name : names) {
      if (!served->names.count(name)) served->given.erase(name);
    }
    served->names = names;
    return true;
  }

  // Checks that no request is empty, that every response is answered once, and that claims are
  // true.
  bool TakeDeltaRequest(const Request &request, ServedType *served) {
    bool begins = !served->requested;
    served->requested = true;
    EXPECT_FALSE(request.names.empty() && request.unsubscribed.empty() && request.nonce.empty());
    EXPECT_TRUE(begins || request.versions.empty());
    if (!request.nonce.empty()) {
      EXPECT_EQ(served->unanswered.erase(request.nonce), 1u) << request.nonce;
    }
    EXPECT_TRUE(request.error.empty() || !request.nonce.empty());
    for (const std::string &name : request.unsubscribed) {
      EXPECT_EQ(served->names.erase(name), 1u) << name << " was not asked for";
      served->given.erase(name);
    }
    for (const std::string &name : request.names) {
      bool both = false;
      for (const std::string &other : request.unsubscribed) both = both || other == name;
      EXPECT_FALSE(both) << name;
      served->names.insert(name);
      served->given.erase(name);
      auto version = request.versions.find(name);
      if (version != request.versions.end()) served->given[name] = version->second;
    }
    return true;
  }

  bool ServeDelta(WalkServer *server, int type, bool badly) {
    ServedType *served = &server->types[type];
    std::vector<Item> items;
    std::vector<std::string> removed;
    for (const std::string &name : served->names) {
      auto truth = truth_[type].find(name);
      auto given = served->given.find(name);
      if (truth != truth_[type].end()) {
        bool bad = badly && Draw(2);
        if (!bad && given != served->given.end() && given->second == truth->second) continue;
        std::string value = bad ? "bad" : truth->second;
        items.push_back({name, value, name + "=" + value});
        served->given[name] = value;
      } else if (given == served->given.end() ? server->removes_absent : given->second != "gone") {
        removed.push_back(name);
        served->given[name] = "gone";
      }
    }
    if (items.empty() && removed.empty() && !badly) return false;
    std::string nonce = "n" + std::to_string(++server->nonces);
    served->unanswered.insert(nonce);
    server->messages.push_back(DeltaResponse(*kTypes[type], nonce, items, removed));
    return true;
  }

  bool Serve(WalkServer *server, int type, bool badly) {
    ServedType *served = &server->types[type];
    if (!server->stream || !served->requested) return false;
    if (server->delta) return ServeDelta(server, type, badly);
    std::map<std::string, std::string> now;
    for (const std::string &name : served->names) {
      auto it = truth_[type].find(name);
      if (it != truth_[type].end()) now[name] = it->second;
    }
    std::map<std::string, std::string> given;
    for (const auto &entry : served->given) {
      if (served->names.count(entry.first)) given.insert(entry);
    }
    if (now == given && served->responded && !badly) return false;
    served->responded = true;
    std::vector<Any> resources;
    for (auto &entry : now) {
      if (badly && Draw(2)) entry.second = "bad";
      std::string bytes = entry.first + "=" + entry.second;
      resources.push_back(Draw(2) ? Bare(*kTypes[type], bytes)
                                  : Wrapped(*kTypes[type], entry.first, bytes));
    }
    served->given = now;
    served->nonce = "n" + std::to_string(++server->nonces);
    server->messages.push_back(
        Response(kTypes[type]->type_url, "v" + std::to_string(values_), served->nonce, resources));
    return true;
  }

  bool Deliver(WalkServer *server) {
    if (!server->stream || !server->read || server->messages.empty()) return false;
    std::string message = server->messages.front();
    server->messages.pop_front();
    server->read = false;
    gxds_client_on_message(client_, server->stream, message.data(), message.size(), now_);
    return true;
  }

  bool ReleaseSend(WalkServer *server) {
    if (!server->send_outstanding) return false;
    server->send_outstanding = false;
    gxds_client_on_sent(client_, server->stream, now_);
    return true;
  }

  void ForgetStream(WalkServer *server) {
    server->stream = 0;
    server->read = server->send_outstanding = false;
    server->requests.clear();
    server->messages.clear();
    for (ServedType &served : server->types) served = ServedType();
  }

  void CloseStream(WalkServer *server) {
    gxds_stream_id stream = server->stream;
    bool refused = server->delta && !server->knows_delta;
    ForgetStream(server);
    gxds_status status = gxds_status_make(refused ? GXDS_UNIMPLEMENTED : GXDS_UNAVAILABLE,
                                          "closed %d", int(Draw(3)));
    gxds_client_on_stream_closed(client_, stream, &status, now_);
    gxds_status_fini(&status);
    Drain();
  }

  // ---- the owner ----

  WalkServer *Find(const gxds_action &action) {
    for (WalkServer &server : servers_) {
      if (action.server_id ? action.server == &server.config : action.stream == server.stream) {
        return &server;
      }
    }
    return nullptr;
  }

  void Drain() {
    while (const gxds_action *action = gxds_client_next_action(client_)) Carry(*action);
    gxds_client_validate(client_);
    for (WalkServer &server : servers_) {
      if (server.stream && server.delta && !server.knows_delta) CloseStream(&server);
    }
  }

  void Carry(const gxds_action &action) {
    WalkServer *server = Find(action);
    switch (action.kind) {
      case GXDS_ACTION_CONNECT:
        ASSERT_EQ(server->id, 0u);
        server->id = action.server_id;
        break;
      case GXDS_ACTION_DISCONNECT:
        ASSERT_TRUE(server->id == action.server_id && server->stream == 0);
        server->id = 0;
        break;
      case GXDS_ACTION_OPEN_STREAM:
        ASSERT_EQ(server->stream, 0u);
        server->stream = action.stream;
        server->delta = std::string(action.method).find("/Delta") != std::string::npos;
        break;
      case GXDS_ACTION_CLOSE_STREAM:
        ASSERT_EQ(server->stream, action.stream);
        ForgetStream(server);
        break;
      case GXDS_ACTION_SEND:
        ASSERT_TRUE(server->stream == action.stream && !server->send_outstanding);
        server->send_outstanding = true;
        server->requests.push_back(server->delta ? ParseDeltaRequest(Str(Message(action)))
                                                 : ParseRequest(Str(Message(action))));
        break;
      case GXDS_ACTION_READ:
        ASSERT_TRUE(server->stream == action.stream && !server->read);
        server->read = true;
        break;
      case GXDS_ACTION_RESOURCE:
      case GXDS_ACTION_AMBIENT_ERROR:
        Notify(action);
        break;
      default:
        break;
    }
  }

  void Notify(const gxds_action &action) {
    auto *watcher = static_cast<WalkWatcher *>(action.watcher.owner);
    std::string status;
    if (action.error) {
      gxds_str words = gxds_error_text(action.error);
      status = gxds_code_name(action.error->code) + String(words);
      gxds_str_free(&words);
    }
    if (action.kind == GXDS_ACTION_AMBIENT_ERROR) {
      EXPECT_NE(watcher->held, "") << "an ambient error for who holds nothing";
      EXPECT_NE(watcher->ambient, status) << "notified twice";
      watcher->ambient = status;
      return;
    }
    watcher->ambient = "";
    watcher->held = action.resource ? Text(action.resource) : "";
    watcher->error = status;
    EXPECT_NE(watcher->held.empty(), watcher->error.empty());
    EXPECT_TRUE(watcher->held.empty() || watcher->held.rfind(watcher->name + "=v", 0) == 0)
        << watcher->name << " was notified of " << watcher->held;
  }

  // ---- healing ----

  void Converge() {
    Drain();
    for (int round = 0; round < 1000; round++) {
      if (Progress()) continue;
      gxds_time deadline = gxds_client_deadline(client_);
      if (deadline == GXDS_TIME_NEVER) break;
      now_ = std::max(now_, deadline);
      gxds_client_on_deadline(client_, now_);
      Drain();
    }
    EXPECT_EQ(gxds_client_deadline(client_), GXDS_TIME_NEVER);
    for (const auto &watcher : watchers_) CheckWatcher(*watcher);
    CheckSubscriptions();
  }

  bool Progress() {
    bool progress = false;
    for (WalkServer &server : servers_) {
      progress = ReleaseSend(&server) || progress;
      Drain();
      progress = TakeRequest(&server) || progress;
      for (int type = 0; type < kTypeCount; type++) {
        if (server.messages.empty()) progress = Serve(&server, type, false) || progress;
      }
      progress = Deliver(&server) || progress;
      Drain();
    }
    return progress;
  }

  void CheckWatcher(const WalkWatcher &watcher) {
    auto it = truth_[watcher.type].find(watcher.name);
    std::string what = kTypes[watcher.type]->short_name + (" " + watcher.name);
    if (it != truth_[watcher.type].end()) {
      EXPECT_EQ(watcher.held, watcher.name + "=" + it->second) << what;
      EXPECT_EQ(watcher.ambient, "") << what;
    } else if (watcher.held.empty()) {
      EXPECT_NE(watcher.error, "") << what;
    } else if (watcher.type == 0 && servers_[0].removes_absent && servers_[1].removes_absent) {
      EXPECT_EQ(watcher.ambient.rfind("NOT_FOUND", 0), 0u) << what << ": " << watcher.ambient;
    }
  }

  // Checks that exactly the watched names are requested from each server.
  void CheckSubscriptions() {
    std::set<std::string> wanted[2][kTypeCount];
    for (const auto &watcher : watchers_) {
      bool federated = watcher->name.rfind("xdstp:", 0) == 0;
      wanted[federated][watcher->type].insert(watcher->name);
    }
    for (int i = 0; i < 2; i++) {
      for (int type = 0; type < kTypeCount; type++) {
        // A server without news is not known to work, so the second server stays in use.
        bool silent = servers_[0].config.delta && !servers_[0].removes_absent;
        if (i == 1 && silent && bootstrap_.server_count > 1) continue;
        EXPECT_EQ(servers_[i].types[type].names, wanted[i][type]) << servers_[i].uri;
      }
    }
  }

  gxds_random random_;
  uint64_t weights_[14] = {};
  gxds_time now_ = GXDS_SECOND;
  int values_ = 0;
  bool channels_failed_ = false;
  std::map<std::string, std::string> truth_[kTypeCount];
  WalkServer servers_[2];
  const gxds_bootstrap_server *list_[2] = {};
  gxds_bootstrap_authority authority_ = {};
  gxds_bootstrap bootstrap_ = {};
  std::vector<std::unique_ptr<WalkWatcher>> watchers_;
  gxds_client *client_ = nullptr;
};

TEST(RandomWalk, ConvergesWhenEverythingRecovers) {
  for (uint64_t seed = 1; seed <= 400 && !HasFailure(); seed++) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Walk walk(seed);
    walk.Run(300);
    walk.HealAndCheck();
  }
}

}  // namespace
}  // namespace gxds_test
