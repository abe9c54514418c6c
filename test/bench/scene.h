// The environment of the measurements: the control plane with its resources, and the backends.
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
  // The options of a client that calls the service "bench", or for kPlain its first backend.
  ClientOptions Options(Variant variant) const;
  // The same for a client of ours that uses subsets.
  ClientOptions SubsetOptions() const;
  // The options of a client that connects to the control plane with gRPC alone.
  ClientOptions AloneOptions() const;

  // From now on serves resources for an Envoy that listens on that port (0: for gRPC again). Envoy
  // connects to an endpoint only when it picks it, and fails the RPC if the connection is refused.
  // So all its endpoints, which have the same addresses, accept connections.
  void ServeEnvoyAt(int port);

  // From now on all endpoints accept connections for every client, as they do for an Envoy.
  void LetAllAccept();

  Plane& plane() { return plane_; }
  // The i-th backend, counted round.
  gxds_test::Backend& backend(int i);
  // The endpoints of a cluster of that name: only that backend, in one locality.
  std::string OnlyEndpoint(const std::string& cluster, int backend);

  // Serves the service "bench" with these routes, by default one route of everything to cluster
  // "c0". The only endpoint of "c0" is the first backend.
  void Serve(const std::vector<Route>& routes = {});
  // Gives RPCs of the served service sessions.
  void AddSessions();
  // Like Serve(), with a route that selects one of two versions of cluster "c0".
  void ServeSubset();
  // Serves cluster "c0" with that many endpoints in ten localities (less than 100: in one). One
  // endpoint of each locality accepts connections. An update replaces an endpoint that does not.
  Updates ServeEndpoints(long count);
  // Serves that many clusters of ten endpoints, one of which accepts connections, each with a
  // route. An update swaps two endpoints of a cluster.
  Updates ServeClusters(long count);
  // While these clusters are served: an update replaces an endpoint of a cluster.
  Updates ReplaceInClusters(long count);

 private:
  // An address of this machine on which nobody listens, so connections are refused at once; or one
  // that accepts connections, if all do.
  Endpoint Other(long number) const;
  std::string BytesOfCluster(const std::string& name) const;
  std::vector<Endpoint> EndpointsOfCluster(long cluster) const;

  Plane plane_;
  int envoy_port_ = 0;
  bool all_accept_ = false;
  std::unique_ptr<gxds_test::Backend> everywhere_;  // on all addresses; null: not all accept
  std::vector<std::unique_ptr<gxds_test::Backend>> backends_;
};

}  // namespace gxds_bench

#endif
