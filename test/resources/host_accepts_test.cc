// The JSON that the decoders write must be accepted by the host itself.
#include <grpc/grpc.h>

#include "host/host_get.h"
#include "test/resources/decoding.h"

#if __has_include("src/core/lib/service_config/service_config_impl.h")  // gRPC 1.51
#include "src/core/ext/filters/fault_injection/fault_injection_service_config_parser.h"
#include "src/core/lib/service_config/service_config_impl.h"
#define FAULTS_ARE_READ_BY_THE_HOST
#else
#include "src/core/service_config/service_config_impl.h"
#endif

namespace grpc_xds_test {
namespace {

class HostAccepts : public testing::Test {
 protected:
  void SetUp() override { grpc_init(); }
  void TearDown() override { grpc_shutdown(); }

  // Decodes a resource with the host's own checks.
  static Decoded Decode(const gxds_resource_type& type, const std::string& bytes) {
    gxds_decode_context context = {};
    context.host = gxds_host_get();
    gxds_decoded decoded = {};
    gxds_status status = type.decode(&context, ToGxds(bytes), &decoded);
    return Decoded(status, decoded);
  }
  static std::string LbErrors(const std::string& json) {
    gxds_errors errors = {};
    gxds_host_get()->lb_config_check(ToGxds(json), nullptr, &errors);
    gxds_status status = gxds_errors_status(&errors, "E");
    std::string out = ToString(status.message);
    gxds_status_fini(&status);
    gxds_errors_fini(&errors);
    return out;
  }
  // The host's errors for a method config with this member.
  static std::string MethodConfigErrors(const std::string& member) {
    grpc_core::ChannelArgs args;
#ifdef FAULTS_ARE_READ_BY_THE_HOST
    args = args.Set(GRPC_ARG_PARSE_FAULT_INJECTION_METHOD_CONFIG, 1);
#endif
    auto config = grpc_core::ServiceConfigImpl::Create(
        args, "{\"methodConfig\":[{\"name\":[{}]," + member + "}]}");
    return config.ok() ? "" : std::string(config.status().message());
  }
  static std::string Eds(const std::string& more) {
    return Resource(
        gxds_cluster_type,
        "{'name':'foo','type':'EDS','eds_cluster_config':{'eds_config':{'ads':{}}}," + more + "}");
  }
};

TEST_F(HostAccepts, LbPolicies) {  // A42, A52
  for (const char* more : {"'lb_policy':'ROUND_ROBIN'", "'lb_policy':'RING_HASH'"}) {
    Decoded result = Decode(gxds_cluster_type, Eds(more));
    ASSERT_EQ(result.message(), "");
    EXPECT_EQ(LbErrors(ToString(result.As<gxds_cluster>().lb_policy_json)), "");
  }
}

TEST_F(HostAccepts, NoRingWhoseSizesAreCrossed) {  // A52: one that the policy would not take
  EXPECT_NE(Decode(gxds_cluster_type, Eds("'lb_policy':'RING_HASH',"
                                          "'ring_hash_lb_config':{'maximum_ring_size':'10'}"))
                .message()
                .find("[field:ring_hash_lb_config error:errors validating ring_hash LB policy"),
            std::string::npos);
}

TEST_F(HostAccepts, CustomPolicies) {  // A52
  auto custom = [](const std::string& name, const std::string& config) {
    std::string any = Any(
        "type.googleapis.com/xds.type.v3.TypedStruct",
        Proto("xds.type.v3.TypedStruct", "{'type_url':'a/" + name + "','value':" + config + "}"));
    return Eds("'lb_policy':'ROUND_ROBIN'") + Field(41, Field(1, Field(4, Field(2, any))));
  };
  Decoded result = Decode(gxds_cluster_type, custom("pick_first", "{'shuffle':[1,true,'x']}"));
  ASSERT_EQ(result.message(), "");
  EXPECT_EQ(ToString(result.As<gxds_cluster>().lb_policy_json),
            Json("[{'pick_first':{'shuffle':[1,true,'x']}}]"));
  EXPECT_EQ(
      Decode(gxds_cluster_type, custom("ring_hash_experimental", "{'minRingSize':0}"))
          .message()
          .rfind("errors validating Cluster resource: [field:load_balancing_policy error:", 0),
      0u);
  EXPECT_EQ(Decode(gxds_cluster_type, custom("nobody", "{}")).message(),
            "errors validating Cluster resource: [field:load_balancing_policy error:no supported "
            "load balancing policy config found]");
}

std::string Routes(const std::string& action, const std::string& more = "") {
  return "{'name':'foo'" + more +
         ",'virtual_hosts':[{'domains':['*'],'routes':[{'match':{'prefix':''},'route':{" + action +
         "}}]}]}";
}

TEST_F(HostAccepts, RouteLookup) {
  auto with = [](const std::string& headers) {
    return Decode(
        gxds_route_config_type,
        Resource(gxds_route_config_type,
                 Routes("'cluster_specifier_plugin':'p'",
                        ",'cluster_specifier_plugins':[{'extension':{'name':'p','typed_config':{"
                        "'@type':'type.googleapis.com/grpc.lookup.v1.RouteLookupClusterSpecifier',"
                        "'route_lookup_config':{'lookup_service':'localhost:1',"
                        "'cache_size_bytes':'5000','grpc_keybuilders':[{'names':[{'service':'s',"
                        "'method':'m'}],'headers':[{'key':'k','names':['n']" +
                            headers + "}]}]}}}}]")));
  };
  EXPECT_EQ(with("").message(), "");
  EXPECT_NE(with(",'required_match':true")
                .message()
                .find("field:routeLookupConfig.grpcKeybuilders[0].headers[0].requiredMatch "
                      "error:must not be present"),
            std::string::npos);
}

TEST_F(HostAccepts, RetryPolicies) {  // A44
  for (const char* fields :
       {"'retry_on':'cancelled,deadline-exceeded,internal,resource-exhausted,unavailable',"
        "'num_retries':4294967295",
        "'retry_on':'internal','retry_back_off':{'base_interval':'0.000001s'}",
        "'retry_on':'internal','retry_back_off':{'base_interval':'315576000000s'}"}) {
    Decoded result =
        Decode(gxds_route_config_type,
               Resource(gxds_route_config_type,
                        Routes("'cluster':'c','retry_policy':{" + std::string(fields) + "}")));
    ASSERT_EQ(result.message(), "");
    gxds_text json = {};
    gxds_retry_policy_render_json(
        result.As<gxds_route_config>().virtual_hosts[0].routes[0].retry_policy, &json);
    EXPECT_EQ(MethodConfigErrors("\"retryPolicy\":" + ToString(gxds_text_str(&json))), "")
        << fields;
    gxds_text_fini(&json);
  }
}

#ifdef FAULTS_ARE_READ_BY_THE_HOST
TEST_F(HostAccepts, Faults) {  // A33
  for (const char* fields :
       {"", ",'abort':{'http_status':503,'percentage':{'numerator':1,'denominator':'MILLION'}}",
        ",'abort':{'header_abort':{}},'delay':{'header_delay':{},'percentage':{'numerator':3}}",
        ",'delay':{'fixed_delay':'315576000000s'},'max_active_faults':4294967295"}) {
    Decoded result = Decode(
        gxds_route_config_type,
        Resource(gxds_route_config_type,
                 "{'name':'foo','virtual_hosts':[{'domains':['*'],'typed_per_filter_config':{'f':{"
                 "'@type':'type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault'" +
                     std::string(fields) +
                     "}},'routes':[{'match':{'prefix':''},'route':{'cluster':'c'}}]}]}"));
    ASSERT_EQ(result.message(), "");
    const auto& o = result.As<gxds_route_config>().virtual_hosts[0].filter_overrides;
    EXPECT_EQ(
        MethodConfigErrors("\"faultInjectionPolicy\":[" + ToString(o.items[0].config_json) + "]"),
        "")
        << fields;
  }
  EXPECT_NE(MethodConfigErrors("\"faultInjectionPolicy\":[{\"abortCode\":\"NONE\"}]"), "")
      << "the host looks at it";
}
#endif

}  // namespace
}  // namespace grpc_xds_test
