#include "lb_policies/ring_hash/ring_hash_policy.h"

#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <inttypes.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "base/random.h"
#include "lb_policies/attributes/attributes.h"
#include "lb_policies/factory/policy_factory.h"
#include "lb_policies/printable/printable.h"
#include "lb_policies/ring_hash/ring_hash.h"
#include "src/core/ext/filters/client_channel/client_channel.h"
#include "src/core/ext/filters/client_channel/resolver/xds/xds_resolver.h"
#include "src/core/lib/address_utils/sockaddr_utils.h"
#include "src/core/lib/gprpp/validation_errors.h"
#include "src/core/lib/iomgr/closure.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/lib/json/json.h"
#include "src/core/lib/json/json_args.h"
#include "src/core/lib/json/json_object_loader.h"
#include "src/core/lib/load_balancing/subchannel_interface.h"
#include "src/core/lib/slice/slice.h"
#include "src/core/lib/transport/connectivity_state.h"

namespace grpc_core {
// The host's: GRPC_TRACE=ring_hash_lb goes on working.
extern TraceFlag grpc_lb_ring_hash_trace;
}  // namespace grpc_core

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::grpc_lb_ring_hash_trace;
using grpc_core::Json;
using grpc_core::LoadBalancingPolicy;
using grpc_core::OrphanablePtr;
using grpc_core::RefCountedPtr;
using grpc_core::ServerAddress;
using grpc_core::ServerAddressList;
using grpc_core::SubchannelInterface;

namespace {

struct MachineDelete {
  void operator()(gxds_ring_hash* r) const { gxds_ring_hash_destroy(r); }
};
struct RingPickerDelete {
  void operator()(const gxds_ring_picker* p) const { gxds_ring_picker_destroy(p); }
};
using RingPickerPtr = std::unique_ptr<const gxds_ring_picker, RingPickerDelete>;

// The ring's members' subchannels, in order; null where the host made none.
using Subchannels = std::vector<RefCountedPtr<SubchannelInterface>>;

uint64_t RandomHash() {
  thread_local gxds_random random = {gxds_random_seed()};
  return gxds_random_next(&random);
}

uint64_t SizeCap(const ChannelArgs& args) {
  auto cap = args.GetInt(kRingSizeCapArg);
  return cap.has_value() && *cap > 0 ? *cap : GXDS_RING_HASH_SIZE_CAP_DEFAULT;
}

// What an address is on the ring, and all else that its subchannel is made of.
struct Endpoint {
  explicit Endpoint(const ServerAddress& address)
      : key(grpc_sockaddr_to_string(&address.address(), false).value_or("")),
        hash_key(HashKeyOf(address)),
        detail(address.args().ToString()),
        weight(WeightOf(address)) {
    const gxds_locality* locality = LocalityOf(address);
    if (locality == nullptr) return;
    weight *= locality->weight;  // A42
    gxds_text text = {};
    gxds_locality_render_name(locality, &text);
    absl::StrAppend(&detail, ToAbsl(gxds_text_str(&text)));
    gxds_text_fini(&text);
  }

  gxds_ring_hash_endpoint View() const {
    return {ToGxds(key), ToGxds(hash_key), ToGxds(detail), weight};
  }

  std::string key;
  std::string hash_key;
  std::string detail;
  uint64_t weight;
};

class RingHashPolicy : public LoadBalancingPolicy {
 public:
  explicit RingHashPolicy(Args args)
      : LoadBalancingPolicy(std::move(args)),
        machine_(gxds_ring_hash_create(SizeCap(channel_args()))) {}

  absl::string_view name() const override { return kRingHashPolicy; }
  absl::Status UpdateLocked(UpdateArgs args) override;
  void ExitIdleLocked() override {
    gxds_ring_hash_on_exit_idle(machine_.get());
    Drain();
  }
  void ResetBackoffLocked() override {
    for (auto& p : endpoints_) {
      if (p.second.subchannel != nullptr) p.second.subchannel->ResetBackoff();
    }
  }

 private:
  class Watcher;
  class Picker;

  struct Subchannel {
    RefCountedPtr<SubchannelInterface> subchannel;
    Watcher* watcher = nullptr;  // the subchannel's
    absl::Status failure;        // the last
  };

  void ShutdownLocked() override;
  RefCountedPtr<RingHashPolicy> Self() {
    return RefCountedPtr<RingHashPolicy>(static_cast<RingHashPolicy*>(Ref().release()));
  }

