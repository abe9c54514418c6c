#include "transport/clients.h"

#include <arpa/inet.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/alloc.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "resources/resources.h"
#include "test/support/host_seam.h"
#include "test/transport/ads_server.h"
#include "test/transport/on_reactor.h"
#include "test/transport/raw_server.h"
#include "transport/client_metrics.h"

namespace grpc_xds {
namespace {

std::string ToString(gxds_str s) { return std::string(s.data ? s.data : "", s.size); }
gxds_str ToGxds(const std::string &s) { return gxds_str_of(s.data(), s.size()); }

int g_creds_created = 0;
bool g_no_creds = false;

const gxds_host *Host() {
  static const gxds_host host = [] {
    gxds_host h{};
    h.creds_supported = [](gxds_str) { return true; };
    h.creds_check = [](gxds_str, gxds_str, const gxds_path *, gxds_errors *) {};
    h.creds_create = [](gxds_str, gxds_str) {
      g_creds_created++;
      return g_no_creds ? nullptr : grpc_insecure_credentials_create();
    };
    h.lb_config_check = [](gxds_str, const gxds_path *, gxds_errors *) {};
    return h;
  }();
  return &host;
}

const gxds_bootstrap *Bootstrap(const std::string &json) {
  const gxds_bootstrap *b = nullptr;
  gxds_status status = gxds_bootstrap_parse(ToGxds(json), Host(), &b, nullptr);
  EXPECT_EQ(status.code, GXDS_OK) << ToString(status.message);
  gxds_status_fini(&status);
  return b;
}

std::string Server(const std::string &uri) {
  return R"({"server_uri":")" + uri + R"(","channel_creds":[{"type":"insecure"}]})";
}

struct News {
  std::string what;  // "resource", "error", "ambient", "drained"
  uint64_t token = 0;
  int code = -1;
  std::string text = {};  // the name of a cluster, or the message of a status
  bool operator==(const News &o) const {
    return what == o.what && token == o.token && text == o.text;
  }
};

// A channel that uses a client.
class User {
 public:
  struct Options {
    std::string target = "xds:///service";
    const void *private_key = nullptr;
    std::vector<grpc_arg> args = {};
    std::string members = {};  // members of the bootstrap, a comma before each
    gxds_duration resource_timeout = 0;
  };
  explicit User(const std::string &uri) : User(uri, Options{}) {}
  User(const std::string &uri, Options options) {
    const gxds_bootstrap *bootstrap = Bootstrap(R"({"xds_servers":[)" + Server(uri) +
                                                R"(],"node":{"id":"me"})" + options.members + "}");
    gxds_prepared *prepared = gxds_clients_prepare(bootstrap, Host());
    // false: tests do not wait a second after each refused connection.
    bool has_backoff = false;
    for (const grpc_arg &a : options.args) {
      has_backoff = has_backoff || a.key == std::string(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS);
    }
    if (!has_backoff) {
      options.args.push_back(Arg(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100));
      options.args.push_back(Arg(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 100));
    }
    OnReactor([&] {
      static const gxds_watch_events events = {OnResource, OnAmbientError, OnDrained};
      grpc_channel_args args = {options.args.size(), options.args.data()};
      handle_ =
          gxds_clients_acquire({ToGxds(options.target), options.private_key}, bootstrap, prepared,
                               Host(), options.resource_timeout, &args, &events, this);
    });
    gxds_bootstrap_unref(bootstrap);
  }
  ~User() { Release(); }

  static grpc_arg Arg(const char *key, int value) {
    grpc_arg arg{};
    arg.type = GRPC_ARG_INTEGER;
    arg.key = const_cast<char *>(key);
    arg.value.integer = value;
    return arg;
  }
  void Release() {
    OnReactor([&] {
      if (handle_) gxds_client_handle_release(std::exchange(handle_, nullptr));
    });
  }
  // Starts all watches in one turn of the reactor.
  void Watch(std::vector<std::pair<uint64_t, std::string>> clusters) {
    OnReactor([&] {
      for (const auto &c : clusters) WatchHere(&gxds_cluster_type, c.first, c.second);
    });
  }
  void WatchHere(const gxds_resource_type *type, uint64_t token, const std::string &name) {
    gxds_client_handle_watch(handle_, type, ToGxds(name), token);
  }
  void Unwatch(uint64_t token) {
    OnReactor([&] { UnwatchHere(token); });
  }
  void UnwatchHere(uint64_t token) { gxds_client_handle_unwatch(handle_, token); }
  void ResetBackoff() {
    OnReactor([&] { gxds_client_handle_reset_backoff(handle_); });
  }
  gxds_client_handle *handle() { return handle_; }
  // Called in the callbacks.
  std::function<void(const News &)> also;

  News Take() { return news_.Take().value_or(News{}); }
  bool Empty() { return news_.Empty(); }
  void Expect(const News &expected) {
    News n = Take();
    EXPECT_TRUE(n == expected) << n.what << " " << n.token << " " << n.code << " " << n.text;
  }
  void ExpectCluster(uint64_t token, const std::string &name) {
    Expect({"resource", token, -1, name});
    Expect({"drained"});
  }
  // The next news that is not "drained".
  News TakeFailure() {
    News n = Take();
    while (n.what == "drained") n = Take();
    EXPECT_EQ(n.code, GXDS_UNAVAILABLE);
    return n;
  }

