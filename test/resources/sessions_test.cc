// Sessions in resources (A55, A75): the filter's cookie, the health states of endpoints that may
// serve them, the idle timeout, and draining endpoints.
#include "resources/resources.h"
#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

const char kType[] = "type.googleapis.com/envoy.extensions.filters.http.stateful_session.v3.";
const char kCookieState[] =
    "type.googleapis.com/envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState";

std::string State(const std::string& cookie) {
  return "'session_state':{'name':'x','typed_config':{'@type':'" + std::string(kCookieState) + "'" +
         (cookie.empty() ? "" : ",'cookie':{" + cookie + "}") + "}}";
}
std::string Config(const std::string& type, const std::string& fields) {
  return "{'@type':'" + std::string(kType) + type + "'" + (fields.empty() ? "" : "," + fields) +
         "}";
}
std::string Listener(const std::string& config) {
  return "{'name':'foo','api_listener':{'api_listener':{'@type':'type.googleapis.com/"
         "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',"
         "'rds':{'route_config_name':'r','config_source':{'ads':{}}},'http_filters':["
         "{'name':'f','typed_config':" +
         config +
         "},{'name':'router','typed_config':{'@type':'type.googleapis.com/"
         "envoy.extensions.filters.http.router.v3.Router'}}]}}}";
}
std::string WithCookie(const std::string& cookie) {
  return Listener(Config("StatefulSession", State(cookie)));
}
std::string Routes(const std::string& fields) {
  return "{'name':'foo','virtual_hosts':[{'domains':['*'],'typed_per_filter_config':{'f':" +
         Config("StatefulSessionPerRoute", fields) +
         "},'routes':[{'match':{'prefix':''},'route':{'cluster':'c'}}]}]}";
}

// The filter's cookie, "name path ttl"; empty: the filter does nothing.
std::string Show(const gxds_session_cookie& c) {
  if (c.name.size == 0) return "";
  return ToString(c.name) + " " + ToString(c.path) + " " + std::to_string(c.ttl / GXDS_MILLISECOND);
}
std::string CookieOf(const std::string& config) {
  Decoder d;
  Decoded result = d.Good(gxds_listener_type, Listener(config));
  const auto& l = result.As<gxds_listener>();
  EXPECT_TRUE(l.has_sessions);
  EXPECT_EQ(l.filters[0].kind, GXDS_HTTP_FILTER_STATEFUL_SESSION);
  return Show(l.filters[0].cookie);
}

TEST(StatefulSession, HasACookie) {  // A55.1
  EXPECT_EQ(CookieOf(Config("StatefulSession", State("'name':'c'"))), "c  0");
  EXPECT_EQ(CookieOf(Config("StatefulSession", State("'name':'c','path':'/p','ttl':'1.5s'"))),
            "c /p 1500");
}

TEST(StatefulSession, WithoutAStateDoesNothing) {  // A55.1
  EXPECT_EQ(CookieOf(Config("StatefulSession", "")), "");
}

TEST(StatefulSession, AnOverrideHasAnotherCookieOrNone) {  // A55.3
  const auto of = [](const std::string& fields) {
    Decoder d;
    Decoded result = d.Good(gxds_route_config_type, Routes(fields));
    const auto& o = result.As<gxds_route_config>().virtual_hosts[0].filter_overrides;
    EXPECT_EQ(o.count, 1u);
    return Show(o.items[0].cookie) + " of " + ToString(o.items[0].config_json);
  };
  EXPECT_EQ(of("'disabled':true"), " of {}");
  EXPECT_EQ(of(""), " of {}");
  EXPECT_EQ(of("'stateful_session':{" + State("'name':'c'") + "}"),
            "c  0 of " + Json("{'cookie':'c','path':'/','ttl':'0.000000000s'}"));
  EXPECT_EQ(of("'stateful_session':{}"), " of {}");
}

TEST(StatefulSession, APathIsOneOfItsCookie) {  // A55.4
  const auto is_for = [](const char* cookie_path, const char* path) {
    const gxds_session_cookie c = {gxds_str_z("c"), gxds_str_z(cookie_path), 0};
    return gxds_session_cookie_is_for(&c, gxds_str_z(path));
  };
  EXPECT_TRUE(is_for("", "/s/m"));
  EXPECT_TRUE(is_for("/", "/s/m"));
  EXPECT_TRUE(is_for("/s", "/s/m"));
  EXPECT_TRUE(is_for("/s/", "/s/m"));
  EXPECT_TRUE(is_for("/s/m", "/s/m"));
  EXPECT_FALSE(is_for("/s/m/", "/s/m"));
  EXPECT_FALSE(is_for("/s", "/service/m"));
  EXPECT_FALSE(is_for("/t", "/s/m"));
}

