#include <grpc/support/port_platform.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "host/grpc_1_51/cluster_credentials.h"
#include "host/grpc_common/convert.h"
#include "host/grpc_common/policy.h"
#include "host/grpc_common/secrets.h"
#include "src/core/lib/iomgr/pollset_set.h"

namespace grpc_xds {
namespace {

using grpc_core::ChannelArgs;
using grpc_core::LoadBalancingPolicy;
using grpc_core::RefCountedPtr;

// A87: this host's file_watcher does not read spiffe_trust_bundle_map_file. Without
// ca_certificate_file every handshake would fail silently.
absl::Status CheckAuthorities(const gxds_certificate_source& ca) {
  if (ca.provider == nullptr || ca.provider->has_ca_certificate_file ||
      ToAbsl(ca.provider->plugin_name) != "file_watcher") {
    return absl::OkStatus();
  }
  return absl::UnavailableError(absl::StrCat(
      "certificate provider \"", ToAbsl(ca.instance_name),
      "\" of the xDS bootstrap: file_watcher has no \"ca_certificate_file\", and this version of "
      "gRPC knows no \"spiffe_trust_bundle_map_file\" (A87)"));
}

grpc_core::RefCountedPtr<grpc_tls_certificate_distributor> DistributorOf(const Provider& provider) {
  return provider != nullptr ? provider->distributor() : nullptr;
}

class Security : public gxds_cluster_security {
 public:
  // root is the root of the tree that the policy is in.
  Security(std::string cluster, RefCountedPtr<LoadBalancingPolicy> root)
      : gxds_cluster_security{&kOps}, cluster_(std::move(cluster)), root_policy_(std::move(root)) {}
  ~Security() {
    Replace(&root_, nullptr);
    Replace(&identity_, nullptr);
  }
  Security(const Security&) = delete;
  Security& operator=(const Security&) = delete;

  // Applies the configuration to handshakes from now on. On an error nothing changes.
  absl::Status Update(const gxds_tls& tls);
  // Adds to the args what the credentials look for there.
  ChannelArgs AddTo(const ChannelArgs& args) const;

 private:
  static const gxds_cluster_security_ops kOps;

  void Replace(Provider* in_use, Provider with);

  const std::string cluster_;
  const RefCountedPtr<LoadBalancingPolicy> root_policy_;
  const RefCountedPtr<grpc_core::XdsCertificateProvider> xds_provider_ =
      grpc_core::MakeRefCounted<grpc_core::XdsCertificateProvider>();
  // The credentials that replace XdsCredentials, or null. They are made once. If a configuration
  // needs other credentials, another Security is made (GXDS_TLS_RENEW).
  RefCountedPtr<grpc_channel_credentials> credentials_;
  Provider root_;
  Provider identity_;
};

absl::Status Security::Update(const gxds_tls& tls) {
  if (auto status = CheckAuthorities(tls.ca); !status.ok()) return status;
  auto secrets = SecretsOf(tls);
  if (!secrets.ok()) return secrets.status();
  if ((tls.system_roots || tls.auto_sni_san_validation) && credentials_ == nullptr) {
    credentials_ = MakeClusterCredentials(
        cluster_, xds_provider_,
        {tls.system_roots, secrets->identity != nullptr, tls.auto_sni_san_validation});
  }
  Replace(&root_, std::move(secrets->root));
  Replace(&identity_, std::move(secrets->identity));
  // The name matchers and the root certificates are set first, so that no handshake in between
  // accepts more than either configuration allows.
  xds_provider_->UpdateSubjectAlternativeNameMatchers(cluster_, std::move(secrets->sans));
  xds_provider_->UpdateRootCertNameAndDistributor(cluster_, ToAbsl(tls.ca.certificate_name),
                                                  DistributorOf(root_));
  xds_provider_->UpdateIdentityCertNameAndDistributor(
      cluster_, ToAbsl(tls.identity.certificate_name), DistributorOf(identity_));
  return absl::OkStatus();
}

ChannelArgs Security::AddTo(const ChannelArgs& args) const {
  ChannelArgs out = args.SetObject(xds_provider_);
  const auto* channels = args.GetObject<grpc_channel_credentials>();
  if (credentials_ == nullptr || channels == nullptr) return out;
  // Uses the host's own table of functions. SetObject() would make a table here, which is read-only
  // in C++17. In a statically linked program that table is also the host's, and the host's code,
  // compiled as C++14, writes to the table when it first uses it.
  return out.Set(grpc_channel_credentials_to_arg(WithInnermost(*channels, credentials_).get()));
}

// Some providers need the channel's pollers.
void Security::Replace(Provider* in_use, Provider with) {
  if (*in_use == with) return;
  if (*in_use != nullptr && (*in_use)->interested_parties() != nullptr) {
    grpc_pollset_set_del_pollset_set(root_policy_->interested_parties(),
                                     (*in_use)->interested_parties());
  }
  if (with != nullptr && with->interested_parties() != nullptr) {
    grpc_pollset_set_add_pollset_set(root_policy_->interested_parties(),
                                     with->interested_parties());
  }
  *in_use = std::move(with);
}

const gxds_cluster_security_ops Security::kOps = {
    [](gxds_cluster_security* s, const gxds_tls* tls) {
      return ToC(static_cast<Security*>(s)->Update(*tls));
    },
    [](gxds_cluster_security* s) { delete static_cast<Security*>(s); },
};

}  // namespace

gxds_cluster_security* MakeClusterSecurity(gxds_str cluster,
                                           RefCountedPtr<LoadBalancingPolicy> root) {
  return new Security(std::string(ToAbsl(cluster)), std::move(root));
}

const gxds_args* ArgsOfCluster(const gxds_args* args, gxds_str cluster,
                               const gxds_cluster_security* security) {
  ChannelArgs out = ToHost(args).Set(GRPC_ARG_XDS_CLUSTER_NAME, ToAbsl(cluster));
  if (security != nullptr) out = static_cast<const Security*>(security)->AddTo(out);
  return ToC(std::move(out));
}

// The host sends the overridden target name as the server name. Below a channel, nothing else
// depends on that name.
const gxds_args* ArgsOfServer(const gxds_args* args, gxds_str server_name) {
  return ToC(ToHost(args)
                 .Set(GRPC_SSL_TARGET_NAME_OVERRIDE_ARG, ToAbsl(server_name))
                 .Set(kServerNameArg, ToAbsl(server_name)));
}

}  // namespace grpc_xds
