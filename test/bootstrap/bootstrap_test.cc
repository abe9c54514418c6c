#include "bootstrap/bootstrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "bootstrap/source.h"
#include "test/bootstrap/fake_host.h"

namespace grpc_xds_test {
namespace {

struct Unref {
  void operator()(const gxds_bootstrap* b) const { gxds_bootstrap_unref(b); }
};
using Bootstrap = std::unique_ptr<const gxds_bootstrap, Unref>;

// Returns the error's text, or "" and a bootstrap in *out.
std::string Parse(const std::string& json, Bootstrap* out = nullptr) {
  const gxds_bootstrap* parsed = nullptr;
  gxds_status status = gxds_bootstrap_parse(ToGxds(json), FakeHost(), &parsed, nullptr);
  EXPECT_EQ(gxds_status_is_ok(&status), parsed != nullptr);
  EXPECT_TRUE(status.code == GXDS_OK || status.code == GXDS_INVALID_ARGUMENT);
  std::string message = ToString(status.message);
  gxds_status_fini(&status);
  Bootstrap owned(parsed);
  if (out != nullptr) *out = std::move(owned);
  return message;
}

Bootstrap MustParse(const std::string& json) {
  Bootstrap b;
  EXPECT_EQ(Parse(json, &b), "");
  return b;
}

constexpr char kServer[] = R"({"server_uri": "lb:1", "channel_creds": [{"type": "insecure"}]})";

// A whole bootstrap with one server, which has these further members.
std::string WithServer(const std::string& members) {
  return R"({"xds_servers": [{"server_uri": "lb:1", "channel_creds": [{"type": "insecure"}])" +
         std::string(members.empty() ? "" : ", ") + members + "}]}";
}

// A whole bootstrap with these further members at the top.
std::string WithTop(const std::string& members) {
  return R"({"xds_servers": [)" + std::string(kServer) + "], " + members + "}";
}

TEST(Bootstrap, SmallestIsOneServer) {  // A27.3
  Bootstrap b = MustParse(WithServer(""));
  ASSERT_EQ(b->server_count, 1u);
  EXPECT_EQ(ToString(b->servers[0]->uri), "lb:1");
  EXPECT_EQ(ToString(b->servers[0]->creds_type), "insecure");
  EXPECT_EQ(ToString(b->servers[0]->creds_config_json), "");
  EXPECT_EQ(ToString(b->node_id), "");
  EXPECT_EQ(ToString(b->client_default_listener_resource_name_template), "%s");
  EXPECT_EQ(b->authority_count, 0u);
  EXPECT_EQ(b->certificate_provider_count, 0u);
}

TEST(Bootstrap, ServersKeepTheirOrder) {  // A71.2
  Bootstrap b = MustParse(R"({"xds_servers": [
      {"server_uri": "z:1", "channel_creds": [{"type": "fake"}]},
      {"server_uri": "unix:/run/a", "channel_creds": [{"type": "insecure"}]}]})");
  ASSERT_EQ(b->server_count, 2u);
  EXPECT_EQ(ToString(b->servers[0]->uri), "z:1");
  EXPECT_EQ(ToString(b->servers[1]->uri), "unix:/run/a");
}

TEST(Bootstrap, FirstSupportedCredentialsWin) {  // A27.4
  Bootstrap b = MustParse(R"({"xds_servers": [{"server_uri": "lb:1", "channel_creds": [
      {"type": "exotic", "config": {"a": 1}}, {"type": "picky", "config": { "ok" : true }},
      {"type": "insecure"}]}]})");
  EXPECT_EQ(ToString(b->servers[0]->creds_type), "picky");
  EXPECT_EQ(ToString(b->servers[0]->creds_config_json), R"({"ok":true})");
}

TEST(Bootstrap, AllKnownCallCredentialsApply) {  // A97.1, A97.2, A97.4
  EXPECT_EQ(MustParse(WithServer(""))->servers[0]->jwt_token_file_count, 0u);
  Bootstrap unknown = MustParse(
      WithServer(R"("call_creds": [{"type": "exotic"}, {"type": "", "config": {"a": 1}}])"));
  EXPECT_EQ(unknown->servers[0]->jwt_token_file_count, 0u);
  Bootstrap b = MustParse(WithServer(R"("call_creds": [
      {"type": "jwt_token_file", "config": {"jwt_token_file": "/run/token", "x": 1}},
      {"type": "exotic"},
      {"type": "jwt_token_file", "config": {"jwt_token_file": "other"}}])"));
  ASSERT_EQ(b->servers[0]->jwt_token_file_count, 2u);
  EXPECT_EQ(ToString(b->servers[0]->jwt_token_files[0]), "/run/token");
  EXPECT_EQ(ToString(b->servers[0]->jwt_token_files[1]), "other");
}

