#include <grpc/support/port_platform.h>

#include <string>
#include <utility>

#include "host/grpc_common/convert.h"
#include "host/grpc_common/policy.h"
#include "host/grpc_common/secrets.h"

namespace grpc_xds {
namespace {

using grpc_core::ChannelArgs;
using grpc_core::LoadBalancingPolicy;
using grpc_core::RefCountedPtr;

// In this host each provider is for one configuration only.
class Security : public gxds_cluster_security {
 public:
  Security() : gxds_cluster_security{&kOps} {}
  Security(const Security&) = delete;
  Security& operator=(const Security&) = delete;

  // Applies the configuration to connections from now on. On an error nothing changes.
  absl::Status Update(const gxds_tls& tls);
  // Adds to the args what the credentials look for there.
  ChannelArgs AddTo(const ChannelArgs& args) const {
    return xds_provider_ == nullptr ? args : args.SetObject(xds_provider_);
  }

 private:
  static const gxds_cluster_security_ops kOps;

  RefCountedPtr<grpc_core::XdsCertificateProvider> xds_provider_;
};

absl::Status Security::Update(const gxds_tls& tls) {
  auto secrets = SecretsOf(tls);
  if (!secrets.ok()) return secrets.status();
  // The name that a handshake sends if the endpoint has no hostname. If this name is empty too, the
  // host compares the certificate with an empty name, which never matches. By A101, the matchers
  // apply then.
  const gxds_str sni = gxds_tls_server_name(&tls, gxds_str{nullptr, 0});
  xds_provider_ = grpc_core::MakeRefCounted<grpc_core::XdsCertificateProvider>(
      std::move(secrets->root), ToAbsl(tls.ca.certificate_name), tls.system_roots,
      std::move(secrets->identity), ToAbsl(tls.identity.certificate_name), std::move(secrets->sans),
      std::string(ToAbsl(sni)), tls.auto_host_sni,
      tls.auto_sni_san_validation && (tls.auto_host_sni || sni.size > 0));
  return absl::OkStatus();
}

const gxds_cluster_security_ops Security::kOps = {
    [](gxds_cluster_security* s, const gxds_tls* tls) {
      return ToC(static_cast<Security*>(s)->Update(*tls));
    },
    [](gxds_cluster_security* s) { delete static_cast<Security*>(s); },
};

}  // namespace

gxds_cluster_security* MakeClusterSecurity(gxds_str /*cluster*/,
                                           RefCountedPtr<LoadBalancingPolicy> /*root*/) {
  return new Security;
}

const gxds_args* ArgsOfCluster(const gxds_args* args, gxds_str cluster,
                               const gxds_cluster_security* security) {
  ChannelArgs out = ToHost(args).Set(GRPC_ARG_XDS_CLUSTER_NAME, ToAbsl(cluster));
  if (security != nullptr) out = static_cast<const Security*>(security)->AddTo(out);
  return ToC(std::move(out));
}

}  // namespace grpc_xds
