// Names of other authorities, which have their own control planes (A47). The test also runs on the
// host's own xDS (federation_on_host_test), where federation must be enabled.
#include <stdlib.h>

#include "test/e2e/e2e.h"
#include "test/e2e/resources_json.h"

namespace gxds_test {
namespace {

const char kListeners[] = "xdstp://other.example/envoy.config.listener.v3.Listener/";

// Replaces the listener's name of resources_json.h with this name.
std::string Named(const std::string& name, std::string listener) {
  const std::string old = R"("name":"greeter.example")";
  return listener.replace(listener.find(old), old.size(), R"("name":")" + name + '"');
}

class Federation : public testing::Test {
 protected:
  Federation() { setenv("GRPC_EXPERIMENTAL_XDS_FEDERATION", "true", 1); }  // enables it in the host
  // Serves a listener of that name at the authority's server. Its routes lead to the cluster "a".
  void Start(const std::string& listener, const std::string& virtual_hosts) {
    mine_.WriteFile("resources.json", Document({}));
    mine_.Start();
    other_.WriteFile("resources.json",
                     Document({Named(kListeners + listener, InlineListener(virtual_hosts)),
                               EdsCluster("a"), Endpoints("a", LocalityOf({a_.port()}))}));
    other_.Start();
  }
  // The default authority's server serves the clusters, which have old-style names, but no
  // listener.
  std::string Bootstrap() {
    mine_.WriteFile("clusters.json",
                    Document({EdsCluster("a"), Endpoints("a", LocalityOf({a_.port()}))}));
    std::string bootstrap = mine_.Bootstrap();
    const std::string authorities =
        R"("authorities":{"other.example":{"xds_servers":[)" + other_.ServerJson() +
        R"(],"client_listener_resource_name_template":")" + kListeners + R"(%s"}},)";
    return bootstrap.insert(bootstrap.find('{') + 1, authorities);
  }

  Backend a_{"a"};
  ControlPlane mine_;
  ControlPlane other_;
};

TEST_F(Federation, TheListenerIsRequestedFromTheAuthorityOfTheTarget) {
  Start("greeter.example", VirtualHost(RouteTo("a")));
  Client client("xds://other.example/greeter.example", Bootstrap());
  EXPECT_EQ(client.Call().name, "a");
}

TEST_F(Federation, TheNameIsPercentEncodedAndTheVirtualHostIsOfTheDefaultAuthority) {
  // A "?" that is not encoded would begin the parameters of a name.
  Start("a%20b%3Fc", VirtualHost(RouteTo("a"), "greeter.example"));
  grpc::ChannelArguments args;
  args.SetString(GRPC_ARG_DEFAULT_AUTHORITY, "greeter.example");
  Client client("xds://other.example/a%20b%3Fc", Bootstrap(), args);
  const Reply reply = client.Call();
  EXPECT_EQ(reply.name, "a") << reply.status.error_message();
}

}  // namespace
}  // namespace gxds_test
