// Rewriting of authorities by the control plane (A81): routes, and the hostnames of endpoints.
#include "resources/host_rewrite.h"

#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

bool IsValid(const std::string& text) { return gxds_authority_is_valid(ToGxds(text)); }

std::string Route(const std::string& more) {
  return "{'match':{'prefix':''},'route':{'cluster':'c'" + more + "}}";
}
// A route configuration with a virtual host for each route.
std::string Config(const std::vector<std::string>& routes) {
  std::string hosts;
  for (size_t i = 0; i < routes.size(); i++) {
    hosts += std::string(i > 0 ? "," : "") + "{'domains':['d" + std::to_string(i) +
             "'],'routes':[" + routes[i] + "]}";
  }
  return "{'name':'foo','virtual_hosts':[" + hosts + "]}";
}

// "auto", "= LITERAL", or "" for none.
std::string Show(const gxds_host_rewrite* rewrite) {
  if (!rewrite) return "";
  return rewrite->kind == GXDS_HOST_REWRITE_AUTO ? "auto" : "= " + ToString(rewrite->literal);
}

// Decodes a route with these fields, and shows its rewriting.
std::string Decode(const std::string& more, bool trusted = true) {
  Decoder d;
  d.Trust(trusted);
  Decoded result = d.Good(gxds_route_config_type, Config({Route(more)}));
  return Show(result.As<gxds_route_config>().virtual_hosts[0].routes[0].rare->host_rewrite);
}

std::string Refusal(const std::string& more, bool trusted = true) {
  Decoder d;
  d.Trust(trusted);
  return d.Decode(gxds_route_config_type, Resource(gxds_route_config_type, Config({Route(more)})))
      .message();
}

TEST(AuthorityText, IsAHostWithOrWithoutAPort) {  // E2.6
  for (const char* good : {"a", "a.example", "a.example:8443", "10.0.0.1:80", "[::1]:80",
                           "[fe80::1%25eth0]:1", "a%2Fb", "x_y~z"}) {
    EXPECT_TRUE(IsValid(good)) << good;
  }
  for (const char* bad :
       {"", "user@a.example", "a/b", "a?b", "a#b", "a b", "a\r\nb: c", "\t", "a\\b", "\"a\"", "<a>",
        "a\x7f", "\xc3\xa4.example", "a^b", "a|b", "a`b", "{a}"}) {
    EXPECT_FALSE(IsValid(bad)) << bad;
  }
  EXPECT_FALSE(IsValid(std::string("a\0b", 3)));
}

TEST(AuthorityText, IsNoLongerThanANameAndAPort) {  // E2.6
  EXPECT_TRUE(IsValid(std::string(255, 'a') + ":65535"));
  EXPECT_FALSE(IsValid(std::string(262, 'a')));
}

TEST(HostRewrite, OfARoute) {  // A81.3
  EXPECT_EQ(Decode(",'auto_host_rewrite':true"), "auto");
  EXPECT_EQ(Decode(",'auto_host_rewrite':false"), "");
  EXPECT_EQ(Decode(""), "");
  EXPECT_EQ(Decode(",'host_rewrite_literal':'a.example:80'"), "= a.example:80");
}

TEST(HostRewrite, OtherKindsAreIgnored) {  // E2.3
  EXPECT_EQ(Decode(",'host_rewrite_header':'x-host'"), "");
  EXPECT_EQ(Decode(",'host_rewrite_path_regex':{'pattern':{'regex':'.*'},'substitution':'a'}"), "");
}

TEST(HostRewrite, IsNotReadFromAServerThatIsNotTrusted) {  // A81.2
  EXPECT_EQ(Decode(",'auto_host_rewrite':true", false), "");
  EXPECT_EQ(Decode(",'host_rewrite_literal':'a.example'", false), "");
  EXPECT_EQ(Refusal(",'host_rewrite_literal':'a b'", false), "");
}

TEST(HostRewrite, ALiteralThatIsNoAuthorityIsRefused) {  // E2.2
  const std::string where =
      "errors validating RouteConfiguration resource: [field:virtual_hosts[0].routes[0].route."
      "host_rewrite_literal error:must be a host, with or without a port";
  EXPECT_EQ(Refusal(",'host_rewrite_literal':'a b'"),
            where + ", of at most 261 characters: \"a b\"]");
  EXPECT_EQ(Refusal(",'host_rewrite_literal':''"), where + "; it is empty]");
  EXPECT_EQ(Refusal(",'host_rewrite_literal':'" + std::string(300, 'a') + "'"),
            where + ", of at most 261 characters: \"" + std::string(256, 'a') + "\"]");
}