 private:
  void Note(News n) {
    EXPECT_TRUE(gxds_reactor_is_current());
    if (also) also(n);
    news_.Put(std::move(n));
  }
  static void OnResource(void *owner, uint64_t token, const gxds_resource *resource,
                         const gxds_error *error) {
    News n{"error", token, error ? error->code : GXDS_OK, Words(error)};
    if (resource) {
      n.what = "resource";
      n.text = "?";
      if (resource->type == &gxds_cluster_type) {
        n.text = ToString(reinterpret_cast<const gxds_cluster *>(resource)->name);
      }
    }
    static_cast<User *>(owner)->Note(n);
  }
  static void OnAmbientError(void *owner, uint64_t token, const gxds_error *error) {
    static_cast<User *>(owner)->Note(
        {"ambient", token, error ? error->code : GXDS_OK, Words(error)});
  }
  static std::string Words(const gxds_error *error) {
    gxds_str text = gxds_error_text(error);
    std::string words = ToString(text);
    gxds_str_free(&text);
    return words;
  }
  static void OnDrained(void *owner) { static_cast<User *>(owner)->Note({"drained"}); }

  ReactorUse use_;
  gxds_client_handle *handle_ = nullptr;
  Inbox<News> news_;
};

using Names = std::set<std::string>;

TEST(Clients, ChannelsOfOneTargetShareOneStream) {  // A27.12
  AdsServer server;
  User a(server.uri()), b(server.uri());
  a.Watch({{1, "c"}});
  b.Watch({{7, "c"}});
  AdsStream stream = server.TakeAds();
  EXPECT_EQ(stream.TakeRequest().names, (Names{"c"}));
  stream.SendClusters("1", {"c"});
  a.ExpectCluster(1, "c");
  b.ExpectCluster(7, "c");
  EXPECT_EQ(stream.TakeRequest().version, "1");  // the ACK
  b.Watch({{8, "c"}});                           // from the cache
  b.ExpectCluster(8, "c");
  EXPECT_TRUE(server.NoMoreStreams());
  EXPECT_TRUE(stream.Empty());
}

TEST(Clients, TwoTargetsHaveStreamsOfTheirOwnIfTheyAreNotToShareOne) {  // A71.1
  AdsServer server;
  const std::string apart = R"(,"shared_stream":false)";
  User a(server.uri(), {.target = "xds:///one", .members = apart}),
      b(server.uri(), {.target = "xds:///two", .members = apart});
  a.Watch({{1, "a"}});
  AdsStream of_a = server.TakeAds();
  EXPECT_EQ(of_a.TakeRequest().names, (Names{"a"}));
  b.Watch({{1, "b"}});
  AdsStream of_b = server.TakeAds();
  EXPECT_EQ(of_b.TakeRequest().names, (Names{"b"}));
}

TEST(Clients, TargetsShareOneStreamWithoutAServerToFallBackTo) {
  AdsServer server;
  User a(server.uri(), {.target = "xds:///one"}), b(server.uri(), {.target = "xds:///two"});
  a.Watch({{1, "a"}});
  AdsStream stream = server.TakeAds();
  EXPECT_EQ(stream.TakeRequest().names, (Names{"a"}));
  b.Watch({{1, "b"}, {2, "a"}});
  EXPECT_EQ(stream.TakeRequest().names, (Names{"a", "b"}));
  stream.SendClusters("1", {"a", "b"});
  a.ExpectCluster(1, "a");
  std::set<std::string> names = {b.Take().text, b.Take().text};
  EXPECT_EQ(names, (Names{"a", "b"}));
  EXPECT_TRUE(server.NoMoreStreams());
}

TEST(Clients, TargetsShareWhereThereIsAServerToFallBackToIfConfigured) {
  AdsServer server, spare;
  const std::string told = R"(,"shared_stream":true,"authorities":{"a":{"xds_servers":[)" +
                           Server(spare.uri()) + "," + Server(server.uri()) + "]}}";
  User a(server.uri(), {.target = "xds:///one", .members = told}),
      b(server.uri(), {.target = "xds:///two", .members = told});
  a.Watch({{1, "c"}});
  b.Watch({{1, "c"}});
  AdsStream stream = server.TakeAds();
  EXPECT_EQ(stream.TakeRequest().names, (Names{"c"}));
  stream.SendClusters("1", {"c"});
  a.ExpectCluster(1, "c");
  b.ExpectCluster(1, "c");
  EXPECT_TRUE(server.NoMoreStreams());
}

TEST(Clients, TargetsDoNotShareAcrossWhatMakesAnotherClient) {
  AdsServer server, spare;
  const std::vector<User::Options> others = {
      {.target = "xds:///content", .members = R"(,"x":1)"},
      {.target = "xds:///content 2", .members = R"(,"x":2)"},
      {.target = "xds:///args", .args = {User::Arg("x", 1)}},
      {.target = "xds:///args 2", .args = {User::Arg("x", 2)}},
      {.target = "xds:///args 3", .args = {User::Arg("y", 2)}},
      {.target = "xds:///timeout", .resource_timeout = GXDS_SECOND},
      {.target = "xds:///fallback",
       .members = R"(,"authorities":{"a":{"xds_servers":[)" + Server(spare.uri()) + "," +
                  Server(server.uri()) + "]}}"},
      {.target = "xds:///apart", .members = R"(,"shared_stream":false)"},
  };
  User first(server.uri());
  first.Watch({{1, "c"}});
  EXPECT_EQ(server.TakeAds().TakeRequest().names, (Names{"c"}));
  std::vector<std::unique_ptr<User>> users;
  for (const User::Options &options : others) {
    SCOPED_TRACE(options.target);
    users.push_back(std::make_unique<User>(server.uri(), options));
    users.back()->Watch({{1, "c"}});
    EXPECT_EQ(server.TakeAds().TakeRequest().names, (Names{"c"}));
  }
  // Each of these options has another user to share a client with.
  for (User::Options options : others) {
    if (options.target == "xds:///apart" || options.target == "xds:///fallback") continue;
    SCOPED_TRACE(options.target);
    options.target += " too";
    users.push_back(std::make_unique<User>(server.uri(), options));
    users.back()->Watch({{1, "c"}});
  }
  OnReactor([] {});
  EXPECT_TRUE(server.NoMoreStreams());
}

TEST(Clients, ATargetThatGoesReleasesItsWatchesAlone) {
  AdsServer server;
  User a(server.uri(), {.target = "xds:///one"}), b(server.uri(), {.target = "xds:///two"});
  a.Watch({{1, "a"}, {2, "both"}});
  AdsStream stream = server.TakeAds();
  EXPECT_EQ(stream.TakeRequest().names, (Names{"a", "both"}));
  b.Watch({{1, "b"}, {2, "both"}});
  EXPECT_EQ(stream.TakeRequest().names, (Names{"a", "b", "both"}));
  a.Release();
  EXPECT_EQ(stream.TakeRequest().names, (Names{"b", "both"}));
  stream.SendClusters("1", {"b", "both"});
  std::set<std::string> names = {b.Take().text, b.Take().text};
  EXPECT_EQ(names, (Names{"b", "both"}));
  EXPECT_TRUE(a.Empty());
  b.Release();
  stream.WaitForEnd();
}

// The status of each target: "target: resources, notified updates".
std::vector<std::string> Views() {
  std::vector<std::string> out;
  OnReactor([&] {
    size_t count;
    gxds_client_view *views = gxds_clients_views(&count);
    for (size_t i = 0; i < count; i++) {
      std::string line = ToString(views[i].status.scope) + ":";
      gxds_status_source_each(
          &views[i].status,
          [](void *arg, const gxds_resource_info *info) {
            *static_cast<std::string *>(arg) += " " + ToString(info->name);
          },
          &line);
      line += "; " + std::to_string(views[i].update_times->count) + " updates";
      out.push_back(line + (views[i].first ? "" : ", shared"));
    }
    gxds_free(views);
  });
  return out;
}

TEST(Clients, AreShownAsOneForEachTargetWithWhatItWatches) {
  AdsServer server;
  User a(server.uri(), {.target = "xds:///one"}), b(server.uri(), {.target = "xds:///two"}),
      idle(server.uri(), {.target = "xds:///idle"}), a_too(server.uri(), {.target = "xds:///one"});
  User apart(server.uri(), {.target = "xds:///three", .members = R"(,"shared_stream":false)"});
  a.Watch({{1, "a"}, {2, "both"}});
  AdsStream stream = server.TakeAds();
  stream.TakeRequest();
  b.Watch({{1, "b"}, {2, "both"}});
  a_too.Watch({{1, "a"}, {2, "a2"}});
  EXPECT_EQ(Views(),
            (std::vector<std::string>{
                "xds:///one: a a2 both; 0 updates", "xds:///two: b both; 0 updates, shared",
                "xds:///idle:; 0 updates, shared", "xds:///three:; 0 updates"}));
  while (stream.TakeRequest().names.size() < 4) {
  }
  stream.SendClusters("1", {"b"});
  b.ExpectCluster(1, "b");
  EXPECT_EQ(stream.TakeRequest().version, "1");
  EXPECT_EQ(Views(),
            (std::vector<std::string>{
                "xds:///one: a a2 both; 0 updates", "xds:///two: b both; 1 updates, shared",
                "xds:///idle:; 0 updates, shared", "xds:///three:; 0 updates"}));
  a.Release();
  EXPECT_EQ(Views()[0], "xds:///one: a a2; 0 updates");
  a_too.Release();
  EXPECT_EQ(Views(), (std::vector<std::string>{"xds:///two: b both; 1 updates",
                                               "xds:///idle:; 0 updates, shared",
                                               "xds:///three:; 0 updates"}));
}

TEST(Clients, AUseMayBeJoinedByTarget) {
  static const gxds_watch_events none = {};
  AdsServer server;
  User a(server.uri(), {.target = "xds:///one"}), b(server.uri(), {.target = "xds:///two"});
  b.Watch({{1, "b"}});
  OnReactor([&] {
    EXPECT_EQ(gxds_clients_join(gxds_str_z("xds:///other"), &none, nullptr), nullptr);
    gxds_client_handle *h = gxds_clients_join(gxds_str_z("xds:///two"), &none, nullptr);
    std::string names;
    gxds_client_handle_each_resource(
        h,
        [](void *arg, const gxds_resource_info *info) {
          *static_cast<std::string *>(arg) += ToString(info->name);
        },
        &names);
    EXPECT_EQ(names, "b");
    gxds_client_handle_release(h);
  });
}

// The cached resources of two targets that shared an engine are available to each alone.
TEST(Clients, ATargetStartsFromWhatItUsedBesideOthers) {
  char dir[] = "/tmp/gxds-XXXXXX";
  ASSERT_NE(mkdtemp(dir), nullptr);
  const std::string keeps = R"(,"resource_cache":{"dir":")" + std::string(dir) + R"("})";
  auto server = std::make_unique<AdsServer>();
  const std::string uri = server->uri();
  {
    User a(uri, {.target = "xds:///one", .members = keeps});
    User b(uri, {.target = "xds:///two", .members = keeps});
    a.Watch({{1, "a"}});
    b.Watch({{1, "b"}, {2, "gone"}});
    AdsStream stream = server->TakeAds();
    while (stream.TakeRequest().names.size() < 3) {
    }
    stream.SendClusters("1", {"a", "b", "gone"});
    a.ExpectCluster(1, "a");
    b.Take();
    b.Take();
    b.Expect({"drained"});
    b.Unwatch(2);
    while (stream.TakeRequest().names.size() > 2) {
    }
    a.Release();  // the other target goes on, and this one's resources stay in the cache
    while (stream.TakeRequest().names.size() > 1) {
    }
  }
  server.reset();
  User b(uri, {.target = "xds:///two", .members = keeps});
  b.Watch({{1, "b"}});
  b.Expect({"resource", 1, -1, "b"});
  EXPECT_EQ(b.Take().what, "ambient");  // the error that says it is from the cache
  b.Release();
  User a(uri, {.target = "xds:///one", .members = keeps});
  a.Watch({{1, "a"}, {2, "b"}});
  EXPECT_EQ(a.Take().token + a.Take().token + a.Take().token, 4u);  // two of a, one of b
  a.Release();
  std::filesystem::remove_all(dir);
}

TEST(Clients, APrivateKeyGivesAClientOfItsOwn) {
  AdsServer server;
  int one = 0, two = 0;
  User shared(server.uri(), {.target = ""});
  User first(server.uri(), {.target = "", .private_key = &one});
  User second(server.uri(), {.target = "", .private_key = &two});
  for (User *u : {&shared, &first, &second}) {
    u->Watch({{1, "c"}});
    EXPECT_EQ(server.TakeAds().TakeRequest().names, (Names{"c"}));
  }
}

TEST(Clients, TheLastReleaseClosesTheStream) {
  AdsServer server;
  User a(server.uri()), b(server.uri());
  a.Watch({{1, "c"}});
  b.Watch({{1, "c"}, {2, "d"}});
  AdsStream stream = server.TakeAds();
  stream.TakeRequest();
  a.Release();
  stream.SendClusters("1", {"c", "d"});
  b.Expect({"resource", 1, -1, "c"});
  b.Expect({"resource", 2, -1, "d"});
  b.Release();
  stream.WaitForEnd();
  EXPECT_TRUE(a.Empty());
}

TEST(Clients, AReleasedUseUnsubscribesWhatOnlyItWatched) {
  AdsServer server;
  User a(server.uri()), b(server.uri());
  a.Watch({{1, "c"}});
  b.Watch({{1, "d"}});
  AdsStream stream = server.TakeAds();
  while (stream.TakeRequest().names != Names{"c", "d"}) {
  }
  a.Release();
  EXPECT_EQ(stream.TakeRequest().names, (Names{"d"}));
}

TEST(Clients, AClientEndsWithItsLastUseAndIsMadeAnew) {
  AdsServer server;
  for (int i = 0; i < 3; i++) {
    User a(server.uri());
    a.Watch({{1, "c"}});
    AdsStream stream = server.TakeAds();
    EXPECT_EQ(stream.TakeRequest().version, "");
    stream.SendClusters("1", {"c"});
    a.ExpectCluster(1, "c");
  }
}

TEST(Clients, ReconnectsToAServerThatCameBack) {
  auto server = std::make_unique<AdsServer>();
  int port = server->port();
  User a(server->uri());
  a.Watch({{1, "c"}});
  AdsStream stream = server->TakeAds();
  stream.TakeRequest();
  stream.SendClusters("1", {"c"});
  a.ExpectCluster(1, "c");
  server.reset();
  server = std::make_unique<AdsServer>(port);
  stream = server->TakeAds();
  Request first = stream.TakeRequest();
  EXPECT_EQ(first.names, (Names{"c"}));
  // A nonce is valid on its stream only. The version is kept, unless the client noticed a failure
  // of the channel in between. test/xds_client tests that; here it depends on timing.
  EXPECT_EQ(first.nonce, "");
}

TEST(Clients, AChannelThatCannotConnectIsAnErrorForWhoHasNothing) {
  std::string uri = AdsServer().uri();  // nobody listens there any more
  User a(uri);
  a.Watch({{1, "c"}});
  News n = a.TakeFailure();
  EXPECT_EQ(n.what, "error");
  EXPECT_EQ(n.token, 1u);
  EXPECT_EQ(n.text.rfind("xDS channel for server " + uri + ": channel in TRANSIENT_FAILURE: ", 0),
            0u)
      << n.text;
  EXPECT_NE(n.text.find("Connection refused"), std::string::npos) << n.text;
}

TEST(Clients, AChannelThatFailsIsAnAmbientErrorForWhoHasData) {
  auto server = std::make_unique<AdsServer>();
  User a(server->uri());
  a.Watch({{1, "c"}});
  AdsStream stream = server->TakeAds();
  stream.TakeRequest();
  stream.SendClusters("1", {"c"});
  a.ExpectCluster(1, "c");
  server.reset();
  EXPECT_EQ(a.TakeFailure().what, "ambient");
}

TEST(Clients, WithoutCredentialsTheChannelFails) {
  AdsServer server;
  g_no_creds = true;
  User a(server.uri());
  g_no_creds = false;
  a.Watch({{1, "c"}});
  News n = a.TakeFailure();
  EXPECT_EQ(n.what, "error");
  // The error comes from the channel's state or from the call's status, whichever is first.
  EXPECT_NE(n.text.find(gxds_test::kNoCredentials), std::string::npos) << n.text;
}

TEST(Clients, AStreamRefusedByTheServerIsReportedToWatchers) {
  AdsServer server;
  User a(server.uri());
  a.Watch({{1, "c"}});
  AdsStream stream = server.TakeAds();
  stream.Finish(grpc::Status(grpc::StatusCode::PERMISSION_DENIED, "who are you?"));
  News n = a.TakeFailure();
  EXPECT_NE(n.text.find("who are you?"), std::string::npos) << n.text;
}

TEST(Clients, ResetBackoffReconnectsAtOnce) {
  auto server = std::make_unique<AdsServer>();
  int port = server->port();
  std::string uri = server->uri();
  server.reset();
  constexpr int kHour = 3600 * 1000;
  User a(uri, {.args = {User::Arg(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kHour),
                        User::Arg(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kHour)}});
  a.Watch({{1, "c"}});
  a.TakeFailure();
  server = std::make_unique<AdsServer>(port);
  a.ResetBackoff();
  EXPECT_EQ(server->TakeAds().TakeRequest().names, (Names{"c"}));
}

TEST(Clients, WatchesOfOneTurnGoOutInOneRequest) {
  AdsServer server;
  User a(server.uri());
  a.Watch({{1, "a"}, {2, "b"}, {3, "c"}});
  AdsStream stream = server.TakeAds();
  EXPECT_EQ(stream.TakeRequest().names, (Names{"a", "b", "c"}));
  stream.SendClusters("1", {"a", "b", "c"});
  EXPECT_EQ(stream.TakeRequest().version, "1");
  OnReactor([&] {
    a.WatchHere(&gxds_cluster_type, 4, "d");
    a.UnwatchHere(2);
    a.WatchHere(&gxds_cluster_type, 5, "e");
  });
  EXPECT_EQ(stream.TakeRequest().names, (Names{"a", "c", "d", "e"}));
}

TEST(Clients, DrainedIsCalledOnceForAllThatOneResponseCaused) {
  AdsServer server;
  User a(server.uri());
  a.Watch({{1, "a"}, {2, "b"}, {3, "c"}});
  AdsStream stream = server.TakeAds();
  stream.TakeRequest();
  stream.SendClusters("1", {"a", "b", "c"});
  std::set<std::string> names;
  for (int i = 0; i < 3; i++) names.insert(a.Take().text);
  EXPECT_EQ(names, (Names{"a", "b", "c"}));
  a.Expect({"drained"});
  stream.TakeRequest();
  OnReactor([] {});
  EXPECT_TRUE(a.Empty());
}

TEST(Clients, WatchesMadeInCallbacksGoOutInOneRequest) {  // A27.1
  for (std::string when : {"resource", "drained"}) {
    AdsServer server;
    User a(server.uri());
    a.also = [&](const News &n) {
      if (n.what != when) return;
      a.also = nullptr;
      a.WatchHere(&gxds_endpoints_type, 10, "e1");
      a.WatchHere(&gxds_endpoints_type, 11, "e2");
      a.UnwatchHere(1);
    };
    a.Watch({{1, "c"}, {2, "d"}});
    AdsStream stream = server.TakeAds();
    stream.TakeRequest();
    stream.SendClusters("1", {"c", "d"});
    Names endpoints, clusters;
    while (endpoints.empty() || clusters != Names{"d"}) {
      Request r = stream.TakeRequest();
      if (r.type.find("ClusterLoadAssignment") == std::string::npos) {
        clusters = r.names;
      } else {
        endpoints = r.names;
        EXPECT_EQ(endpoints, (Names{"e1", "e2"}));
      }
    }
  }
}

TEST(Clients, AWatchIsNotNotifiedAfterItsEnd) {
  AdsServer server;
  User a(server.uri());
  a.also = [&](const News &n) {
    if (n.what == "resource") a.UnwatchHere(n.token == 1 ? 2 : 1);
  };
  a.Watch({{1, "a"}, {2, "b"}});
  AdsStream stream = server.TakeAds();
  stream.TakeRequest();
  stream.SendClusters("1", {"a", "b"});
  EXPECT_EQ(a.Take().what, "resource");
  a.Expect({"drained"});
  while (stream.TakeRequest().names.size() != 1) {
  }
  OnReactor([] {});
  EXPECT_TRUE(a.Empty());
}

TEST(Clients, AResponseLargerThanTheDefaultLimitIsAccepted) {
  AdsServer server;
  User a(server.uri());
  a.Watch({{1, "c"}});
  AdsStream stream = server.TakeAds();
  stream.TakeRequest();
  stream.SendClusters("1", {"c"}, std::string(10 * 1000 * 1000, 'x'));
  a.ExpectCluster(1, "c");
}

TEST(Clients, TheChannelsArgumentsGoBeforeOurs) {
  AdsServer server;
  User a(server.uri(), {.args = {User::Arg(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, 1000)}});
  a.Watch({{1, "c"}});
  AdsStream stream = server.TakeAds();
  stream.TakeRequest();
  stream.SendClusters("1", {"c"}, std::string(2000, 'x'));
  EXPECT_NE(a.TakeFailure().text.find("RESOURCE_EXHAUSTED"), std::string::npos);
}

// Accepts one connection, sends HTTP/2 SETTINGS, answers that many pings, and then sends nothing
// more.
class DeadServer {
 public:
  explicit DeadServer(int pings = 0) : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr *>(&address), sizeof(address)), 0);
    EXPECT_EQ(listen(listener_, 5), 0);
    socklen_t size = sizeof(address);
    getsockname(listener_, reinterpret_cast<sockaddr *>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, pings] {
      int connection = accept(listener_, nullptr, nullptr);
      const char settings[9] = {0, 0, 0, 4, 0, 0, 0, 0, 0};
      EXPECT_EQ(write(connection, settings, sizeof(settings)), 9);
      AckPings(connection, pings);
      char ignored[4096];
      while (read(connection, ignored, sizeof(ignored)) > 0) {
      }
      close(connection);
    });
  }
  ~DeadServer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  std::string uri() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  static bool Read(int connection, size_t size, std::string *out) {
    out->resize(size);
    return size == 0 || recv(connection, out->data(), size, MSG_WAITALL) == ssize_t(size);
  }
  static void AckPings(int connection, int pings) {
    const char kPing = 6, kAck = 1;
    std::string preface, header, payload;
    if (pings == 0 || !Read(connection, 24, &preface)) return;
    while (pings > 0 && Read(connection, 9, &header)) {
      const auto byte = [&](int i) { return static_cast<unsigned char>(header[i]); };
      if (!Read(connection, byte(0) << 16 | byte(1) << 8 | byte(2), &payload)) return;
      if (header[3] != kPing || (header[4] & kAck) != 0) continue;
      header[4] = kAck;
      const std::string answer = header + payload;
      EXPECT_EQ(write(connection, answer.data(), answer.size()), ssize_t(answer.size()));
      pings--;
    }
  }

  int listener_;
  int port_ = 0;
  std::thread thread_;
};

