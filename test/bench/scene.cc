#include "test/bench/scene.h"

#include <utility>

namespace gxds_bench {
namespace {

constexpr int kBackends = 10;  // one for each locality
constexpr int kEndpointsOfACluster = 10;

// An address of this machine on which nobody listens: a connection is refused at once.
Endpoint Refusing(long number) {
  const long n = number + 256;
  return {"127." + std::to_string(1 + (n >> 16)) + "." + std::to_string(n >> 8 & 255) + "." +
              std::to_string(n & 255),
          1};
}

std::string NameOfCluster(long number) { return "c" + std::to_string(number); }

}  // namespace

Scene::Scene() {
  for (int i = 0; i < kBackends; ++i) {
    backends_.push_back(std::make_unique<gxds_test::Backend>("b" + std::to_string(i)));
  }
}

gxds_test::Backend& Scene::backend(int i) { return *backends_[static_cast<size_t>(i % kBackends)]; }

ClientOptions Scene::Options(Variant variant) const {
  ClientOptions options;
  options.variant = variant;
  options.target = variant == Variant::kPlain
                       ? "ipv4:127.0.0.1:" + std::to_string(backends_[0]->port())
                       : "xds:///bench";
  options.bootstrap = plane_.Bootstrap();
  return options;
}

ClientOptions Scene::AloneOptions() const {
  ClientOptions options;
  options.variant = Variant::kPlain;
  options.target = "ipv4:127.0.0.1:" + std::to_string(plane_.port());
  options.polls = false;
  return options;
}

std::string Scene::OnlyEndpoint(const std::string& cluster, int backend) {
  return EndpointsBytes(cluster, {{{"127.0.0.1", this->backend(backend).port()}}});
}

void Scene::Serve(const std::vector<Route>& routes) {
  plane_.Clear();
  plane_.Set(kListener, "bench", ListenerBytes("bench", "routes"));
  const std::vector<Route> one = {{Match::kPrefix, "", "c0"}};
  plane_.Set(kRoutes, "routes", RoutesBytes("routes", routes.empty() ? one : routes));
  plane_.Set(kCluster, "c0", ClusterBytes("c0"));
  plane_.Set(kEndpoints, "c0", OnlyEndpoint("c0", 0));
}

Updates Scene::ServeEndpoints(long count) {
  std::vector<std::vector<Endpoint>> localities(kBackends);
  for (size_t i = 0; i < kBackends; ++i) {
    localities[i].push_back({"127.0.0.1", backends_[i]->port()});
  }
  for (long i = kBackends; i < count; ++i) {
    localities[static_cast<size_t>(i % kBackends)].push_back(Refusing(i));
  }
  Serve();
  Updates updates;
  updates.resource = EndpointsBytes("c0", localities);
  plane_.Set(kEndpoints, "c0", updates.resource);
  updates.make = [this, count, localities](int i) mutable {
    localities[static_cast<size_t>(i % kBackends)][1] = Refusing(count + i);
    return plane_.Push(kEndpoints, "c0", EndpointsBytes("c0", localities));
  };
  return updates;
}

std::string Scene::EndpointsOfCluster(long cluster, bool swapped) const {
  std::vector<Endpoint> endpoints = {{"127.0.0.1", backends_[0]->port()}};
  for (long i = 1; i < kEndpointsOfACluster; ++i) {
    endpoints.push_back(Refusing(cluster * kEndpointsOfACluster + i));
  }
  if (swapped) std::swap(endpoints[1], endpoints[2]);
  return EndpointsBytes(NameOfCluster(cluster), {endpoints});
}

Updates Scene::ServeClusters(long count) {
  std::vector<Route> routes;
  for (long i = 0; i < count; ++i) {
    const std::string name = NameOfCluster(i);
    routes.push_back({Match::kPath, i == 0 ? "/bench/Call" : "/bench/" + name, name});
  }
  Serve(routes);
  for (long i = 0; i < count; ++i) {
    const std::string name = NameOfCluster(i);
    plane_.Set(kCluster, name, ClusterBytes(name));
    plane_.Set(kEndpoints, name, EndpointsOfCluster(i, false));
  }
  Updates updates;
  updates.resource = EndpointsOfCluster(1, true);
  updates.make = [this, count](int i) {
    const long rest = count - 1;  // all but the one that is called
    const long cluster = 1 + i % rest;
    return plane_.Push(kEndpoints, NameOfCluster(cluster),
                       EndpointsOfCluster(cluster, i / rest % 2 == 0));
  };
  return updates;
}

}  // namespace gxds_bench
