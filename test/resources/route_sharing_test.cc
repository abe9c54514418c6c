// The parts that a RouteConfiguration shares with the one before it.
#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

std::string Host(const std::string& domain, const std::string& action) {
  return "{'domains':['" + domain + "'],'routes':[{'match':{'prefix':''},'route':{" + action +
         "}}]}";
}
std::string To(const std::string& domain, const std::string& cluster) {
  return Host(domain, "'cluster':'" + cluster + "'");
}
std::string ToPlugin(const std::string& domain) {
  return Host(domain, "'cluster_specifier_plugin':'p'");
}
std::string Config(const std::string& hosts, const std::string& more = "") {
  return "{'name':'foo','virtual_hosts':[" + hosts + "]" + more + "}";
}
std::string Rls(const std::string& service) {
  return ",'cluster_specifier_plugins':[{'extension':{'name':'p','typed_config':{"
         "'@type':'type.googleapis.com/grpc.lookup.v1.RouteLookupClusterSpecifier',"
         "'route_lookup_config':{'lookup_service':'" +
         service + "'}}}}]";
}

// An update of a route configuration.
class Update {
 public:
  Update(const std::string& before, const std::string& after)
      : before_(decoder_.Good(gxds_route_config_type, before)),
        after_(decoder_.Good(gxds_route_config_type, after, before_.resource())) {}
  const gxds_route_config& before() const { return before_.As<gxds_route_config>(); }
  const gxds_route_config& after() const { return after_.As<gxds_route_config>(); }
  // Whether virtual host i is the same object as virtual host j of the one before.
  bool Same(size_t i, size_t j) const {
    const gxds_virtual_host* a = &after().virtual_hosts[i];
    const gxds_virtual_host* b = &before().virtual_hosts[j];
    EXPECT_EQ(gxds_virtual_host_equal(a, b), a->routes == b->routes);
    return gxds_virtual_host_equal(a, b);
  }

 private:
  Decoder decoder_;
  Decoded before_;
  Decoded after_;
};

TEST(RouteSharing, AChangeOfOneVirtualHostKeepsAllOthers) {  // A74: unchanged by pointer
  Update u(Config(To("a", "1") + "," + To("b", "1") + "," + To("c", "1")),
           Config(To("a", "1") + "," + To("b", "2") + "," + To("c", "1")));
  EXPECT_TRUE(u.Same(0, 0));
  EXPECT_FALSE(u.Same(1, 1));
  EXPECT_TRUE(u.Same(2, 2));
  EXPECT_EQ(ToString(u.after().virtual_hosts[1].routes[0].clusters[0].name), "2");
  EXPECT_EQ(ToString(u.after().virtual_hosts[2].domains[0]), "c");
}

TEST(RouteSharing, FollowsAVirtualHostToAnotherPlace) {  // A74
  Update u(Config(To("a", "1") + "," + To("b", "1") + "," + To("c", "1")),
           Config(To("c", "1") + "," + To("new", "1") + "," + To("b", "1") + "," + To("a", "1")));
  EXPECT_TRUE(u.Same(0, 2));
  EXPECT_TRUE(u.Same(2, 1));
  EXPECT_TRUE(u.Same(3, 0));
  EXPECT_EQ(ToString(u.after().virtual_hosts[1].domains[0]), "new");
}

TEST(RouteSharing, OfTheSameTwice) {  // A74
  Update u(Config(To("a", "1")), Config(To("a", "1") + "," + To("a", "1")));
  EXPECT_TRUE(u.Same(0, 0));
  EXPECT_TRUE(u.Same(1, 0));
}

TEST(RouteSharing, NothingChangedIsTheSameResource) {  // A74
  Update u(Config(To("a", "1")), Config(To("a", "1")));
  EXPECT_EQ(&u.before(), &u.after());
}

TEST(RouteSharing, AChangeOutsideTheVirtualHostsKeepsThem) {  // A74
  Update u(Config(To("a", "1")), Config(To("a", "1"), ",'internal_only_headers':['x']"));
  EXPECT_NE(&u.before(), &u.after());
  EXPECT_TRUE(u.Same(0, 0));
}

TEST(RouteSharing, FewerVirtualHostsAreAnotherResource) {  // A74
  Update u(Config(To("a", "1") + "," + To("b", "1")), Config(To("a", "1")));
  EXPECT_NE(&u.before(), &u.after());
  EXPECT_EQ(u.after().virtual_host_count, 1u);
}

