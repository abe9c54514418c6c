// Our registry beside the host's own.
#include <gmock/gmock.h>
#include <grpc/grpc.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "plugin/impl.h"
#include "src/core/lib/channel/channel_stack.h"
#include "src/core/lib/channel/channel_stack_builder_impl.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/surface/channel_stack_type.h"
#include "src/core/lib/transport/transport_impl.h"

namespace {

using grpc_core::CoreConfiguration;

// A valid target of each scheme.
constexpr const char* kTargets[] = {
    "dns:///x",           "ipv4:127.0.0.1:1", "ipv6:[::1]:1",    "unix:/x",
    "unix-abstract:x",    "xds:///x",         "google-c2p:///x", "google-c2p-experimental:///x",
    "fake:///127.0.0.1:1"};
constexpr const char* kPolicies[] = {"pick_first",
                                     "round_robin",
                                     "grpclb",
                                     "rls_experimental",
                                     "ring_hash_experimental",
                                     "weighted_target_experimental",
                                     "outlier_detection_experimental",
                                     "priority_experimental",
                                     "cds_experimental",
                                     "xds_wrr_locality_experimental",
                                     "xds_cluster_impl_experimental",
                                     "xds_cluster_manager_experimental"};

// Everything in a registry that can be read, by name.
std::map<std::string, std::string> Look() {
  std::map<std::string, std::string> out;
  const auto& config = CoreConfiguration::Get();
  for (const char* target : kTargets) {
    out[std::string("target ") + target] =
        std::to_string(config.resolver_registry().IsValidTarget(target));
  }
  for (const char* policy : kPolicies) {
    out[std::string("policy ") + policy] =
        std::to_string(config.lb_policy_registry().LoadBalancingPolicyExists(policy, nullptr));
  }
  for (const char* creds : {"insecure", "google_default", "fake"}) {
    out[std::string("creds ") + creds] =
        std::to_string(config.channel_creds_registry().IsSupported(creds));
  }
  out["provider file_watcher"] =
      config.certificate_provider_registry().LookupCertificateProviderFactory("file_watcher") ? "1"
                                                                                              : "0";
  return out;
}

// The filters of each kind of channel in their order, which depends on the order of registration.
std::map<int, std::vector<std::string>> Filters() {
  // Filters read its name; nothing calls it.
  static grpc_transport_vtable vtable = {};
  vtable.name = "http";
  static grpc_transport transport = {&vtable};
  std::map<int, std::vector<std::string>> out;
  for (int type = 0; type < GRPC_NUM_CHANNEL_STACK_TYPES; ++type) {
    grpc_core::ChannelArgs args = CoreConfiguration::Get()
                                      .channel_args_preconditioning()
                                      .PreconditionChannelArgs(nullptr)
                                      .Set(GRPC_ARG_MAX_CONNECTION_IDLE_MS, 1000)
                                      .Set(GRPC_ARG_CLIENT_IDLE_TIMEOUT_MS, 1000)
                                      .Set(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, 1000)
                                      .Set(GRPC_ARG_SERVICE_CONFIG, "{}")
                                      .Set(GRPC_ARG_DEFAULT_AUTHORITY, "x");
    grpc_core::ChannelStackBuilderImpl builder("test", static_cast<grpc_channel_stack_type>(type),
                                               args);
    builder.SetTransport(&transport);
    EXPECT_TRUE(CoreConfiguration::Get().channel_init().CreateStack(&builder));
    for (const grpc_channel_filter* filter : builder.stack()) out[type].push_back(filter->name);
  }
  return out;
}

class Register : public testing::Test {
 protected:
  // Runs once, before anything initialises gRPC, for all tests.
  static void SetUpTestSuite() {
    ASSERT_EQ(grpc_xds_impl_register(), GRPC_XDS_OK);
    grpc_init();
  }
  static void TearDownTestSuite() { grpc_shutdown(); }

  template <typename Fn>
  static void WithHosts(Fn fn) {
    CoreConfiguration::RunWithSpecialConfiguration(grpc_core::BuildCoreConfiguration, fn);
  }
};

TEST_F(Register, EveryNameOfTheHostIsThere) {
  auto ours = Look();
  std::map<std::string, std::string> theirs;
  WithHosts([&] { theirs = Look(); });
  EXPECT_EQ(ours, theirs);
  for (const auto& entry : ours) {
    EXPECT_EQ(entry.second, "1") << entry.first;
  }
}

TEST_F(Register, FiltersKeepTheirOrder) {
  auto ours = Filters();
  std::map<int, std::vector<std::string>> theirs;
  WithHosts([&] { theirs = Filters(); });
  EXPECT_EQ(ours, theirs);
  EXPECT_GT(ours[GRPC_CLIENT_SUBCHANNEL].size(), 3u);
}

TEST_F(Register, TheSnapshotTookTheResolverPolicysPlace) {  // A74.40
  EXPECT_FALSE(CoreConfiguration::Get().lb_policy_registry().LoadBalancingPolicyExists(
      "xds_cluster_resolver_experimental", nullptr));
}

TEST_F(Register, TheDataPlanesAuthorityIsThePathOfTheTarget) {  // A47.19
  const std::map<std::string, std::string> authorities = {
      {"xds:///greeter.example:50051", "greeter.example:50051"},
      {"xds:greeter.example", "greeter.example"},
      {"xds://other.example/greeter.example", "greeter.example"},
      {"xds:///a/b", "a%2Fb"},
      {"xds:a/b", "a%2Fb"},
      {"xds://other.example/a/b/c", "a%2Fb%2Fc"},
      {"xds:////a", "%2Fa"},
      {"xds:///a%2fb", "a%2Fb"},
      {"xds:///%5B::1%5D:80", "[::1]:80"},
      {"xds:///a%20b%7C%25%C3%A9", "a%20b%7C%25%C3%A9"},
      {"xds:///-._~!$&'()*+,;=:@", "-._~!$&'()*+,;=:@"},
      {"xds:///a?b=c#d", "a"},
  };
  for (const auto& [target, authority] : authorities) {
    EXPECT_EQ(CoreConfiguration::Get().resolver_registry().GetDefaultAuthority(target), authority)
        << target;
  }
}

TEST_F(Register, AgainIsNoError) { EXPECT_EQ(grpc_xds_impl_register(), GRPC_XDS_OK); }

TEST_F(Register, IsForTheHostThatItWasBuiltWith) {
  EXPECT_STREQ(grpc_version_string(), gxds_impl_host_version);
}

}  // namespace