// The argument that has an effect on gRPC 1.83, where the timer of the keepalive timeout never
// starts.
const char kPingTimeout[] = "grpc.http2.ping_timeout_ms";

TEST(Clients, AStreamWithoutDataIsPingedOnAndOn) {  // without our setting gRPC would stop after two
  DeadServer server(5);
  User a(server.uri(),
         {.args = {User::Arg(GRPC_ARG_KEEPALIVE_TIME_MS, 200),
                   User::Arg(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 2000), User::Arg(kPingTimeout, 2000)}});
  a.Watch({{1, "c"}});
  EXPECT_NE(a.TakeFailure().text.find(gxds_test::kPingsUnanswered), std::string::npos);
}

TEST(Clients, AServerThatFellSilentIsNoticedByKeepalive) {
  DeadServer server;
  User a(server.uri(),
         {.args = {User::Arg(GRPC_ARG_KEEPALIVE_TIME_MS, 200),
                   User::Arg(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 200), User::Arg(kPingTimeout, 200)}});
  a.Watch({{1, "c"}});
  EXPECT_NE(a.TakeFailure().text.find(gxds_test::kPingsUnanswered), std::string::npos);
}

TEST(Clients, PreparesCredentialsOnceForEachServer) {
  const gxds_bootstrap *b =
      Bootstrap(R"({"xds_servers":[)" + Server("one:1") + "," + Server("two:2") +
                R"(],"authorities":{"a":{},"b":{"xds_servers":[)" + Server("two:2") + "," +
                Server("three:3") + "]}}}");
  g_creds_created = 0;
  ReactorUse use;  // initializes gRPC for the credentials
  gxds_prepared *p = gxds_clients_prepare(b, Host());
  EXPECT_EQ(g_creds_created, 3);
  gxds_prepared_destroy(p);
  gxds_prepared_destroy(nullptr);
  gxds_bootstrap_unref(b);
}

