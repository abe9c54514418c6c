// An ordinary gRPC program, not built against grpc-xds:
//   probe call TARGET      one RPC
//   probe serve PREFIX     starts a server on a port of the kernel's choice, one RPC to PREFIX:port
// Prints "code N: message".
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <future>
#include <iostream>
#include <memory>
#include <string>

#include "test/support/backend.h"

// The host's resolver leaks ten bytes when it reads /etc/hosts.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
  return "leak:libcares.so\n";
}

namespace {

void Call(const std::string& target) {
  auto channel = grpc::CreateChannel(target, grpc::InsecureChannelCredentials());
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
  grpc::Slice empty;
  grpc::ByteBuffer request(&empty, 1);
  grpc::ByteBuffer response;
  std::promise<grpc::Status> done;
  stub.UnaryCall(&context, "/a/b", grpc::StubOptions(), &request, &response,
                 [&](grpc::Status status) { done.set_value(status); });
  grpc::Status status = done.get_future().get();
  std::cout << "code " << status.error_code() << ": " << status.error_message() << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::string mode = argv[1];
  if (mode == "call") {
    Call(argv[2]);
  } else {
    gxds_test::Backend backend("probe");
    Call(argv[2] + std::to_string(backend.port()));
  }
}
