// ring_hash and the hash policies of routes (A42), through real channels.
#include <set>

#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

const char kByUser[] = R"("hash_policy":[{"header":{"header_name":"user"}}])";
const char kRingHash[] = R"("lb_policy":"RING_HASH")";
// The same by the list of policies.
const char kRingHashInList[] =
    R"("load_balancing_policy":{"policies":[{"typed_extension_config":{"name":"x","typed_config":)"
    R"({"@type":"type.googleapis.com/envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash",)"
    R"("hash_function":"XX_HASH","minimum_ring_size":"1000"}}}]})";

// All backends in one locality of cluster "a".
Mesh RingMesh(const std::vector<Backend*>& backends, const std::string& hash_policy = kByUser,
              const std::string& policy = kRingHash) {
  Mesh mesh = SimpleMesh({backends[0]});
  for (size_t i = 1; i < backends.size(); i++) {
    mesh.clusters[0].localities[0].ports.push_back(backends[i]->port());
  }
  mesh.clusters[0].more = policy;
  mesh.routes[0].action = R"({"cluster":"a",)" + hash_policy + "}";
  return mesh;
}

CallOptions From(const std::string& user) {
  CallOptions options;
  options.metadata = {{"user", user}};
  return options;
}

// Where the RPCs of each of that many users go; each is called several times and must go to the
// same backend.
std::map<std::string, std::string> Homes(Client* client, int users) {
  std::map<std::string, std::string> homes;
  for (int i = 0; i < users; i++) {
    const std::string user = "user-" + std::to_string(i);
    for (int times = 0; times < 3; times++) {
      Reply reply = client->Call(From(user));
      EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
      std::string& home = homes[user];
      if (times == 0) home = reply.name;
      EXPECT_EQ(reply.name, home) << user;
    }
  }
  return homes;
}

// RPCs that were on their way when a connection broke may fail.
Reply CallUntilOk(Client* client, const CallOptions& options) {
  Reply reply;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  do {
    reply = client->Call(options);
  } while (!reply.status.ok() && std::chrono::steady_clock::now() < until);
  EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
  return reply;
}

std::set<std::string> Values(const std::map<std::string, std::string>& map) {
  std::set<std::string> values;
  for (const auto& entry : map) values.insert(entry.second);
  return values;
}

TEST(RingHash, SameHeaderGoesToTheSameBackend) {  // A42.4
  Backend b1("b1"), b2("b2"), b3("b3");
  std::map<std::string, std::string> by_field;
  for (const char* policy : {kRingHash, kRingHashInList}) {
    ControlPlane plane;
    plane.Set(RingMesh({&b1, &b2, &b3}, kByUser, policy));
    plane.Start();
    Client client("xds:///greeter.example", plane.Bootstrap());
    auto homes = Homes(&client, 40);
    EXPECT_EQ(Values(homes), (std::set<std::string>{"b1", "b2", "b3"}));
    if (by_field.empty()) by_field = homes;
  }
}

