#include "test/bench/peers.h"

#include <grpc/grpc.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <regex>
#include <thread>

#include "grpc_xds/grpc_xds.h"
#include "test/support/child.h"
#include "test/support/kept_port.h"

namespace gxds_bench {
namespace {

ClientOptions Options(const Peer& peer, const Scene& scene) {
  ClientOptions options =
      scene.Options(peer.kind == Peer::Kind::kOurs ? Variant::kOurs : Variant::kHost);
  options.program = peer.program;
  return options;
}

class GrpcClient : public PeerClient {
 public:
  explicit GrpcClient(const ClientOptions& options) : client_(options) {}
  std::optional<double> First(std::chrono::seconds patience) override {
    client_.process().WaitForQuiet();  // the runtime of the peer starts first
    before_ = client_.process().Cpu();
    return client_.First(patience);
  }
  double Cpu() const override { return client_.process().Cpu() - before_; }
  const Process& process() const override { return client_.process(); }

 private:
  Client client_;
  double before_ = 0;
};

// As with gRPC, all resources come from the control plane, and loads are reported to it.
std::string EnvoyConfig(int plane_port) {
  const std::string source = R"({"ads": {}, "resource_api_version": "V3"})";
  const std::string api = R"({"api_type": "GRPC", "transport_api_version": "V3",
      "grpc_services": [{"envoy_grpc": {"cluster_name": "plane"}}]})";
  return R"({"node": {"id": "bench", "cluster": "bench"},
    "dynamic_resources": {"cds_config": )" +
         source + R"(, "lds_config": )" + source + R"(, "ads_config": )" + api + R"(},
    "cluster_manager": {"load_stats_config": )" +
         api + R"(},
    "static_resources": {"clusters": [{"name": "plane",
      "typed_extension_protocol_options": {
        "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
          "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
          "explicit_http_config": {"http2_protocol_options": {}}}},
      "load_assignment": {"cluster_name": "plane", "endpoints": [{"lb_endpoints": [{"endpoint":
        {"address": {"socket_address": {"address": "127.0.0.1", "port_value": )" +
         std::to_string(plane_port) + R"(}}}}]}]}}]}})";
}

class EnvoyClient : public PeerClient {
 public:
  EnvoyClient(std::vector<std::string> program, int plane_port, int port)
      : program_(std::move(program)), port_(port) {
    program_.insert(program_.end(), {"--config-yaml", EnvoyConfig(plane_port), "--concurrency", "1",
                                     "--disable-hot-restart", "--log-level", "warning"});
  }

  std::optional<double> First(std::chrono::seconds patience) override {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    const auto deadline = std::chrono::system_clock::now() + patience;
    process_ = std::make_unique<Process>(program_, std::map<std::string, std::string>());
    grpc::ChannelArguments args;
    for (const char* backoff :
         {GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, GRPC_ARG_MIN_RECONNECT_BACKOFF_MS,
          GRPC_ARG_MAX_RECONNECT_BACKOFF_MS}) {
      args.SetInt(backoff, 10);  // it listens only when it has all its resources
    }
    grpc::GenericStub stub(grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(port_),
                                                     grpc::InsecureChannelCredentials(), args));
    while (Clock::now() - start < patience) {
      if (Call(&stub, deadline)) return std::chrono::duration<double>(Clock::now() - start).count();
      // It listens, but has no endpoints yet.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    fprintf(stderr, "Envoy passed no RPC on:\n%s", process_->child().Output().c_str());
    return std::nullopt;
  }
  double Cpu() const override { return process_->Cpu(); }
  const Process& process() const override { return *process_; }

 private:
  static bool Call(grpc::GenericStub* stub, std::chrono::system_clock::time_point deadline) {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    context.set_deadline(deadline);
    grpc::CompletionQueue done;
    grpc::Slice slice("request");
    auto call = stub->PrepareUnaryCall(&context, "/bench/Call", grpc::ByteBuffer(&slice, 1), &done);
    grpc::ByteBuffer response;
    grpc::Status status;
    call->StartCall();
    call->Finish(&response, &status, nullptr);
    void* tag;
    bool ok;
    done.Next(&tag, &ok);
    return status.ok();
  }

  std::vector<std::string> program_;
  const int port_;
  std::unique_ptr<Process> process_;
};

}  // namespace

std::string VersionOf(const Peer& peer) {
  if (peer.kind == Peer::Kind::kHost) return grpc::Version();
  if (peer.kind == Peer::Kind::kOurs) return GRPC_XDS_VERSION;
  if (peer.kind == Peer::Kind::kAlone) {
    return access(peer.program[0].c_str(), X_OK) == 0 ? grpc::Version() : "";
  }
  std::vector<std::string> args = peer.program;
  args.push_back("--version");
  gxds_test::Child child(args);
  if (child.Wait() != 0) return "";
  const std::string said = child.Output();
  std::smatch version;
  std::regex_search(said, version, std::regex(R"(\b\d+\.\d+\.\d+\b)"));
  return version.str();
}

std::unique_ptr<PeerClient> StartPeer(const Peer& peer, Scene* scene) {
  if (peer.kind != Peer::Kind::kEnvoy) {
    scene->ServeEnvoyAt(0);
    return std::make_unique<GrpcClient>(Options(peer, *scene));
  }
  static const int port = gxds_test::KeptPort();
  scene->ServeEnvoyAt(port);
  return std::make_unique<EnvoyClient>(peer.program, scene->plane().port(), port);
}

std::unique_ptr<Process> StartAlone(const Peer& peer, Scene* scene, long clusters,
                                    const std::string& change) {
  auto process = std::make_unique<Process>(
      std::vector<std::string>{peer.program[0], std::to_string(scene->plane().port()),
                               std::to_string(scene->backend(0).port()), std::to_string(clusters),
                               change},
      std::map<std::string, std::string>());
  const std::string line =
      process->child().WaitForLine([](const std::string& l) { return l == "watching"; });
  return line.empty() ? nullptr : std::move(process);
}

}  // namespace gxds_bench
