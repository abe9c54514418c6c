// ring_hash and the hash policies of routes (A42), through real channels.
#include <set>

#include "test/e2e/e2e.h"
#include "test/e2e/lb_policy_json.h"
#include "test/e2e/resources_json.h"

namespace gxds_test {
namespace {

const char kByUser[] = R"("hash_policy":[{"header":{"header_name":"user"}}])";
const char kRingHash[] = R"("lb_policy":"RING_HASH")";
// The same, configured by the list of policies.
std::string RingHashInList() {
  return LbPolicy(PolicyConfig("ring_hash.v3.RingHash",
                               R"(,"hash_function":"XX_HASH","minimum_ring_size":"1000")"));
}

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

// The backend of each of that many users. Each user makes several RPCs, and all must go to the same
// backend.
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

// RPCs that were in progress when a connection broke may fail.
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

// As in Envoy and grpc-go. Users of Istio write the name in any case (consistentHash).
TEST(RingHash, NameOfTheHeaderMayBeInAnyCase) {
  Backend a("a"), b("b"), c("c"), d("d");
  ControlPlane plane;
  plane.Set(RingMesh({&a, &b, &c, &d}, R"("hash_policy":[{"header":{"header_name":"User"}}])"));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  EXPECT_EQ(Homes(&client, 20).size(), 20u);
}

TEST(RingHash, SameHeaderGoesToTheSameBackend) {  // A42.4
  Backend b1("b1"), b2("b2"), b3("b3");
  std::map<std::string, std::string> by_field;
  for (const std::string& policy : {std::string(kRingHash), RingHashInList()}) {
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
  // The chance that all these channels choose the same backend is one in 3^39.
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
  // One place on the ring for each backend, so that the remaining ones do not move.
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

// Cluster "a" with an endpoint for each backend, placed on the ring by its key.
std::string KeyedEndpoints(const std::vector<std::pair<Backend*, std::string>>& backends) {
  std::string endpoints;
  for (const auto& [backend, key] : backends) {
    endpoints +=
        (endpoints.empty() ? "" : ",") +
        std::string(R"({"endpoint":{"address":{"socket_address":{"address":"127.0.0.1",)") +
        R"("port_value":)" + std::to_string(backend->port()) +
        R"(}}},"metadata":{"filter_metadata":{"envoy.lb":{"hash_key":")" + key + "\"}}}}";
  }
  return Endpoints("a", R"({"locality":{"region":"r","zone":"z"},"load_balancing_weight":1,)"
                        R"("lb_endpoints":[)" +
                            endpoints + "]}");
}

TEST(RingHash, HashKeyInTheMetadataDecidesThePlace) {  // A76.9, A76.10
  Backend b1("b1"), b2("b2");
  ControlPlane plane;
  auto set = [&](const std::string& key1, const std::string& key2) {
    plane.WriteFile(
        "mesh.json",
        Document(
            {RdsListener(),
             Routes(VirtualHost(std::string(R"({"match":{"prefix":""},"route":{"cluster":"a",)") +
                                kByUser + "}}")),
             EdsCluster("a", "", std::string(",") + kRingHash),
             KeyedEndpoints({{&b1, key1}, {&b2, key2}})}));
  };
  set("pod-1", "pod-2");
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  auto before = Homes(&client, 20);
  ASSERT_EQ(Values(before), (std::set<std::string>{"b1", "b2"}));
  // Each backend takes the other's place, and with it the other's users.
  set("pod-2", "pod-1");
  const auto& [user, home] = *before.begin();
  for (Reply reply = client.Call(From(user)); reply.name == home; reply = client.Call(From(user))) {
    ASSERT_TRUE(reply.status.ok()) << reply.status.error_message();
  }
  for (const auto& [each, now] : Homes(&client, 20)) {
    EXPECT_NE(now, before[each]) << each;
  }
  EXPECT_EQ(b1.connections() + b2.connections(), 2u) << "both are still connected";
}

TEST(RingHash, ValuesOfTheHashHeaderAreJoined) {  // A76.3
  Backend b1("b1"), b2("b2"), b3("b3");
  std::string target = "ipv4:";
  for (Backend* b : {&b1, &b2, &b3}) {
    target += (b == &b1 ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(b->port());
  }
  grpc::ChannelArguments args;
  args.SetServiceConfigJSON(
      R"({"loadBalancingConfig":[{"ring_hash_experimental":{"requestHashHeader":"user"}}]})");
  Client client(target, "", args);
  std::set<std::string> used;
  // A hash of only one value would differ for at least one of them, except once in 3^40 runs.
  for (int i = 0; i < 40; i++) {
    const std::string user = std::to_string(i);
    CallOptions twice = From(user);
    twice.metadata.emplace_back("user", "b");
    const std::string joined = client.Call(From(user + ",b")).name;
    EXPECT_EQ(client.Call(twice).name, joined) << user;
    used.insert(joined);
  }
  EXPECT_EQ(used.size(), 3u);
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
