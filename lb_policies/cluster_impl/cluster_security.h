// How a cluster's connections are secured, in the host's terms (A29, A74): one
// XdsCertificateProvider for the cluster, which the host's XdsCredentials find in the channel args,
// beside the cluster's name. Under the channel's WorkSerializer.
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CLUSTER_SECURITY_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CLUSTER_SECURITY_H_

#include <grpc/support/port_platform.h>

#include <string>

#include "absl/status/status.h"
#include "resources/tls.h"
#include "src/core/ext/xds/xds_certificate_provider.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/iomgr/iomgr_fwd.h"
#include "src/core/lib/security/credentials/tls/grpc_tls_certificate_provider.h"

namespace grpc_xds {

// Whether the channel's credentials are the host's XdsCredentials, or made with them.
bool HasXdsCredentials(const grpc_core::ChannelArgs& args);

class ClusterSecurity {
 public:
  // interested_parties: of the policy, which outlives this.
  ClusterSecurity(std::string cluster, grpc_pollset_set* interested_parties)
      : cluster_(std::move(cluster)), interested_parties_(interested_parties) {}
  ~ClusterSecurity();
  ClusterSecurity(const ClusterSecurity&) = delete;
  ClusterSecurity& operator=(const ClusterSecurity&) = delete;

  // Takes the configuration into force, for handshakes from now on. On an error nothing is changed.
  absl::Status Update(const gxds_tls& tls);
  // The args, with what the credentials look for.
  grpc_core::ChannelArgs AddTo(const grpc_core::ChannelArgs& args) const {
    return args.SetObject(xds_provider_);
  }

 private:
  using Provider = grpc_core::RefCountedPtr<grpc_tls_certificate_provider>;

  void Replace(Provider* in_use, Provider with);

  const std::string cluster_;
  grpc_pollset_set* const interested_parties_;
  const grpc_core::RefCountedPtr<grpc_core::XdsCertificateProvider> xds_provider_ =
      grpc_core::MakeRefCounted<grpc_core::XdsCertificateProvider>();
  Provider root_;
  Provider identity_;
};

}  // namespace grpc_xds

#endif
