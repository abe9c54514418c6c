#include "test/host/grpc_1_51/fixture.h"

#include <grpc/grpc.h>
#include <grpc/support/time.h>

#include <algorithm>
#include <atomic>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/variant.h"
#include "src/core/lib/address_utils/sockaddr_utils.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/lib/json/json.h"
#include "src/core/lib/load_balancing/lb_policy_factory.h"
#include "src/core/lib/load_balancing/lb_policy_registry.h"

// The host's clock, which tests set.
extern gpr_timespec (*gpr_now_impl)(gpr_clock_type clock_type);

namespace grpc_core {
extern void RegisterRoundRobinLbPolicy(CoreConfiguration::Builder* builder);
extern void RegisterPickFirstLbPolicy(CoreConfiguration::Builder* builder);
}  // namespace grpc_core

namespace grpc_xds {
namespace testing {

namespace {

using grpc_event_engine::experimental::EndpointConfig;
using grpc_event_engine::experimental::EventEngine;
using grpc_event_engine::experimental::MemoryAllocator;
using grpc_event_engine::experimental::MemoryAllocatorFactory;

std::atomic<gxds_time> g_now{1000 * GXDS_SECOND};  // the host's timer thread reads it too
gpr_timespec (*g_real_now)(gpr_clock_type clock_type);

gpr_timespec FakeNow(gpr_clock_type clock_type) {
  if (clock_type != GPR_CLOCK_MONOTONIC) return g_real_now(clock_type);
  gpr_timespec now;
  gxds_time nanoseconds = g_now;
  now.tv_sec = nanoseconds / GXDS_SECOND;
  now.tv_nsec = static_cast<int32_t>(nanoseconds % GXDS_SECOND);
  now.clock_type = GPR_CLOCK_MONOTONIC;
  return now;
}

class LeafFactory : public grpc_core::LoadBalancingPolicyFactory {
 public:
  explicit LeafFactory(const char* name) : name_(name) {}
  OrphanablePtr<LoadBalancingPolicy> CreateLoadBalancingPolicy(
      LoadBalancingPolicy::Args args) const override {
    return grpc_core::MakeOrphanable<Leaf>(std::move(args), name_);
  }
  absl::string_view name() const override { return name_; }
  absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> ParseLoadBalancingConfig(
      const grpc_core::Json&) const override {
    return grpc_core::MakeRefCounted<LeafConfig>(name_);
  }

 private:
  const char* const name_;
};

void BuildConfiguration(grpc_core::CoreConfiguration::Builder* builder) {
  grpc_core::RegisterRoundRobinLbPolicy(builder);
  grpc_core::RegisterPickFirstLbPolicy(builder);
  for (const char* name : {"test_leaf", "other_leaf"}) {
    builder->lb_policy_registry()->RegisterLoadBalancingPolicyFactory(
        std::make_unique<LeafFactory>(name));
  }
}

class Environment : public ::testing::Environment {
 public:
  void SetUp() override {
    grpc_core::CoreConfiguration::SetDefaultBuilder(BuildConfiguration);
    g_real_now = gpr_now_impl;
    gpr_now_impl = FakeNow;
    grpc_init();
  }
  void TearDown() override {
    gpr_now_impl = g_real_now;
    grpc_shutdown_blocking();
  }
};

const auto* const g_environment = ::testing::AddGlobalTestEnvironment(new Environment);

class ZonePicker : public LoadBalancingPolicy::SubchannelPicker {
 public:
  explicit ZonePicker(std::string zone) : zone_(std::move(zone)) {}
  LoadBalancingPolicy::PickResult Pick(LoadBalancingPolicy::PickArgs) override {
    return LoadBalancingPolicy::PickResult::Fail(
        absl::UnavailableError(absl::StrCat("picked ", zone_)));
  }

