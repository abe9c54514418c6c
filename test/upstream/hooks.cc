// Preloaded into gRPC's own end-to-end tests, together with the plugin. Their fixture sets options
// inside the host, where the plugin cannot read them. These hooks pass them to the plugin as
// arguments of each channel.
#include <dlfcn.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <stdlib.h>
#include <string.h>

#include <mutex>
#include <vector>

namespace {

// The keys of the host's src/core/ext/xds/xds_channel_args.h.
constexpr char kClientArgs[] = "grpc.xds_client_channel_args";
constexpr char kBootstrap[] = "grpc.TEST_ONLY_DO_NOT_USE_IN_PROD.xds_bootstrap_config";

std::mutex g_mu;
const grpc_channel_args* g_client_args = nullptr;  // the fixture's, valid until it sets others

// The fixture's arguments live as long as its channels, which all share them.
void* Borrow(void* p) { return p; }
void Return(void*) {}
int Compare(void* a, void* b) { return a == b ? 0 : a < b ? -1 : 1; }
constexpr grpc_arg_pointer_vtable kBorrowed = {Borrow, Return, Compare};

template <typename Function>
Function* Next(Function*, const char* name) {
  auto* next = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  if (next == nullptr) abort();
  return next;
}

bool Has(const grpc_channel_args* args, const char* key) {
  for (size_t i = 0; args != nullptr && i < args->num_args; ++i) {
    if (strcmp(args->args[i].key, key) == 0) return true;
  }
  return false;
}

// The fixture's arguments for a channel to target; null: none.
const grpc_channel_args* ClientArgs(const char* target, const grpc_channel_args* args) {
  if (strncmp(target, "xds:", 4) != 0 || Has(args, kBootstrap)) return nullptr;
  std::lock_guard<std::mutex> lock(g_mu);
  return g_client_args;
}

}  // namespace

#define EXPORT __attribute__((visibility("default")))

namespace grpc_core {
namespace internal {

void EXPORT SetXdsChannelArgsForTest(grpc_channel_args* args);

// Also sets them for the host's client, which xDS-enabled servers use.
void SetXdsChannelArgsForTest(grpc_channel_args* args) {
  {
    std::lock_guard<std::mutex> lock(g_mu);
    g_client_args = args;
  }
  Next(SetXdsChannelArgsForTest,
       "_ZN9grpc_core8internal24SetXdsChannelArgsForTestEP17grpc_channel_args")(args);
}

// UnsetGlobalXdsClientForTest() is not replaced, because a client of ours ends with its last
// channel.

}  // namespace internal
}  // namespace grpc_core

extern "C" EXPORT grpc_channel* grpc_channel_create(const char* target,
                                                    grpc_channel_credentials* creds,
                                                    const grpc_channel_args* args) {
  auto* create = Next(grpc_channel_create, "grpc_channel_create");
  const grpc_channel_args* client_args = ClientArgs(target, args);
  if (client_args == nullptr) return create(target, creds, args);
  std::vector<grpc_arg> all;
  if (args != nullptr) all.assign(args->args, args->args + args->num_args);
  grpc_arg arg = {};
  arg.type = GRPC_ARG_POINTER;
  arg.key = const_cast<char*>(kClientArgs);
  arg.value.pointer.p = const_cast<grpc_channel_args*>(client_args);
  arg.value.pointer.vtable = &kBorrowed;
  all.push_back(arg);
  grpc_channel_args with = {all.size(), all.data()};
  return create(target, creds, &with);
}
