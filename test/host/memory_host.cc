#include "test/host/memory_host.h"

#include <jansson.h>

#include <algorithm>
#include <tuple>

#include "test/host/memory_policies.h"

namespace memory {

namespace {

// The host whose work the thread does: some functions of a host get no argument that names it.
thread_local Host* t_host = nullptr;

}  // namespace

Host::Entered::Entered(Host* host) : host_(host), before_(t_host) {
  t_host = host;
  host->depth_++;
}

Host::Entered::~Entered() {
  while (host_->depth_ == 1 && !host_->queue_.empty()) {
    auto work = std::move(host_->queue_.front());
    host_->queue_.pop_front();
    work();
  }
  host_->depth_--;
  t_host = before_;
}

Host::Host(uint64_t seed) : channel_(new Channel{}), random_{seed} {
  gxds_ref_init(&channel_->refs);
  channel_->ops = &kChannelOps;
  channel_->host = this;
  root_.above.ops = &kParentOps;
  root_.ops = &kRootOps;
  root_.channel = channel_;
  root_.host = this;
  gxds_random_of_thread()->state = gxds_random_next(&random_);
}

void Host::Limit(const gxds_connect_limits& limits) {
  channel_->own_limits = limits;
  channel_->limits = &channel_->own_limits;
}

Host::~Host() {
  End();
  DropPicker();
  gxds_args_unref(args_);
  for (const auto& [number, subchannel] : subchannels_) subchannel->host = nullptr;
  channel_->host = nullptr;
  gxds_lb_channel_unref(channel_);
}

// --- The channel ---

void Host::RunLater(gxds_lb_channel* channel, void (*work)(void* arg), void* arg) {
  if (Of(channel) == nullptr) return work(arg);
  Of(channel)->queue_.push_back([work, arg] { work(arg); });
}

void Host::Post(gxds_lb_channel* channel, void (*work)(void* arg), void* arg) {
  const Host* host = Of(channel);
  if (host != nullptr && host->loses_post && host->loses_post()) return;
  RunLater(channel, work, arg);
}

gxds_lb_timer Host::StartTimer(gxds_lb_channel* channel, gxds_duration delay,
                               void (*work)(void* arg), void* arg) {
  Host* host = Of(channel);
  const gxds_time when = gxds_time_after(host->now_, delay);
  const intptr_t number = ++host->last_timer_;
  if (host->loses_timer && host->loses_timer(delay)) {
    host->lost_timers_.insert({when, number});
    return {{static_cast<intptr_t>(when), number}};
  }
  host->timers_[{when, number}] = {work, arg};
  return {{static_cast<intptr_t>(when), number}};
}

bool Host::CancelTimer(gxds_lb_channel* channel, gxds_lb_timer timer) {
  const std::pair<gxds_time, intptr_t> which = {timer.words[0], timer.words[1]};
  Host* host = Of(channel);
  return host->timers_.erase(which) + host->lost_timers_.erase(which) == 1;
}

void Host::Log(gxds_lb_severity /*severity*/, gxds_str line) { t_host->log.push_back(Text(line)); }

gxds_time Host::next_timer() const {
  return timers_.empty() ? GXDS_TIME_NEVER : timers_.begin()->first.first;
}

void Host::Pass(gxds_duration time) {
  const gxds_time end = gxds_time_after(now_, time);
  In([] {});  // what was posted from outside
  while (next_timer() <= end && !timers_.empty()) {
    auto first = timers_.extract(timers_.begin());
    now_ = std::max(now_, first.key().first);
    In([&] { first.mapped().work(first.mapped().arg); });
  }
  now_ = end;
}

const gxds_lb_channel_ops Host::kChannelOps = {
    [](gxds_lb_channel* c) { delete static_cast<Channel*>(c); },
    [](const gxds_lb_channel* c) { return Of(c)->now_; },
    [](gxds_lb_channel* c) { return gxds_random_next(&Of(c)->random_); },
    RunLater,
    Post,
    StartTimer,
    CancelTimer,
    Log,
    [](const char* word) { return t_host->trace_words.count(word) == 1; },
    ParseList,
};

// --- Configs: the words of the errors are gRPC's ---

static gxds_lb_config* Refuse(gxds_status* why, gxds_code code, const std::string& words) {
  *why = gxds_status_make(code, "%s", words.c_str());
  return nullptr;
}

static gxds_lb_config* ParseOurs(const gxds_policy_type* type, const json_t* json,
                                 gxds_lb_parse_list* parse_list, gxds_status* why) {
  gxds_errors errors = {};
  gxds_lb_config* config = gxds_lb_config_parse_json(type, json, parse_list, &errors);
  const std::string prefix =
      std::string("errors validating ") + gxds_policy_type_title(type) + " LB policy config";
  if (config == nullptr) *why = gxds_errors_status(&errors, prefix.c_str());
  gxds_errors_fini(&errors);
  return config;
}

gxds_lb_config* Host::ParseList(gxds_str json, gxds_status* why) {
  std::unique_ptr<json_t, void (*)(json_t*)> list(
      json_loadb(json.data, json.size, JSON_DECODE_ANY, nullptr), json_decref);
  if (!json_is_array(list.get())) {
    return Refuse(why, GXDS_INVALID_ARGUMENT, "type should be array");
  }
  std::string tried;
  for (size_t i = 0; i < json_array_size(list.get()); ++i) {
    json_t* entry = json_array_get(list.get(), i);
    if (json_object_size(entry) != 1) {
      return Refuse(why, GXDS_INVALID_ARGUMENT, "child entry should be of type object");
    }
    const std::string name = json_object_iter_key(json_object_iter(entry));
    const json_t* value = json_object_iter_value(json_object_iter(entry));
    for (const gxds_policy_type* type : t_host->types_) {
      if (name == type->name) return ParseOurs(type, value, ParseList, why);
    }
    if (IsHostsPolicy(name)) {
      if (json_object_get(value, "refuse") != nullptr) {
        return Refuse(why, GXDS_INVALID_ARGUMENT, "refused");
      }
      return gxds_lb_config_ref(Config::OfHost(name).get());
    }
    tried += " " + name;
  }
  return Refuse(why, GXDS_FAILED_PRECONDITION, "No known policies in list:" + tried);
}

Config Host::ParseConfig(const std::string& json, Status* why) {
  gxds_status status = gxds_status_ok();
  Config config;
  In([&] { config = Config(ParseList(View(json), &status)); });
  *why = Status::Take(status);
  return config;
}

// --- The policy on top ---

void Host::TakeArgs(const Args& args) {
  if (args_ != nullptr && Args::Of(args_) == args) return;
  gxds_args_unref(args_);
  args_ = args.ToC();
}

void Host::Create(const gxds_policy_type& type, const Args& args) {
  End();
  In([&] {
    TakeArgs(args);
    policy_ = gxds_policy_create(&type, &root_, args_);
  });
}

Status Host::Apply(const Update& update) {
  gxds_status said = gxds_status_ok();
  gxds_status why = update.addresses.status().ToC();
  In([&] {
    TakeArgs(update.args);
    const gxds_lb_update in_c = {
        update.config.get(), update.addresses.get(), why,    args_, View(update.note),
        update.snapshot,     update.mailbox,         nullptr};
    said = gxds_policy_update(policy_, &in_c);
  });
  gxds_status_fini(&why);
  return Status::Take(said);
}

void Host::ExitIdle() {
  In([this] { gxds_policy_exit_idle(policy_); });
}
void Host::ResetBackoff() {
  In([this] { gxds_policy_reset_backoff(policy_); });
}
void Host::End() {
  In([this] { gxds_policy_end(std::exchange(policy_, nullptr)); });
}

void Host::Publish(gxds_lb_parent* parent, grpc_connectivity_state state, const gxds_status* status,
                   gxds_picker* take_picker) {
  Host* host = Of(parent);
  host->published++;
  host->state = state;
  host->status = Status(*status);
  gxds_picker_unref(std::exchange(host->picker_, take_picker));
}

void Host::DropPicker() {
  In([this] { gxds_picker_unref(std::exchange(picker_, nullptr)); });
}

const gxds_lb_parent_ops Host::kParentOps = {
    Publish,
    MakeSubchannel,
    [](gxds_lb_parent* parent) { Of(parent)->reresolutions++; },
    [](gxds_lb_parent* parent, gxds_lb_severity /*severity*/, gxds_str line) {
      Of(parent)->events.push_back(Text(line));
    },
    [](gxds_lb_parent* parent, gxds_metric_labels* out) { out->target = View(Of(parent)->target); },
};

// --- What the tree asks for ---

gxds_subchannel* Host::MakeSubchannel(gxds_lb_parent* parent, const gxds_lb_address* address,
                                      const gxds_args* args) {
  Host* host = Of(parent);
  if (host->refuses_subchannels) return nullptr;
  auto* out = new Subchannel(host, *address, Args::Of(args));
  host->subchannels_[out->number] = out;
  auto shared = host->shared.find(out->address);
  if (shared != host->shared.end()) std::tie(out->state, out->status) = shared->second;
  return out;
}

gxds_cluster_security* Host::MakeSecurity(gxds_lb_root* root, gxds_str cluster) {
  static const gxds_cluster_security_ops ops = {
      [](gxds_cluster_security* s, const gxds_tls* tls) {
        auto* self = static_cast<Security*>(s);
        if (self->host->security_status.ok()) self->updates.push_back(tls);
        return self->host->security_status.ToC();
      },
      [](gxds_cluster_security* s) {
        auto& all = static_cast<Security*>(s)->host->securities;
        all.erase(std::find(all.begin(), all.end(), s));
        delete static_cast<Security*>(s);
      },
  };
  auto* out = new Security{};
  out->ops = &ops;
  out->host = Of(root);
  out->cluster = Text(cluster);
  out->host->securities.push_back(out);
  return out;
}

const gxds_args* Host::ArgsOfCluster(const gxds_args* args, gxds_str cluster,
                                     const gxds_cluster_security* security) {
  Args out = Args::Of(args).Set("grpc.internal.xds_cluster_name", Text(cluster));
  if (security != nullptr) {
    out = out.Set("security", static_cast<const Security*>(security)->cluster);
  }
  return out.ToC();
}

const gxds_lb_root_ops Host::kRootOps = {
    [](gxds_lb_root* root, gxds_str name, gxds_lb_parent* parent, const gxds_args* /*args*/)
        -> gxds_hosts_policy* { return MakeHostsPolicy(Of(root), Text(name), parent); },
    [](const gxds_args* args) { return Args::Of(args).GetInt("xds_credentials") != nullptr; },
    MakeSecurity,
    ArgsOfCluster,
    [](const gxds_args* args, gxds_str name) -> const gxds_args* {
      return Args::Of(args).Set("server_name", Text(name)).ToC();
    },
};

// --- Connections and RPCs ---

std::vector<Subchannel*> Host::subchannels() const {
  std::vector<Subchannel*> out;
  for (const auto& [number, subchannel] : subchannels_) out.push_back(subchannel);
  return out;
}

Subchannel* Host::Watched(const std::string& address) const {
  Subchannel* out = nullptr;
  for (const auto& [number, subchannel] : subchannels_) {
    if (subchannel->address == address && subchannel->is_watched()) out = subchannel;
  }
  return out;
}

void Host::SetState(Subchannel* subchannel, grpc_connectivity_state state, const Status& status) {
  In([&] { subchannel->Set(state, status); });
}

void Host::SetState(const std::string& address, grpc_connectivity_state state,
                    const Status& status) {
  In([&] {
    for (const auto& [number, subchannel] : subchannels_) {
      if (subchannel->address == address) subchannel->Set(state, status);
    }
  });
}

std::unique_ptr<Call> Host::Pick(const Request& request) { return PickWith(picker_, request); }

std::unique_ptr<Call> Host::PickWith(gxds_picker* picker, const Request& request) {
  std::unique_ptr<Call> out;
  In([&] { out.reset(new Call(this, picker, request)); });
  return out;
}

// --- The end ---

std::string Host::LeftOver() const {
  std::string out;
  auto count = [&out](size_t number, const char* what) {
    if (number > 0) out += std::to_string(number) + " " + what + "\n";
  };
  if (policy_ != nullptr) out += "the policy\n";
  for (const HostsPolicy* policy : policies_) out += "policy " + policy->name() + "\n";
  for (const auto& [number, subchannel] : subchannels_) {
    out += "subchannel " + subchannel->address + "\n";
  }
  for (const Security* security : securities) out += "security of " + security->cluster + "\n";
  count(timers_.size(), "timers");
  count(picker_count_, "pickers");
  count(call_count_, "calls");
  count(script.trackers, "trackers");
  count(queue_.size(), "pieces of work");
  count(static_cast<size_t>(channel_->refs.count - 1), "references of the channel");
  return out;
}

}  // namespace memory