  void OnState(uint64_t token, grpc_connectivity_state state, const absl::Status& status);
  // Under the channel's locks: nothing is done before they are given up.
  void ConnectSoon(uint64_t token);
  void Drain();
  void CarryOut(const gxds_ring_hash_op& op);
  void Create(const gxds_ring_hash_op& op);
  void Remove(uint64_t token);
  void Publish();
  void Fail(const absl::Status& status);

  const std::unique_ptr<gxds_ring_hash, MachineDelete> machine_;
  bool shutting_down_ = false;
  bool draining_ = false;
  std::map<uint64_t, Subchannel> endpoints_;  // by token
  absl::Status last_failure_;

  // From the last update.
  RefCountedPtr<RingHashConfig> config_;
  ServerAddressList addresses_;
  absl::optional<ChannelArgs> args_;
};

class RingHashPolicy::Watcher : public SubchannelInterface::ConnectivityStateWatcherInterface {
 public:
  Watcher(RefCountedPtr<RingHashPolicy> policy, uint64_t token)
      : policy_(std::move(policy)), token_(token) {}

  void OnConnectivityStateChange(grpc_connectivity_state state, absl::Status status) override {
    policy_->OnState(token_, state, status);
  }
  grpc_pollset_set* interested_parties() override { return policy_->interested_parties(); }

 private:
  const RefCountedPtr<RingHashPolicy> policy_;
  const uint64_t token_;
};

class RingHashPolicy::Picker : public SubchannelPicker {
 public:
  // failures: in the order of the ring's members.
  Picker(RefCountedPtr<RingHashPolicy> policy, RingPickerPtr ring, Subchannels subchannels,
         std::vector<absl::Status> failures)
      : policy_(std::move(policy)),
        config_(policy_->config_),
        ring_(std::move(ring)),
        subchannels_(std::move(subchannels)),
        failures_(std::move(failures)) {}

  PickResult Pick(PickArgs args) override {
    bool is_random = false;
    auto hash =
        config_->request_hash_header().empty() ? HashOfRoute(args) : HashOfHeader(args, &is_random);
    if (!hash.has_value()) {
      return PickResult::Fail(absl::InternalError(
          "ring_hash: the RPC has no hash: no xDS route gave it one, and the policy's config names "
          "no requestHashHeader"));
    }
    gxds_ring_pick pick = gxds_ring_picker_pick(ring_.get(), *hash, is_random);
    if (pick.connect != 0) policy_->ConnectSoon(pick.connect);
    switch (pick.kind) {
      case GXDS_RING_PICK_COMPLETE:
        return PickResult::Complete(subchannels_[pick.endpoint]);
      case GXDS_RING_PICK_QUEUE:
        return PickResult::Queue();
      case GXDS_RING_PICK_FAIL:
        break;
    }
    return PickResult::Fail(absl::UnavailableError(
        absl::StrCat("ring hash cannot find a connected subchannel; first failure: ",
                     failures_[pick.endpoint].ToString())));
  }

 private:
  static absl::optional<uint64_t> HashOfRoute(const PickArgs& args) {
    using CallState = grpc_core::ClientChannel::LoadBalancedCall::LbCallState;
    if (args.call_state == nullptr) return absl::nullopt;
    absl::string_view cluster =
        static_cast<CallState*>(args.call_state)->GetCallAttribute(ClusterAttributeName());
    if (cluster.empty()) return absl::nullopt;
    RoutedCall& call = RoutedCallOf(cluster);
    if (!call.has_hash) call.hash = RandomHash();  // all picks for the RPC are by the same
    call.has_hash = true;
    return call.hash;
  }

  absl::optional<uint64_t> HashOfHeader(const PickArgs& args, bool* is_random) const {
    std::string buffer;
    auto value = args.initial_metadata->Lookup(config_->request_hash_header(), &buffer);
    *is_random = !value.has_value() || value->empty();
    return *is_random ? RandomHash() : gxds_ring_hash_text(ToGxds(*value));
  }

