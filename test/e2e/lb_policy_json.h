// A cluster's load_balancing_policy as JSON.
#ifndef GRPC_XDS_TEST_E2E_LB_POLICY_JSON_H_
#define GRPC_XDS_TEST_E2E_LB_POLICY_JSON_H_

#include <string>

namespace gxds_test {

// A typed_config. type: a policy of Envoy's API, such as "pick_first.v3.PickFirst". fields: begin
// with a comma, or are empty.
inline std::string PolicyConfig(const std::string& type, const std::string& fields = "") {
  return R"({"@type":"type.googleapis.com/envoy.extensions.load_balancing_policies.)" + type +
         "\"" + fields + "}";
}
// The same for a policy that gRPC or the program has registered by that name (A52).
inline std::string RegisteredPolicyConfig(const std::string& name,
                                          const std::string& value = "{}") {
  return R"({"@type":"type.googleapis.com/xds.type.v3.TypedStruct",)"
         R"("type_url":"type.googleapis.com/)" +
         name + R"(","value":)" + value + "}";
}
// A LoadBalancingPolicy with that one policy.
inline std::string PolicyList(const std::string& config) {
  return R"({"policies":[{"typed_extension_config":{"name":"x","typed_config":)" + config + "}}]}";
}
// A typed_config of wrr_locality.
inline std::string WithinLocalities(const std::string& config) {
  return PolicyConfig("wrr_locality.v3.WrrLocality",
                      R"(,"endpoint_picking_policy":)" + PolicyList(config));
}
// The field of a Cluster.
inline std::string LbPolicy(const std::string& config) {
  return R"("load_balancing_policy":)" + PolicyList(config);
}

}  // namespace gxds_test

#endif
