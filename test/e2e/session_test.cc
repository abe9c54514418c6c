// Stateful session affinity (A55, A60, A75), through real channels, for a program that keeps its
// cookies.
#include <set>

#include "base/base64.h"
#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

const char kSession[] = "type.googleapis.com/envoy.extensions.filters.http.stateful_session.v3.";

// The content of a StatefulSession. fields: those of its Cookie except the name, a comma before
// each.
std::string State(const std::string& fields = "") {
  return R"("session_state":{"name":"envoy.http.stateful_session.cookie","typed_config":{)"
         R"("@type":"type.googleapis.com/envoy.extensions.http.stateful_session.cookie.v3.)"
         R"(CookieBasedSessionState","cookie":{"name":"session")" +
         fields + "}}}";
}

std::string Filter(const std::string& fields = "") {
  return R"({"name":"sessions","typed_config":{"@type":")" + std::string(kSession) +
         R"(StatefulSession",)" + State(fields) + "}},";
}

// The override of a virtual host, a route or a weighted cluster. fields: those of
// StatefulSessionPerRoute.
std::string Override(const std::string& fields) {
  return R"(,"typed_per_filter_config":{"sessions":{"@type":")" + std::string(kSession) +
         R"(StatefulSessionPerRoute",)" + fields + "}}";
}

// The backends in one locality, with sessions.
Mesh WithSessions(const std::vector<Backend*>& backends, const std::string& cookie_fields = "") {
  Mesh mesh = SimpleMesh({backends[0]});
  for (size_t i = 1; i < backends.size(); i++) {
    mesh.clusters[0].localities[0].ports.push_back(backends[i]->port());
  }
  mesh.filters = Filter(cookie_fields);
  return mesh;
}

void AllowDraining(Mesh* mesh) {
  for (Cluster& c : mesh->clusters) {
    c.more = R"("common_lb_config":{"override_host_status":{)"
             R"("statuses":["UNKNOWN","HEALTHY","DRAINING"]}})";
  }
}

// A program that sends the cookies that it received.
class Session {
 public:
  explicit Session(Client* client) : client_(client) {}

  Reply Call(const std::string& method = "/test.Echo/Name") {
    CallOptions options;
    if (!cookie_.empty()) options.metadata = {{"cookie", "theme=dark; " + cookie_}};
    Reply reply = client_->Call(options, method);
    EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
    EXPECT_LE(reply.set_cookies.size(), 1u);
    if (!reply.set_cookies.empty()) {
      set_cookie_ = reply.set_cookies[0];
      cookie_ = set_cookie_.substr(0, set_cookie_.find(';'));
      changes_++;
    }
    return reply;
  }
  // The backends that answer the next calls.
  std::set<std::string> Calls(int count) {
    std::set<std::string> names;
    for (int i = 0; i < count; i++) names.insert(Call().name);
    return names;
  }
  const std::string& set_cookie() const { return set_cookie_; }
  int changes() const { return changes_; }  // of the cookie

 private:
  Client* client_;
  std::string set_cookie_;
  std::string cookie_;
  int changes_ = 0;
};

using Names = std::set<std::string>;

class Sessions : public testing::Test {
 protected:
  void Start(const Mesh& mesh) {
    plane_.Set(mesh);
    plane_.Start();
    client_ = std::make_unique<Client>("xds:///greeter.example", plane_.Bootstrap());
  }
  // Waits until each of them has answered a call without a cookie.
  void Connected(const std::vector<std::string>& names) {
    for (const auto& name : names) ASSERT_TRUE(client_->CallUntilAnsweredBy(name));
  }

  Backend one_{"one"}, two_{"two"}, three_{"three"};
  ControlPlane plane_;
  std::unique_ptr<Client> client_;
};

TEST_F(Sessions, AnRpcWithTheCookieGoesToTheEndpointOfTheFirstResponse) {  // A55.1, A55.2, A55.8
  Start(WithSessions({&one_, &two_, &three_}));
  Connected({"one", "two", "three"});
  std::set<std::string> seen;
  for (int i = 0; i < 9; i++) {
    Session session(client_.get());
    const std::string first = session.Call().name;
    EXPECT_EQ(session.Calls(20), Names{first});
    EXPECT_EQ(session.changes(), 1) << "the cookie is given once";
    seen.insert(first);
  }
  EXPECT_EQ(seen, (Names{"one", "two", "three"})) << "new sessions are balanced";
  EXPECT_EQ(one_.connections() + two_.connections() + three_.connections(), 3u)
      << "sessions need no connections of their own";
}

