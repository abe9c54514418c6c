// gRPC alone, as gRPC's own part of the cost of an update: it receives the updates of the control
// plane, ACKs them without decoding them, and changes an endpoint of a channel with gRPC's own
// round_robin. The channel has ten endpoints. One is a backend, the others refuse connections.
//
// usage: alone PLANE_PORT BACKEND_PORT CLUSTERS swap|replace
//
// It requests the endpoints of that many clusters. With each update, two endpoints of the channel
// change places, or one is replaced. It prints "watching" after the first response, when the
// channel is connected.
#include <grpc/support/port_platform.h>
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "src/core/ext/filters/client_channel/resolver/fake/fake_resolver.h"
#include "src/core/lib/address_utils/parse_address.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/lib/uri/uri_parser.h"
#include "test/bench/ads_stream.h"

namespace {

using grpc_core::FakeResolverResponseGenerator;

constexpr int kEndpoints = 10;
constexpr char kRoundRobin[] = R"({"loadBalancingConfig":[{"round_robin":{}}]})";

std::string Loopback(int port) { return "ipv4:127.0.0.1:" + std::to_string(port); }

// Nobody listens there.
std::string Refusing(int number) {
  return "ipv4:127.0." + std::to_string(1 + number / 250) + "." + std::to_string(1 + number % 250) +
         ":1";
}

class ChannelOfEndpoints {
 public:
  ChannelOfEndpoints(int backend_port, bool replaces)
      : backend_port_(backend_port),
        replaces_(replaces),
        endpoints_(grpc_core::MakeRefCounted<FakeResolverResponseGenerator>()) {
    grpc::ChannelArguments args;
    // As in client.cc.
    args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 3600 * 1000);
    args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 3600 * 1000);
    args.SetServiceConfigJSON(kRoundRobin);
    args.SetPointerWithVtable(GRPC_ARG_FAKE_RESOLVER_RESPONSE_GENERATOR, endpoints_.get(),
                              &FakeResolverResponseGenerator::kChannelArgPointerVtable);
    channel_ =
        grpc::CreateCustomChannel("fake:///endpoints", grpc::InsecureChannelCredentials(), args);
    Change();
  }

  bool Connect() {
    channel_->GetState(true);
    return channel_->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(60));
  }

  void Change() {
    grpc_core::ExecCtx exec_ctx;
    grpc_core::ServerAddressList list;
    list.push_back(Address(Loopback(backend_port_)));
    for (int i = 1; i < kEndpoints; ++i) list.push_back(Address(Refusing(i)));
    if (replaces_) list[1] = Address(Refusing(kEndpoints + changes_));
    if (!replaces_ && changes_ % 2 == 1) std::swap(list[1], list[2]);
    ++changes_;
    grpc_core::Resolver::Result result;
    result.addresses = std::move(list);
    endpoints_->SetResponse(std::move(result));
  }

 private:
  static grpc_core::ServerAddress Address(const std::string& uri) {
    grpc_resolved_address address;
    if (!grpc_parse_uri(grpc_core::URI::Parse(uri).value(), &address)) abort();
    return {address, grpc_core::ChannelArgs()};
  }

  const int backend_port_;
  const bool replaces_;
  const grpc_core::RefCountedPtr<FakeResolverResponseGenerator> endpoints_;
  std::shared_ptr<grpc::Channel> channel_;
  int changes_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  ChannelOfEndpoints channel(atoi(argv[2]), std::string(argv[4]) == "replace");
  if (!channel.Connect()) return 1;
  grpc::ChannelArguments args;
  args.SetMaxReceiveMessageSize(-1);
  grpc::GenericStub plane(
      grpc::CreateCustomChannel(Loopback(atoi(argv[1])), grpc::InsecureChannelCredentials(), args));
  gxds_bench::AdsStream stream(&plane, atol(argv[3]), [&channel, first = true]() mutable {
    if (!std::exchange(first, false)) return channel.Change();
    std::cout << "watching" << std::endl;
  });
  pause();  // until it is killed
  return 0;
}
