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
  // Likewise of ours, which looks at subsets.
  ClientOptions SubsetOptions() const;
  // Of a client that speaks with the control plane by gRPC alone.
  ClientOptions AloneOptions() const;

  // From now on what is served is for an Envoy that listens on that port (0: for gRPC again). Envoy
  // connects to an endpoint when it picked it, and fails the RPC when it is refused; so of its
  // endpoints, which have the same addresses, each accepts connections.
  void ServeEnvoyAt(int port);

  Plane& plane() { return plane_; }
  // The i-th backend; after the last comes the first again.
  gxds_test::Backend& backend(int i);
  // One endpoint in one locality, that backend, of a cluster of that name.
  std::string OnlyEndpoint(const std::string& cluster, int backend);

  // The service "bench" with these routes, or one that sends everything to cluster "c0", whose only
  // endpoint is the first backend.
  void Serve(const std::vector<Route>& routes = {});
  // The service that is served gives its RPCs sessions.
  void AddSessions();
  // As Serve(), with a route that wants one of two versions of cluster "c0".
  void ServeSubset();
  // Cluster "c0" has that many endpoints in ten localities (less than 100: in one), in each of
  // which one accepts connections; an update replaces an endpoint that does not.
  Updates ServeEndpoints(long count);
  // That many clusters of ten endpoints, one of which accepts connections, each with a route; an
  // update swaps two endpoints of a cluster.
  Updates ServeClusters(long count);
  // While these are served: an update replaces an endpoint of a cluster.
  Updates ReplaceInClusters(long count);

 private:
  // An address of this machine on which nobody listens: a connection is refused at once. For an
  // Envoy one that accepts them.
  Endpoint Other(long number) const;
  std::string BytesOfCluster(const std::string& name) const;
  std::vector<Endpoint> EndpointsOfCluster(long cluster) const;

  Plane plane_;
  int envoy_port_ = 0;
  std::unique_ptr<gxds_test::Backend> everywhere_;  // on all addresses, for an Envoy
  std::vector<std::unique_ptr<gxds_test::Backend>> backends_;
};

}  // namespace gxds_bench

#endif