TEST(Bootstrap, ServerFeaturesAreRead) {  // A81.1, E3.5, E5.1
  Bootstrap none = MustParse(WithServer(R"("server_features": ["xds_v3", "of_the_future"])"));
  EXPECT_FALSE(none->servers[0]->delta);
  EXPECT_FALSE(none->servers[0]->ignore_resource_deletion);
  EXPECT_FALSE(none->servers[0]->fail_on_data_errors);
  EXPECT_FALSE(none->servers[0]->resource_timer_is_transient_error);
  EXPECT_FALSE(none->servers[0]->trusted_xds_server);
  EXPECT_FALSE(none->servers[0]->endpoint_weights);
  EXPECT_FALSE(none->servers[0]->lb_subsets);
  Bootstrap all = MustParse(WithServer(R"("server_features": ["delta", "ignore_resource_deletion",
      "fail_on_data_errors", "resource_timer_is_transient_error", "trusted_xds_server",
      "endpoint_weights", "lb_subsets"])"));
  EXPECT_TRUE(all->servers[0]->delta);
  EXPECT_TRUE(all->servers[0]->ignore_resource_deletion);
  EXPECT_TRUE(all->servers[0]->fail_on_data_errors);
  EXPECT_TRUE(all->servers[0]->resource_timer_is_transient_error);
  EXPECT_TRUE(all->servers[0]->trusted_xds_server);
  EXPECT_TRUE(all->servers[0]->endpoint_weights);
  EXPECT_TRUE(all->servers[0]->lb_subsets);
}

TEST(Bootstrap, AuthoritiesAreSortedAndFilledIn) {  // A47.6, A47.7
  Bootstrap b = MustParse(WithTop(R"("authorities": {
      "b.com": {"client_listener_resource_name_template": "xdstp://b.com/L/%s?a=1",
                "xds_servers": [{"server_uri": "b:1", "channel_creds": [{"type": "fake"}]}]},
      "a b": {},
      "": {"xds_servers": []}})"));
  ASSERT_EQ(b->authority_count, 3u);
  EXPECT_EQ(ToString(b->authorities[0].name), "");
  EXPECT_EQ(ToString(b->authorities[0].client_listener_resource_name_template),
            "xdstp:///envoy.config.listener.v3.Listener/%s");
  EXPECT_EQ(ToString(b->authorities[1].name), "a b");
  EXPECT_EQ(ToString(b->authorities[1].client_listener_resource_name_template),
            "xdstp://a%20b/envoy.config.listener.v3.Listener/%s");
  EXPECT_EQ(ToString(b->authorities[2].client_listener_resource_name_template),
            "xdstp://b.com/L/%s?a=1");
  for (int i : {0, 1}) {  // authorities without their own servers use the top-level ones
    ASSERT_EQ(b->authorities[i].server_count, 1u);
    EXPECT_EQ(b->authorities[i].servers[0], b->servers[0]);
  }
  ASSERT_EQ(b->authorities[2].server_count, 1u);
  EXPECT_EQ(ToString(b->authorities[2].servers[0]->uri), "b:1");
  EXPECT_EQ(gxds_bootstrap_find_authority(b.get(), gxds_str_z("b.com")), &b->authorities[2]);
  EXPECT_EQ(gxds_bootstrap_find_authority(b.get(), gxds_str_z("")), &b->authorities[0]);
  EXPECT_EQ(gxds_bootstrap_find_authority(b.get(), gxds_str_z("b")), nullptr);
}

TEST(Bootstrap, NoAuthorityIsFoundWhereThereAreNone) {
  Bootstrap b = MustParse(WithServer(""));
  EXPECT_EQ(gxds_bootstrap_find_authority(b.get(), gxds_str_z("")), nullptr);
}

TEST(Bootstrap, CertificateProvidersAreSorted) {  // A29.32
  Bootstrap b = MustParse(WithTop(R"("certificate_providers": {
      "two": {"plugin_name": "file_watcher"},
      "one": {"plugin_name": "file_watcher", "config": {"b": 1.5, "a": [10, null]}}})"));
  ASSERT_EQ(b->certificate_provider_count, 2u);
  EXPECT_EQ(ToString(b->certificate_providers[0].instance_name), "one");
  EXPECT_EQ(ToString(b->certificate_providers[0].plugin_name), "file_watcher");
  EXPECT_EQ(ToString(b->certificate_providers[0].config_json), R"({"a":[10,null],"b":1.5})");
  EXPECT_EQ(ToString(b->certificate_providers[1].instance_name), "two");
  EXPECT_EQ(ToString(b->certificate_providers[1].config_json), "");
}

TEST(Bootstrap, ASpiffeBundleMapHasTheNameThatGrpcReadsToo) {  // A87.1
  Bootstrap b = MustParse(WithTop(R"("certificate_providers": {
      "one": {"plugin_name": "file_watcher", "config": {"spiffe_trust_bundle_map_file": "/a"}},
      "two": {"plugin_name": "file_watcher",
              "config": {"spiffe_bundle_map_file": "/b", "spiffe_trust_bundle_map_file": "/a"}}})"));
  EXPECT_EQ(ToString(b->certificate_providers[0].config_json),
            R"({"spiffe_bundle_map_file":"/a","spiffe_trust_bundle_map_file":"/a"})");
  EXPECT_EQ(ToString(b->certificate_providers[1].config_json),
            R"({"spiffe_bundle_map_file":"/b","spiffe_trust_bundle_map_file":"/a"})");
}

