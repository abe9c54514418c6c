// An ADS stream of gRPC alone: requests the endpoints of clusters, and only ACKs each response.
#ifndef GRPC_XDS_TEST_BENCH_ADS_STREAM_H_
#define GRPC_XDS_TEST_BENCH_ADS_STREAM_H_

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <functional>
#include <string>
#include <thread>

namespace gxds_bench {

class AdsStream {
 public:
  // Requests the endpoints of the clusters "c0", "c1", …: that many. Calls on_response after each
  // response, before its ACK, on the stream's own thread. The caller keeps the stub.
  AdsStream(grpc::GenericStub* stub, long clusters, std::function<void()> on_response);
  // Cancels the stream and waits for its thread.
  ~AdsStream();
  AdsStream(const AdsStream&) = delete;
  AdsStream& operator=(const AdsStream&) = delete;

 private:
  void Run(grpc::GenericStub* stub, long clusters);

  const std::function<void()> on_response_;
  grpc::ClientContext context_;
  std::thread thread_;
};

}  // namespace gxds_bench

#endif
