// A program with its own load-balancing policy (by_number.c). It sends an RPC for each NUMBER, with
// the number in the header by which the policy chooses the endpoint. Prints each reply.
//
//   calls TARGET METHOD NUMBER...      e.g. calls ipv4:127.0.0.1:8000,127.0.0.1:8001
//   /demo.Greeter/Hello 1 0
//
// With an "xds:" target the Cluster must name the policy in its load_balancing_policy.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include "by_number.h"

namespace {

constexpr char kServiceConfig[] =
    R"({"loadBalancingConfig":[{"example.by_number":{"header":"x-endpoint"}}]})";

bool Call(grpc::GenericStub* stub, const std::string& method, const std::string& number) {
  grpc::ClientContext context;
  context.AddMetadata("x-endpoint", number);
  context.set_wait_for_ready(true);
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
  grpc::Slice empty("");
  grpc::CompletionQueue cq;
  auto call = stub->PrepareUnaryCall(&context, method, grpc::ByteBuffer(&empty, 1), &cq);
  call->StartCall();
  grpc::ByteBuffer reply;
  grpc::Status status;
  call->Finish(&reply, &status, nullptr);
  void* tag;
  bool ok;
  cq.Next(&tag, &ok);
  std::vector<grpc::Slice> slices;
  if (!status.ok() || !reply.Dump(&slices).ok()) {
    std::cerr << "RPC failed: " << status.error_message() << "\n";
    return false;
  }
  for (const auto& s : slices) {
    std::cout.write(reinterpret_cast<const char*>(s.begin()), static_cast<long>(s.size()));
  }
  std::cout << std::endl;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: calls TARGET METHOD NUMBER...\n";
    return 2;
  }
  const grpc_xds_result result = by_number_register();  // before any call of gRPC
  if (result != GRPC_XDS_OK) {
    std::cerr << "the policy is not registered: " << result << "\n";
    return 1;
  }
  grpc::ChannelArguments args;
  args.SetServiceConfigJSON(kServiceConfig);
  auto channel = grpc::CreateCustomChannel(argv[1], grpc::InsecureChannelCredentials(), args);
  grpc::GenericStub stub(channel);
  for (int i = 3; i < argc; i++) {
    if (!Call(&stub, argv[2], argv[i])) return 1;
  }
  return 0;
}
