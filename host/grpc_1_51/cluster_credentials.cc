#include "host/grpc_1_51/cluster_credentials.h"

#include <functional>
#include <utility>

#include "absl/status/status.h"

#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/gpr/useful.h"
#include "src/core/lib/security/credentials/composite/composite_credentials.h"
#include "src/core/lib/security/credentials/tls/grpc_tls_certificate_verifier.h"
#include "src/core/lib/security/credentials/tls/grpc_tls_credentials_options.h"
#include "src/core/lib/security/credentials/tls/tls_credentials.h"
#include "src/core/lib/security/credentials/tls/tls_utils.h"
#include "src/core/lib/security/credentials/xds/xds_credentials.h"

namespace grpc_xds {
namespace {

using grpc_core::ChannelArgs;
using grpc_core::MakeRefCounted;
using grpc_core::RefCountedPtr;

// A101: checks that a server's certificate has the name that the handshake sent.
class SniVerifier final : public grpc_tls_certificate_verifier {
 public:
  explicit SniVerifier(std::string sni) : sni_(std::move(sni)) {}

  bool Verify(grpc_tls_custom_verification_check_request* request,
              std::function<void(absl::Status)> /*callback*/, absl::Status* sync_status) override {
    const auto& names = request->peer_info.san_names;
    for (size_t i = 0; i < names.dns_names_size; ++i) {
      if (grpc_core::VerifySubjectAlternativeName(names.dns_names[i], sni_)) return true;
    }
    *sync_status = absl::UnauthenticatedError(
        "SANs from certificate did not match SNI from xDS control plane");
    return true;
  }
  void Cancel(grpc_tls_custom_verification_check_request* /*request*/) override {}

  grpc_core::UniqueTypeName type() const override {
    static grpc_core::UniqueTypeName::Factory factory("grpc_xds_sni");
    return factory.Create();
  }

 private:
  int CompareImpl(const grpc_tls_certificate_verifier* other) const override {
    return sni_.compare(static_cast<const SniVerifier*>(other)->sni_);
  }

  const std::string sni_;
};

// Does the same as XdsCredentials, except for the options below.
class ClusterCredentials final : public grpc_channel_credentials {
 public:
  ClusterCredentials(std::string cluster, RefCountedPtr<grpc_core::XdsCertificateProvider> provider,
                     ClusterCredentialsOptions options)
      : cluster_(std::move(cluster)), provider_(std::move(provider)), options_(options) {}

  RefCountedPtr<grpc_channel_security_connector> create_security_connector(
      RefCountedPtr<grpc_call_credentials> call_creds, const char* target_name,
      ChannelArgs* args) override {
    *args = args->SetIfUnset(GRPC_SSL_TARGET_NAME_OVERRIDE_ARG, target_name);
    auto options = MakeRefCounted<grpc_tls_credentials_options>();
    // Sets a provider only if root certificates or an identity are watched. Otherwise the host
    // would end a watch that does not exist.
    if (!options_.system_roots || options_.has_identity) {
      options->set_certificate_provider(provider_);
    }
    // If root certificates are not watched, the machine's are used, which all connections share.
    if (!options_.system_roots) {
      options->set_watch_root_cert(true);
      options->set_root_cert_name(cluster_);
    }
    if (options_.has_identity) {
      options->set_watch_identity_pair(true);
      options->set_identity_cert_name(cluster_);
    }
    options->set_verify_server_cert(true);
    options->set_certificate_verifier(Verifier(*args));
    options->set_check_call_host(false);
    return MakeRefCounted<TlsCredentials>(std::move(options))
        ->create_security_connector(std::move(call_creds), target_name, args);
  }

  grpc_core::UniqueTypeName type() const override {
    static grpc_core::UniqueTypeName::Factory factory("grpc_xds_cluster");
    return factory.Create();
  }

 private:
  RefCountedPtr<grpc_tls_certificate_verifier> Verifier(const ChannelArgs& args) const {
    auto sni = args.GetOwnedString(kServerNameArg);
    if (options_.validates_sni && sni.has_value()) {
      return MakeRefCounted<SniVerifier>(std::move(*sni));
    }
    return MakeRefCounted<grpc_core::XdsCertificateVerifier>(provider_, cluster_);
  }

  int cmp_impl(const grpc_channel_credentials* other) const override {
    return grpc_core::QsortCompare(static_cast<const grpc_channel_credentials*>(this), other);
  }

  const std::string cluster_;
  const RefCountedPtr<grpc_core::XdsCertificateProvider> provider_;
  const ClusterCredentialsOptions options_;
};

}  // namespace

RefCountedPtr<grpc_channel_credentials> MakeClusterCredentials(
    std::string cluster, RefCountedPtr<grpc_core::XdsCertificateProvider> provider,
    ClusterCredentialsOptions options) {
  return MakeRefCounted<ClusterCredentials>(std::move(cluster), std::move(provider), options);
}

RefCountedPtr<grpc_channel_credentials> WithInnermost(
    const grpc_channel_credentials& channels, RefCountedPtr<grpc_channel_credentials> inner) {
  auto* composite = dynamic_cast<const grpc_composite_channel_credentials*>(&channels);
  if (composite == nullptr) return inner;
  // The host has no other way to get a reference to them.
  auto* calls = const_cast<grpc_call_credentials*>(composite->call_creds());
  return MakeRefCounted<grpc_composite_channel_credentials>(
      WithInnermost(*composite->inner_creds(), std::move(inner)), calls->Ref());
}

}  // namespace grpc_xds
