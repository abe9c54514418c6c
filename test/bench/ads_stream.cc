#include "test/bench/ads_stream.h"

#include <utility>
#include <vector>

namespace gxds_bench {
namespace {

constexpr char kMethod[] =
    "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";

// A field of a message, of less than 128 bytes.
std::string Field(int number, const std::string& value) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(value.size())} + value;
}

// The field DiscoveryRequest.resource_names.
std::string Names(long count) {
  std::string names;
  for (long i = 0; i < count; ++i) names += Field(3, "c" + std::to_string(i));
  return names;
}

// The rest of a request. The benchmark's control plane uses versions as nonces.
std::string Head(const std::string& version) {
  const std::string type =
      Field(4, "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment");
  return version.empty() ? type : type + Field(1, version) + Field(5, version);
}

// The version is the first field of its responses.
std::string VersionOf(const grpc::ByteBuffer& response) {
  std::vector<grpc::Slice> slices;
  if (!response.Dump(&slices).ok() || slices.empty() || slices[0].size() < 2) return "";
  const uint8_t* bytes = slices[0].begin();
  return std::string(reinterpret_cast<const char*>(bytes) + 2, bytes[1]);
}

}  // namespace

AdsStream::AdsStream(grpc::GenericStub* stub, long clusters, std::function<void()> on_response)
    : on_response_(std::move(on_response)),
      thread_([this, stub, clusters] { Run(stub, clusters); }) {}

AdsStream::~AdsStream() {
  context_.TryCancel();
  thread_.join();
}

void AdsStream::Run(grpc::GenericStub* stub, long clusters) {
  grpc::CompletionQueue done;
  auto is_done = [&done] {
    void* tag;
    bool ok = false;
    return done.Next(&tag, &ok) && ok;
  };
  auto stream = stub->PrepareCall(&context_, kMethod, &done);
  stream->StartCall(nullptr);
  if (!is_done()) return;
  const grpc::Slice names(Names(clusters));
  std::string version;
  while (true) {
    // Both slices are sent without a copy.
    const grpc::Slice request[] = {grpc::Slice(Head(version)), names};
    stream->Write(grpc::ByteBuffer(request, 2), nullptr);
    if (!is_done()) return;
    grpc::ByteBuffer message;
    stream->Read(&message, nullptr);
    if (!is_done()) return;
    version = VersionOf(message);
    on_response_();
  }
}

}  // namespace gxds_bench
