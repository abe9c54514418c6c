#include "host/grpc_1_51/args.h"

#include <utility>

namespace grpc_xds {

using grpc_core::ChannelArgs;

namespace {

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

}  // namespace grpc_xds
