#include "host/grpc_common/policy.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "host/grpc_common/convert.h"
#include "resources/tls.h"
#include "src/core/lib/security/credentials/credentials.h"
#include "src/core/lib/security/credentials/fake/fake_credentials.h"

namespace grpc_xds {
namespace {

bool HasThem(grpc_channel_credentials* credentials) {
  const gxds_args* args = ToC(grpc_core::ChannelArgs().SetObject(credentials->Ref()));
  const bool has = HasXdsCredentials(args);
  gxds_args_unref(args);
  return has;
}

TEST(Security, XdsCredentialsAreKnownAlsoInsideOthers) {  // A29
  grpc_init();
  grpc_channel_credentials* insecure = grpc_insecure_credentials_create();
  grpc_channel_credentials* xds = grpc_xds_credentials_create(insecure);
  grpc_call_credentials* calls = grpc_md_only_test_credentials_create("k", "v");
  grpc_channel_credentials* composite =
      grpc_composite_channel_credentials_create(xds, calls, nullptr);
  EXPECT_TRUE(HasThem(xds));
  EXPECT_TRUE(HasThem(composite));
  EXPECT_FALSE(HasThem(insecure));
  grpc_call_credentials_release(calls);
  for (auto* credentials : {xds, composite, insecure}) {
    grpc_channel_credentials_release(credentials);
  }
  grpc_shutdown_blocking();
}

TEST(Security, FileWatcherWithoutAuthoritiesFailsItsClusterWithTheReason) {  // A87.3
  grpc_init();
  gxds_bootstrap_certificate_provider provider = {};
  provider.plugin_name = gxds_str_z("file_watcher");
  provider.config_json = gxds_str_z(
      R"({"spiffe_trust_bundle_map_file":"/m","certificate_file":"/c","private_key_file":"/k"})");
  gxds_tls tls = {};
  tls.ca.instance_name = gxds_str_z("files");
  tls.ca.provider = &provider;
  gxds_cluster_security* security = MakeClusterSecurity(gxds_str_z("c"), nullptr);
  gxds_status status = security->ops->update(security, &tls);
  EXPECT_EQ(status.code, GXDS_UNAVAILABLE);
  EXPECT_EQ(std::string(ToAbsl(status.message)),
            "certificate provider \"files\" of the xDS bootstrap: file_watcher has no "
            "\"ca_certificate_file\", and this version of gRPC knows no "
            "\"spiffe_trust_bundle_map_file\" (A87)");
  gxds_status_fini(&status);
  security->ops->destroy(security);
  grpc_shutdown_blocking();
}

// gRPC reads them once in a process, so no other test here may need them.
TEST(Security, WithoutRootCertificatesOfTheMachineTheClusterFailsWithTheReason) {  // A82.4
  setenv("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "/dev/null", 1);
  setenv("GRPC_NOT_USE_SYSTEM_SSL_ROOTS", "true", 1);
  grpc_set_ssl_roots_override_callback(
      [](char**) { return GRPC_SSL_ROOTS_OVERRIDE_FAIL_PERMANENTLY; });
  grpc_init();
  gxds_tls tls = {};
  tls.system_roots = true;
  gxds_cluster_security* security = MakeClusterSecurity(gxds_str_z("c"), nullptr);
  gxds_status status = security->ops->update(security, &tls);
  EXPECT_EQ(status.code, GXDS_UNAVAILABLE);
  EXPECT_EQ(std::string(ToAbsl(status.message)),
            "system_root_certs: gRPC finds no root certificates on this machine; "
            "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH may name a file of them");
  gxds_status_fini(&status);
  security->ops->destroy(security);
  grpc_shutdown_blocking();
}

}  // namespace
}  // namespace grpc_xds
