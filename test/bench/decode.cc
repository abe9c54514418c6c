// The cost of an EDS resource. callgrind counts raw, build and change in two windows. The second
// window is ROUNDS times one resource.
//
// usage: decode raw|build|change|held ENDPOINTS ROUNDS
//        decode file RESOURCE ROUNDS
//
// raw: protobuf alone. file: the same for the resource in that file. build: as the first resource
// of its name. change: after a resource that differs in one endpoint. held: prints the bytes of
// memory per endpoint, of the resource and of the round-robin policies of its localities.
#include <grpc/grpc.h>
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "lb_policies/round_robin/round_robin.h"
#include "test/bench/decoding.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_DUMP_STATS
#endif

namespace {

size_t InUse() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

void PrintHeld(const gxds_bench::Decoder& decoder, const std::string& bytes, long endpoints) {
  const size_t before = InUse();
  const gxds_resource* resource = decoder.Decode(gxds_endpoints_type, bytes);
  const auto* e = reinterpret_cast<const gxds_endpoints*>(resource);
  std::vector<gxds_round_robin*> policies;
  policies.reserve(e->priorities[0].locality_count);
  for (size_t i = 0; i < e->priorities[0].locality_count; ++i) {
    const gxds_locality* l = e->priorities[0].localities[i];
    policies.push_back(gxds_round_robin_create());
    gxds_round_robin_on_update(policies.back(), l, false);
  }
  printf("%.1f\n", static_cast<double>(InUse() - before) / static_cast<double>(endpoints));
  for (gxds_round_robin* policy : policies) gxds_round_robin_destroy(policy);
  gxds_resource_unref(resource);
}

std::string ContentsOf(const char* file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    return fputs("usage: decode raw|build|change|held|file ENDPOINTS|RESOURCE ROUNDS\n", stderr), 2;
  }
  const bool from_file = strcmp(argv[1], "file") == 0;
  const bool raw = from_file || strcmp(argv[1], "raw") == 0;
  const long endpoints = strtol(argv[2], nullptr, 10);
  const long rounds = strtol(argv[3], nullptr, 10);
  const std::string bytes =
      from_file ? ContentsOf(argv[2]) : gxds_bench::EndpointsOf(endpoints, false);
  grpc_init();
  gxds_bench::Decoder decoder;
  const gxds_resource* previous = nullptr;
  if (strcmp(argv[1], "change") == 0) {
    previous =
        decoder.Decode(gxds_endpoints_type, gxds_bench::EndpointsOf(endpoints, true), nullptr);
  }
  if (strcmp(argv[1], "held") == 0) PrintHeld(decoder, bytes, endpoints);
  CALLGRIND_DUMP_STATS;
  for (long i = 0; i < rounds; ++i) {
    if (raw) {
      gxds_bench::DecodeRaw(bytes);
    } else {
      gxds_resource_unref(decoder.Decode(gxds_endpoints_type, bytes, previous));
    }
  }
  CALLGRIND_DUMP_STATS;
  gxds_resource_unref(previous);
  grpc_shutdown();
  return 0;
}
