#include "test/bench/resources.h"

namespace gxds_bench {

void Message::Varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
  bytes_.push_back(static_cast<char>(value));
}

Message& Message::Bytes(uint32_t field, const std::string& value) {
  Varint(field << 3 | 2);
  Varint(value.size());
  bytes_ += value;
  return *this;
}

Message& Message::Number(uint32_t field, uint64_t value) {
  Varint(field << 3);
  Varint(value);
  return *this;
}

namespace {

Message Any(const std::string& type, const Message& value) {
  return Message().Bytes(1, "type.googleapis.com/" + type).Bytes(2, value);
}

// ConfigSource
Message FromAds() { return Message().Bytes(3, Message()); }
Message FromSelf() { return Message().Bytes(5, Message()); }

// Load-balancing metadata.
Message LbMetadata(const std::string& version) {
  const Message field = Message().Bytes(1, "version").Bytes(2, Message().Bytes(3, version));
  return Message().Bytes(1, Message().Bytes(1, "envoy.lb").Bytes(2, Message().Bytes(1, field)));
}

Message RouteMatch(const Route& route) {
  switch (route.match) {
    case Match::kPath:
      return Message().Bytes(2, route.value);
    case Match::kPrefix:
      return Message().Bytes(1, route.value);
    case Match::kRegex:
      return Message().Bytes(10, Message().Bytes(1, Message()).Bytes(2, route.value));
    case Match::kHeader:
      return Message().Bytes(1, "").Bytes(6, Message().Bytes(1, "tenant").Bytes(4, route.value));
  }
  return Message();
}

Message RouteAction(const Route& route) {
  Message action = Message().Bytes(1, route.cluster);
  if (!route.version.empty()) action.Bytes(4, LbMetadata(route.version));
  if (!route.configures_method) return action;
  const Message minute = Message().Number(1, 60);
  return action.Bytes(9, Message().Bytes(1, "unavailable").Bytes(2, Message().Number(1, 2)))
      .Bytes(36, Message().Bytes(1, minute));
}

const char kFilters[] = "envoy.extensions.filters.";

// HttpFilter
Message Filter(const std::string& name, const std::string& type, const Message& config) {
  return Message().Bytes(1, name).Bytes(4, Any(std::string(kFilters) + "http." + type, config));
}

Message SessionFilter() {
  const Message cookie = Message().Bytes(1, Message().Bytes(1, "session"));
  const Message state =
      Message()
          .Bytes(1, "cookie")
          .Bytes(2, Any("envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState",
                        cookie));
  return Filter("sessions", "stateful_session.v3.StatefulSession", Message().Bytes(1, state));
}

// Any of a HttpConnectionManager, which has these filters before the router
Message ConnectionManager(const std::string& route_config,
                          const std::vector<Message>& filters = {}) {
  Message manager = Message()
                        .Bytes(2, "bench")  // the prefix of its counters, required by Envoy
                        .Bytes(3, Message().Bytes(1, FromAds()).Bytes(2, route_config));
  for (const Message& filter : filters) manager.Bytes(5, filter);
  manager.Bytes(5, Filter("router", "router.v3.Router", Message()));
  return Any(std::string(kFilters) + "network.http_connection_manager.v3.HttpConnectionManager",
             manager);
}

std::string ApiListenerBytes(const std::string& name, const Message& manager) {
  return Message().Bytes(1, name).Bytes(19, Message().Bytes(1, manager)).bytes();
}

// Address
Message SocketAddress(const std::string& ip, int port) {
  return Message().Bytes(1, Message().Bytes(2, ip).Number(3, static_cast<uint64_t>(port)));
}

Message Cluster(const std::string& name) {
  const int eds = 3;
  return Message()
      .Bytes(1, name)
      .Number(2, eds)
      .Bytes(3, Message().Bytes(1, FromAds()))
      .Bytes(42, FromSelf());
}

}  // namespace

std::vector<Route> PathRoutes(long count) {
  std::vector<Route> routes;
  for (long i = 1; i < count; ++i) {
    routes.push_back({Match::kPath, "/bench/Route" + std::to_string(i), "c0"});
  }
  routes.push_back({Match::kPath, "/bench/Call", "c0"});
  return routes;
}

std::vector<Route> MixedRoutes(long count) {
  constexpr long kOfEach = 100;
  std::vector<Route> routes;
  for (long i = 1; i < count; ++i) {
    const std::string number = std::to_string(i);
    if (i <= kOfEach) {
      routes.push_back({Match::kRegex, "/service" + number + "/[A-Z][a-z]*", "c0"});
    } else if (i <= 2 * kOfEach) {
      routes.push_back({Match::kHeader, "tenant-" + number, "c0"});
    } else if (i % 2 == 0) {
      routes.push_back({Match::kPath, "/bench/Route" + number, "c0"});
    } else {
      routes.push_back({Match::kPrefix, "/bench/prefix" + number + "/", "c0"});
    }
  }
  routes.push_back({Match::kPath, "/bench/Call", "c0"});
  return routes;
}

std::string ListenerBytes(const std::string& name, const std::string& route_config) {
  return ApiListenerBytes(name, ConnectionManager(route_config));
}

std::string SessionListenerBytes(const std::string& name, const std::string& route_config) {
  return ApiListenerBytes(name, ConnectionManager(route_config, {SessionFilter()}));
}

std::string EnvoyListenerBytes(const std::string& name, const std::string& route_config, int port) {
  Message filter = Message().Bytes(1, "http").Bytes(4, ConnectionManager(route_config));
  return Message()
      .Bytes(1, name)
      .Bytes(2, SocketAddress("127.0.0.1", port))
      .Bytes(3, Message().Bytes(3, filter))
      .bytes();
}

std::string RoutesBytes(const std::string& name, const std::vector<Route>& routes) {
  Message host = Message().Bytes(1, "all").Bytes(2, "*");
  for (const Route& r : routes) {
    host.Bytes(3, Message().Bytes(1, RouteMatch(r)).Bytes(2, RouteAction(r)));
  }
  return Message().Bytes(1, name).Bytes(2, host).bytes();
}

std::string ClusterBytes(const std::string& name) { return Cluster(name).bytes(); }

std::string EnvoyClusterBytes(const std::string& name) {
  const std::string options = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";
  const Message http2 = Message().Bytes(3, Message().Bytes(2, Message()));
  return Cluster(name)
      .Bytes(27, Message().Bytes(3, Message()))
      .Bytes(36, Message().Bytes(1, options).Bytes(2, Any(options, http2)))
      .bytes();
}

std::string SubsetClusterBytes(const std::string& name) {
  return Cluster(name).Bytes(22, Message().Bytes(3, Message().Bytes(1, "version"))).bytes();
}

std::string EndpointsBytes(const std::string& name,
                           const std::vector<std::vector<Endpoint>>& localities) {
  Message assignment = Message().Bytes(1, name);
  for (size_t i = 0; i < localities.size(); ++i) {
    Message locality =
        Message().Bytes(1, Message().Bytes(1, "region").Bytes(2, "zone-" + std::to_string(i)));
    for (const Endpoint& e : localities[i]) {
      Message endpoint = Message().Bytes(1, Message().Bytes(1, SocketAddress(e.ip, e.port)));
      if (!e.version.empty()) endpoint.Bytes(3, LbMetadata(e.version));
      locality.Bytes(2, endpoint);
    }
    locality.Bytes(3, Message().Number(1, 1));
    assignment.Bytes(2, locality);
  }
  return assignment.bytes();
}

}  // namespace gxds_bench