TEST(Bootstrap, UnknownFieldsAreIgnored) {  // A27.8
  MustParse(R"({"xds_servers": [{"server_uri": "lb:1", "x": 1, "channel_creds":
      [{"type": "insecure", "x": []}]}], "x": {}, "node": {"x": "whee", "locality": {"x": {}}},
      "authorities": {"a": {"x": 1}}, "certificate_providers":
      {"p": {"plugin_name": "file_watcher", "x": 0}}})");
}

TEST(Bootstrap, ServersAreEqualByTheirFields) {  // A47.11
  auto server = [](const std::string& uri, const std::string& type, const std::string& config,
                   const std::string& feature) {
    return MustParse(R"({"xds_servers": [{"server_uri": ")" + uri +
                     R"(", "channel_creds": [{"type": ")" + type + R"(", "config": )" + config +
                     R"(}], "server_features": [")" + feature + R"("]}]})");
  };
  Bootstrap a = server("lb:1", "fake", R"({"a": 1, "b": 2})", "xds_v3");
  auto equal = [&](const Bootstrap& b) {
    return gxds_bootstrap_server_equal(a->servers[0], b->servers[0]);
  };
  EXPECT_TRUE(equal(server("lb:1", "fake", R"({ "b":2,"a":1 })", "other")));
  EXPECT_FALSE(equal(server("lb:2", "fake", R"({"a": 1, "b": 2})", "")));
  EXPECT_FALSE(equal(server("lb:1", "insecure", R"({"a": 1, "b": 2})", "")));
  EXPECT_FALSE(equal(server("lb:1", "fake", R"({"a": 1, "b": 3})", "")));
  for (const char* feature : {"delta", "ignore_resource_deletion", "fail_on_data_errors",
                              "resource_timer_is_transient_error", "trusted_xds_server",
                              "endpoint_weights", "lb_subsets"}) {
    EXPECT_FALSE(equal(server("lb:1", "fake", R"({"a": 1, "b": 2})", feature))) << feature;
  }
}

std::string TokenFile(const std::string& path) {
  return R"("call_creds": [{"type": "jwt_token_file", "config": {"jwt_token_file": ")" + path +
         R"("}}])";
}

TEST(Bootstrap, ServersOfOtherTokensAreOthers) {
  Bootstrap one = MustParse(WithServer(TokenFile("/a")));
  Bootstrap same = MustParse(WithServer(TokenFile("/a")));
  Bootstrap other = MustParse(WithServer(TokenFile("/b")));
  Bootstrap none = MustParse(WithServer(""));
  EXPECT_TRUE(gxds_bootstrap_server_equal(one->servers[0], same->servers[0]));
  EXPECT_FALSE(gxds_bootstrap_server_equal(one->servers[0], other->servers[0]));
  EXPECT_FALSE(gxds_bootstrap_server_equal(one->servers[0], none->servers[0]));
}

TEST(Bootstrap, ACopyOfAServerOutlivesIt) {
  const std::string json =
      WithServer(TokenFile("/run/token") + R"(, "server_features": ["delta"])");
  Bootstrap b = MustParse(json);
  gxds_bootstrap_server copy = gxds_bootstrap_server_copy(b->servers[0]);
  b = MustParse(json);
  EXPECT_TRUE(gxds_bootstrap_server_equal(&copy, b->servers[0]));
  gxds_bootstrap_server_fini(&copy);
}

TEST(Bootstrap, IsCounted) {
  Bootstrap b = MustParse(WithServer(""));
  const gxds_bootstrap* second = gxds_bootstrap_ref(b.get());
  b.reset();
  EXPECT_EQ(ToString(second->servers[0]->uri), "lb:1");
  gxds_bootstrap_unref(second);
  gxds_bootstrap_unref(nullptr);
}

struct Bad {
  std::string json;
  std::string error;
};

std::string Invalid(const std::string& list, const std::string& lines) {
  return "errors validating JSON: [" + list + "] (" + lines + ")";
}

