// The directory that `xds serve` serves: clusters with their endpoints, of which one changes.
#ifndef GRPC_XDS_TEST_SERVE_LOAD_DIRECTORY_H_
#define GRPC_XDS_TEST_SERVE_LOAD_DIRECTORY_H_

#include <cstdint>
#include <string>

#include "test/support/child.h"

namespace gxds_serve_load {

std::string ClusterName(int i);

class Directory {
 public:
  // Each cluster has two endpoints. The files hold change 0.
  explicit Directory(int clusters);
  const std::string& path() const { return dir_.path(); }

  // The place of the cluster whose endpoint changes: in the middle, so that a search in order of
  // names does not find it first.
  int changing() const { return clusters_ / 2; }
  // Writes a change: its number is in the port of an endpoint (PortOf()).
  void Change(int number) const;
  static uint16_t PortOf(int number) { return static_cast<uint16_t>(kFirstPort + number); }
  static int NumberOf(uint16_t port) { return port - kFirstPort; }
  static constexpr int kChangesMax = 60000;

 private:
  static constexpr int kFirstPort = 1024;

  const int clusters_;
  gxds_test::TempDir dir_;
};

}  // namespace gxds_serve_load

#endif
