#include <gtest/gtest.h>

#include <string>

#include "bootstrap/bootstrap.h"
#include "test/bootstrap/fake_host.h"

namespace grpc_xds_test {
namespace {

struct Case {
  const char* members;  // members of the bootstrap besides xds_servers
  const char* authority;
  const char* path;
  const char* name;   // the resource's name; null: an error
  const char* error;  // the error's text
};

constexpr char kAuthorities[] = R"(, "authorities": {
    "a.com": {},
    "b.com": {"client_listener_resource_name_template": "xdstp://b.com/L/%s/%s?x=%25s"}})";

const Case kCases[] = {
    {"", "", "server.example.com", "server.example.com", nullptr},
    {"", "", "server.example.com:123", "server.example.com:123", nullptr},
    {"", "", "a b/%s?c#d", "a b/%s?c#d", nullptr},
    {"", "", "", "", nullptr},
    {"", "a.com", "x", nullptr, "Invalid target URI -- authority not found for a.com"},
    {kAuthorities, "c.com", "x", nullptr, "Invalid target URI -- authority not found for c.com"},
    {kAuthorities, "a.com", "server.example.com:123",
     "xdstp://a.com/envoy.config.listener.v3.Listener/server.example.com:123", nullptr},
    {kAuthorities, "a.com", "a b/c?d#e%[f]\xc3\xa9",
     "xdstp://a.com/envoy.config.listener.v3.Listener/a%20b/c%3Fd%23e%25%5Bf%5D%C3%A9", nullptr},
    {kAuthorities, "a.com", "-._~!$&'()*+,;=:@/aZ09",
     "xdstp://a.com/envoy.config.listener.v3.Listener/-._~!$&'()*+,;=:@/aZ09", nullptr},
    {kAuthorities, "b.com", "s", "xdstp://b.com/L/s/s?x=%25s", nullptr},
    {kAuthorities, "b.com", "%s", "xdstp://b.com/L/%25s/%25s?x=%25s", nullptr},
    {R"(, "client_default_listener_resource_name_template": "grpc/%s")", "", "a b", "grpc/a b",
     nullptr},
    {R"(, "client_default_listener_resource_name_template": "always")", "", "a", "always", nullptr},
    {R"(, "client_default_listener_resource_name_template": "xdstp://d.com/L/%s?p=1")", "", "a b?",
     "xdstp://d.com/L/a%20b%3F?p=1", nullptr},
    {R"(, "client_default_listener_resource_name_template": "100%")", "", "a", "100%", nullptr},
};

TEST(ListenerName, FollowsTheTemplate) {  // A47.1, A47.2, A47.3, A47.4
  for (const Case& c : kCases) {
    std::string json =
        R"({"xds_servers": [{"server_uri": "a", "channel_creds": [{"type": "insecure"}]}])" +
        std::string(c.members) + "}";
    const gxds_bootstrap* b = nullptr;
    gxds_status parsed = gxds_bootstrap_parse(ToGxds(json), FakeHost(), &b, nullptr);
    ASSERT_TRUE(gxds_status_is_ok(&parsed)) << parsed.message.data;
    gxds_str name;
    gxds_status status =
        gxds_bootstrap_listener_name(b, gxds_str_z(c.authority), gxds_str_z(c.path), &name);
    if (c.name != nullptr) {
      EXPECT_EQ(status.code, GXDS_OK) << c.authority << " " << c.path;
      EXPECT_EQ(ToString(name), c.name);
    } else {
      EXPECT_EQ(status.code, GXDS_UNAVAILABLE);
      EXPECT_EQ(ToString(status.message), c.error);
    }
    gxds_str_free(&name);
    gxds_status_fini(&status);
    gxds_bootstrap_unref(b);
  }
}

}  // namespace
}  // namespace grpc_xds_test