std::vector<Bad> BadContent() {
  return {
      {"1", Invalid("field: error:is not an object", "line 1")},
      {"[]", Invalid("field: error:is not an object", "line 1")},
      {"{}", Invalid("field:xds_servers error:field not present", "xds_servers line 1")},
      {"\n\n{}", Invalid("field:xds_servers error:field not present", "xds_servers line 3")},
      {R"({"xds_servers": []})",
       Invalid("field:xds_servers error:must be non-empty", "xds_servers line 1")},
      {R"({"xds_servers": null})",
       Invalid("field:xds_servers error:is not an array", "xds_servers line 1")},
      {"{\n\"xds_servers\":1,\n\"node\":1,\n\"server_listener_resource_name_template\":1,\n"
       "\"client_default_listener_resource_name_template\":[],\n"
       "\"certificate_providers\":1,\n\"authorities\":[]}",
       Invalid("field:authorities error:is not an object; "
               "field:certificate_providers error:is not an object; "
               "field:client_default_listener_resource_name_template error:is not a string; "
               "field:node error:is not an object; "
               "field:server_listener_resource_name_template error:is not a string; "
               "field:xds_servers error:is not an array",
               "xds_servers line 2, node line 3, "
               "client_default_listener_resource_name_template line 5, "
               "server_listener_resource_name_template line 4, authorities line 7, "
               "certificate_providers line 6")},
      {R"({"xds_servers":[1]})",
       Invalid("field:xds_servers[0] error:is not an object", "xds_servers[0] line 1")},
      {R"({"xds_servers":[{}]})",
       Invalid("field:xds_servers[0].channel_creds error:field not present; "
               "field:xds_servers[0].server_uri error:field not present",
               "xds_servers[0].server_uri line 1, xds_servers[0].channel_creds line 1")},
      {"{\"xds_servers\":[\n{\"server_uri\":1,\n\"channel_creds\":1}\n]}",
       Invalid("field:xds_servers[0].channel_creds error:is not an array; "
               "field:xds_servers[0].server_uri error:is not a string",
               "xds_servers[0].server_uri line 2, xds_servers[0].channel_creds line 3")},
      {R"({"xds_servers":[{"server_uri":"","channel_creds":[{"type":"fake"}]}]})",
       Invalid("field:xds_servers[0].server_uri error:must be non-empty",
               "xds_servers[0].server_uri line 1")},
      {R"({"xds_servers":[{"server_uri":"foo","channel_creds":[]}]})",
       Invalid("field:xds_servers[0].channel_creds error:no known creds type found",
               "xds_servers[0].channel_creds line 1")},
      {R"({"xds_servers":[{"server_uri":"foo","channel_creds":[{"type":"unknown"}]}]})",
       Invalid("field:xds_servers[0].channel_creds error:no known creds type found",
               "xds_servers[0].channel_creds line 1")},
      {R"({"xds_servers":[{"server_uri":"foo","channel_creds":[0,{}]}]})",
       Invalid("field:xds_servers[0].channel_creds[0] error:is not an object; "
               "field:xds_servers[0].channel_creds[1].type error:field not present",
               "xds_servers[0].channel_creds[0] line 1, "
               "xds_servers[0].channel_creds[1].type line 1")},
      {R"({"xds_servers":[{"server_uri":"foo","channel_creds":[{"type":0,"config":1}]}]})",
       Invalid("field:xds_servers[0].channel_creds[0].config error:is not an object; "
               "field:xds_servers[0].channel_creds[0].type error:is not a string",
               "xds_servers[0].channel_creds[0].type line 1, "
               "xds_servers[0].channel_creds[0].config line 1")},
      {R"({"xds_servers":[{"server_uri":"foo","channel_creds":[{"type":"picky"}]}]})",
       Invalid("field:xds_servers[0].channel_creds error:no known creds type found; "
               "field:xds_servers[0].channel_creds[0] "
               "error:invalid config for channel creds type \"picky\"",
               "xds_servers[0].channel_creds[0] line 1, xds_servers[0].channel_creds line 1")},
      {WithServer(R"("call_creds": {})"),
       Invalid("field:xds_servers[0].call_creds error:is not an array",
               "xds_servers[0].call_creds line 1")},
      {WithServer(R"("call_creds": [0, {}, {"type": 1, "config": 1}])"),
       Invalid("field:xds_servers[0].call_creds[0] error:is not an object; "
               "field:xds_servers[0].call_creds[1].type error:field not present; "
               "field:xds_servers[0].call_creds[2].config error:is not an object; "
               "field:xds_servers[0].call_creds[2].type error:is not a string",
               "xds_servers[0].call_creds[0] line 1, xds_servers[0].call_creds[1].type line 1, "
               "xds_servers[0].call_creds[2].type line 1, "
               "xds_servers[0].call_creds[2].config line 1")},
      {WithServer(R"("call_creds": [
           {"type": "jwt_token_file"},
           {"type": "jwt_token_file", "config": {}},
           {"type": "jwt_token_file", "config": {"jwt_token_file": 1}},
           {"type": "jwt_token_file", "config": {"jwt_token_file": ""}}])"),
       Invalid("field:xds_servers[0].call_creds[0].config.jwt_token_file error:field not present; "
               "field:xds_servers[0].call_creds[1].config.jwt_token_file error:field not present; "
               "field:xds_servers[0].call_creds[2].config.jwt_token_file error:is not a string; "
               "field:xds_servers[0].call_creds[3].config.jwt_token_file error:must be non-empty",
               "xds_servers[0].call_creds[0].config.jwt_token_file line 2, "
               "xds_servers[0].call_creds[1].config.jwt_token_file line 3, "
               "xds_servers[0].call_creds[2].config.jwt_token_file line 4, "
               "xds_servers[0].call_creds[3].config.jwt_token_file line 5")},
      {WithServer(R"("server_features": "delta")"),
       Invalid("field:xds_servers[0].server_features error:is not an array",
               "xds_servers[0].server_features line 1")},
      {WithServer(R"("server_features": ["delta", 1])"),
       Invalid("field:xds_servers[0].server_features[1] error:is not a string",
               "xds_servers[0].server_features[1] line 1")},
      {R"({"node":{"id":0,"cluster":0,"locality":0,"metadata":0}})",
       Invalid("field:node.cluster error:is not a string; field:node.id error:is not a string; "
               "field:node.locality error:is not an object; "
               "field:node.metadata error:is not an object; "
               "field:xds_servers error:field not present",
               "xds_servers line 1, node.id line 1, node.cluster line 1, node.locality line 1, "
               "node.metadata line 1")},
      {WithTop("\"node\":{\n\"locality\":{\n\"region\":0,\n\"zone\":0,\n\"sub_zone\":0}}"),
       Invalid("field:node.locality.region error:is not a string; "
               "field:node.locality.sub_zone error:is not a string; "
               "field:node.locality.zone error:is not a string",
               "node.locality.region line 3, node.locality.zone line 4, "
               "node.locality.sub_zone line 5")},
      {WithTop(R"("authorities": {"a": 1})"),
       Invalid("field:authorities[\"a\"] error:is not an object", "authorities[\"a\"] line 1")},
      {WithTop(R"("authorities": {"x.com": {"client_listener_resource_name_template":
          "xds://x.com/%s"}})"),
       Invalid("field:authorities[\"x.com\"].client_listener_resource_name_template "
               "error:field must begin with \"xdstp://x.com/\"",
               "authorities[\"x.com\"].client_listener_resource_name_template line 2")},
      {WithTop(R"("authorities": {"x.com": {"client_listener_resource_name_template":
          "xdstp://x.comm/%s", "xds_servers": [{}]}})"),
       Invalid("field:authorities[\"x.com\"].client_listener_resource_name_template "
               "error:field must begin with \"xdstp://x.com/\"; "
               "field:authorities[\"x.com\"].xds_servers[0].channel_creds "
               "error:field not present; "
               "field:authorities[\"x.com\"].xds_servers[0].server_uri error:field not present",
               "authorities[\"x.com\"].client_listener_resource_name_template line 2, "
               "authorities[\"x.com\"].xds_servers[0].server_uri line 2, "
               "authorities[\"x.com\"].xds_servers[0].channel_creds line 2")},
      {WithTop(R"("authorities": {"a": {"fallback_on_reachability_only": "yes"}})"),
       Invalid("field:authorities[\"a\"].fallback_on_reachability_only error:is not a boolean",
               "authorities[\"a\"].fallback_on_reachability_only line 1")},
      {WithTop(R"("resource_cache": "/var/cache")"),
       Invalid("field:resource_cache error:is not an object", "resource_cache line 1")},
      {WithTop(R"("resource_cache": {})"),
       Invalid("field:resource_cache.dir error:field not present", "resource_cache.dir line 1")},
      {WithTop(R"("resource_cache": {"dir": "cache"})"),
       Invalid("field:resource_cache.dir error:must be an absolute path",
               "resource_cache.dir line 1")},
      {WithTop(R"("resource_cache": {"dir": "/c", "by_node_id": "yes"})"),
       Invalid("field:resource_cache.by_node_id error:is not a boolean",
               "resource_cache.by_node_id line 1")},
      {WithTop(R"("shared_stream": "yes")"),
       Invalid("field:shared_stream error:is not a boolean", "shared_stream line 1")},
      {WithTop(R"("certificate_providers": {"p": 1})"),
       Invalid("field:certificate_providers[\"p\"] error:is not an object",
               "certificate_providers[\"p\"] line 1")},
      {WithTop(R"("certificate_providers": {"p": {}})"),
       Invalid("field:certificate_providers[\"p\"].plugin_name error:field not present",
               "certificate_providers[\"p\"].plugin_name line 1")},
      {WithTop(R"("certificate_providers": {"p": {"plugin_name": 1, "config": 1}})"),
       Invalid("field:certificate_providers[\"p\"].config error:is not an object; "
               "field:certificate_providers[\"p\"].plugin_name error:is not a string",
               "certificate_providers[\"p\"].plugin_name line 1, "
               "certificate_providers[\"p\"].config line 1")},
      {WithTop(R"("certificate_providers": {"p": {"plugin_name": "unknown"}})"),
       Invalid("field:certificate_providers[\"p\"].plugin_name "
               "error:Unrecognized plugin name: unknown",
               "certificate_providers[\"p\"] line 1")},
  };
}