class LoadReports : public testing::Test {
 protected:
  LoadReports() : user_(server_.uri()) {}
  gxds_locality_load *Locality(const std::string &cluster) {
    gxds_load_store *store = gxds_client_handle_load_store(user_.handle());
    const gxds_bootstrap *b = gxds_client_handle_bootstrap(user_.handle());
    return gxds_load_store_locality(store, b->servers[0], ToGxds(cluster), gxds_str_z(""),
                                    gxds_str_z("r"), gxds_str_z("z"), gxds_str_z(""));
  }
  AdsServer server_;
  User user_;
};

// A client that two targets share.
TEST(SharedLoadReports, OneStreamReportsEachRpcOfAllTargetsOnce) {
  AdsServer server;
  User a(server.uri(), {.target = "xds:///one"}), b(server.uri(), {.target = "xds:///two"});
  auto locality = [](User &u, const char *cluster) {
    return gxds_load_store_locality(gxds_client_handle_load_store(u.handle()),
                                    gxds_client_handle_bootstrap(u.handle())->servers[0],
                                    gxds_str_z(cluster), gxds_str_z(""), gxds_str_z("r"),
                                    gxds_str_z("z"), gxds_str_z(""));
  };
  gxds_locality_load *loads[] = {locality(a, "both"), locality(b, "both"), locality(b, "b")};
  LrsStream lrs = server.TakeLrs();
  lrs.TakeReport();
  for (gxds_locality_load *load : loads) {
    gxds_locality_load_started(load);
    gxds_locality_load_finished(load, false);
  }
  lrs.SendInterval(/*milliseconds=*/20);
  Report report = lrs.TakeReport();
  while (report.issued == 0) report = lrs.TakeReport();
  EXPECT_EQ(report.issued, 3u);
  EXPECT_EQ(lrs.TakeReport().issued, 0u);
  OnReactor([] {});
  EXPECT_TRUE(server.NoMoreStreams());
  gxds_text text = {};
  OnReactor([&] { gxds_client_metrics_render(&text); });
  const std::string metrics(text.data, text.size);
  gxds_text_fini(&text);
  for (const char *target : {"one", "two"}) {
    EXPECT_NE(metrics.find("grpc_xds_client_locality_rpcs_started_total{grpc_target=\"xds:///" +
                           std::string(target) + "\",grpc_lb_backend_service=\"both\","),
              std::string::npos)
        << metrics;
  }
  size_t of_both = 0;
  const std::string begin = "locality_rpcs_started_total{grpc_target=";
  for (size_t at = 0; (at = metrics.find(begin, at)) != std::string::npos; at++) of_both++;
  EXPECT_EQ(of_both, 3u);
  for (gxds_locality_load *load : loads) gxds_locality_load_unref(load);
}