TEST(HostRewrite, OfAWeightedCluster) {  // E2.5
  const std::string route =
      "{'match':{'prefix':''},'route':{'auto_host_rewrite':true,'weighted_clusters':{'clusters':["
      "{'name':'a','weight':1,'host_rewrite_literal':'a.example'},{'name':'b','weight':1}]}}}";
  Decoder d;
  Decoded untrusted = d.Good(gxds_route_config_type, Config({route}));
  d.Trust(true);
  Decoded trusted = d.Good(gxds_route_config_type, Config({route}), untrusted.resource());
  const gxds_route& was = untrusted.As<gxds_route_config>().virtual_hosts[0].routes[0];
  const gxds_route& is = trusted.As<gxds_route_config>().virtual_hosts[0].routes[0];
  EXPECT_EQ(Show(was.clusters[0].rare->host_rewrite), "");
  EXPECT_EQ(Show(is.clusters[0].rare->host_rewrite), "= a.example");
  EXPECT_EQ(Show(is.clusters[1].rare->host_rewrite), "");
  EXPECT_EQ(Show(is.rare->host_rewrite), "auto");
  EXPECT_FALSE(gxds_virtual_host_equal(&trusted.As<gxds_route_config>().virtual_hosts[0],
                                       &untrusted.As<gxds_route_config>().virtual_hosts[0]));
}

// A client that moves to another server must not trust it more than that server is trusted.
TEST(HostRewrite, TheSameBytesOfAnotherServerAreAnotherVirtualHost) {  // A81.2
  const std::string config = Config({Route(",'auto_host_rewrite':true"),
                                     Route(",'host_rewrite_literal':'a.example'"), Route("")});
  Decoder d;
  d.Trust(true);
  Decoded first = d.Good(gxds_route_config_type, config);
  Decoded again = d.Good(gxds_route_config_type, config, first.resource());
  EXPECT_EQ(again.resource(), first.resource());
  d.Trust(false);
  Decoded untrusted = d.Good(gxds_route_config_type, config, first.resource());
  ASSERT_NE(untrusted.resource(), first.resource());
  d.Trust(true);
  Decoded back = d.Good(gxds_route_config_type, config, untrusted.resource());
  const auto* was = first.As<gxds_route_config>().virtual_hosts;
  const auto* is = untrusted.As<gxds_route_config>().virtual_hosts;
  const auto* later = back.As<gxds_route_config>().virtual_hosts;
  for (int i : {0, 1}) {
    EXPECT_EQ(Show(is[i].routes[0].rare->host_rewrite), "");
    EXPECT_EQ(Show(later[i].routes[0].rare->host_rewrite),
              Show(was[i].routes[0].rare->host_rewrite));
    EXPECT_FALSE(gxds_virtual_host_equal(&is[i], &was[i]));
    EXPECT_TRUE(gxds_virtual_host_equal(&later[i], &was[i]));
  }
  EXPECT_EQ(is[2].routes, was[2].routes) << "what rewrites nothing is shared as ever";
}

TEST(HostRewrite, TheSameBytesOfAnotherServerAreOthersInAListenerToo) {  // A81.2
  const std::string listener =
      "{'name':'foo','api_listener':{'api_listener':{'@type':'type.googleapis.com/envoy."
      "extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',"
      "'http_filters':[{'name':'router','typed_config':{'@type':'type.googleapis.com/envoy."
      "extensions.filters.http.router.v3.Router'}}],'route_config':" +
      Config({Route(",'auto_host_rewrite':true")}) + "}}}";
  Decoder d;
  d.Trust(true);
  Decoded first = d.Good(gxds_listener_type, listener);
  d.Trust(false);
  Decoded second = d.Good(gxds_listener_type, listener, first.resource());
  auto show = [](const Decoded& of) {
    return Show(of.As<gxds_listener>().route_config->virtual_hosts[0].routes[0].rare->host_rewrite);
  };
  EXPECT_EQ(show(first), "auto");
  EXPECT_EQ(show(second), "");
}

// ---- endpoints ----

