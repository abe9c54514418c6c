// The data plane's authority (A47): it chooses the virtual host, and backends receive it.
#include "test/e2e/e2e.h"
#include "test/e2e/resources_json.h"

namespace gxds_test {
namespace {

class Authority : public testing::Test {
 protected:
  // Serves a listener of that name with a virtual host for that domain, and a virtual host for "b"
  // with another backend.
  void Start(std::string listener, const std::string& domain) {
    const std::string hosts = R"("virtual_hosts":[{"domains":["b"],"routes":[)" + RouteTo("other") +
                              R"(]},{"domains":[")" + domain + R"("],"routes":[)" + RouteTo("a") +
                              "]}]";
    const std::string old = R"("name":"greeter.example")";
    std::string resource = InlineListener(hosts);
    resource.replace(resource.find(old), old.size(), R"("name":")" + std::move(listener) + '"');
    plane_.WriteFile(
        "resources.json",
        Document({resource, EdsCluster("a"), Endpoints("a", LocalityOf({a_.port()})),
                  EdsCluster("other"), Endpoints("other", LocalityOf({other_.port()}))}));
    plane_.Start();
  }

  Backend a_{"a"};
  Backend other_{"other"};
  ControlPlane plane_;
};

TEST_F(Authority, IsThePathOfTheTarget) {  // A47.19
  Start("a/b", "a%2Fb");
  Client client("xds:///a/b", plane_.Bootstrap());
  const Reply reply = client.Call();
  EXPECT_EQ(reply.name, "a") << reply.status.error_message();
  EXPECT_EQ(a_.authority(), "a%2Fb");
}

TEST_F(Authority, IsTheSameHoweverTheTargetIsEncoded) {  // A47.19
  Start("a/b c", "a%2Fb%20c");
  Client client("xds:///a%2fb%20c", plane_.Bootstrap());
  const Reply reply = client.Call();
  EXPECT_EQ(reply.name, "a") << reply.status.error_message();
  EXPECT_EQ(a_.authority(), "a%2Fb%20c");
}

TEST_F(Authority, OfTheProgramComesFirst) {
  Start("a/b", "own/as it is");
  grpc::ChannelArguments args;
  args.SetString(GRPC_ARG_DEFAULT_AUTHORITY, "own/as it is");
  Client client("xds:///a/b", plane_.Bootstrap(), args);
  const Reply reply = client.Call();
  EXPECT_EQ(reply.name, "a") << reply.status.error_message();
  EXPECT_EQ(a_.authority(), "own/as it is");
}

}  // namespace
}  // namespace gxds_test
