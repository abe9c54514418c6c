#include "host/grpc_common/secrets.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "host/grpc_common/convert.h"
#include "host/grpc_common/policy.h"
#include "host/host_get.h"

namespace grpc_xds {
namespace {

using grpc_core::StringMatcher;

// The provider of a source; null if the source names none.
absl::StatusOr<Provider> ProviderOf(const gxds_certificate_source& source) {
  if (source.provider == nullptr) return nullptr;
  Provider provider(gxds_host_get()->certificate_provider_get(source.provider->plugin_name,
                                                              source.provider->config_json));
  if (provider != nullptr) return provider;
  return absl::UnavailableError(absl::StrCat(
      "certificate provider \"", ToAbsl(source.instance_name), "\" of the xDS bootstrap: plugin \"",
      ToAbsl(source.provider->plugin_name), "\" of this program made none"));
}

// A82: checks that there are root certificates, which the host reads once in a process. Without
// them every handshake would fail silently.
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

}  // namespace

absl::StatusOr<Secrets> SecretsOf(const gxds_tls& tls) {
  auto root = ProviderOf(tls.ca);
  if (!root.ok()) return root.status();
  auto identity = ProviderOf(tls.identity);
  if (!identity.ok()) return identity.status();
  auto sans = MatchersOf(tls);
  if (!sans.ok()) return sans.status();
  if (tls.system_roots) {
    if (auto status = CheckSystemRoots(); !status.ok()) return status;
  }
  return Secrets{*std::move(root), *std::move(identity), *std::move(sans)};
}

// The XdsCredentials may be inside any number of composite credentials with call credentials.
bool HasXdsCredentials(const gxds_args* args) {
  const grpc_channel_credentials* credentials = ToHost(args).GetObject<grpc_channel_credentials>();
  while (auto* composite = dynamic_cast<const grpc_composite_channel_credentials*>(credentials)) {
    credentials = composite->inner_creds();
  }
  return credentials != nullptr && credentials->type() == grpc_core::XdsCredentials::Type();
}

}  // namespace grpc_xds
