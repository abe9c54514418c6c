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

struct Given {
  gxds_ref refs;
  const gxds_config* config;
  gxds_mailbox* mailbox;
};

const grpc_arg_pointer_vtable kGivenVtable = {
    [](void* p) -> void* {
      gxds_ref_inc(&static_cast<Given*>(p)->refs);
      return p;
    },
    [](void* p) {
      auto* given = static_cast<Given*>(p);
      if (!gxds_ref_dec(&given->refs)) return;
      gxds_config_unref(given->config);
      gxds_mailbox_unref(given->mailbox);
      delete given;
    },
    // Compares pointers: a snapshot never changes, and a comparison of the contents would cost more
    // than it saves.
    [](void* a, void* b) {
      auto* left = static_cast<Given*>(a);
      auto* right = static_cast<Given*>(b);
      int order = QsortCompare(left->config, right->config);
      return order != 0 ? order : QsortCompare(left->mailbox, right->mailbox);
    },
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

ChannelArgs WithConfig(const ChannelArgs& args, const gxds_config* config, gxds_mailbox* mailbox) {
  if (config == nullptr && mailbox == nullptr) return args;
  auto* given = new Given{};
  gxds_ref_init(&given->refs);
  given->config = config == nullptr ? nullptr : gxds_config_ref(config);
  given->mailbox = mailbox == nullptr ? nullptr : gxds_mailbox_ref(mailbox);
  return args.Set(kConfigArg, ChannelArgs::Pointer(given, &kGivenVtable));
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
