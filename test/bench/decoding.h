// Decodes an endpoints resource as the client does, and with protobuf alone, which is the floor.
#ifndef GRPC_XDS_TEST_BENCH_DECODING_H_
#define GRPC_XDS_TEST_BENCH_DECODING_H_

#include <string>

#include "resources/resources.h"

namespace gxds_bench {

// A resource with that many endpoints in ten localities. changed: the last endpoint but one is
// different.
std::string EndpointsOf(long count, bool changed);

// Only upb_Decode().
void DecodeRaw(const std::string& bytes);

// Decodes, validates and builds.
class Decoder {
 public:
  Decoder();
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // previous: the last good resource of that name, or null. The caller owns the returned reference.
  const gxds_resource* Decode(const gxds_resource_type& type, const std::string& bytes,
                              const gxds_resource* previous = nullptr) const;

 private:
  const gxds_bootstrap* bootstrap_ = nullptr;
};

}  // namespace gxds_bench

#endif
