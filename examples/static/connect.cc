// A program that holds gRPC and grpc_xds (CMakeLists.txt): it registers the plugin before anything
// else of gRPC. From then on its "xds:" channels are those of grpc_xds.
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
  // A line in the log says why.
  if (grpc_xds_plugin_register() != GRPC_XDS_OK) return 1;
  auto channel = grpc::CreateChannel(argv[1], grpc::InsecureChannelCredentials());
  if (!channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(30))) {
    std::cerr << "not connected\n";
    return 1;
  }
  std::cout << "connected" << std::endl;
  return 0;
}
