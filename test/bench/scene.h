// What the rows are measured in: the control plane, with what it serves, and the backends.
#ifndef GRPC_XDS_TEST_BENCH_SCENE_H_
#define GRPC_XDS_TEST_BENCH_SCENE_H_

#include <memory>
#include <string>
#include <vector>

#include "test/bench/plane.h"
#include "test/bench/process.h"
#include "test/bench/resources.h"
#include "test/bench/updates.h"
#include "test/support/backend.h"

namespace gxds_bench {

class Scene {
 public:
  Scene();
  // Of a client that calls the service "bench", or for kPlain its first backend.
  ClientOptions Options(Variant variant) const;
  // Of a client that speaks with the control plane by gRPC alone.
  ClientOptions AloneOptions() const;

  Plane& plane() { return plane_; }
  // The i-th backend; after the last comes the first again.
  gxds_test::Backend& backend(int i);
  // One endpoint in one locality, that backend, of a cluster of that name.
  std::string OnlyEndpoint(const std::string& cluster, int backend);

  // The service "bench" with these routes, or one that sends everything to cluster "c0", whose only
  // endpoint is the first backend.
  void Serve(const std::vector<Route>& routes = {});
  // Cluster "c0" has that many endpoints in ten localities, in each of which one accepts
  // connections; an update replaces an endpoint that does not.
  Updates ServeEndpoints(long count);
  // That many clusters of ten endpoints, one of which accepts connections, each with a route; an
  // update swaps two endpoints of a cluster.
  Updates ServeClusters(long count);

 private:
  std::string EndpointsOfCluster(long cluster, bool swapped) const;

  Plane plane_;
  std::vector<std::unique_ptr<gxds_test::Backend>> backends_;
};

}  // namespace gxds_bench

#endif