TEST(StatefulSession, IsChangedByItsCookie) {
  Decoder d;
  Decoded a = d.Good(gxds_listener_type, WithCookie("'name':'c'"));
  Decoded same = d.Good(gxds_listener_type, WithCookie("'name':'c'"));
  const auto equal = [&](const std::string& cookie) {
    Decoded b = d.Good(gxds_listener_type, WithCookie(cookie));
    return gxds_http_filters_equal(a.As<gxds_listener>().filters, 2, b.As<gxds_listener>().filters,
                                   2);
  };
  EXPECT_TRUE(equal("'name':'c'"));
  EXPECT_FALSE(equal("'name':'d'"));
  EXPECT_FALSE(equal("'name':'c','path':'/p'"));
  EXPECT_FALSE(equal("'name':'c','ttl':'1s'"));
}

// The error of a listener with that cookie, after the path of the filter.
Malformed Bad(const char* name, const std::string& listener, const std::string& error) {
  return {name, Resource(gxds_listener_type, listener),
          "errors validating ApiListener: "
          "[field:api_listener.api_listener.value[envoy.extensions.filters.network."
          "http_connection_manager.v3.HttpConnectionManager].http_filters[0].typed_config.value["
          "envoy.extensions.filters.http.stateful_session.v3.StatefulSession]" +
              error + "]"};
}
const char kState[] =
    ".session_state.typed_config.value[envoy.extensions.http.stateful_session.cookie.v3."
    "CookieBasedSessionState]";

std::vector<Malformed> BadFilters() {
  return {Bad("NoCookie", WithCookie(""), std::string(kState) + ".cookie error:field not present"),
          Bad("NoName", WithCookie("'path':'/'"),
              std::string(kState) + ".cookie.name error:field not present"),
          Bad("NoToken", WithCookie("'name':'a b'"),
              std::string(kState) + ".cookie.name error:is not a valid name of a cookie: a b"),
          Bad("NoPath", WithCookie("'name':'c','path':'/;x'"),
              std::string(kState) + ".cookie.path error:is not a valid path of a cookie: /;x"),
          Bad("Ttl", WithCookie("'name':'c','ttl':'-1s'"),
              std::string(kState) +
                  ".cookie.ttl.seconds error:value must be in the range [0, 315576000000]"),
          Bad("NoConfig", Listener(Config("StatefulSession", "'session_state':{'name':'x'}")),
              ".session_state.typed_config error:field not present"),
          Bad("OtherState",
              Listener(Config("StatefulSession",
                              "'session_state':{'name':'x','typed_config':{'@type':'type."
                              "googleapis.com/envoy.config.listener.v3.Listener'}}")),
              ".session_state.typed_config.value[envoy.config.listener.v3.Listener] "
              "error:unsupported session state type")};
}
MALFORMED_SUITE(StatefulSessionMalformed, gxds_listener_type, BadFilters());

const std::string kEds = "'type':'EDS','eds_cluster_config':{'eds_config':{'ads':{}}}";
const std::string kOptions =
    "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

std::string Upstream(const std::string& fields) {
  return ",'upstream_config':{'name':'x','typed_config':{'@type':'" + kOptions + "'" +
         (fields.empty() ? "" : "," + fields) + "}}";
}
std::string Cluster(const std::string& more) { return "{'name':'foo'," + kEds + more + "}"; }

TEST(ClusterSessions, AreServedByWhatIsUnknownOrHealthyUnlessSaidOtherwise) {  // A55.5
  const auto of = [](const std::string& more) {
    Decoder d;
    Decoded result = d.Good(gxds_cluster_type, Cluster(more));
    return result.As<gxds_cluster>().session_health;
  };
  const auto statuses = [&](const std::string& list) {
    return of(",'common_lb_config':{'override_host_status':{'statuses':[" + list + "]}}");
  };
  const int unknown = 1 << GXDS_HEALTH_UNKNOWN, healthy = 1 << GXDS_HEALTH_HEALTHY,
            draining = 1 << GXDS_HEALTH_DRAINING;
  EXPECT_EQ(of(""), unknown | healthy);
  EXPECT_EQ(of(",'common_lb_config':{}"), unknown | healthy);
  EXPECT_EQ(statuses("'UNKNOWN','HEALTHY','DRAINING'"), unknown | healthy | draining);
  EXPECT_EQ(statuses("'DRAINING'"), draining);
  EXPECT_EQ(statuses("'TIMEOUT','UNHEALTHY','HEALTHY'"), healthy) << "others are passed over";
  EXPECT_EQ(statuses(""), 0) << "none may";
}