TEST(Bootstrap, AnAuthorityMayFallBackOnReachabilityAlone) {  // A95.1
  Bootstrap b = MustParse(WithTop(R"("authorities": {
    "a": {}, "b": {"fallback_on_reachability_only": true},
    "c": {"fallback_on_reachability_only": false}})"));
  EXPECT_FALSE(b->authorities[0].fallback_on_reachability_only);
  EXPECT_TRUE(b->authorities[1].fallback_on_reachability_only);
  EXPECT_FALSE(b->authorities[2].fallback_on_reachability_only);
}

TEST(Bootstrap, ServerMayBeADirectory) {
  Bootstrap b = MustParse(
      R"({"xds_servers":[{"server_uri":"file:///etc/xds"},
          {"server_uri":"files:1","channel_creds":[{"type":"insecure"}]}]})");
  EXPECT_EQ(ToString(b->servers[0]->uri), "file:///etc/xds");
  EXPECT_EQ(ToString(b->servers[0]->directory), "/etc/xds");
  EXPECT_EQ(ToString(b->servers[1]->directory), "");
  EXPECT_EQ(Parse(R"({"xds_servers":[{"server_uri":"file:xds"}]})"),
            Invalid("field:xds_servers[0].server_uri error:must be file:///DIRECTORY",
                    "xds_servers[0].server_uri line 1"));
}