TEST(RingHash, ConnectsOnlyToWhatIsPicked) {  // A42.23
  Backend b1("b1"), b2("b2"), b3("b3");
  ControlPlane plane;
  plane.Set(RingMesh({&b1, &b2, &b3}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  for (int i = 0; i < 20; i++) EXPECT_TRUE(client.Call(From("somebody")).status.ok());
  EXPECT_EQ(b1.connections() + b2.connections() + b3.connections(), 1u);
}

TEST(RingHash, RpcsWithoutAHashAreSpread) {  // A42.2
  Backend b1("b1"), b2("b2");
  ControlPlane plane;
  plane.Set(RingMesh({&b1, &b2}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  EXPECT_TRUE(client.CallUntilAnsweredBy("b1"));
  EXPECT_TRUE(client.CallUntilAnsweredBy("b2"));
}

TEST(RingHash, ChannelKeepsToOneBackend) {  // A42.8
  Backend b1("b1"), b2("b2"), b3("b3");
  ControlPlane plane;
  plane.Set(RingMesh({&b1, &b2, &b3},
                     R"("hash_policy":[{"filter_state":{"key":"io.grpc.channel_id"}}])"));
  plane.Start();
  std::set<std::string> used;
  // By chance that many channels choose the same one once in 3^39 runs.
  for (int i = 0; i < 40 && used.size() < 2; i++) {
    Client client("xds:///greeter.example", plane.Bootstrap());
    Reply first = client.Call();
    ASSERT_TRUE(first.status.ok()) << first.status.error_message();
    EXPECT_EQ(client.CallMany(10)[first.name], 10);
    used.insert(first.name);
  }
  EXPECT_GE(used.size(), 2u);
}

TEST(RingHash, RewrittenAndTerminalPoliciesDecide) {  // A42.3, A42.7
  Backend b1("b1"), b2("b2"), b3("b3");
  ControlPlane plane;
  plane.Set(
      RingMesh({&b1, &b2, &b3},
               R"("hash_policy":[{"terminal":true,"header":{"header_name":"user","regex_rewrite":)"
               R"({"pattern":{"google_re2":{},"regex":"^([a-z]+)-.*"},"substitution":"\\1"}}},)"
               R"({"header":{"header_name":"noise"}}])"));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  std::set<std::string> used;
  for (int i = 0; i < 40; i++) {
    CallOptions options = From("tenant-" + std::to_string(i));
    options.metadata.emplace_back("noise", std::to_string(i));
    used.insert(client.Call(options).name);
  }
  EXPECT_EQ(used.size(), 1u) << "all are of one tenant";
}

TEST(RingHash, ValuesOfAHeaderAreJoined) {  // A28, A42.6
  Backend b1("b1"), b2("b2"), b3("b3");
  ControlPlane plane;
  plane.Set(RingMesh({&b1, &b2, &b3}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  for (int i = 0; i < 20; i++) {
    const std::string user = std::to_string(i);
    CallOptions twice = From(user);
    twice.metadata.emplace_back("user", "b");
    EXPECT_EQ(client.Call(twice).name, client.Call(From(user + ",b")).name);
  }
}

TEST(RingHash, UsersOfADeadBackendMoveAndTheOthersStay) {  // A42.30
  Backend b1("b1"), b2("b2"), b3("b3");
  ControlPlane plane;
  plane.Set(RingMesh({&b1, &b2, &b3}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  auto before = Homes(&client, 40);
  b2.Stop();
  for (const auto& [user, home] : before) {
    Reply reply = CallUntilOk(&client, From(user));
    if (home == "b2") {
      EXPECT_NE(reply.name, "b2");
    } else {
      EXPECT_EQ(reply.name, home);
    }
  }
}

TEST(RingHash, UpdateKeepsConnections) {  // A61
  Backend b1("b1"), b2("b2"), b3("b3");
  ControlPlane plane;
  // One place on the ring each, so that what stays does not move.
  Mesh all = RingMesh({&b1, &b2, &b3}, kByUser,
                      R"("lb_policy":"RING_HASH","ring_hash_lb_config":{"minimum_ring_size":"1"})");
  plane.Set(all);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  auto before = Homes(&client, 60);
  const std::string gone = before.begin()->second;
  const std::map<std::string, Backend*> backends = {{"b1", &b1}, {"b2", &b2}, {"b3", &b3}};
  Mesh fewer = all;
  fewer.clusters[0].localities[0].ports.clear();
  for (const auto& [name, backend] : backends) {
    if (name != gone) fewer.clusters[0].localities[0].ports.push_back(backend->port());
  }
  plane.Set(fewer);
  const std::string user = before.begin()->first;
  for (Reply reply = client.Call(From(user)); reply.name == gone; reply = client.Call(From(user))) {
    ASSERT_TRUE(reply.status.ok());
  }
  for (const auto& [each, home] : before) {
    Reply reply = client.Call(From(each));
    ASSERT_TRUE(reply.status.ok()) << reply.status.error_message();
    EXPECT_NE(reply.name, gone);
    if (home != gone) {
      EXPECT_EQ(reply.name, home) << each;
    }
  }
  for (const auto& entry : backends) EXPECT_LE(entry.second->connections(), 1u);
}

TEST(RingHash, FailedPriorityFailsOverAndComesBack) {  // A42.28, A56
  Backend first("first"), second("second");
  const int port = first.port();
  Mesh mesh = RingMesh({&first, &second});
  auto& localities = mesh.clusters[0].localities;
  localities[0].ports.resize(1);
  localities.push_back({"other", 1, 1, {second.port()}});
  ControlPlane plane;
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy("first"));
  first.Stop();
  ASSERT_TRUE(client.CallUntil([](const Reply& r) { return r.name == "second"; },
                               /*failures_allowed=*/true));
  Backend again("again", port);
  EXPECT_TRUE(client.CallUntil([](const Reply& r) { return r.name == "again"; },
                               /*failures_allowed=*/true));
}

}  // namespace
}  // namespace gxds_test
