/* The declarations of this header of 1.51 are in two headers in 1.83. */
#ifndef GRPC_XDS_HOST_GRPC_1_83_COMPAT_GRPC_GRPC_SECURITY_H_
#define GRPC_XDS_HOST_GRPC_1_83_COMPAT_GRPC_GRPC_SECURITY_H_

#include_next <grpc/grpc_security.h>

#include <grpc/credentials.h>

/* The function of 1.83 takes one more file, which this project does not use. */
#define grpc_tls_certificate_provider_file_watcher_create(key, certificate, root, seconds) \
  grpc_tls_certificate_provider_file_watcher_create((key), (certificate), (root), NULL, (seconds))

/* In 1.83, root certificates and the identity have separate providers. */
#define GXDS_TLS_PROVIDERS_APART 1

#endif