  const RefCountedPtr<RingHashPolicy> policy_;
  const RefCountedPtr<RingHashConfig> config_;
  const RingPickerPtr ring_;
  const Subchannels subchannels_;
  const std::vector<absl::Status> failures_;
};

absl::Status RingHashPolicy::UpdateLocked(UpdateArgs args) {
  config_.reset(static_cast<RingHashConfig*>(args.config.release()));
  if (!args.addresses.ok()) {
    // What is known goes on being used.
    if (gxds_ring_hash_count(machine_.get()) == 0) Fail(args.addresses.status());
    return args.addresses.status();
  }
  addresses_ = *std::move(args.addresses);
  bool renew = args_.has_value() && *args_ != args.args;
  args_ = std::move(args.args);
  std::vector<Endpoint> endpoints(addresses_.begin(), addresses_.end());
  std::vector<gxds_ring_hash_endpoint> views;
  views.reserve(endpoints.size());
  for (const Endpoint& e : endpoints) views.push_back(e.View());
  gxds_ring_hash_on_update(machine_.get(), views.data(), views.size(), config_->min_ring_size(),
                           config_->max_ring_size(), renew);
  absl::Status status;
  if (addresses_.empty()) {
    status = absl::UnavailableError(absl::StrCat("empty address list: ", args.resolution_note));
    last_failure_ = status;
  }
  Drain();
  return status;
}

void RingHashPolicy::OnState(uint64_t token, grpc_connectivity_state state,
                             const absl::Status& status) {
  auto it = endpoints_.find(token);
  if (it == endpoints_.end() || shutting_down_) return;
  if (GRPC_TRACE_FLAG_ENABLED(grpc_lb_ring_hash_trace)) {
    gpr_log(GPR_INFO, "[RH %p] endpoint %" PRIu64 ": %s (%s)", this, token,
            grpc_core::ConnectivityStateName(state), Printable(status).c_str());
  }
  if (state == GRPC_CHANNEL_TRANSIENT_FAILURE) {
    it->second.failure = status;
    last_failure_ = absl::UnavailableError(
        absl::StrCat("no reachable subchannels; last error: ", status.ToString()));
  }
  gxds_ring_hash_on_state(machine_.get(), token, state);
  Drain();
}

void RingHashPolicy::ConnectSoon(uint64_t token) {
  grpc_core::ExecCtx::Run(DEBUG_LOCATION,
                          grpc_core::NewClosure([self = Self(), token](const absl::Status&) {
                            auto serializer = self->work_serializer();
                            serializer->Run(
                                [self, token] {
                                  if (self->shutting_down_) return;
                                  gxds_ring_hash_on_pick(self->machine_.get(), token);
                                  self->Drain();
                                },
                                DEBUG_LOCATION);
                          }),
                          absl::OkStatus());
}

void RingHashPolicy::Drain() {
  if (draining_) return;  // the loop below goes on with what came meanwhile
  RefCountedPtr<LoadBalancingPolicy> self = Ref();  // what we report may end us
  draining_ = true;
  gxds_ring_hash_op op;
  while (!shutting_down_ && gxds_ring_hash_next(machine_.get(), &op)) CarryOut(op);
  draining_ = false;
}

void RingHashPolicy::CarryOut(const gxds_ring_hash_op& op) {
  switch (op.kind) {
    case GXDS_RING_HASH_CREATE:
      return Create(op);
    case GXDS_RING_HASH_REMOVE:
      return Remove(op.token);
    case GXDS_RING_HASH_CONNECT: {
      auto& endpoint = endpoints_[op.token];
      if (endpoint.subchannel != nullptr) endpoint.subchannel->RequestConnection();
      return;
    }
    case GXDS_RING_HASH_RERESOLVE:
      return channel_control_helper()->RequestReresolution();
    case GXDS_RING_HASH_PUBLISH:
      return Publish();
  }
}

void RingHashPolicy::Create(const gxds_ring_hash_op& op) {
  Subchannel& endpoint = endpoints_[op.token];
  const ServerAddress& address = addresses_[op.position];
  if (GRPC_TRACE_FLAG_ENABLED(grpc_lb_ring_hash_trace)) {
    gpr_log(GPR_INFO, "[RH %p] endpoint %" PRIu64 " is %s", this, op.token,
            address.ToString().c_str());
  }
  endpoint.subchannel = channel_control_helper()->CreateSubchannel(address, *args_);
  if (endpoint.subchannel == nullptr) {
    return OnState(
        op.token, GRPC_CHANNEL_TRANSIENT_FAILURE,
        absl::UnavailableError(absl::StrCat("no subchannel can be made for ", address.ToString())));
  }
  auto watcher = std::make_unique<Watcher>(Self(), op.token);
  endpoint.watcher = watcher.get();
  endpoint.subchannel->WatchConnectivityState(std::move(watcher));
}

void RingHashPolicy::Remove(uint64_t token) {
  auto node = endpoints_.extract(token);
  Subchannel& endpoint = node.mapped();
  if (endpoint.subchannel == nullptr) return;
  endpoint.subchannel->CancelConnectivityStateWatch(endpoint.watcher);
}

void RingHashPolicy::Publish() {
  grpc_connectivity_state state = gxds_ring_hash_state(machine_.get());
  absl::Status status = state == GRPC_CHANNEL_TRANSIENT_FAILURE ? last_failure_ : absl::OkStatus();
  RingPickerPtr ring(gxds_ring_hash_picker(machine_.get()));
  if (ring == nullptr) return Fail(status);
  if (GRPC_TRACE_FLAG_ENABLED(grpc_lb_ring_hash_trace)) {
    gpr_log(GPR_INFO, "[RH %p] %s (%s)", this, grpc_core::ConnectivityStateName(state),
            Printable(status).c_str());
  }
  Subchannels subchannels;
  std::vector<absl::Status> failures;
  size_t count = gxds_ring_hash_count(machine_.get());
  subchannels.reserve(count);
  failures.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const Subchannel& endpoint = endpoints_[gxds_ring_hash_token_at(machine_.get(), i)];
    subchannels.push_back(endpoint.subchannel);
    failures.push_back(endpoint.failure);
  }
  channel_control_helper()->UpdateState(
      state, status,
      std::make_unique<Picker>(Self(), std::move(ring), std::move(subchannels),
                               std::move(failures)));
}