TEST(RouteSharing, AnotherConfigOfAPluginChangesTheVirtualHostsThatUseIt) {  // A74
  Update u(Config(ToPlugin("a") + "," + To("b", "1"), Rls("old")),
           Config(ToPlugin("a") + "," + To("b", "1"), Rls("new")));
  EXPECT_FALSE(u.Same(0, 0));
  EXPECT_TRUE(u.Same(1, 1));
  EXPECT_NE(ToString(u.after().virtual_hosts[0].routes[0].rare->plugin->lb_json).find("new"),
            std::string::npos);
}

TEST(RouteSharing, TheSamePluginIsNoChange) {  // A74
  Update u(Config(ToPlugin("a") + "," + To("b", "1"), Rls("p")),
           Config(ToPlugin("a") + "," + To("b", "2"), Rls("p")));
  EXPECT_TRUE(u.Same(0, 0));
}

TEST(RouteSharing, APluginThatIsGoneIsMissed) {  // A74
  Decoder d;
  Decoded before = d.Good(gxds_route_config_type, Config(ToPlugin("a"), Rls("p")));
  Decoded after =
      d.Decode(gxds_route_config_type, Resource(gxds_route_config_type, Config(ToPlugin("a"))),
               before.resource());
  EXPECT_EQ(after.message(),
            "errors validating RouteConfiguration resource: [field:virtual_hosts[0].routes[0].route"
            ".cluster_specifier_plugin error:RouteAction cluster contains cluster specifier plugin "
            "name not configured: p]");
}

TEST(RouteSharing, ErrorsAreThoseOfWhatChanged) {  // A74
  Decoder d;
  Decoded before = d.Good(gxds_route_config_type, Config(To("a", "1") + "," + To("b", "1")));
  Decoded after =
      d.Decode(gxds_route_config_type,
               Resource(gxds_route_config_type, Config(To("a", "1") + "," + To("b", ""))),
               before.resource());
  EXPECT_EQ(after.message(),
            "errors validating RouteConfiguration resource: [field:virtual_hosts[1].routes[0].route"
            ".cluster error:RouteAction cluster contains empty cluster name.]");
}

TEST(RouteSharing, OutlivesTheResourceThatItCameFrom) {  // A74
  Decoder d;
  auto before = std::make_unique<Decoded>(
      d.Good(gxds_route_config_type, Config(To("a", "1") + "," + To("b", "1"))));
  Decoded after = d.Good(gxds_route_config_type, Config(To("b", "1")), before->resource());
  before.reset();
  EXPECT_EQ(ToString(after.As<gxds_route_config>().virtual_hosts[0].domains[0]), "b");
}

TEST(VirtualHostEqual, ComparesContentThatWasDecodedApart) {
  Decoder d;
  Decoded x = d.Good(gxds_route_config_type, Config(To("a", "1") + "," + ToPlugin("b"), Rls("p")));
  Decoded y = d.Good(gxds_route_config_type, Config(To("a", "1") + "," + ToPlugin("b"), Rls("q")));
  const gxds_virtual_host* a = x.As<gxds_route_config>().virtual_hosts;
  const gxds_virtual_host* b = y.As<gxds_route_config>().virtual_hosts;
  EXPECT_TRUE(gxds_virtual_host_equal(&a[0], &b[0]));
  EXPECT_FALSE(gxds_virtual_host_equal(&a[0], &a[1]));
  EXPECT_FALSE(gxds_virtual_host_equal(&a[1], &b[1])) << "the plugin is another one";
  EXPECT_TRUE(gxds_virtual_host_equal(&a[1], &a[1]));
  EXPECT_FALSE(gxds_virtual_host_equal(&a[0], nullptr));
  EXPECT_FALSE(gxds_virtual_host_equal(nullptr, &a[0]));
  EXPECT_TRUE(gxds_virtual_host_equal(nullptr, nullptr));
  gxds_virtual_host by_hand = a[0];
  by_hand.body = nullptr;
  EXPECT_FALSE(gxds_virtual_host_equal(&by_hand, &a[0]));
}

// ---- inside a listener ----

const char kManager[] =
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";

std::string Listener(const std::string& routes, const std::string& more = "") {
  return "{'name':'foo','api_listener':{'api_listener':{'@type':'type.googleapis.com/" +
         std::string(kManager) + "','route_config':" + routes +
         ",'http_filters':[{'name':'router','typed_config':{'@type':'type.googleapis.com/"
         "envoy.extensions.filters.http.router.v3.Router'}}]" +
         more + "}}}";
}