std::string Endpoint(const std::string& address, const std::string& hostname,
                     const std::string& more = "") {
  return "{" + more + "'endpoint':{'address':{'socket_address':{'address':'" + address +
         "','port_value':80}}" + (hostname.empty() ? "" : ",'hostname':'" + hostname + "'") + "}}";
}
std::string Locality(const std::string& zone, const std::string& endpoints) {
  return "{'locality':{'region':'r','zone':'" + zone + "'},'lb_endpoints':[" + endpoints +
         "],'load_balancing_weight':1}";
}
std::string Assignment(const std::string& localities) {
  return "{'cluster_name':'foo','endpoints':[" + localities + "]}";
}
// The hostname of each endpoint: "a;;b".
std::string Hostnames(const gxds_locality* l) {
  std::string out;
  for (uint32_t i = 0; i < l->endpoint_count; i++) {
    out += (i > 0 ? ";" : "") + ToString(gxds_locality_hostname(l, i));
  }
  return out;
}

TEST(Hostname, IsThatOfTheEndpoint) {  // A81.4
  Decoder d;
  Decoded result = d.Good(gxds_endpoints_type,
                          Assignment(Locality("a", Endpoint("10.0.0.1", "") + "," +
                                                       Endpoint("10.0.0.2", "b.example:80") + "," +
                                                       Endpoint("10.0.0.3", "c.example")) +
                                     "," + Locality("b", Endpoint("10.0.0.4", ""))));
  const gxds_priority& p = result.As<gxds_endpoints>().priorities[0];
  EXPECT_EQ(Hostnames(p.localities[0]), ";b.example:80;c.example");
  EXPECT_EQ(p.localities[1]->rare, nullptr) << "no memory for what nobody has";
}

TEST(Hostname, ThatIsNoAuthorityIsAsIfItWereNotThere) {  // E2.6
  Decoder d;
  Decoded result = d.Good(gxds_endpoints_type,
                          Assignment(Locality("a", Endpoint("10.0.0.1", "a b") + "," +
                                                       Endpoint("10.0.0.2", "user@b.example"))));
  EXPECT_EQ(result.As<gxds_endpoints>().priorities[0].localities[0]->rare, nullptr);
}

TEST(Hostname, BelongsToTheEndpointsThatAreUsed) {  // A81.4
  Decoder d;
  const std::string metadata = "'metadata':{'filter_metadata':{'envoy.lb':{'hash_key':'k'}}},";
  Decoded result = d.Good(
      gxds_endpoints_type,
      Assignment(Locality("a", Endpoint("10.0.0.1", "no.example", "'health_status':'UNHEALTHY',") +
                                   "," + Endpoint("10.0.0.2", "")) +
                 "," + Locality("b", Endpoint("10.0.0.3", "yes.example", metadata))));
  const gxds_priority& p = result.As<gxds_endpoints>().priorities[0];
  EXPECT_EQ(p.localities[0]->rare, nullptr);
  EXPECT_EQ(Hostnames(p.localities[1]), "yes.example");
  EXPECT_EQ(ToString(gxds_locality_hash_key(p.localities[1], 0)), "k") << "beside it";
}

TEST(Hostname, ThatAloneChangesTheLocality) {  // A81.4
  Decoder d;
  auto assignment = [](const std::string& hostname) {
    return Assignment(Locality("a", Endpoint("10.0.0.1", hostname)) + "," +
                      Locality("b", Endpoint("10.0.0.2", "same.example")));
  };
  Decoded first = d.Good(gxds_endpoints_type, assignment("one.example"));
  Decoded second = d.Good(gxds_endpoints_type, assignment("two.example"), first.resource());
  Decoded third = d.Good(gxds_endpoints_type, assignment(""), second.resource());
  const gxds_priority& p = first.As<gxds_endpoints>().priorities[0];
  const gxds_priority& q = second.As<gxds_endpoints>().priorities[0];
  const gxds_priority& r = third.As<gxds_endpoints>().priorities[0];
  EXPECT_EQ(Hostnames(q.localities[0]), "two.example");
  EXPECT_EQ(Hostnames(r.localities[0]), "");
  EXPECT_EQ(p.localities[1], q.localities[1]);
  EXPECT_EQ(q.localities[1], r.localities[1]);
  EXPECT_FALSE(gxds_locality_endpoints_equal(p.localities[0], q.localities[0]));
  EXPECT_FALSE(gxds_locality_endpoints_equal(q.localities[0], r.localities[0]));
}

}  // namespace
}  // namespace grpc_xds_test
