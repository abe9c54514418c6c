/* gxds_tls_creds: the parsed "config" of channel credentials of type "tls" in the bootstrap (A65).
 * Lives in the caller's struct; any thread. */
#ifndef GRPC_XDS_BOOTSTRAP_TLS_CREDS_H_
#define GRPC_XDS_BOOTSTRAP_TLS_CREDS_H_

#include "base/errors.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A65: the files are read again after this time by default. */
#define GXDS_TLS_CREDS_REFRESH_DEFAULT (600 * GXDS_SECOND)

/* Paths are zero-terminated. */
typedef struct gxds_tls_creds {
  gxds_str ca_certificate_file; /* empty if the system's certificate authorities are trusted */
  gxds_str certificate_file;    /* empty if the client has no certificate; then private_key_file is
                                   empty too */
  gxds_str private_key_file;
  gxds_duration refresh_interval; /* positive */
} gxds_tls_creds;

/* Reads the config (JSON text; empty means an empty object). If it has errors, returns false, adds
 * all of them to errors at that path, and leaves nothing to end. Unknown fields are ignored. Does
 * not check that the files exist: they are read, again and again, while connections are made. */
bool gxds_tls_creds_init(gxds_tls_creds *c, gxds_str config_json, const gxds_path *at,
                         gxds_errors *errors);
void gxds_tls_creds_fini(gxds_tls_creds *c);

#ifdef __cplusplus
}
#endif

#endif
