#include "transport/channel_creds.h"

#include <grpc/grpc_security.h>
#include <limits.h>

#include "bootstrap/channel_creds.h"
#include "bootstrap/tls_creds.h"

/* The interval for the host, which counts in whole seconds. */
static unsigned refresh_seconds(const gxds_tls_creds *c) {
  gxds_duration seconds = c->refresh_interval / GXDS_SECOND;
  if (seconds < 1) return 1;
  return seconds < INT_MAX ? (unsigned)seconds : INT_MAX;
}

static const char *path_or_null(gxds_str path) { return path.size ? path.data : NULL; }

/* gRPC 1.51 has one provider for the roots and the identity. */
#ifndef GXDS_TLS_PROVIDERS_APART
static void watch_root(grpc_tls_credentials_options *options,
                       grpc_tls_certificate_provider *provider) {
  grpc_tls_credentials_options_set_certificate_provider(options, provider);
  grpc_tls_credentials_options_watch_root_certs(options);
}

static void watch_identity(grpc_tls_credentials_options *options,
                           grpc_tls_certificate_provider *provider) {
  grpc_tls_credentials_options_set_certificate_provider(options, provider);
  grpc_tls_credentials_options_watch_identity_key_cert_pairs(options);
}
#else
#define watch_root grpc_tls_credentials_options_set_root_certificate_provider
#define watch_identity grpc_tls_credentials_options_set_identity_certificate_provider
#endif

static grpc_channel_credentials *create_tls(gxds_str config_json) {
  gxds_tls_creds c;
  gxds_errors errors = {0};
  bool valid = gxds_tls_creds_init(&c, config_json, NULL, &errors);
  gxds_errors_fini(&errors);
  if (!valid) return NULL;
  grpc_tls_credentials_options *options = grpc_tls_credentials_options_create();
  if (c.ca_certificate_file.size || c.certificate_file.size) {
    grpc_tls_certificate_provider *files = grpc_tls_certificate_provider_file_watcher_create(
        path_or_null(c.private_key_file), path_or_null(c.certificate_file),
        path_or_null(c.ca_certificate_file), refresh_seconds(&c));
    if (c.ca_certificate_file.size) watch_root(options, files);
    if (c.certificate_file.size) watch_identity(options, files);
    grpc_tls_certificate_provider_release(files);
  }
  gxds_tls_creds_fini(&c);
  return grpc_tls_credentials_create(options);
}

grpc_channel_credentials *gxds_channel_creds_create(gxds_str type, gxds_str config_json,
                                                    const gxds_host *host) {
  if (gxds_channel_creds_is_our_tls(type, host)) return create_tls(config_json);
  return host->creds_create(type, config_json);
}