// Prometheus refuses a text with two samples for the same labels. Two clients may have the same
// target, and two servers of a client the same address.
TEST(SharedLabels, MetricsHaveOneSampleForThem) {
  AdsServer server;
  const std::string other =
      R"({"server_uri":")" + server.uri() + R"(","channel_creds":[{"type":"other"}]})";
  const std::string authority = R"(,"authorities":{"a":{"xds_servers":[)" + other + "]}}";
  User a(server.uri(), {.members = authority});
  User b(server.uri(), {.args = {User::Arg("x", 1)}, .members = authority});
  std::vector<gxds_locality_load *> loads;
  for (User *user : {&a, &b}) {
    user->Watch({{1, "c"}, {2, "xdstp://a/envoy.config.cluster.v3.Cluster/c"}});
    const gxds_bootstrap *bootstrap = gxds_client_handle_bootstrap(user->handle());
    for (const auto *of : {bootstrap->servers[0], bootstrap->authorities[0].servers[0]}) {
      loads.push_back(gxds_load_store_locality(gxds_client_handle_load_store(user->handle()), of,
                                               gxds_str_z("c"), gxds_str_z(""), gxds_str_z("r"),
                                               gxds_str_z("z"), gxds_str_z("")));
      gxds_locality_load_started(loads.back());
      gxds_locality_load_finished(loads.back(), false);
    }
  }
  gxds_text text = {};
  OnReactor([&] { gxds_client_metrics_render(&text); });
  std::istringstream lines(std::string(text.data, text.size));
  gxds_text_fini(&text);
  std::map<std::string, std::string> samples;
  for (std::string line; std::getline(lines, line);) {
    if (line[0] == '#') continue;
    const size_t value = line.rfind(' ') + 1;
    const bool is_new = samples.emplace(line.substr(0, value), line.substr(value)).second;
    EXPECT_TRUE(is_new) << line;
  }
  const std::string of_server = R"(grpc_xds_server=")" + server.uri() + R"("} )";
  EXPECT_EQ(samples[R"(grpc_xds_client_connected{grpc_target="xds:///service",)" + of_server], "1");
  EXPECT_EQ(samples[R"(grpc_xds_client_locality_rpcs_started_total{grpc_target="xds:///service",)"
                    R"(grpc_lb_backend_service="c",grpc_lb_locality="{region=\"r\", zone=\"z\", )"
                    R"(sub_zone=\"\"}",grpc_xds_eds_service="",)" +
                    of_server],
            "4");
  for (gxds_locality_load *load : loads) gxds_locality_load_unref(load);
}

TEST_F(LoadReports, AStreamIsOpenedAtTheFirstUseAndReports) {
  user_.Watch({{1, "c"}});
  AdsStream ads = server_.TakeAds();
  ads.TakeRequest();
  EXPECT_TRUE(server_.NoMoreStreams());
  gxds_locality_load *load = Locality("c");  // on a thread that is not the reactor's
  LrsStream lrs = server_.TakeLrs();
  EXPECT_EQ(lrs.TakeReport().node_id, "me");
  for (int i = 0; i < 5; i++) {
    gxds_locality_load_started(load);
    gxds_locality_load_finished(load, i == 0);
  }
  lrs.SendInterval(/*milliseconds=*/20);
  Report report = lrs.TakeReport();
  while (report.issued == 0) report = lrs.TakeReport();
  EXPECT_EQ(report.cluster, "c");
  EXPECT_EQ(report.issued, 5u);
  EXPECT_EQ(report.failed, 1u);
  gxds_locality_load *other = Locality("d");  // for the same server
  OnReactor([] {});
  EXPECT_TRUE(server_.NoMoreStreams());
  gxds_locality_load_unref(load);
  gxds_locality_load_unref(other);
  user_.Release();
  lrs.WaitForEnd();
}

TEST_F(LoadReports, GoOnWithoutWatchesAndAfterTheStreamBroke) {
  gxds_locality_load *load = Locality("c");
  LrsStream lrs = server_.TakeLrs();
  lrs.TakeReport();
  lrs.SendInterval(20);
  lrs.TakeReport();
  lrs.Finish(grpc::Status(grpc::StatusCode::UNAVAILABLE, "going"));
  gxds_locality_load_started(load);
  lrs = server_.TakeLrs();
  lrs.TakeReport();
  lrs.SendInterval(20);
  Report report = lrs.TakeReport();
  while (report.issued == 0) report = lrs.TakeReport();
  EXPECT_EQ(report.issued, 1u);
  gxds_locality_load_finished(load, false);
  gxds_locality_load_unref(load);
}

// A71: otherwise the connection to a fallback server would stay forever.
TEST_F(LoadReports, EndWhenNothingIsLeftToReportAndBeginAnew) {
  for (int i = 0; i < 2; i++) {
    gxds_locality_load *load = Locality("c");
    LrsStream lrs = server_.TakeLrs();
    lrs.TakeReport();
    gxds_locality_load_started(load);
    gxds_locality_load_finished(load, false);
    gxds_locality_load_unref(load);
    lrs.SendInterval(20);
    EXPECT_EQ(lrs.TakeReport().issued, 1u);  // nothing is lost
    lrs.WaitForEnd();
  }
}

// A cancelled stream would take what the server has not read yet with it.
TEST_F(LoadReports, TheLastReportReachesAServerThatReadsLate) {
  gxds_locality_load *load = Locality("c");
  LrsStream lrs = server_.TakeLrs();
  lrs.TakeReport();
  lrs.HoldReads();
  lrs.SendInterval(20);
  lrs.TakeReport();
  gxds_locality_load_started(load);
  gxds_locality_load_finished(load, false);
  gxds_locality_load_unref(load);
  gxds_load_store *store = gxds_client_handle_load_store(user_.handle());
  const gxds_bootstrap *b = gxds_client_handle_bootstrap(user_.handle());
  ASSERT_TRUE(
      WaitUntil([&] { return gxds_load_store_use(store, b->servers[0]) == GXDS_LOAD_NONE; }));
  OnReactor([] {});
  lrs.ReadOn();
  EXPECT_EQ(lrs.TakeReport().issued, 1u);
  lrs.WaitForEnd();
  EXPECT_FALSE(lrs.IsCancelled());
}

TEST_F(LoadReports, EndWithTheLastCounterThatCountedNothing) {
  user_.Watch({{1, "c"}});
  AdsStream ads = server_.TakeAds();
  ads.TakeRequest();
  gxds_locality_load *load = Locality("c");
  LrsStream lrs = server_.TakeLrs();
  lrs.TakeReport();
  gxds_locality_load_unref(load);
  lrs.WaitForEnd();
  EXPECT_TRUE(server_.NoMoreStreams());  // the other stream lives on
}

// Whether a channel of the process is in TRANSIENT_FAILURE.
bool AnyChannelHasFailed() {
  char *channels = grpc_channelz_get_top_channels(0);
  const bool found = std::string(channels).find("TRANSIENT_FAILURE") != std::string::npos;
  gpr_free(channels);
  return found;
}

// The channel already exists, and does not connect again soon.
TEST(LoadReportsOfADeadServer, KeepNoWatchWaitingForItsFailure) {
  auto server = std::make_unique<AdsServer>();
  const int port = server->port();
  const std::string uri = server->uri();
  server.reset();
  constexpr int kHour = 3600 * 1000;
  User user(uri, {.args = {User::Arg(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kHour),
                           User::Arg(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kHour)}});
  gxds_locality_load *load = gxds_load_store_locality(
      gxds_client_handle_load_store(user.handle()),
      gxds_client_handle_bootstrap(user.handle())->servers[0], gxds_str_z("c"), gxds_str_z(""),
      gxds_str_z("r"), gxds_str_z("z"), gxds_str_z(""));
  ASSERT_TRUE(WaitUntil(AnyChannelHasFailed));
  OnReactor([] {});
  user.Watch({{1, "c"}});
  EXPECT_EQ(user.TakeFailure().what, "error");
  gxds_locality_load_unref(load);
  // gRPC does not shut down while a connection waits for its backoff.
  server = std::make_unique<AdsServer>(port);
  user.ResetBackoff();
  EXPECT_EQ(server->TakeAds().TakeRequest().names, (Names{"c"}));
}

TEST(LoadReportsOfFiles, AreNotKept) {
  User user("file:///nowhere");
  gxds_load_store *store = gxds_client_handle_load_store(user.handle());
  const gxds_bootstrap_server *server = gxds_client_handle_bootstrap(user.handle())->servers[0];
  for (int i = 0; i < 3; i++) {
    gxds_locality_load *load =
        gxds_load_store_locality(store, server, ToGxds("c" + std::to_string(i)), gxds_str_z(""),
                                 gxds_str_z("r"), gxds_str_z("z"), gxds_str_z(""));
    gxds_locality_load_started(load);
    gxds_locality_load_finished(load, false);
    gxds_locality_load_unref(load);
  }
  EXPECT_TRUE(WaitUntil([&] { return gxds_load_store_use(store, server) == GXDS_LOAD_NONE; }));
}

TEST_F(LoadReports, CountersOutliveTheClient) {
  gxds_locality_load *load = Locality("c");
  user_.Release();
  gxds_locality_load_started(load);
  gxds_locality_load_finished(load, false);
  gxds_locality_load_unref(load);
}

TEST_F(LoadReports, AServerThatIsNotTheBootstrapsGetsNone) {
  gxds_bootstrap_server stranger{};
  stranger.uri = gxds_str_z("stranger:1");
  stranger.creds_type = gxds_str_z("insecure");
  gxds_locality_load *load = gxds_load_store_locality(
      gxds_client_handle_load_store(user_.handle()), &stranger, gxds_str_z("c"), gxds_str_z(""),
      gxds_str_z("r"), gxds_str_z("z"), gxds_str_z(""));
  OnReactor([] {});
  gxds_locality_load_started(load);
  gxds_locality_load_finished(load, false);
  gxds_locality_load_unref(load);
  EXPECT_EQ(gxds_load_store_use(gxds_client_handle_load_store(user_.handle()), &stranger),
            GXDS_LOAD_NONE);  // no report will contain it
  EXPECT_TRUE(server_.NoMoreStreams());
}

TEST(ClientsEnd, GrpcShutsDownAfterTheLastRelease) {
  EXPECT_TRUE(WaitUntil([] { return grpc_is_initialized() == 0; }));

  std::string uri = "127.0.0.1:1";
  {
    User a(uri);
    a.Watch({{1, "c"}});
    a.TakeFailure();
    EXPECT_NE(grpc_is_initialized(), 0);
  }
  EXPECT_TRUE(WaitUntil([] { return grpc_is_initialized() == 0; }));
}

}  // namespace
}  // namespace grpc_xds
