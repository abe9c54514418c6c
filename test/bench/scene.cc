#include "test/bench/scene.h"

#include <utility>

namespace gxds_bench {
namespace {

constexpr int kBackends = 10;  // one for each locality
constexpr int kEndpointsOfACluster = 10;

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

ClientOptions Scene::SubsetOptions() const {
  ClientOptions options = Options(Variant::kOurs);
  options.bootstrap = plane_.Bootstrap("lb_subsets");
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

void Scene::ServeEnvoyAt(int port) {
  envoy_port_ = port;
  if (port == 0 && !all_accept_) {
    everywhere_.reset();
  } else if (everywhere_ == nullptr) {
    everywhere_ = std::make_unique<gxds_test::Backend>("everywhere", 0, nullptr, "0.0.0.0");
  }
}

void Scene::LetAllAccept() {
  all_accept_ = true;
  ServeEnvoyAt(envoy_port_);
}

Endpoint Scene::Other(long number) const {
  const long n = number + 256;
  return {"127." + std::to_string(1 + (n >> 16)) + "." + std::to_string(n >> 8 & 255) + "." +
              std::to_string(n & 255),
          everywhere_ == nullptr ? 1 : everywhere_->port()};
}

std::string Scene::BytesOfCluster(const std::string& name) const {
  return envoy_port_ == 0 ? ClusterBytes(name) : EnvoyClusterBytes(name);
}

void Scene::Serve(const std::vector<Route>& routes) {
  plane_.Clear();
  plane_.Set(kListener, "bench",
             envoy_port_ == 0 ? ListenerBytes("bench", "routes")
                              : EnvoyListenerBytes("bench", "routes", envoy_port_));
  const std::vector<Route> one = {{Match::kPrefix, "", "c0"}};
  plane_.Set(kRoutes, "routes", RoutesBytes("routes", routes.empty() ? one : routes));
  plane_.Set(kCluster, "c0", BytesOfCluster("c0"));
  plane_.Set(kEndpoints, "c0", OnlyEndpoint("c0", 0));
}

void Scene::AddSessions() {
  plane_.Set(kListener, "bench", SessionListenerBytes("bench", "routes"));
}

void Scene::ServeSubset() {
  Route route = {Match::kPath, "/bench/Call", "c0"};
  route.version = "v1";
  Serve({route});
  plane_.Set(kCluster, "c0", SubsetClusterBytes("c0"));
  plane_.Set(kEndpoints, "c0",
             EndpointsBytes("c0", {{{"127.0.0.1", backends_[0]->port(), "v1"},
                                    {"127.0.0.1", backends_[1]->port(), "v2"}}}));
}

Updates Scene::ServeEndpoints(long count) {
  const long accept = count < kBackends * kBackends ? 1 : kBackends;
  std::vector<std::vector<Endpoint>> localities(static_cast<size_t>(accept));
  for (size_t i = 0; i < localities.size(); ++i) {
    localities[i].push_back({"127.0.0.1", backends_[i]->port()});
  }
  for (long i = accept; i < count; ++i) {
    localities[static_cast<size_t>(i % accept)].push_back(Other(i));
  }
  Serve();
  Updates updates;
  updates.resource = EndpointsBytes("c0", localities);
  plane_.Set(kEndpoints, "c0", updates.resource);
  updates.make = [this, count, accept, localities](int i) mutable {
    localities[static_cast<size_t>(i % accept)][1] = Other(count + i);
    return plane_.Push(kEndpoints, "c0", EndpointsBytes("c0", localities));
  };
  return updates;
}

std::vector<Endpoint> Scene::EndpointsOfCluster(long cluster) const {
  std::vector<Endpoint> endpoints = {{"127.0.0.1", backends_[0]->port()}};
  for (long i = 1; i < kEndpointsOfACluster; ++i) {
    endpoints.push_back(Other(cluster * kEndpointsOfACluster + i));
  }
  return endpoints;
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
    plane_.Set(kCluster, name, BytesOfCluster(name));
    plane_.Set(kEndpoints, name, EndpointsBytes(name, {EndpointsOfCluster(i)}));
  }
  Updates updates;
  updates.resource = EndpointsBytes(NameOfCluster(1), {EndpointsOfCluster(1)});
  updates.make = [this, count](int i) {
    const long rest = count - 1;  // all except the one that is called
    const long cluster = 1 + i % rest;
    std::vector<Endpoint> endpoints = EndpointsOfCluster(cluster);
    if (i / rest % 2 == 0) std::swap(endpoints[1], endpoints[2]);
    return plane_.Push(kEndpoints, NameOfCluster(cluster),
                       EndpointsBytes(NameOfCluster(cluster), {endpoints}));
  };
  return updates;
}

Updates Scene::ReplaceInClusters(long count) {
  Updates updates;
  updates.resource = EndpointsBytes(NameOfCluster(1), {EndpointsOfCluster(1)});
  updates.make = [this, count](int i) {
    const long cluster = 1 + i % (count - 1);
    std::vector<Endpoint> endpoints = EndpointsOfCluster(cluster);
    endpoints[1] = Other(count * kEndpointsOfACluster + i);
    return plane_.Push(kEndpoints, NameOfCluster(cluster),
                       EndpointsBytes(NameOfCluster(cluster), {endpoints}));
  };
  return updates;
}

}  // namespace gxds_bench