TEST(Bootstrap, DirectoryOfAFileUriIsPercentDecoded) {  // RFC 3986
  auto with = [](const std::string& uri) {
    return R"({"xds_servers":[{"server_uri":")" + uri + R"("}]})";
  };
  Bootstrap b = MustParse(with("file:///a%20b/%C3%A4%2f%25"));
  EXPECT_EQ(ToString(b->servers[0]->directory), "/a b/\xc3\xa4/%");
  EXPECT_EQ(b->servers[0]->directory.data[b->servers[0]->directory.size], 0) << "for open()";
  EXPECT_EQ(ToString(b->servers[0]->uri), "file:///a%20b/%C3%A4%2f%25") << "a name, as it stands";
  const std::pair<const char*, const char*> bad[] = {
      {"file:///a%", "has a % without two hexadecimal digits behind it: % is written %25"},
      {"file:///a%2", "has a % without two hexadecimal digits behind it: % is written %25"},
      {"file:///a%2g", "has a % without two hexadecimal digits behind it: % is written %25"},
      {"file:///a%g2", "has a % without two hexadecimal digits behind it: % is written %25"},
      {"file:///a%00b", "may not have a zero (%00): no path has"},
      {"file:///a?b", "may have no query or fragment: ? is written %3F, # %23"},
      {"file:///a#b", "may have no query or fragment: ? is written %3F, # %23"},
      {"file:///a%ff", "is not UTF-8 when it is percent-decoded"},
  };
  for (const auto& [uri, error] : bad) {
    EXPECT_EQ(Parse(with(uri)),
              Invalid(std::string("field:xds_servers[0].server_uri error:") + error,
                      "xds_servers[0].server_uri line 1"));
  }
}

// A server of the list. features and more are members of it, more with a comma before each.
std::string WebServer(const std::string& uri, const std::string& features,
                      const std::string& more = "",
                      const std::string& creds = R"([{"type":"insecure"}])") {
  return R"({"xds_servers":[{"server_uri":")" + uri + R"(","channel_creds":)" + creds +
         R"(,"server_features":)" + features + more + "}]}";
}

TEST(Bootstrap, MayNameAWebServer) {
  Bootstrap b = MustParse(WebServer("http://h:80/dir/", R"(["rest"])"));
  EXPECT_EQ(ToString(b->servers[0]->uri), "http://h:80/dir");
  EXPECT_EQ(b->servers[0]->uri.data[b->servers[0]->uri.size], 0);
  EXPECT_EQ(b->servers[0]->web_form, GXDS_WEB_REST);
  EXPECT_EQ(b->servers[0]->refresh_delay, 30 * GXDS_SECOND);
  EXPECT_FALSE(gxds_bootstrap_server_is_grpc(b->servers[0]));
  Bootstrap other = MustParse(
      WebServer("https://h", R"(["files","trusted_xds_server"])", R"(,"refresh_delay":"0.5s")",
                R"([{"type":"tls","config":{"ca_certificate_file":"/ca"}}])"));
  EXPECT_EQ(other->servers[0]->web_form, GXDS_WEB_FILES);
  EXPECT_EQ(other->servers[0]->refresh_delay, GXDS_SECOND / 2);
  EXPECT_TRUE(other->servers[0]->trusted_xds_server);
  EXPECT_TRUE(gxds_bootstrap_server_equal(
      other->servers[0],
      MustParse(WebServer("https://h/", R"(["files","trusted_xds_server"])",
                          R"(,"refresh_delay":"0.5s")",
                          R"([{"type":"tls","config":{"ca_certificate_file":"/ca"}}])"))
          ->servers[0]));
  EXPECT_FALSE(
      gxds_bootstrap_server_equal(MustParse(WebServer("http://h", R"(["rest"])"))->servers[0],
                                  MustParse(WebServer("http://h", R"(["files"])"))->servers[0]));
  EXPECT_FALSE(gxds_bootstrap_server_equal(
      MustParse(WebServer("http://h", R"(["rest"])"))->servers[0],
      MustParse(WebServer("http://h", R"(["rest"])", R"(,"refresh_delay":"1s")"))->servers[0]));
}