 private:
  const std::string zone_;
};

}  // namespace

std::string AddressText(const ServerAddress& address) {
  return grpc_sockaddr_to_string(&address.address(), false).value_or("?");
}

// Leaf

int Leaf::created = 0;
int Leaf::updated = 0;
std::function<void(Leaf*)> Leaf::on_update;
absl::Status Leaf::update_status;

std::vector<Leaf*>& Leaf::leaves() {
  static auto* leaves = new std::vector<Leaf*>;
  return *leaves;
}

Leaf* Leaf::InZone(const std::string& zone) {
  for (Leaf* leaf : leaves()) {
    if (leaf->zone() == zone) return leaf;
  }
  return nullptr;
}

Leaf::Leaf(Args args, std::string name)
    : LoadBalancingPolicy(std::move(args)), name_(std::move(name)) {
  ++created;
  leaves().push_back(this);
}

absl::Status Leaf::UpdateLocked(UpdateArgs args) {
  ++updated;
  ++updates;
  last = std::move(args);
  std::vector<RefCountedPtr<grpc_core::SubchannelInterface>> subchannels;
  if (last.addresses.ok()) {
    for (const auto& address : *last.addresses) {
      subchannels.push_back(channel_control_helper()->CreateSubchannel(address, last.args));
    }
  }
  subchannels_ = std::move(subchannels);
  if (on_update) on_update(this);
  return update_status;
}

void Leaf::Report(grpc_connectivity_state state, absl::Status status) {
  channel_control_helper()->UpdateState(state, status, std::make_unique<ZonePicker>(zone()));
}

std::string Leaf::zone() const {
  if (!last.addresses.ok() || last.addresses->empty()) return "";
  const gxds_locality* locality = LocalityOf(last.addresses->front());
  return locality == nullptr ? "" : std::string(ToAbsl(locality->zone));
}

std::vector<std::string> Leaf::addresses() const {
  std::vector<std::string> out;
  if (!last.addresses.ok()) return {last.addresses.status().ToString()};
  for (const auto& address : *last.addresses) out.push_back(AddressText(address));
  return out;
}

void Leaf::ShutdownLocked() {
  subchannels_.clear();
  auto& all = leaves();
  all.erase(std::find(all.begin(), all.end(), this));
}

// FakeEngine: timers only

class FakeEngine : public EventEngine {
 public:
  absl::StatusOr<std::unique_ptr<Listener>> CreateListener(
      Listener::AcceptCallback, absl::AnyInvocable<void(absl::Status)>, const EndpointConfig&,
      std::unique_ptr<MemoryAllocatorFactory>) override {
    abort();
  }
  ConnectionHandle Connect(OnConnectCallback, const ResolvedAddress&, const EndpointConfig&,
                           MemoryAllocator, Duration) override {
    abort();
  }
  bool CancelConnect(ConnectionHandle) override { abort(); }
  bool IsWorkerThread() override { abort(); }
  std::unique_ptr<DNSResolver> GetDNSResolver(const DNSResolver::ResolverOptions&) override {
    abort();
  }
  void Run(Closure*) override { abort(); }
  void Run(absl::AnyInvocable<void()>) override { abort(); }
  TaskHandle RunAfter(Duration, Closure*) override { abort(); }
  TaskHandle RunAfter(Duration when, absl::AnyInvocable<void()> closure) override {
    timers_[++last_] = {g_now + when.count(), std::move(closure)};
    return {last_, 0};
  }
  bool Cancel(TaskHandle handle) override { return timers_.erase(handle.keys[0]) == 1; }

  void Pass(gxds_duration time) {
    gxds_time end = g_now + time;
    for (;;) {
      auto next = std::min_element(timers_.begin(), timers_.end(),
                                   [](auto& a, auto& b) { return a.second.at < b.second.at; });
      if (next == timers_.end() || next->second.at > end) break;
      g_now = std::max(g_now.load(), next->second.at);
      auto closure = std::move(next->second.closure);
      timers_.erase(next);
      closure();
    }
    g_now = end;
  }

  size_t timer_count() const { return timers_.size(); }

 private:
  struct Timer {
    gxds_time at;
    absl::AnyInvocable<void()> closure;
  };
  std::map<intptr_t, Timer> timers_;
  intptr_t last_ = 0;
};

// PolicyTest

class PolicyTest::Helper : public LoadBalancingPolicy::ChannelControlHelper {
 public:
  explicit Helper(PolicyTest* test) : test_(test) {}

