// A program that is linked statically with gRPC and grpc_xds (CMakeLists.txt). It registers the
// plugin before it uses gRPC. The channels of "xds:" targets then use grpc_xds.
//
//   connect TARGET      e.g. connect xds:///greeter.example
#include <grpc_xds/grpc_xds.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: connect TARGET\n";
    return 2;
  }
  // If it fails, the log has the reason.
  if (grpc_xds_plugin_register() != GRPC_XDS_OK) return 1;
  auto channel = grpc::CreateChannel(argv[1], grpc::InsecureChannelCredentials());
  if (!channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(30))) {
    std::cerr << "not connected\n";
    return 1;
  }
  std::cout << "connected" << std::endl;
  return 0;
}
