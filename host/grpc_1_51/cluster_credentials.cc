#include "host/grpc_1_51/cluster_credentials.h"

#include <utility>

#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/gpr/useful.h"
#include "src/core/lib/security/credentials/composite/composite_credentials.h"
#include "src/core/lib/security/credentials/tls/grpc_tls_credentials_options.h"
#include "src/core/lib/security/credentials/tls/tls_credentials.h"
#include "src/core/lib/security/credentials/xds/xds_credentials.h"

namespace grpc_xds {
namespace {

using grpc_core::ChannelArgs;
using grpc_core::MakeRefCounted;
using grpc_core::RefCountedPtr;

// As XdsCredentials, but for the root certificates.
class ClusterCredentials final : public grpc_channel_credentials {
 public:
  ClusterCredentials(std::string cluster, RefCountedPtr<grpc_core::XdsCertificateProvider> provider,
                     bool has_identity)
      : cluster_(std::move(cluster)), provider_(std::move(provider)), has_identity_(has_identity) {}

  RefCountedPtr<grpc_channel_security_connector> create_security_connector(
      RefCountedPtr<grpc_call_credentials> call_creds, const char* target_name,
      ChannelArgs* args) override {
    *args = args->SetIfUnset(GRPC_SSL_TARGET_NAME_OVERRIDE_ARG, target_name);
    auto options = MakeRefCounted<grpc_tls_credentials_options>();
    // A provider that nothing is watched of must not be there: the host would end that watch.
    if (has_identity_) {
      options->set_certificate_provider(provider_);
      options->set_watch_identity_pair(true);
      options->set_identity_cert_name(cluster_);
    }
    // Root certificates that are not watched are those of the machine, which all connections share.
    options->set_watch_root_cert(false);
    options->set_verify_server_cert(true);
    options->set_certificate_verifier(
        MakeRefCounted<grpc_core::XdsCertificateVerifier>(provider_, cluster_));
    options->set_check_call_host(false);
    return MakeRefCounted<TlsCredentials>(std::move(options))
        ->create_security_connector(std::move(call_creds), target_name, args);
  }

  grpc_core::UniqueTypeName type() const override {
    static grpc_core::UniqueTypeName::Factory factory("grpc_xds_cluster");
    return factory.Create();
  }

 private:
  int cmp_impl(const grpc_channel_credentials* other) const override {
    return grpc_core::QsortCompare(static_cast<const grpc_channel_credentials*>(this), other);
  }

  const std::string cluster_;
  const RefCountedPtr<grpc_core::XdsCertificateProvider> provider_;
  const bool has_identity_;
};

}  // namespace

RefCountedPtr<grpc_channel_credentials> MakeClusterCredentials(
    std::string cluster, RefCountedPtr<grpc_core::XdsCertificateProvider> provider,
    bool has_identity) {
  return MakeRefCounted<ClusterCredentials>(std::move(cluster), std::move(provider), has_identity);
}

RefCountedPtr<grpc_channel_credentials> WithInnermost(
    const grpc_channel_credentials& channels, RefCountedPtr<grpc_channel_credentials> inner) {
  auto* composite = dynamic_cast<const grpc_composite_channel_credentials*>(&channels);
  if (composite == nullptr) return inner;
  // The host has no other way to a reference of them.
  auto* calls = const_cast<grpc_call_credentials*>(composite->call_creds());
  return MakeRefCounted<grpc_composite_channel_credentials>(
      WithInnermost(*composite->inner_creds(), std::move(inner)), calls->Ref());
}

}  // namespace grpc_xds