TEST(ClusterSessions, HaveAnIdleTimeoutOfAnHourByDefault) {  // A75.10
  const auto of = [](const std::string& more) {
    Decoder d;
    Decoded result = d.Good(gxds_cluster_type, Cluster(more));
    return result.As<gxds_cluster>().session_idle_timeout / GXDS_MILLISECOND;
  };
  EXPECT_EQ(of(""), 3600000);
  EXPECT_EQ(of(Upstream("")), 3600000);
  EXPECT_EQ(of(Upstream("'common_http_protocol_options':{}")), 3600000);
  EXPECT_EQ(of(Upstream("'common_http_protocol_options':{'idle_timeout':'2.5s'}")), 2500);
  EXPECT_EQ(of(Upstream("'common_http_protocol_options':{'idle_timeout':'0s'}")), 0);
}

TEST(ClusterSessions, AnUpstreamConfigOfAnotherTypeIsRefused) {  // A75.9
  Decoder d;
  const std::string other =
      ",'upstream_config':{'name':'x','typed_config':{'@type':'type.googleapis.com/"
      "envoy.config.listener.v3.Listener'}}";
  Decoded result = d.Decode(gxds_cluster_type, Resource(gxds_cluster_type, Cluster(other)));
  EXPECT_NE(result.message().find("unsupported upstream config type"), std::string::npos)
      << result.message();
}

Malformed BadCluster(const char* name, const std::string& more, const std::string& error) {
  return {name, Resource(gxds_cluster_type, Cluster(more)),
          "errors validating Cluster resource: [field:upstream_config.typed_config" + error + "]"};
}

std::vector<Malformed> BadClusters() {
  return {
      BadCluster(
          "OtherType",
          ",'upstream_config':{'name':'x','typed_config':{'@type':'type.googleapis.com/"
          "envoy.config.listener.v3.Listener'}}",
          ".value[envoy.config.listener.v3.Listener] error:unsupported upstream config type"),
      BadCluster("NoConfig", ",'upstream_config':{'name':'x'}", " error:field not present"),
      BadCluster("IdleTimeout", Upstream("'common_http_protocol_options':{'idle_timeout':'-1s'}"),
                 ".value[envoy.extensions.upstreams.http.v3.HttpProtocolOptions]"
                 ".common_http_protocol_options.idle_timeout.seconds error:value must be in the "
                 "range [0, 315576000000]")};
}
MALFORMED_SUITE(ClusterSessionsMalformed, gxds_cluster_type, BadClusters());

std::string Endpoint(const std::string& ip, const std::string& health = "",
                     const std::string& more = "") {
  return "{'endpoint':{'address':{'socket_address':{'address':'" + ip + "','port_value':80}}" +
         more + "}" + (health.empty() ? "" : ",'health_status':'" + health + "'") + "}";
}
std::string Locality(const std::string& zone, const std::string& endpoints) {
  return "{'locality':{'zone':'" + zone + "'},'lb_endpoints':[" + endpoints +
         "],'load_balancing_weight':1}";
}
std::string Assignment(const std::string& localities) {
  return "{'cluster_name':'foo','endpoints':[" + localities + "]}";
}
// "1.1.1.1:80 2.2.2.2:80@host"
std::string Show(const gxds_locality* l) {
  std::string out;
  for (uint32_t i = 0; l && i < l->endpoint_count; i++) {
    gxds_text text = {};
    const gxds_endpoint e = gxds_locality_endpoint(l, i);
    gxds_address_render(&e.address, &text);
    out += (i > 0 ? " " : "") + ToString(gxds_text_str(&text));
    gxds_text_fini(&text);
    const gxds_str host = gxds_locality_hostname(l, i);
    if (host.size > 0) out += "@" + ToString(host);
    uint32_t more;
    (void)gxds_locality_more(l, i, &more);
    if (more > 0) out += "+" + std::to_string(more);
  }
  return out;
}
const gxds_locality* At(const Decoded& d, size_t index) {
  return d.As<gxds_endpoints>().priorities[0].localities[index];
}

TEST(DrainingEndpoints, AreBesideTheOthersOfTheirLocality) {  // A55.5
  Decoder d;
  Decoded result = d.Good(
      gxds_endpoints_type,
      Assignment(Locality("a", Endpoint("1.1.1.1", "DRAINING", ",'hostname':'h'") + "," +
                                   Endpoint("2.2.2.2") + "," +
                                   Endpoint("3.3.3.3", "DRAINING",
                                            ",'additional_addresses':[{'address':{'socket_address'"
                                            ":{'address':'::3','port_value':1}}}]") +
                                   "," + Endpoint("4.4.4.4", "UNHEALTHY")) +
                 "," + Locality("b", Endpoint("5.5.5.5"))));
  EXPECT_EQ(Show(At(result, 0)), "2.2.2.2:80");
  EXPECT_EQ(At(result, 0)->rare->more, nullptr);
  ASSERT_NE(gxds_locality_draining(At(result, 0)), nullptr);
  EXPECT_EQ(Show(gxds_locality_draining(At(result, 0))), "1.1.1.1:80@h 3.3.3.3:80+1");
  EXPECT_EQ(ToString(gxds_locality_draining(At(result, 0))->zone), "a");
  EXPECT_EQ(gxds_locality_endpoint(gxds_locality_draining(At(result, 0)), 0).health,
            GXDS_HEALTH_DRAINING);
  EXPECT_EQ(gxds_locality_draining(At(result, 1)), nullptr);
}

