// An ordinary gRPC program without xDS code. If grpc_xds is linked or preloaded, the channels of
// "xds:" targets use it.
//
//   client TARGET METHOD      e.g. client xds:///greeter.example /demo.Greeter/Hello
//
// It sends an empty request and prints the bytes of the reply.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <iostream>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: client TARGET METHOD\n";
    return 2;
  }
  auto channel = grpc::CreateChannel(argv[1], grpc::InsecureChannelCredentials());
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
  grpc::Slice empty("");
  grpc::CompletionQueue cq;
  auto call = stub.PrepareUnaryCall(&context, argv[2], grpc::ByteBuffer(&empty, 1), &cq);
  call->StartCall();
  grpc::ByteBuffer reply;
  grpc::Status status;
  call->Finish(&reply, &status, nullptr);
  void* tag;
  bool ok;
  cq.Next(&tag, &ok);
  if (!status.ok()) {
    std::cerr << "RPC failed: " << status.error_message() << "\n";
    return 1;
  }
  std::vector<grpc::Slice> slices;
  if (reply.Valid() && reply.Dump(&slices).ok()) {
    for (const auto& s : slices) {
      std::cout.write(reinterpret_cast<const char*>(s.begin()), static_cast<long>(s.size()));
    }
  }
  std::cout << std::endl;
  return 0;
}