TEST(Bootstrap, ErrorsOfAWebServerAreReported) {
  const struct {
    std::string json, field, error;
  } wrong[] = {
      {WebServer("http://", R"(["rest"])"), "server_uri",
       "must name a host, as http://HOST:PORT/PATH"},
      {WebServer("http:///path", R"(["rest"])"), "server_uri",
       "must name a host, as http://HOST:PORT/PATH"},
      {WebServer("http://user:pass@h", R"(["rest"])"), "server_uri",
       "may have no user or password: whoever reads the bootstrap, or a log, would have it"},
      {WebServer("http://h/?a", R"(["rest"])"), "server_uri", "may have no query or fragment"},
      {WebServer("http://h/#a", R"(["rest"])"), "server_uri", "may have no query or fragment"},
      {WebServer("http://h/a b", R"(["rest"])"), "server_uri",
       "has a byte that no URL has: it is to be percent-encoded"},
      {WebServer("http://h/\u00e4", R"(["rest"])"), "server_uri",
       "has a byte that no URL has: it is to be percent-encoded"},
      {WebServer("http://h", "[]"), "server_features",
       R"(must have one of "rest" and "files" for an http: or https: URI)"},
      {WebServer("http://h", R"(["rest","files"])"), "server_features",
       R"(must have one of "rest" and "files" for an http: or https: URI)"},
      {WebServer("http://h", R"(["rest","delta"])"), "server_features",
       R"(may not have "delta" for an http: or https: URI)"},
      {WebServer("h:80", R"(["rest"])"), "server_features",
       R"(may have "rest" or "files" for an http: or https: URI only)"},
      {WebServer("file:///d", R"(["files"])"), "server_features",
       R"(may have "rest" or "files" for an http: or https: URI only)"},
      {WebServer("https://h", R"(["rest"])"), "channel_creds",
       R"(must be "tls" for an https: URI)"},
      {WebServer("http://h", R"(["rest"])", "", R"([{"type":"tls"}])"), "channel_creds",
       R"(must be "insecure" for an http: URI)"},
      {WebServer("http://h", R"(["rest"])",
                 R"(,"call_creds":[{"type":"jwt_token_file","config":{"jwt_token_file":"/t"}}])"),
       "call_creds", "are not sent to an http: or https: URI: leave them out"},
      {WebServer("http://h", R"(["rest"])", R"(,"refresh_delay":"0.01s")"), "refresh_delay",
       "must be from 0.1s to 86400s"},
      {WebServer("http://h", R"(["rest"])", R"(,"refresh_delay":"86401s")"), "refresh_delay",
       "must be from 0.1s to 86400s"},
      {WebServer("http://h", R"(["rest"])", R"(,"refresh_delay":"often")"), "refresh_delay",
       "Not a duration (no s suffix)"},
      {WebServer("http://h", R"(["rest"])", R"(,"refresh_delay":5)"), "refresh_delay",
       "is not a string"},
  };
  for (const auto& w : wrong) {
    EXPECT_EQ(Parse(w.json), Invalid("field:xds_servers[0]." + w.field + " error:" + w.error,
                                     "xds_servers[0]." + w.field + " line 1"))
        << w.json;
  }
}

TEST(Bootstrap, MayNameADirectoryForTheResourceCache) {
  EXPECT_EQ(ToString(MustParse(WithTop(R"("resource_cache": {"dir": "/c"})"))->resource_cache_dir),
            "/c");
  EXPECT_EQ(ToString(MustParse(WithTop(R"("x": 1)"))->resource_cache_dir), "");
  EXPECT_FALSE(MustParse(WithTop(R"("resource_cache": {"dir": "/c"})"))->resource_cache_by_node_id);
  EXPECT_TRUE(MustParse(WithTop(R"("resource_cache": {"dir": "/c", "by_node_id": true})"))
                  ->resource_cache_by_node_id);
}

// Members at the top, with the authority "a" of these servers.
std::string WithAuthority(const std::string& servers) {
  return WithTop(R"("authorities": {"a": {"xds_servers": [)" + servers + "]}}");
}

// A bootstrap with these servers at the top, and these further members.
std::string WithServers(const std::string& servers, const std::string& members = "") {
  return R"({"xds_servers": [)" + servers + "]" + members + "}";
}

TEST(Bootstrap, OneStreamIsSharedWhereNoAuthorityHasASecondServer) {  // A71.1
  const std::string one(kServer);
  const std::string other = R"({"server_uri": "lb:2", "channel_creds": [{"type": "insecure"}]})";
  EXPECT_TRUE(MustParse(WithServers(one))->shared_stream);
  EXPECT_TRUE(MustParse(WithAuthority(other))->shared_stream);  // another server, but only one
  EXPECT_TRUE(MustParse(WithAuthority(""))->shared_stream);
  EXPECT_FALSE(MustParse(WithServers(one + "," + other))->shared_stream);
  EXPECT_FALSE(MustParse(WithAuthority(one + "," + other))->shared_stream);
  EXPECT_TRUE(MustParse(WithServers(one + "," + one))->shared_stream);  // the same server twice
}

TEST(Bootstrap, SharedStreamSaysOtherwiseBothWays) {
  const std::string one(kServer);
  const std::string two =
      one + R"(,{"server_uri": "lb:2", "channel_creds": [{"type": "insecure"}]})";
  EXPECT_FALSE(MustParse(WithServers(one, R"(, "shared_stream": false)"))->shared_stream);
  EXPECT_TRUE(MustParse(WithServers(one, R"(, "shared_stream": true)"))->shared_stream);
  EXPECT_TRUE(MustParse(WithServers(two, R"(, "shared_stream": true)"))->shared_stream);
  EXPECT_FALSE(MustParse(WithServers(two, R"(, "shared_stream": false)"))->shared_stream);
}