TEST_F(Sessions, TheCookieNamesTheEndpointAndTheCluster) {  // A55.9, A60.1
  Start(WithSessions({&one_}, R"(,"path":"/test.Echo","ttl":"120s")"));
  Session session(client_.get());
  session.Call();
  const std::string& cookie = session.set_cookie();
  const std::string name = "session=", end = "; HttpOnly; Path=/test.Echo; Max-Age=120";
  ASSERT_GT(cookie.size(), name.size() + end.size());
  EXPECT_EQ(cookie.substr(0, name.size()), name);
  EXPECT_EQ(cookie.substr(cookie.size() - end.size()), end);
  // The value is base64, as another client would read it.
  const std::string value = cookie.substr(name.size(), cookie.size() - name.size() - end.size());
  std::string text(value.size(), 0);
  size_t size = 0;
  ASSERT_TRUE(gxds_base64_decode(GXDS_BASE64, {value.data(), value.size()}, text.data(), &size));
  EXPECT_EQ(text.substr(0, size), "127.0.0.1:" + std::to_string(one_.port()) + ";a");
}

TEST_F(Sessions, RpcsOfOtherPathsHaveNoSession) {  // A55.4
  Start(WithSessions({&one_, &two_}, R"(,"path":"/test.Other")"));
  Connected({"one", "two"});
  Session session(client_.get());
  EXPECT_EQ(session.Calls(10), (Names{"one", "two"}));
  EXPECT_EQ(session.changes(), 0);
}

TEST_F(Sessions, AnEndpointThatIsGoneIsReplacedInTheCookie) {  // A55.10
  Start(WithSessions({&one_, &two_}));
  Connected({"one", "two"});
  Session session(client_.get());
  const std::string first = session.Call().name;
  Backend* rest = first == "one" ? &two_ : &one_;
  Mesh left = WithSessions({rest});
  left.clusters[0].localities[0].zone = one_.name();  // it stays in its locality
  plane_.Set(left);
  for (const auto until = std::chrono::steady_clock::now() + kPatience;
       session.Call().name != rest->name();) {
    ASSERT_LT(std::chrono::steady_clock::now(), until);
  }
  EXPECT_EQ(session.Calls(10), Names{rest->name()});
  EXPECT_EQ(session.changes(), 2);
}

TEST_F(Sessions, AnEndpointThatCannotBeReachedIsReplaced) {  // A55.11
  Start(WithSessions({&one_, &two_}));
  Connected({"one", "two"});
  Session session(client_.get());
  const std::string first = session.Call().name;
  (first == "one" ? one_ : two_).Stop();
  Names later;
  for (const auto until = std::chrono::steady_clock::now() + kPatience;
       later.count(first == "one" ? "two" : "one") == 0;) {
    ASSERT_LT(std::chrono::steady_clock::now(), until);
    CallOptions options;
    const Reply reply = client_->Call(options);
    if (reply.status.ok()) later.insert(reply.name);
  }
  EXPECT_EQ(session.Calls(5), Names{first == "one" ? "two" : "one"});
}

TEST_F(Sessions, ADrainingEndpointServesItsSessionsAndNoOthers) {  // A55.5, A55.6, A55.7
  Mesh mesh = WithSessions({&one_, &two_});
  AllowDraining(&mesh);
  Start(mesh);
  Connected({"one", "two"});
  Session session(client_.get());
  while (session.Call().name != "one") session = Session(client_.get());
  mesh.clusters[0].localities[0].health = {"DRAINING"};
  plane_.Set(mesh);
  ASSERT_TRUE(client_->CallUntil([this](const Reply&) {
    for (int i = 0; i < 6; i++) {
      if (client_->Call().name == "one") return false;
    }
    return true;
  }));
  EXPECT_EQ(session.Calls(20), Names{"one"});
  EXPECT_EQ(session.changes(), 1);
  EXPECT_EQ(client_->CallMany(20), (std::map<std::string, long>{{"two", 20}}));
  EXPECT_EQ(one_.connections(), 1u) << "its connection is kept";
  mesh.clusters[0].localities[0].ports = {two_.port()};
  mesh.clusters[0].localities[0].health = {};
  plane_.Set(mesh);
  for (const auto until = std::chrono::steady_clock::now() + kPatience;
       session.Call().name != "two";) {
    ASSERT_LT(std::chrono::steady_clock::now(), until);
  }
}

TEST_F(Sessions, ADrainingEndpointServesNoSessionsUnlessTheClusterSaysSo) {  // A55.5
  Mesh mesh = WithSessions({&one_, &two_});
  Start(mesh);
  Connected({"one", "two"});
  Session session(client_.get());
  while (session.Call().name != "one") session = Session(client_.get());
  mesh.clusters[0].localities[0].health = {"DRAINING"};
  plane_.Set(mesh);
  for (const auto until = std::chrono::steady_clock::now() + kPatience;
       session.Call().name != "two";) {
    ASSERT_LT(std::chrono::steady_clock::now(), until);
  }
  EXPECT_EQ(session.Calls(10), Names{"two"});
}

