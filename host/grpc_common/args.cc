#include "host/grpc_common/args.h"

#include <utility>

#include "host/grpc_common/core.h"

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::QsortCompare;

namespace {

// One argument holds both the snapshot and the mailbox. Channel arguments are an immutable tree, so
// each argument that is set or removed copies some of its nodes at every update.
constexpr char kConfigArg[] = GXDS_NO_SUBCHANNEL_PREFIX "grpc_xds.config";

}  // namespace

struct GivenConfig::Value {
  gxds_ref refs;
  const gxds_config* config;  // null when it was taken back
  gxds_mailbox* mailbox;
};

namespace {

using Given = GivenConfig::Value;

// Null if both are null.
Given* Make(const gxds_config* config, gxds_mailbox* mailbox) {
  if (config == nullptr && mailbox == nullptr) return nullptr;
  auto* given = new Given{};
  gxds_ref_init(&given->refs);
  given->config = config == nullptr ? nullptr : gxds_config_ref(config);
  given->mailbox = mailbox == nullptr ? nullptr : gxds_mailbox_ref(mailbox);
  return given;
}

void Unref(Given* given) {
  if (!gxds_ref_dec(&given->refs)) return;
  gxds_config_unref(given->config);
  gxds_mailbox_unref(given->mailbox);
  delete given;
}

const grpc_arg_pointer_vtable kGivenVtable = {
    [](void* p) -> void* {
      gxds_ref_inc(&static_cast<Given*>(p)->refs);
      return p;
    },
    [](void* p) { Unref(static_cast<Given*>(p)); },
    // Compares pointers: what is given again is the same object.
    [](void* a, void* b) { return QsortCompare(a, b); },
};

// Our own values in the args; null if there are none. Borrowed: valid as long as args.
const Given* GivenIn(const ChannelArgs& args) {
  return static_cast<Given*>(args.GetVoidPointer(kConfigArg));
}

struct Args : gxds_args {
  ChannelArgs value;
};

bool GetInt(const gxds_args* args, const char* name, int* out) {
  auto value = ToHost(args).GetInt(name);
  if (value.has_value()) *out = *value;
  return value.has_value();
}

const gxds_args_ops kOps = {
    [](gxds_args* args) { delete static_cast<Args*>(args); },
    GetInt,
    [](const gxds_args* a, const gxds_args* b) { return ToHost(a) == ToHost(b); },
    [](const gxds_args* args, const char* name, int value) {
      return ToC(ToHost(args).Set(name, value));
    },
};

}  // namespace

const gxds_args* ToC(ChannelArgs args) {
  auto* out = new Args;
  gxds_ref_init(&out->refs);
  out->ops = &kOps;
  out->value = std::move(args);
  return out;
}

const ChannelArgs& ToHost(const gxds_args* args) { return static_cast<const Args*>(args)->value; }

gxds_str TargetOf(const gxds_args* args) {
  const auto target = ToHost(args).GetString("grpc.server_uri");
  return target.has_value() ? gxds_str_of(target->data(), target->size()) : gxds_str{nullptr, 0};
}

GivenConfig::~GivenConfig() {
  if (last_ != nullptr) Unref(last_);
}

ChannelArgs GivenConfig::Give(const ChannelArgs& args, const gxds_config* config,
                              gxds_mailbox* mailbox) {
  if (last_ == nullptr || last_->config != config || last_->mailbox != mailbox) {
    Value* next = Make(config, mailbox);
    TakeBack();
    last_ = next;
    if (next == nullptr) return args;
  }
  gxds_ref_inc(&last_->refs);
  return args.Set(kConfigArg, ChannelArgs::Pointer(last_, &kGivenVtable));
}

void GivenConfig::TakeBack() {
  if (last_ == nullptr) return;
  gxds_config_unref(std::exchange(last_->config, nullptr));
  Unref(std::exchange(last_, nullptr));
}

const gxds_config* ConfigOf(const ChannelArgs& args) {
  const Given* given = GivenIn(args);
  return given == nullptr ? nullptr : given->config;
}

gxds_mailbox* MailboxOf(const ChannelArgs& args) {
  const Given* given = GivenIn(args);
  return given == nullptr ? nullptr : given->mailbox;
}

ChannelArgs WithoutOurs(const ChannelArgs& args) {
  return args.Contains(kConfigArg) ? args.Remove(kConfigArg) : args;
}

}  // namespace grpc_xds
