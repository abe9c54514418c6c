#include <grpc/support/port_platform.h>

#include "host/grpc_1_83/policy.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "host/grpc_1_83/convert.h"
#include "host/host_get.h"
#include "src/core/credentials/transport/composite/composite_channel_credentials.h"
#include "src/core/credentials/transport/tls/grpc_tls_certificate_provider.h"
#include "src/core/credentials/transport/tls/ssl_utils.h"
#include "src/core/credentials/transport/transport_credentials.h"
#include "src/core/credentials/transport/xds/xds_credentials.h"
#include "src/core/load_balancing/xds/xds_channel_args.h"
#include "src/core/util/matchers.h"
#include "src/core/xds/grpc/xds_certificate_provider.h"

namespace grpc_xds {
namespace {

using grpc_core::ChannelArgs;
using grpc_core::LoadBalancingPolicy;
using grpc_core::RefCountedPtr;
using grpc_core::StringMatcher;
using Provider = RefCountedPtr<grpc_tls_certificate_provider>;

// Null for a source that is none.
absl::StatusOr<Provider> ProviderOf(const gxds_certificate_source& source) {
  if (source.provider == nullptr) return nullptr;
  Provider provider(gxds_host_get()->certificate_provider_get(source.provider->plugin_name,
                                                              source.provider->config_json));
  if (provider != nullptr) return provider;
  return absl::UnavailableError(absl::StrCat(
      "certificate provider \"", ToAbsl(source.instance_name), "\" of the xDS bootstrap: plugin \"",
      ToAbsl(source.provider->plugin_name), "\" of this program made none"));
}

// A82. Read once in a process; without them every handshake would fail, without a word.
absl::Status CheckSystemRoots() {
  if (grpc_core::DefaultSslRootStore::GetRootStore() != nullptr) return absl::OkStatus();
  return absl::UnavailableError(
      "system_root_certs: gRPC finds no root certificates on this machine; "
      "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH may name a file of them");
}

absl::StatusOr<StringMatcher> MatcherOf(const gxds_san_match& san) {
  static constexpr StringMatcher::Type kTypes[] = {
      StringMatcher::Type::kExact, StringMatcher::Type::kPrefix, StringMatcher::Type::kSuffix,
      StringMatcher::Type::kContains, StringMatcher::Type::kSafeRegex};
  return StringMatcher::Create(kTypes[san.kind], ToAbsl(san.text), san.case_sensitive);
}

absl::StatusOr<std::vector<StringMatcher>> MatchersOf(const gxds_tls& tls) {
  std::vector<StringMatcher> matchers;
  for (size_t i = 0; i < tls.san_count; ++i) {
    auto matcher = MatcherOf(tls.sans[i]);
    if (!matcher.ok()) return matcher.status();
    matchers.push_back(std::move(*matcher));
  }
  return matchers;
}

// Of this host's providers each is for one configuration, for good.
class Security : public gxds_cluster_security {
 public:
  Security() : gxds_cluster_security{&kOps} {}
  Security(const Security&) = delete;
  Security& operator=(const Security&) = delete;

  // Takes the configuration into force, for connections from now on. On an error nothing is
  // changed.
  absl::Status Update(const gxds_tls& tls);
  // The args, with what the credentials look for.
  ChannelArgs AddTo(const ChannelArgs& args) const {
    return xds_provider_ == nullptr ? args : args.SetObject(xds_provider_);
  }

 private:
  static const gxds_cluster_security_ops kOps;

  RefCountedPtr<grpc_core::XdsCertificateProvider> xds_provider_;
};

absl::Status Security::Update(const gxds_tls& tls) {
  auto root = ProviderOf(tls.ca);
  if (!root.ok()) return root.status();
  auto identity = ProviderOf(tls.identity);
  if (!identity.ok()) return identity.status();
  auto matchers = MatchersOf(tls);
  if (!matchers.ok()) return matchers.status();
  if (tls.system_roots) {
    if (auto status = CheckSystemRoots(); !status.ok()) return status;
  }
  // What a handshake asks for when the endpoint has no hostname. If it then asks for nothing, this
  // host compares with an empty name, which none has, where A101 wants it to use the matchers.
  const gxds_str sni = gxds_tls_server_name(&tls, gxds_str{nullptr, 0});
  xds_provider_ = grpc_core::MakeRefCounted<grpc_core::XdsCertificateProvider>(
      std::move(*root), ToAbsl(tls.ca.certificate_name), tls.system_roots, std::move(*identity),
      ToAbsl(tls.identity.certificate_name), std::move(*matchers), std::string(ToAbsl(sni)),
      tls.auto_host_sni, tls.auto_sni_san_validation && (tls.auto_host_sni || sni.size > 0));
  return absl::OkStatus();
}

const gxds_cluster_security_ops Security::kOps = {
    [](gxds_cluster_security* s, const gxds_tls* tls) {
      return ToC(static_cast<Security*>(s)->Update(*tls));
    },
    [](gxds_cluster_security* s) { delete static_cast<Security*>(s); },
};

}  // namespace

// Call credentials may be around them, any number of times.
bool HasXdsCredentials(const gxds_args* args) {
  const grpc_channel_credentials* credentials = ToHost(args).GetObject<grpc_channel_credentials>();
  while (auto* composite = dynamic_cast<const grpc_composite_channel_credentials*>(credentials)) {
    credentials = composite->inner_creds();
  }
  return credentials != nullptr && credentials->type() == grpc_core::XdsCredentials::Type();
}

gxds_cluster_security* MakeClusterSecurity() { return new Security; }

const gxds_args* ArgsOfCluster(const gxds_args* args, gxds_str cluster,
                               const gxds_cluster_security* security) {
  ChannelArgs out = ToHost(args).Set(GRPC_ARG_XDS_CLUSTER_NAME, ToAbsl(cluster));
  if (security != nullptr) out = static_cast<const Security*>(security)->AddTo(out);
  return ToC(std::move(out));
}

}  // namespace grpc_xds
