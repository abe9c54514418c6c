// A program's own load-balancing policies (grpc_xds/policy.h), through real channels.
#include "grpc_xds/policy.h"

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "examples/policy/by_number.h"
#include "test/e2e/e2e.h"
#include "test/e2e/lb_policy_json.h"

namespace gxds_test {
namespace {

// The policy "test.first": RPCs go to the first address, and are counted.
namespace first {

std::atomic<int> configs, policies, pickers, attempts;  // the existing ones
std::atomic<int> started, finished, failed, woken, late;
std::mutex mu;
std::string path, trailer;  // of the last RPC; under mu
struct Picker;
Picker* kept;  // a copy of a picker for a thread of the program, made if it was NULL; under mu
bool keeps;

struct Policy {
  grpc_xds_policy* base;
  grpc_xds_subchannel* subchannel;
};

struct Picker {
  grpc_xds_subchannel* subchannel;
  grpc_xds_waker* waker;
};

struct Attempt {
  bool ended;
};

void* Parse(const char*, grpc_xds_config_errors*) { return ++configs, new int; }
void DestroyConfig(void* config) { --configs, delete static_cast<int*>(config); }

void* Create(grpc_xds_policy* base) { return ++policies, new Policy{base, nullptr}; }
void Destroy(void* self) {
  grpc_xds_subchannel_destroy(static_cast<Policy*>(self)->subchannel);
  --policies, delete static_cast<Policy*>(self);
}

grpc_xds_status Update(void* self, const grpc_xds_update* update) {
  auto* p = static_cast<Policy*>(self);
  grpc_xds_subchannel_destroy(p->subchannel);
  p->subchannel = grpc_xds_subchannel_create(p->base, update->addresses[0], nullptr);
  grpc_xds_subchannel_connect(p->subchannel);
  return {0, nullptr};
}

void OnState(void* self, void*, grpc_xds_state state, const grpc_xds_status*) {
  auto* p = static_cast<Policy*>(self);
  if (state != GRPC_XDS_READY) return grpc_xds_policy_publish(p->base, state, nullptr, nullptr);
  auto* picker = new Picker{grpc_xds_subchannel_ref(p->subchannel), grpc_xds_policy_waker(p->base)};
  ++pickers;
  {
    std::lock_guard<std::mutex> lock(mu);
    if (keeps && !kept) {
      kept = new Picker{grpc_xds_subchannel_ref(picker->subchannel),
                        grpc_xds_waker_ref(picker->waker)};
    }
  }
  grpc_xds_policy_publish(p->base, state, nullptr, picker);
}

void OnDeadline(void*) { ++late; }
void OnWoken(void* self, uint64_t number) {
  woken += static_cast<int>(number);
  grpc_xds_policy* base = static_cast<Policy*>(self)->base;
  grpc_xds_policy_set_deadline(base, grpc_xds_policy_now(base) + 1000000);
}

void Pick(void* picker, const grpc_xds_call* call, grpc_xds_picked* out) {
  auto* p = static_cast<Picker*>(picker);
  const grpc_xds_bytes of_call = grpc_xds_call_path(call);
  {
    std::lock_guard<std::mutex> lock(mu);
    path.assign(of_call.data, of_call.size);
  }
  grpc_xds_waker_wake(p->waker, 7);
  out->kind = GRPC_XDS_PICKED_COMPLETE;
  out->subchannel = p->subchannel;
  out->attempt = new (grpc_xds_call_alloc(call, sizeof(Attempt))) Attempt{};
  ++attempts;
}
void DestroyPicker(void* picker) {
  auto* p = static_cast<Picker*>(picker);
  grpc_xds_subchannel_unref(p->subchannel);
  grpc_xds_waker_unref(p->waker);
  --pickers, delete p;
}

void OnStarted(void*) { ++started; }
void OnFinished(void* attempt, const grpc_xds_finish* finish) {
  static_cast<Attempt*>(attempt)->ended = true;
  ++(grpc_xds_finish_code(finish) == 0 ? finished : failed);
  grpc_xds_bytes value;
  if (!grpc_xds_finish_trailer(finish, "endpoint-load-metrics-bin", &value)) return;
  std::lock_guard<std::mutex> lock(mu);
  trailer.assign(value.data, value.size);
}
void OnDestroyed(void* attempt) {
  EXPECT_TRUE(static_cast<Attempt*>(attempt)->ended);
  --attempts;
}

grpc_xds_policy_type Type(const char* name) {
  grpc_xds_policy_type type = {};
  type.version = GRPC_XDS_POLICY_VERSION;
  type.name = name;
  type.parse = Parse;
  type.config_destroy = DestroyConfig;
  type.create = Create;
  type.update = Update;
  type.subchannel_state = OnState;
  type.on_deadline = OnDeadline;
  type.woken = OnWoken;
  type.destroy = Destroy;
  type.pick = Pick;
  type.picker_destroy = DestroyPicker;
  type.attempt_started = OnStarted;
  type.attempt_finished = OnFinished;
  type.attempt_destroy = OnDestroyed;
  return type;
}

}  // namespace first

// The policy "test.refusing": every pick ends with that kind and code.
namespace refusing {

std::atomic<grpc_xds_picked_kind> kind{GRPC_XDS_PICKED_FAIL};
std::atomic<int> code{0};

void* Create(grpc_xds_policy* base) { return base; }
void Destroy(void*) {}
grpc_xds_status Update(void* self, const grpc_xds_update*) {
  grpc_xds_policy_publish(static_cast<grpc_xds_policy*>(self), GRPC_XDS_READY, nullptr, self);
  return {0, nullptr};
}
void OnState(void*, void*, grpc_xds_state, const grpc_xds_status*) {}
void Pick(void*, const grpc_xds_call*, grpc_xds_picked* out) {
  out->kind = kind;
  out->status = {code, "words of the control plane"};
}

grpc_xds_policy_type Type() {
  grpc_xds_policy_type type = {};
  type.version = GRPC_XDS_POLICY_VERSION;
  type.name = "test.refusing";
  type.create = Create;
  type.update = Update;
  type.subchannel_state = OnState;
  type.destroy = Destroy;
  type.pick = Pick;
  return type;
}

}  // namespace refusing

grpc_xds_result Register(const grpc_xds_policy_type& type) {
  return grpc_xds_register_policy(&type);
}

// The results of registering each policy before gRPC is initialised.
const struct Results {
  grpc_xds_result by_number = by_number_register();
  grpc_xds_result first = Register(first::Type("test.first"));
  grpc_xds_result refusing = Register(refusing::Type());
  grpc_xds_result again = by_number_register();
  std::map<std::string, grpc_xds_result> taken = [] {
    std::map<std::string, grpc_xds_result> results;
    for (const char* name :
         {"grpclb", "pick_first", "rls_experimental", "round_robin", "weighted_target_experimental",
          "cds_experimental", "ring_hash_experimental", "weighted_round_robin"}) {
      results[name] = Register(first::Type(name));
    }
    return results;
  }();
  grpc_xds_result without_name = Register(first::Type(nullptr));
  grpc_xds_result empty_name = Register(first::Type(""));
  grpc_xds_result without_pick = Register([] {
    grpc_xds_policy_type type = first::Type("test.other");
    type.pick = nullptr;
    return type;
  }());
  grpc_xds_result newer = Register([] {
    grpc_xds_policy_type type = {};  // the rest of a newer type is not read
    type.version = GRPC_XDS_POLICY_VERSION + 1;
    return type;
  }());
} kResults;

TEST(RegisteredPolicy, RegistrationReportsWhatIsWrong) {
  EXPECT_EQ(kResults.by_number, GRPC_XDS_OK);
  EXPECT_EQ(kResults.first, GRPC_XDS_OK);
  EXPECT_EQ(kResults.again, GRPC_XDS_ERROR_POLICY_EXISTS);
  for (const auto& [name, result] : kResults.taken) {
    EXPECT_EQ(result, GRPC_XDS_ERROR_POLICY_EXISTS) << name;
  }
  EXPECT_EQ(kResults.without_name, GRPC_XDS_ERROR_POLICY_INVALID);
  EXPECT_EQ(kResults.empty_name, GRPC_XDS_ERROR_POLICY_INVALID);
  EXPECT_EQ(kResults.without_pick, GRPC_XDS_ERROR_POLICY_INVALID);
  EXPECT_EQ(kResults.newer, GRPC_XDS_ERROR_POLICY_VERSION);
  Client client("ipv4:127.0.0.1:1", "");  // initialises gRPC
  EXPECT_EQ(Register(first::Type("test.late")), GRPC_XDS_ERROR_TOO_LATE);
}

// All backends in one locality of cluster "a".
Mesh OneLocality(const std::vector<Backend*>& backends, const std::string& policy) {
  Mesh mesh = SimpleMesh({backends[0]});
  for (size_t i = 1; i < backends.size(); i++) {
    mesh.clusters[0].localities[0].ports.push_back(backends[i]->port());
  }
  mesh.clusters[0].more = policy;
  return mesh;
}

std::string Target(const std::vector<Backend*>& backends) {
  std::string target;
  for (const Backend* b : backends) {
    target += (target.empty() ? "ipv4:127.0.0.1:" : ",127.0.0.1:") + std::to_string(b->port());
  }
  return target;
}

grpc::ChannelArguments ServiceConfig(const std::string& policy) {
  grpc::ChannelArguments args;
  args.SetServiceConfigJSON("{\"loadBalancingConfig\":[" + policy + "]}");
  return args;
}

CallOptions To(const std::string& number, const std::string& header = "x-endpoint") {
  CallOptions options;
  options.metadata = {{header, number}};
  return options;
}

void ExpectByNumber(Client* client) {
  for (int i = 0; i < 5; i++) {
    EXPECT_EQ(client->Call(To("2")).name, "c");
    EXPECT_EQ(client->Call(To("0")).name, "a");
    EXPECT_EQ(client->Call(To("1")).name, "b");
  }
  EXPECT_EQ(client->Call(To("7")).name, "a") << "there is no such endpoint";
  EXPECT_EQ(client->Call().name, "a");
}

TEST(RegisteredPolicy, ServiceConfigOfAnyChannelNamesIt) {
  Backend a("a"), b("b"), c("c");
  Client client(Target({&a, &b, &c}), "",
                ServiceConfig(R"({"example.by_number":{"header":"x-endpoint","new":[1]}})"));
  ExpectByNumber(&client);
}

TEST(RegisteredPolicy, ClusterNamesItByATypedStruct) {  // A52
  Backend a("a"), b("b"), c("c");
  ControlPlane plane;
  plane.Set(OneLocality({&a, &b, &c}, LbPolicy(RegisteredPolicyConfig(
                                          "example.by_number", R"({"header":"x-endpoint"})"))));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ExpectByNumber(&client);
}

TEST(RegisteredPolicy, UpdateKeepsTheConnectionsThatFit) {
  Backend a("a"), b("b"), c("c");
  const std::string policy =
      LbPolicy(RegisteredPolicyConfig("example.by_number", R"({"header":"x-endpoint"})"));
  ControlPlane plane;
  plane.Set(OneLocality({&a, &b, &c}, policy));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ExpectByNumber(&client);
  plane.Set(OneLocality({&c, &a}, policy));
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (client.Call(To("0")).name != "c") ASSERT_LT(std::chrono::steady_clock::now(), until);
  EXPECT_EQ(client.Call(To("1")).name, "a");
  EXPECT_EQ(a.connections(), 1u);
  EXPECT_EQ(c.connections(), 1u);
}

TEST(RegisteredPolicy, EndpointThatFailsIsPassedOverUntilItIsBack) {
  Backend a("a"), b("b");
  const int port = b.port();
  Client client(Target({&a, &b}), "", ServiceConfig(R"({"example.by_number":{"header":"n"}})"));
  ASSERT_EQ(client.Call(To("1", "n")).name, "b");
  b.Stop();
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (client.Call(To("1", "n")).name != "a") ASSERT_LT(std::chrono::steady_clock::now(), until);
  Backend again("again", port);
  while (client.Call(To("1", "n")).name != "again") {
    ASSERT_LT(std::chrono::steady_clock::now(), until);
  }
}

TEST(RegisteredPolicy, WrongConfigIsRefusedAndTheLastGoodOneStays) {
  Backend a("a"), b("b"), c("c");
  ControlPlane plane;
  plane.Set(OneLocality({&a, &b, &c}, LbPolicy(RegisteredPolicyConfig(
                                          "example.by_number", R"({"header":"x-endpoint"})"))));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ExpectByNumber(&client);
  plane.Set(OneLocality({&a, &b, &c},
                        LbPolicy(RegisteredPolicyConfig("example.by_number", R"({"header":7})"))));
  const std::string nack = plane.Wait({"\"event\":\"nack\""});
  EXPECT_NE(nack.find("errors validating example.by_number LB policy config: [field:header "
                      "error:must name a header]"),
            std::string::npos)
      << nack;
  ExpectByNumber(&client);
  plane.Set(OneLocality({&a, &b, &c}, LbPolicy(RegisteredPolicyConfig("example.by_number",
                                                                      R"({"header":"other"})"))));
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (client.Call(To("1", "other")).name != "b") {
    ASSERT_LT(std::chrono::steady_clock::now(), until);
  }
}

// Waits until the condition holds.
bool Soon(const std::function<bool()>& condition) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!condition() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  return condition();
}

TEST(RegisteredPolicy, AttemptsAreNotifiedAndNothingIsLeft) {
  Backend a("a");
  a.ReportLoad("report");
  {
    Client client(Target({&a}), "", ServiceConfig(R"({"test.first":{}})"));
    EXPECT_EQ(client.CallMany(10), (std::map<std::string, long>{{"a", 10}}));
    a.FailWith(grpc::StatusCode::ABORTED);
    for (int i = 0; i < 2; i++) {
      EXPECT_EQ(client.Call().status.error_code(), grpc::StatusCode::ABORTED);
    }
    EXPECT_EQ(first::started, 12);
    EXPECT_EQ(first::finished, 10);
    EXPECT_EQ(first::failed, 2);
    EXPECT_TRUE(Soon([] { return first::woken == 7 * 12 && first::late > 0; }));
    std::lock_guard<std::mutex> lock(first::mu);
    EXPECT_EQ(first::path, "/test.Echo/Name");
    EXPECT_EQ(first::trailer, "report");
    EXPECT_EQ(first::policies, 1);
    EXPECT_GE(first::configs, 1);
  }
  EXPECT_TRUE(Soon([] {
    return first::policies == 0 && first::pickers == 0 && first::configs == 0 &&
           first::attempts == 0;
  }));
}

// A pick must not fail an RPC with a status that only the application may return.
TEST(RegisteredPolicy, StatusOfTheApplicationDoesNotComeOfAPick) {  // A54.1, A54.2
  ASSERT_EQ(kResults.refusing, GRPC_XDS_OK);
  Backend a("a");
  Client client(Target({&a}), "", ServiceConfig(R"({"test.refusing":{}})"));
  const grpc::StatusCode illegal[] = {
      grpc::StatusCode::INVALID_ARGUMENT, grpc::StatusCode::NOT_FOUND,
      grpc::StatusCode::ALREADY_EXISTS,   grpc::StatusCode::FAILED_PRECONDITION,
      grpc::StatusCode::ABORTED,          grpc::StatusCode::OUT_OF_RANGE,
      grpc::StatusCode::DATA_LOSS,
  };
  for (const auto kind : {GRPC_XDS_PICKED_FAIL, GRPC_XDS_PICKED_DROP}) {
    refusing::kind = kind;
    for (const auto code : illegal) {
      refusing::code = code;
      const grpc::Status status = client.Call().status;
      EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL) << code;
      EXPECT_NE(status.error_message().find("words of the control plane"), std::string::npos)
          << status.error_message();
    }
    for (const auto code : {grpc::StatusCode::UNAVAILABLE, grpc::StatusCode::RESOURCE_EXHAUSTED}) {
      refusing::code = code;
      EXPECT_EQ(client.Call().status.error_code(), code);
    }
  }
}

// These threads are not gRPC's, so they have no ExecCtx.
TEST(RegisteredPolicy, ThreadsOfTheProgramMayWakeItAndGiveSubchannelsUp) {
  Backend a("a");
  first::woken = 0;
  first::keeps = true;
  auto client = std::make_unique<Client>(Target({&a}), "", ServiceConfig(R"({"test.first":{}})"));
  ASSERT_EQ(client->Call().name, "a");
  first::keeps = false;
  std::thread([] { grpc_xds_waker_wake(first::kept->waker, 1000); }).join();
  EXPECT_TRUE(Soon([] { return first::woken == 1007; }));
  client.reset();
  EXPECT_TRUE(Soon([] { return first::policies == 0 && first::pickers == 0; }));
  std::thread([] {
    grpc_xds_waker_wake(first::kept->waker, 1000);
    grpc_xds_waker_unref(first::kept->waker);
    grpc_xds_subchannel_unref(first::kept->subchannel);
    delete first::kept;
  }).join();
  EXPECT_EQ(first::woken, 1007);
}

}  // namespace
}  // namespace gxds_test