TEST(DrainingEndpoints, ALocalityMayHaveNoOthers) {
  Decoder d;
  Decoded result =
      d.Good(gxds_endpoints_type, Assignment(Locality("a", Endpoint("1.1.1.1", "DRAINING"))));
  EXPECT_EQ(At(result, 0)->endpoint_count, 0u);
  EXPECT_EQ(Show(gxds_locality_draining(At(result, 0))), "1.1.1.1:80");
}

TEST(DrainingEndpoints, AreComparedAndTakenOverWithTheirLocality) {
  Decoder d;
  const std::string b = Locality("b", Endpoint("5.5.5.5") + "," + Endpoint("6.6.6.6", "DRAINING"));
  Decoded before =
      d.Good(gxds_endpoints_type, Assignment(Locality("a", Endpoint("1.1.1.1")) + "," + b));
  Decoded drains =
      d.Good(gxds_endpoints_type,
             Assignment(Locality("a", Endpoint("1.1.1.1") + "," + Endpoint("2.2.2.2", "DRAINING")) +
                        "," + b),
             before.resource());
  EXPECT_NE(At(drains, 0), At(before, 0));
  EXPECT_TRUE(gxds_locality_endpoints_equal(At(drains, 0), At(before, 0)))
      << "nothing for who balances";
  EXPECT_EQ(Show(gxds_locality_draining(At(drains, 0))), "2.2.2.2:80");
  EXPECT_EQ(At(drains, 1), At(before, 1));
  Decoded other =
      d.Good(gxds_endpoints_type,
             Assignment(Locality("a", Endpoint("1.1.1.1") + "," + Endpoint("3.3.3.3", "DRAINING"))),
             drains.resource());
  EXPECT_EQ(Show(gxds_locality_draining(At(other, 0))), "3.3.3.3:80");
  Decoded again =
      d.Good(gxds_endpoints_type,
             Assignment(Locality("a", Endpoint("3.3.3.3", "DRAINING") + "," + Endpoint("1.1.1.1"))),
             other.resource());
  EXPECT_EQ(At(again, 0), At(other, 0)) << "the same in other bytes";
}

Malformed BadEndpoints(const char* name, const std::string& localities, const std::string& error) {
  return {name, Resource(gxds_endpoints_type, Assignment(localities)),
          "errors parsing EDS resource: [" + error + "]"};
}

std::vector<Malformed> BadAssignments() {
  return {BadEndpoints("Twice",
                       Locality("a", Endpoint("1.1.1.1") + "," + Endpoint("1.1.1.1", "DRAINING")),
                       "field:endpoints[0].lb_endpoints[1] error:duplicate endpoint address "
                       "\"ipv4:1.1.1.1:80\""),
          BadEndpoints("InTwoLocalities",
                       Locality("a", Endpoint("1.1.1.1", "DRAINING")) + "," +
                           Locality("b", Endpoint("1.1.1.1")),
                       "field:endpoints[1].lb_endpoints[0] error:duplicate endpoint address "
                       "\"ipv4:1.1.1.1:80\""),
          BadEndpoints("NoAddress", Locality("a", "{'health_status':'DRAINING'}"),
                       "field:endpoints[0].lb_endpoints[0].endpoint error:field not present")};
}
MALFORMED_SUITE(DrainingEndpointsMalformed, gxds_endpoints_type, BadAssignments());

TEST(Address, IsReadAsItIsRendered) {
  const auto read = [](const std::string& text) {
    gxds_address a;
    if (!gxds_address_read(ToGxds(text), &a)) return std::string("no");
    gxds_text out = {};
    gxds_address_render(&a, &out);
    std::string result = ToString(gxds_text_str(&out));
    gxds_text_fini(&out);
    return result;
  };
  for (const char* same : {"1.2.3.4:80", "[::1]:65535", "[2001:db8::1]:0"}) {
    EXPECT_EQ(read(same), same);
  }
  for (const char* wrong : {"", ":", ":80", "1.2.3.4", "1.2.3.4:", "1.2.3.4:65536", "1.2.3.4:+1",
                            "1.2.3.4:000001", "::1:80", "::1", "[::1]", "[::1:80", "a.b:80"}) {
    EXPECT_EQ(read(wrong), "no") << wrong;
  }
}

}  // namespace
}  // namespace grpc_xds_test
