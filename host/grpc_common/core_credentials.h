// Common names for the classes of credentials, certificates and matchers that each version of gRPC
// has, but under different paths and names.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_CORE_CREDENTIALS_H_
#define GRPC_XDS_HOST_GRPC_COMMON_CORE_CREDENTIALS_H_

#include <grpc/support/port_platform.h>

#include <string>

#include "host/grpc_common/core_json.h"
#include "host/grpc_common/core_version.h"

#ifdef GXDS_GRPC_1_83
#include "src/core/config/core_configuration.h"
#include "src/core/credentials/transport/composite/composite_channel_credentials.h"
#include "src/core/credentials/transport/tls/certificate_provider_factory.h"
#include "src/core/credentials/transport/tls/certificate_provider_registry.h"
#include "src/core/credentials/transport/tls/grpc_tls_certificate_provider.h"
#include "src/core/credentials/transport/tls/ssl_utils.h"
#include "src/core/credentials/transport/transport_credentials.h"
#include "src/core/credentials/transport/xds/xds_credentials.h"
#include "src/core/load_balancing/xds/xds_channel_args.h"
#include "src/core/util/json/json_args.h"
#include "src/core/util/matchers.h"
#include "src/core/util/ref_counted_ptr.h"
#include "src/core/util/validation_errors.h"
#include "src/core/xds/grpc/xds_certificate_provider.h"
#else
#include "src/core/ext/filters/client_channel/lb_policy/xds/xds_channel_args.h"
#include "src/core/ext/xds/xds_certificate_provider.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/iomgr/error.h"
#include "src/core/lib/matchers/matchers.h"
#include "src/core/lib/security/certificate_provider/certificate_provider_factory.h"
#include "src/core/lib/security/certificate_provider/certificate_provider_registry.h"
#include "src/core/lib/security/credentials/channel_creds_registry.h"
#include "src/core/lib/security/credentials/composite/composite_credentials.h"
#include "src/core/lib/security/credentials/credentials.h"
#include "src/core/lib/security/credentials/tls/grpc_tls_certificate_provider.h"
#include "src/core/lib/security/credentials/xds/xds_credentials.h"
#include "src/core/lib/security/security_connector/ssl_utils.h"
#endif

namespace grpc_xds {

// Makes a provider's config with its factory. If json is wrong, returns null and sets *why to the
// reason.
inline grpc_core::RefCountedPtr<grpc_core::CertificateProviderFactory::Config> ReadProviderConfig(
    grpc_core::CertificateProviderFactory* factory, const grpc_core::Json& json, std::string* why) {
#ifdef GXDS_GRPC_1_83
  grpc_core::ValidationErrors wrong;
  auto config = factory->CreateCertificateProviderConfig(json, grpc_core::JsonArgs(), &wrong);
  if (!wrong.ok()) *why = wrong.message("errors");
#else
  grpc_error_handle wrong;
  auto config = factory->CreateCertificateProviderConfig(json, &wrong);
  if (!wrong.ok()) *why = grpc_core::StatusToString(wrong);
#endif
  return wrong.ok() ? config : nullptr;
}

}  // namespace grpc_xds

#endif
