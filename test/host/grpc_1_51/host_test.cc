// gxds_host, answered by the host's registry.
#include "host/host_get.h"

#include <gmock/gmock.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "bootstrap/bootstrap.h"
#include "bootstrap/channel_creds.h"
#include "bootstrap/source.h"
#include "src/core/ext/xds/xds_client_grpc.h"
#include "src/core/lib/gpr/time_precise.h"
#include "src/core/lib/gprpp/time.h"
#include "test/support/forks_during.h"
#include "test/support/wall_clock.h"
#include "transport/channel_creds.h"
#include "xds_resolver/regex_prefix.h"

namespace {

std::string ToString(gxds_str s) { return std::string(s.data, s.size); }

class Host : public testing::Test {
 protected:
  void SetUp() override {
    grpc_init();
    unsetenv("GRPC_XDS_BOOTSTRAP");
    unsetenv("GRPC_XDS_BOOTSTRAP_CONFIG");
  }
  void TearDown() override { grpc_shutdown(); }

  // The errors that check adds at the path "here".
  static std::string Errors(
      const std::function<void(const gxds_path* at, gxds_errors* errors)>& check) {
    gxds_errors errors = {};
    gxds_path at = {nullptr, "here", -1, nullptr};
    check(&at, &errors);
    gxds_status status = gxds_errors_status(&errors, "E");
    std::string out = ToString(status.message);
    gxds_status_fini(&status);
    gxds_errors_fini(&errors);
    return out;
  }
  const gxds_host* host_ = gxds_host_get();
};

// With the distance added, an RPC with a timeout of one second ends one second after its start by
// the clock of the host's timers.
TEST_F(Host, KnowsTheDistanceOfItsClocks) {
  using std::chrono::milliseconds;
  for (const int ahead : {0, 5000, -5000, 86400000}) {
    SCOPED_TRACE(ahead);
    gxds_test::SetWallClockAhead(milliseconds(ahead));
    const grpc_core::Timestamp least =
        grpc_core::Timestamp::FromTimespecRoundDown(gpr_now(GPR_CLOCK_MONOTONIC));
    const grpc_core::Timestamp counted =
        grpc_core::Timestamp::FromCycleCounterRoundUp(gpr_get_cycle_counter());
    const gxds_duration distance = host_->clock_distance();
    const grpc_core::Timestamp most =
        grpc_core::Timestamp::FromTimespecRoundUp(gpr_now(GPR_CLOCK_MONOTONIC));
    EXPECT_EQ(distance % GXDS_MILLISECOND, 0);
    const auto found = counted + grpc_core::Duration::Milliseconds(distance / GXDS_MILLISECOND);
    EXPECT_GE(found, least);
    EXPECT_LE(found, most + grpc_core::Duration::Milliseconds(2)) << "rounded";
  }
  gxds_test::SetWallClockAhead(milliseconds(0));
}

TEST_F(Host, TheDistanceOfClocksThatAgreeIsZero) {
  gxds_duration distance = host_->clock_distance();
  gxds_duration ahead = 0;
  for (int i = 0; i < 100 && distance != 0; ++i) {  // on a busy machine it takes several tries
    ahead += distance;
    gxds_test::SetWallClockAhead(std::chrono::nanoseconds(ahead));
    distance = host_->clock_distance();
  }
  EXPECT_EQ(distance, 0);
  EXPECT_NE(ahead, 0) << "the clocks of this host are apart";
  gxds_test::SetWallClockAhead(std::chrono::nanoseconds(0));
}

TEST_F(Host, KnowsTheRegistrysCredentials) {
  for (const char* type : {"insecure", "google_default", "fake"}) {
    EXPECT_TRUE(gxds_channel_creds_supported(gxds_str_z(type), host_)) << type;
  }
  EXPECT_TRUE(gxds_channel_creds_supported(gxds_str_z("tls"), host_)) << "ours";  // A65
  EXPECT_FALSE(gxds_channel_creds_supported(gxds_str_z("TLS"), host_));
  EXPECT_FALSE(gxds_channel_creds_supported(gxds_str_z(""), host_));
}

TEST_F(Host, ChecksTheConfigOfCredentials) {
  auto check = [&](const char* type, const char* config) {
    return Errors([&](const gxds_path* at, gxds_errors* errors) {
      gxds_channel_creds_check(gxds_str_z(type), gxds_str_z(config), at, errors, host_);
    });
  };
  EXPECT_EQ(check("insecure", ""), "");
  EXPECT_EQ(check("insecure", "{\"a\":1}"), "");
  EXPECT_EQ(check("exotic", ""),
            "E: [field:here error:invalid config for channel creds type \"exotic\"]");
  EXPECT_EQ(check("tls", ""), "");
  EXPECT_EQ(check("tls", R"({"ca_certificate_file":1,"refresh_interval":"1"})"),
            "E: [field:here.config.ca_certificate_file error:is not a string; "
            "field:here.config.refresh_interval error:is not a duration, as \"600s\" is]");
  EXPECT_EQ(check("insecure", "{"),
            "E: [field:here error:invalid config for channel creds type \"insecure\"]");
}

TEST_F(Host, CreatesCredentials) {
  grpc_channel_credentials* creds =
      gxds_channel_creds_create(gxds_str_z("insecure"), gxds_str_of(nullptr, 0), host_);
  ASSERT_NE(creds, nullptr);
  grpc_channel_credentials_release(creds);
  EXPECT_EQ(gxds_channel_creds_create(gxds_str_z("exotic"), gxds_str_of(nullptr, 0), host_),
            nullptr);
}

TEST_F(Host, CreatesTlsCredentials) {  // A65.1
  for (const char* config :
       {"", R"({"ca_certificate_file":"/nowhere"})",
        R"({"certificate_file":"/no","private_key_file":"/where","refresh_interval":"0.1s"})"}) {
    grpc_channel_credentials* creds =
        gxds_channel_creds_create(gxds_str_z("tls"), gxds_str_z(config), host_);
    ASSERT_NE(creds, nullptr) << config;
    grpc_channel_credentials_release(creds);
  }
  EXPECT_EQ(gxds_channel_creds_create(gxds_str_z("tls"), gxds_str_z("{\"certificate_file\":\"a\"}"),
                                      host_),
            nullptr);
}

TEST_F(Host, SharesACertificateProviderWhileItIsInUse) {  // A29.34
  auto get = [&](const char* plugin, const char* config) {
    return host_->certificate_provider_get(gxds_str_z(plugin), gxds_str_z(config));
  };
  const char* config = R"({"ca_certificate_file":"/nowhere"})";
  auto* one = get("file_watcher", config);
  ASSERT_NE(one, nullptr);
  auto* two = get("file_watcher", config);
  EXPECT_EQ(one, two);
  auto* other = get("file_watcher", R"({"ca_certificate_file":"/elsewhere"})");
  EXPECT_NE(other, one);
  grpc_tls_certificate_provider_release(one);
  EXPECT_EQ(get("file_watcher", config), two);
  grpc_tls_certificate_provider_release(two);
  grpc_tls_certificate_provider_release(two);
  grpc_tls_certificate_provider_release(other);
  EXPECT_EQ(get("unknown", ""), nullptr);
  EXPECT_EQ(get("file_watcher", "{}"), nullptr);
}

TEST_F(Host, LooksForACertificateProviderInTheChildOfAForkDuringOtherSearches) {
  EXPECT_TRUE(gxds_test::AllChildrenEnd([this] {
    EXPECT_EQ(host_->certificate_provider_get(gxds_str_z("unknown"), gxds_str_z("")), nullptr);
  }));
}

// The thread that reads the files again does not exist in the child.
TEST_F(Host, SharesNoCertificateProviderWithItsParentInTheChildOfAFork) {
  const auto get = [this] {
    return host_->certificate_provider_get(gxds_str_z("file_watcher"),
                                           gxds_str_z(R"({"ca_certificate_file":"/nowhere"})"));
  };
  auto* of_parent = get();
  EXPECT_EQ(gxds_test::StatusOfChild([&] {
              auto* of_child = get();
              return of_child != of_parent && get() == of_child ? 0 : 1;
            }),
            0);
  auto* again = get();
  EXPECT_EQ(again, of_parent);
  grpc_tls_certificate_provider_release(again);
  grpc_tls_certificate_provider_release(of_parent);
}

// The end of a provider joins its thread, and the child has no threads of its parent.
TEST_F(Host, ReleasesTheCertificateProvidersOfItsParentInTheChildOfAFork) {
  constexpr int kProviders = 4;
  const auto get = [this](int i) {
    const std::string config = R"({"ca_certificate_file":"/)" + std::to_string(i) + R"("})";
    return host_->certificate_provider_get(gxds_str_z("file_watcher"),
                                           gxds_str_of(config.data(), config.size()));
  };
  std::vector<grpc_tls_certificate_provider*> of_parent;
  for (int i = 0; i < kProviders; ++i) of_parent.push_back(get(i));
  EXPECT_EQ(gxds_test::StatusOfChild([&] {
              for (auto* provider : of_parent) grpc_tls_certificate_provider_release(provider);
              return 0;
            }),
            0);
  for (auto* provider : of_parent) grpc_tls_certificate_provider_release(provider);
}

TEST_F(Host, ChecksLbConfigsWithTheHostsErrors) {
  auto check = [&](const char* json) {
    return Errors([&](const gxds_path* at, gxds_errors* errors) {
      host_->lb_config_check(gxds_str_z(json), at, errors);
    });
  };
  EXPECT_EQ(check("[{\"round_robin\":{}}]"), "");
  EXPECT_EQ(check("[{\"unknown\":{}},{\"pick_first\":{}}]"), "");
  EXPECT_EQ(check("[{\"unknown\":{}}]"),
            "E: [field:here error:No known policies in list: unknown]");
  EXPECT_EQ(check("{}"), "E: [field:here error:type should be array]");
  EXPECT_THAT(check("["), testing::StartsWith("E: [field:here error:JSON parsing failed"));
}

TEST_F(Host, KnowsTheRegistrysLbPolicies) {
  EXPECT_TRUE(host_->lb_policy_exists(gxds_str_z("round_robin")));
  EXPECT_FALSE(host_->lb_policy_exists(gxds_str_z("myorg.MyCustomLb")));
  EXPECT_FALSE(host_->lb_policy_exists(gxds_str_of(nullptr, 0)));
}

TEST_F(Host, ChecksRegularExpressions) {
  EXPECT_TRUE(host_->regex_check(gxds_str_z("^/a.*[0-9]+$")));
  EXPECT_FALSE(host_->regex_check(gxds_str_z("a[z-a]")));
  EXPECT_FALSE(host_->regex_check(gxds_str_z("(?=lookahead)")));
}

TEST_F(Host, ReturnsWhatMatchesOfARegularExpressionBeginWith) {
  auto prefix = [&](const char* text) {
    void* regex = host_->regex_create(gxds_str_z(text));
    gxds_str found = gxds_regex_prefix(regex, host_);
    std::string result(found.data == nullptr ? "" : found.data, found.size);
    gxds_str_free(&found);
    host_->regex_destroy(regex);
    return result;
  };
  EXPECT_EQ(prefix("/service/[A-Z].*"), "/service/");
  EXPECT_EQ(prefix("^/service/m$"), "/service/m");
  EXPECT_EQ(prefix("/(foo|foobar)/.*"), "/foo");
  EXPECT_EQ(prefix("/a*b"), "/");
  EXPECT_EQ(prefix("/ab?"), "/a");
  for (const char* any : {".*/x", "/a|b", "(?i)a/", "[/x]a", ""}) EXPECT_EQ(prefix(any), "") << any;
}

TEST_F(Host, ChecksCertificateProviders) {
  auto check = [&](const char* plugin, const char* config) {
    return Errors([&](const gxds_path* at, gxds_errors* errors) {
      host_->certificate_provider_check(gxds_str_z(plugin), gxds_str_z(config), at, errors);
    });
  };
  EXPECT_EQ(check("file_watcher", "{\"ca_certificate_file\":\"/x\"}"), "");
  EXPECT_EQ(check("unknown", ""),
            "E: [field:here.plugin_name error:Unrecognized plugin name: unknown]");
  EXPECT_THAT(check("file_watcher", "{\"ca_certificate_file\":1}"),
              testing::StartsWith("E: [field:here.config error:"));
}

TEST_F(Host, HasNoFallbackBootstrapUnlessSomebodyLeftOne) {
  gxds_str out;
  EXPECT_FALSE(host_->fallback_bootstrap(&out));
}

// Like the google-c2p resolver.
TEST_F(Host, PassesOnTheFallbackBootstrapThatIsLeftWithTheHost) {
  setenv("GRPC_EXPERIMENTAL_XDS_FEDERATION", "true", 1);
  grpc_core::internal::SetXdsFallbackBootstrapConfig(R"({
      "xds_servers": [{"server_uri": "td:1", "channel_creds": [{"type": "google_default"}]}],
      "authorities": {"c2p": {"xds_servers":
          [{"server_uri": "td:2", "channel_creds": [{"type": "insecure"}],
            "server_features": ["ignore_resource_deletion"]}]}},
      "client_default_listener_resource_name_template": "x/%s",
      "node": {"id": "C2P-1", "locality": {"zone": "z"}, "metadata": {"IPV6": true}}})");
  gxds_str text;
  gxds_str where;
  gxds_status found = gxds_bootstrap_find(host_, gxds_str_z("xds:///a"), &text, &where);
  ASSERT_EQ(found.code, GXDS_OK);
  const gxds_bootstrap* b = nullptr;
  gxds_status parsed = gxds_bootstrap_parse(text, host_, &b, nullptr);
  ASSERT_EQ(parsed.code, GXDS_OK) << parsed.message.data;
  EXPECT_EQ(ToString(b->node_id), "C2P-1");
  EXPECT_THAT(ToString(b->node), testing::HasSubstr("IPV6"));
  EXPECT_EQ(ToString(b->servers[0]->uri), "td:1");
  EXPECT_EQ(ToString(b->servers[0]->creds_type), "google_default");
  ASSERT_EQ(b->authority_count, 1u);
  EXPECT_EQ(ToString(b->authorities[0].name), "c2p");
  EXPECT_EQ(ToString(b->authorities[0].servers[0]->uri), "td:2");
  EXPECT_TRUE(b->authorities[0].servers[0]->ignore_resource_deletion);
  EXPECT_EQ(ToString(b->client_default_listener_resource_name_template), "x/%s");
  gxds_bootstrap_unref(b);
  gxds_str_free(&text);
  gxds_str_free(&where);
}

}  // namespace