TEST(InlineRouteSharing, AChangeOfTheListenerKeepsItsRoutes) {  // A74
  Decoder d;
  Decoded before = d.Good(gxds_listener_type, Listener(Config(To("a", "1"))));
  Decoded after = d.Good(gxds_listener_type,
                         Listener(Config(To("a", "1")),
                                  ",'common_http_protocol_options':{'max_stream_duration':'1s'}"),
                         before.resource());
  EXPECT_NE(before.resource(), after.resource());
  EXPECT_EQ(before.As<gxds_listener>().route_config, after.As<gxds_listener>().route_config);
  EXPECT_EQ(after.As<gxds_listener>().max_stream_duration, GXDS_SECOND);
}

TEST(InlineRouteSharing, AChangeOfOneVirtualHostKeepsTheOthers) {  // A74
  Decoder d;
  Decoded before = d.Good(gxds_listener_type, Listener(Config(To("a", "1") + "," + To("b", "1"))));
  Decoded after = d.Good(gxds_listener_type, Listener(Config(To("a", "2") + "," + To("b", "1"))),
                         before.resource());
  const gxds_virtual_host* x = before.As<gxds_listener>().route_config->virtual_hosts;
  const gxds_virtual_host* y = after.As<gxds_listener>().route_config->virtual_hosts;
  EXPECT_FALSE(gxds_virtual_host_equal(&x[0], &y[0]));
  EXPECT_TRUE(gxds_virtual_host_equal(&x[1], &y[1]));
}

TEST(InlineRouteSharing, AfterRoutesThatWereElsewhere) {  // A74
  Decoder d;
  std::string remote =
      Listener("null", ",'rds':{'route_config_name':'r','config_source':{'ads':{}}}");
  Decoded before = d.Good(gxds_listener_type, remote);
  ASSERT_EQ(before.As<gxds_listener>().route_config, nullptr);
  Decoded after = d.Good(gxds_listener_type, Listener(Config(To("a", "1"))), before.resource());
  EXPECT_EQ(after.As<gxds_listener>().route_config->virtual_host_count, 1u);
}

// A listener whose HttpConnectionManager has these bytes before its filters.
std::string Raw(const std::string& manager) {
  std::string filters =
      Proto(kManager,
            "{'http_filters':[{'name':'router','typed_config':{'@type':'type.googleapis.com/"
            "envoy.extensions.filters.http.router.v3.Router'}}]}");
  return Field(1, "foo") + Field(19, Field(1, Any(std::string("type.googleapis.com/") + kManager,
                                                  manager + filters)));
}

TEST(InlineRoutes, OfRoutesInsideAndElsewhereTheLastOnesCount) {  // as in any oneof
  const std::string inside = Field(4, Resource(gxds_route_config_type, Config(To("a", "1"))));
  const std::string elsewhere = Field(3, Field(2, "r") + Field(1, Field(3, "")));
  const std::string scoped = Field(31, "");
  Decoder d;
  Decoded both = d.Decode(gxds_listener_type, Raw(elsewhere + inside));
  ASSERT_EQ(both.message(), "");
  EXPECT_NE(both.As<gxds_listener>().route_config, nullptr);
  EXPECT_EQ(ToString(both.As<gxds_listener>().rds_name), "");
  Decoded other = d.Decode(gxds_listener_type, Raw(inside + elsewhere));
  ASSERT_EQ(other.message(), "");
  EXPECT_EQ(other.As<gxds_listener>().route_config, nullptr);
  EXPECT_EQ(ToString(other.As<gxds_listener>().rds_name), "r");
  EXPECT_NE(d.Decode(gxds_listener_type, Raw(inside + scoped)).message(), "");
}

TEST(InlineRoutes, InSeveralPiecesAreOne) {  // like any message
  Decoder d;
  Decoded result =
      d.Decode(gxds_listener_type,
               Raw(Field(4, Resource(gxds_route_config_type, Config(To("a", "1")))) +
                   Field(4, Resource(gxds_route_config_type,
                                     "{'name':'n','virtual_hosts':[" + To("b", "1") + "]}"))));
  ASSERT_EQ(result.message(), "");
  const gxds_route_config* rc = result.As<gxds_listener>().route_config;
  EXPECT_EQ(ToString(rc->name), "n");
  EXPECT_EQ(rc->virtual_host_count, 2u);
}

TEST(InlineRoutes, ThatAreNoMessageMakeTheManagerNone) {
  Decoder d;
  EXPECT_EQ(d.Decode(gxds_listener_type, Raw(Field(4, Field(2, Field(2, "\xff"))))).message(),
            "errors validating ApiListener: [field:api_listener.api_listener.value[" +
                std::string(kManager) + "] error:could not parse HttpConnectionManager config]");
}

}  // namespace
}  // namespace grpc_xds_test
