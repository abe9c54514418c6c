// An ADS and LRS server that the test controls: the test takes each request and sends each
// response.
#ifndef GRPC_XDS_TEST_TRANSPORT_ADS_SERVER_H_
#define GRPC_XDS_TEST_TRANSPORT_ADS_SERVER_H_

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "test/transport/raw_server.h"

namespace grpc_xds {

// A DiscoveryRequest.
struct Request {
  std::string type;  // the URL
  std::string version;
  std::string nonce;
  std::set<std::string> names;
  std::string error;  // of a NACK
};

// The totals of a LoadStatsRequest.
struct Report {
  std::string node_id;
  std::string cluster;  // the last one in the request
  uint64_t issued = 0;
  uint64_t failed = 0;
};

class AdsStream {
 public:
  explicit AdsStream(std::shared_ptr<RawStream> stream) : stream_(std::move(stream)) {}
  Request TakeRequest();
  bool Empty() { return stream_->Empty(); }
  // Sends a CDS response with these EDS clusters. filler makes each larger, without effect.
  void SendClusters(const std::string &version, const std::vector<std::string> &names,
                    const std::string &filler = "");
  void Finish(grpc::Status status) { stream_->Finish(std::move(status)); }
  void WaitForEnd() { stream_->WaitForEnd(); }

 private:
  std::shared_ptr<RawStream> stream_;
};

class LrsStream {
 public:
  explicit LrsStream(std::shared_ptr<RawStream> stream) : stream_(std::move(stream)) {}
  Report TakeReport();
  // Sends a response that asks for all clusters at that interval.
  void SendInterval(int milliseconds);
  void HoldReads() { stream_->HoldReads(); }
  void ReadOn() { stream_->ReadOn(); }
  void Finish(grpc::Status status) { stream_->Finish(std::move(status)); }
  void WaitForEnd() { stream_->WaitForEnd(); }
  bool IsCancelled() { return stream_->IsCancelled(); }

 private:
  std::shared_ptr<RawStream> stream_;
};

class AdsServer : public RawServer {
 public:
  using RawServer::RawServer;
  AdsStream TakeAds();
  LrsStream TakeLrs();
};

}  // namespace grpc_xds

#endif