TEST_F(Sessions, AProgramThatBringsItsCookieIsConnectedToItsEndpointAlone) {  // A75.12
  Mesh mesh = WithSessions({&one_, &two_});
  mesh.clusters[0].localities.push_back(mesh.clusters[0].localities[0]);
  mesh.clusters[0].localities[1].zone = "lower";
  mesh.clusters[0].localities[1].priority = 1;
  mesh.clusters[0].localities[1].ports = {three_.port()};
  Start(mesh);
  const std::string text = "127.0.0.1:" + std::to_string(three_.port()) + ";a";
  gxds_text cookie = {};
  gxds_base64_add(&cookie, {text.data(), text.size()});
  CallOptions options;
  options.metadata = {{"cookie", "session=" + std::string(cookie.data, cookie.size)}};
  gxds_text_fini(&cookie);
  for (int i = 0; i < 10; i++) {
    const Reply reply = client_->Call(options);
    EXPECT_EQ(reply.name, "three") << "of a priority that is not in use";
    EXPECT_EQ(reply.set_cookies.size(), 0u);
  }
  EXPECT_EQ(three_.connections(), 1u);
  Connected({"one", "two"});
}

TEST_F(Sessions, ACookieOfAnotherAddressIsNoReasonToConnectThere) {  // A55.10
  Start(WithSessions({&one_}));
  const std::string text = "127.0.0.1:" + std::to_string(two_.port()) + ";a";
  gxds_text cookie = {};
  gxds_base64_add(&cookie, {text.data(), text.size()});
  CallOptions options;
  options.metadata = {{"cookie", "session=" + std::string(cookie.data, cookie.size)}};
  gxds_text_fini(&cookie);
  EXPECT_EQ(client_->Call(options).name, "one");
  EXPECT_EQ(two_.connections(), 0u);
}

TEST_F(Sessions, ASessionStaysInItsClusterWhateverTheWeights) {  // A60.2, A60.3
  Mesh mesh = WithSessions({&one_});
  Cluster b = mesh.clusters[0];
  b.name = "b";
  b.localities[0].ports = {two_.port()};
  mesh.clusters.push_back(b);
  mesh.routes[0].action =
      R"({"weighted_clusters":{"clusters":[{"name":"a","weight":50},{"name":"b","weight":50}]}})";
  Start(mesh);
  Connected({"one", "two"});
  Session session(client_.get()), other(client_.get());
  const std::string first = session.Call().name;
  while (other.Call().name == first) other = Session(client_.get());
  EXPECT_EQ(session.Calls(30), Names{first});
  EXPECT_EQ(other.Calls(30), Names{first == "one" ? "two" : "one"});
  EXPECT_EQ(session.changes(), 1);
}

TEST_F(Sessions, ARouteMayHaveAnotherCookieOrNoSessions) {  // A55.3
  Mesh mesh = WithSessions({&one_, &two_});
  Route none = mesh.routes[0], rest = mesh.routes[0];
  none.prefix = "/test.None/";
  none.fields = Override(R"("disabled":true)");
  mesh.routes = {none, rest};
  mesh.virtual_host_fields = Override(R"("stateful_session":{)" + State(R"(,"ttl":"7s")") + "}");
  Start(mesh);
  Connected({"one", "two"});
  Session session(client_.get());
  for (int i = 0; i < 4; i++) EXPECT_EQ(session.Call("/test.None/Name").set_cookies.size(), 0u);
  session.Call();
  EXPECT_NE(session.set_cookie().find("; Max-Age=7"), std::string::npos) << session.set_cookie();
}

TEST_F(Sessions, TheFilterMayComeAndGo) {
  Mesh mesh = WithSessions({&one_, &two_});
  const std::string filters = mesh.filters;
  mesh.filters = "";
  Start(mesh);
  Connected({"one", "two"});
  for (int i = 0; i < 3; i++) {
    mesh.filters = filters;
    plane_.Set(mesh);
    ASSERT_TRUE(client_->CallUntil([](const Reply& r) { return !r.set_cookies.empty(); }));
    Session session(client_.get());
    const std::string first = session.Call().name;
    EXPECT_EQ(session.Calls(10), Names{first});
    mesh.filters = "";
    plane_.Set(mesh);
    ASSERT_TRUE(client_->CallUntil([](const Reply& r) { return r.set_cookies.empty(); }));
  }
  EXPECT_EQ(one_.connections() + two_.connections(), 2u) << "nothing was connected anew";
}

TEST_F(Sessions, RetriesGoToTheSameEndpoint) {  // A55.12
  Mesh mesh = WithSessions({&one_, &two_});
  mesh.routes[0].action =
      R"({"cluster":"a","retry_policy":{"retry_on":"unavailable","num_retries":3}})";
  Start(mesh);
  Connected({"one", "two"});
  Session session(client_.get());
  while (session.Call().name != "one") session = Session(client_.get());
  const long before = one_.calls();
  one_.FailTimes(2, grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(session.Call().name, "one");
  EXPECT_EQ(one_.calls(), before + 3);
}

}  // namespace
}  // namespace gxds_test
