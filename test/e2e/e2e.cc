#include "test/e2e/e2e.h"

#include <grpc/grpc.h>

#include <array>

namespace gxds_test {
namespace {

using Clock = std::chrono::steady_clock;

// The pointer argument that gives a channel its own XdsClient, as in the host. Its value is the
// arguments of the xDS channel.
void* CopyArgs(void* p) { return p; }
void DestroyArgs(void*) {}
int CompareArgs(void* a, void* b) { return a < b ? -1 : (a > b ? 1 : 0); }
const grpc_arg_pointer_vtable kArgsVtable = {CopyArgs, DestroyArgs, CompareArgs};

grpc_arg Integer(const char* name, int value) {
  grpc_arg arg = {GRPC_ARG_INTEGER, const_cast<char*>(name), {}};
  arg.value.integer = value;
  return arg;
}

// The arguments for the options that are set. They outlive every channel.
grpc_channel_args* XdsChannelArgs(const XdsOptions& options) {
  struct Kept {
    grpc_arg args[6];
    grpc_channel_args all;
  };
  static auto* const kept = new std::map<std::array<int, 3>, Kept>;
  Kept& k = (*kept)[{options.resource_timeout, options.keepalive, options.message_size}];
  size_t count = 0;
  if (options.resource_timeout > 0) {
    k.args[count++] =
        Integer("grpc.xds_resource_does_not_exist_timeout_ms", options.resource_timeout);
  }
  if (options.keepalive > 0) {
    k.args[count++] = Integer(GRPC_ARG_KEEPALIVE_TIME_MS, options.keepalive);
    k.args[count++] = Integer(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, options.keepalive);
    k.args[count++] = Integer("grpc.http2.ping_timeout_ms", options.keepalive);  // for 1.83
    k.args[count++] = Integer(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, options.keepalive);
  }
  if (options.message_size > 0) {
    k.args[count++] = Integer(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, options.message_size);
  }
  k.all = {count, k.args};
  return &k.all;
}

grpc::ChannelArguments WithBootstrap(grpc::ChannelArguments args, const std::string& bootstrap,
                                     grpc_channel_args* xds) {
  if (!bootstrap.empty()) {
    args.SetString("grpc.TEST_ONLY_DO_NOT_USE_IN_PROD.xds_bootstrap_config", bootstrap);
  }
  if (!bootstrap.empty() || xds->num_args > 0) {
    args.SetPointerWithVtable("grpc.xds_client_channel_args", xds, &kArgsVtable);
  }
  // Tests in one process must not share connections.
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return args;
}

std::string Text(grpc::ByteBuffer* buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!buffer->Dump(&slices).ok()) return text;
  for (const auto& s : slices) text.append(reinterpret_cast<const char*>(s.begin()), s.size());
  return text;
}

}  // namespace

PendingCall::PendingCall(grpc::GenericStub* stub, const std::string& method,
                         const CallOptions& options) {
  context_.set_deadline(std::chrono::system_clock::now() + options.timeout);
  context_.set_wait_for_ready(options.wait_for_ready);
  for (const auto& [key, value] : options.metadata) context_.AddMetadata(key, value);
  if (!options.authority.empty()) context_.set_authority(options.authority);
  grpc::Slice empty("");
  request_ = grpc::ByteBuffer(&empty, 1);
  const auto began = Clock::now();
  stub->UnaryCall(&context_, method, {}, &request_, &response_, [this, began](grpc::Status status) {
    std::lock_guard<std::mutex> lock(mu_);
    reply_.status = std::move(status);
    reply_.took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began);
    if (reply_.status.ok()) reply_.name = Text(&response_);
    const auto cookies = context_.GetServerInitialMetadata().equal_range("set-cookie");
    for (auto it = cookies.first; it != cookies.second; ++it) {
      reply_.set_cookies.emplace_back(it->second.data(), it->second.size());
    }
    done_ = true;
    changed_.notify_all();
  });
}

Reply PendingCall::Wait() {
  std::unique_lock<std::mutex> lock(mu_);
  changed_.wait(lock, [this] { return done_; });
  return reply_;
}

Client::Client(const std::string& target, const std::string& bootstrap, grpc::ChannelArguments args,
               std::shared_ptr<grpc::ChannelCredentials> credentials, const XdsOptions& xds)
    : channel_(grpc::CreateCustomChannel(
          target, credentials != nullptr ? credentials : grpc::InsecureChannelCredentials(),
          WithBootstrap(std::move(args), bootstrap, XdsChannelArgs(xds)))),
      stub_(channel_) {}

std::unique_ptr<PendingCall> Client::Start(const CallOptions& options, const std::string& method) {
  ++made_;
  return std::make_unique<PendingCall>(&stub_, method, options);
}

Reply Client::Call(const CallOptions& options, const std::string& method) {
  return Start(options, method)->Wait();
}

std::map<std::string, long> Client::CallMany(long count) {
  std::map<std::string, long> answered;
  for (long i = 0; i < count; ++i) {
    Reply reply = Call();
    if (!reply.status.ok()) ADD_FAILURE() << "call " << i << ": " << reply.status.error_message();
    ++answered[reply.name];
  }
  return answered;
}

testing::AssertionResult Client::CallUntil(const std::function<bool(const Reply&)>& condition,
                                           bool failures_allowed) {
  Reply last;
  for (const auto until = Clock::now() + kPatience; Clock::now() < until;) {
    last = Call();
    if (condition(last)) return testing::AssertionSuccess();
    if (!last.status.ok() && !failures_allowed) {
      return testing::AssertionFailure() << "a call failed: " << last.status.error_message();
    }
  }
  return testing::AssertionFailure() << "not in time; the last call ended with \"" << last.name
                                     << "\" " << last.status.error_message();
}

Mesh SimpleMesh(const std::vector<Backend*>& backends) {
  Mesh mesh;
  mesh.routes = {{"", "a"}};
  Cluster cluster;
  cluster.name = "a";
  for (const Backend* b : backends) cluster.localities.push_back({b->name(), 1, 0, {b->port()}});
  mesh.clusters.push_back(std::move(cluster));
  return mesh;
}

}  // namespace gxds_test