TEST(Bootstrap, ContentIsEqualForTheSameMembersAlone) {
  Bootstrap b = MustParse(WithTop(R"("node": {"id": "n", "cluster": "c"}, "x": 1)"));
  Bootstrap same = MustParse(WithTop("\n\"x\" : 1,\n\"node\": {\"cluster\":\"c\",\"id\":\"n\"}"));
  EXPECT_EQ(ToString(b->content), ToString(same->content));
  for (const char* members : {R"("node": {"id": "n", "cluster": "d"}, "x": 1)",
                              R"("node": {"id": "n", "cluster": "c"}, "x": 2)",
                              R"("node": {"id": "n", "cluster": "c"})"}) {
    EXPECT_NE(ToString(b->content), ToString(MustParse(WithTop(members))->content)) << members;
  }
}

TEST(Bootstrap, EveryWrongFieldIsReported) {  // A47.5, A27.5, A97.3, A97.4
  for (const Bad& bad : BadContent()) EXPECT_EQ(Parse(bad.json), bad.error) << bad.json;
}

TEST(Bootstrap, SyntaxErrorsNameLineAndColumn) {
  EXPECT_EQ(Parse(""), "JSON parse error at line 1, column 0: unexpected token near end of file");
  EXPECT_EQ(Parse("{\n  \"xds_servers\": [,]\n}"),
            "JSON parse error at line 2, column 19: unexpected token near ','");
  EXPECT_EQ(Parse(WithServer("") + "\n}"),
            "JSON parse error at line 2, column 1: end of file expected near '}'");
  EXPECT_EQ(Parse("{\n\n\"node\": {\"id\": \"\xff\"}}"),
            "JSON parse error at line 3, column 16: unable to decode byte 0xff near '\"'");
  EXPECT_THAT(
      Parse(std::string(100000, '[')),
      testing::StartsWith("JSON parse error at line 1, column 2049: maximum parsing depth"));
  EXPECT_THAT(Parse("{\"a\": \"\\u0000\"}"),
              testing::StartsWith("JSON parse error at line 1, column 14: \\x5cu0000 is not"));
}

TEST(Bootstrap, LinesAreThoseOfTheLastOfEqualNames) {
  EXPECT_EQ(Parse("{\"node\": {},\n\"\\u006eode\": 3,\n\"xds_servers\": 1,\n \"xds_servers\": 2}"),
            Invalid("field:node error:is not an object; field:xds_servers error:is not an array",
                    "xds_servers line 4, node line 1"));
}

TEST(Bootstrap, LinesAreFoundPastValuesOfEveryKind) {
  EXPECT_EQ(Parse("{\"a\": [true, \"}]\\\"\", -1.5e3, {\"b\": {}, \"c\": [[]]}],\n\"xds_servers\": "
                  "[" +
                  std::string(kServer) + ", [ ] ,\n null]}"),
            Invalid("field:xds_servers[1] error:is not an object; "
                    "field:xds_servers[2] error:is not an object",
                    "xds_servers[1] line 2, xds_servers[2] line 3"));
}

TEST(Bootstrap, ErrorsOfHostileInputAreCounted) {
  std::string features;
  for (int i = 0; i < 1000; i++) features += i ? ",1" : "1";
  std::string error = Parse(WithServer("\"server_features\": [" + features + "]"));
  EXPECT_THAT(error, testing::HasSubstr("; and 900 more] ("));
  EXPECT_LT(error.size(), 20000u);
}

TEST(Bootstrap, ListsAreBounded) {
  auto repeat = [](const std::string& item, int count) {
    std::string out;
    for (int i = 0; i < count; i++) out += (i ? "," : "") + item;
    return out;
  };
  EXPECT_EQ(Parse("{\"xds_servers\": [" + repeat(kServer, 100) + "]}"), "");
  EXPECT_EQ(Parse("{\"xds_servers\": [" + repeat(kServer, 101) + "]}"),
            Invalid("field:xds_servers error:has 101 entries; at most 100 are allowed",
                    "xds_servers line 1"));
  std::string creds = repeat(R"({"type":"insecure"})", 101);
  EXPECT_EQ(Parse(R"({"xds_servers": [{"server_uri": "a", "channel_creds": [)" + creds + "]}]}"),
            Invalid("field:xds_servers[0].channel_creds "
                    "error:has 101 entries; at most 100 are allowed",
                    "xds_servers[0].channel_creds line 1"));
  std::string map;
  for (int i = 0; i < 10001; i++) map += (i ? ",\"" : "\"") + std::to_string(i) + "\":{}";
  EXPECT_EQ(Parse(WithTop("\"authorities\": {" + map + "}")),
            Invalid("field:authorities error:has 10001 entries; at most 10000 are allowed",
                    "authorities line 1"));
}

TEST(Bootstrap, SizeIsBounded) {
  std::string text = WithServer("");
  text.resize(GXDS_BOOTSTRAP_SIZE_MAX, ' ');
  EXPECT_EQ(Parse(text), "");
  text.push_back(' ');
  EXPECT_EQ(Parse(text), "the bootstrap has 16777217 bytes; at most 16777216 are allowed");
}

}  // namespace
}  // namespace grpc_xds_test