  RefCountedPtr<grpc_core::SubchannelInterface> CreateSubchannel(ServerAddress address,
                                                                 const ChannelArgs& args) override {
    if (test_->refuse_) return nullptr;
    auto subchannel = grpc_core::MakeRefCounted<FakeSubchannel>(AddressText(address));
    // Like the channel: the attributes of an address become part of the subchannel's identity.
    test_->subchannels_.push_back(
        {AddressText(address), args.UnionWith(address.args()), subchannel});
    return subchannel;
  }
  void UpdateState(grpc_connectivity_state state, const absl::Status& status,
                   std::unique_ptr<LoadBalancingPolicy::SubchannelPicker> picker) override {
    ++test_->published_;
    test_->state_ = state;
    test_->status_ = status;
    test_->picker_ = std::move(picker);
  }
  void RequestReresolution() override { ++test_->reresolutions_; }
  absl::string_view GetAuthority() override { return "authority"; }
  EventEngine* GetEventEngine() override { return test_->engine_.get(); }
  void AddTraceEvent(TraceSeverity, absl::string_view) override {}

 private:
  PolicyTest* const test_;
};

PolicyTest::PolicyTest()
    : serializer_(std::make_shared<grpc_core::WorkSerializer>()),
      engine_(std::make_shared<FakeEngine>()) {
  Leaf::created = 0;
  Leaf::updated = 0;
  Leaf::on_update = nullptr;
  Leaf::update_status = absl::OkStatus();
}

PolicyTest::~PolicyTest() = default;

void PolicyTest::TearDown() {
  In([this] {
    picker_.reset();
    policy_.reset();
  });
  In([this] { subchannels_.clear(); });
  EXPECT_EQ(engine_->timer_count(), 0u);
  EXPECT_TRUE(Leaf::leaves().empty());
}

void PolicyTest::In(std::function<void()> fn) {
  grpc_core::ExecCtx exec_ctx;
  serializer_->Run(std::move(fn), DEBUG_LOCATION);
}

void PolicyTest::Create(absl::string_view policy_name, ChannelArgs args) {
  In([&] {
    LoadBalancingPolicy::Args policy_args;
    policy_args.work_serializer = serializer_;
    policy_args.channel_control_helper = std::make_unique<Helper>(this);
    policy_args.args = std::move(args);
    policy_ = grpc_core::CoreConfiguration::Get().lb_policy_registry().CreateLoadBalancingPolicy(
        policy_name, std::move(policy_args));
  });
  ASSERT_NE(policy_, nullptr);
}

void PolicyTest::Update(RefCountedPtr<LoadBalancingPolicy::Config> config, ChannelArgs args,
                        absl::StatusOr<ServerAddressList> addresses, std::string note) {
  In([&] {
    LoadBalancingPolicy::UpdateArgs update;
    update.config = std::move(config);
    update.args = std::move(args);
    update.addresses = std::move(addresses);
    update.resolution_note = std::move(note);
    accepted_ = policy_->UpdateLocked(std::move(update));
  });
}

void PolicyTest::Report(const std::string& zone, grpc_connectivity_state state,
                        absl::Status status) {
  Leaf* leaf = Leaf::InZone(zone);
  ASSERT_NE(leaf, nullptr) << zone;
  In([&] { leaf->Report(state, status); });
}

void PolicyTest::Pass(gxds_duration time) { engine_->Pass(time); }

size_t PolicyTest::timer_count() const { return engine_->timer_count(); }

std::string PolicyTest::Pick(LoadBalancingPolicy::MetadataInterface* metadata) {
  grpc_core::ExecCtx exec_ctx;
  LoadBalancingPolicy::PickArgs args = {"/service/method", metadata, nullptr};
  LoadBalancingPolicy::PickResult result = picker_->Pick(args);
  using Result = LoadBalancingPolicy::PickResult;
  if (auto* complete = absl::get_if<Result::Complete>(&result.result)) {
    return static_cast<FakeSubchannel*>(complete->subchannel.get())->address;
  }
  if (auto* fail = absl::get_if<Result::Fail>(&result.result)) {
    absl::string_view message = fail->status.message();
    if (absl::ConsumePrefix(&message, "picked ")) return std::string(message);
    return absl::StrCat("fail: ", fail->status.ToString());
  }
  return absl::holds_alternative<Result::Queue>(result.result) ? "queue" : "drop";
}

absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> PolicyTest::ParseConfig(
    absl::string_view json) {
  auto parsed = grpc_core::Json::Parse(json);
  if (!parsed.ok()) return parsed.status();
  return grpc_core::CoreConfiguration::Get().lb_policy_registry().ParseLoadBalancingConfig(*parsed);
}

}  // namespace testing
}  // namespace grpc_xds