void RingHashPolicy::Fail(const absl::Status& status) {
  channel_control_helper()->UpdateState(GRPC_CHANNEL_TRANSIENT_FAILURE, status,
                                        std::make_unique<TransientFailurePicker>(status));
}

void RingHashPolicy::ShutdownLocked() {
  shutting_down_ = true;
  while (!endpoints_.empty()) Remove(endpoints_.begin()->first);
}

// What the JSON form holds; the words of errors are the host's.
struct JsonConfig {
  static constexpr uint64_t kSizeMax = 8388608;

  uint64_t min_ring_size = 1024;
  uint64_t max_ring_size = GXDS_RING_HASH_SIZE_CAP_DEFAULT;
  std::string request_hash_header;

  static const grpc_core::JsonLoaderInterface* JsonLoader(const grpc_core::JsonArgs&) {
    static const auto* loader =
        grpc_core::JsonObjectLoader<JsonConfig>()
            .OptionalField("minRingSize", &JsonConfig::min_ring_size)
            .OptionalField("maxRingSize", &JsonConfig::max_ring_size)
            .OptionalField("requestHashHeader", &JsonConfig::request_hash_header)
            .Finish();
    return loader;
  }

  void JsonPostLoad(const Json& json, const grpc_core::JsonArgs&,
                    grpc_core::ValidationErrors* errors) {
    CheckSize(".minRingSize", min_ring_size, errors);
    CheckSize(".maxRingSize", max_ring_size, errors);
    if (min_ring_size > max_ring_size) {
      errors->AddError("max_ring_size cannot be smaller than min_ring_size");
    }
    if (json.object_value().count("requestHashHeader") > 0) CheckHeader(errors);
  }

  static void CheckSize(absl::string_view field_name, uint64_t size,
                        grpc_core::ValidationErrors* errors) {
    grpc_core::ValidationErrors::ScopedField field(errors, field_name);
    if (errors->FieldHasErrors() || (size > 0 && size <= kSizeMax)) return;
    errors->AddError("must be in the range [1, 8388608]");
  }

  void CheckHeader(grpc_core::ValidationErrors* errors) const {
    if (request_hash_header.empty()) return;
    grpc_core::ValidationErrors::ScopedField field(errors, ".requestHashHeader");
    grpc_core::Slice name = grpc_core::Slice::FromCopiedString(request_hash_header);
    if (absl::EndsWith(request_hash_header, "-bin")) {
      errors->AddError("must not be a binary header (\"-bin\")");
    } else if (!grpc_header_key_is_legal(name.c_slice())) {
      errors->AddError("is not a valid header name");
    }
  }
};

absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> ParseConfig(const Json& json) {
  auto config = grpc_core::LoadFromJson<JsonConfig>(json, grpc_core::JsonArgs(),
                                                    "errors validating ring_hash LB policy config");
  if (!config.ok()) return config.status();
  return grpc_core::MakeRefCounted<RingHashConfig>(config->min_ring_size, config->max_ring_size,
                                                   std::move(config->request_hash_header));
}

}  // namespace

void RegisterRingHashLbPolicy(grpc_core::CoreConfiguration::Builder* builder) {
  RegisterPolicy<RingHashPolicy>(builder, kRingHashPolicy, ParseConfig);
}

}  // namespace grpc_xds
