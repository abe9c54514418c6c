/* gxds_tls_creds: the "config" of channel credentials of type "tls" in the bootstrap (A65). Lives
 * in the caller's struct; any thread. */
#ifndef GRPC_XDS_BOOTSTRAP_TLS_CREDS_H_
#define GRPC_XDS_BOOTSTRAP_TLS_CREDS_H_

#include "base/errors.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A65's default for how often the files are read again. */
#define GXDS_TLS_CREDS_REFRESH_DEFAULT (600 * GXDS_SECOND)

/* Paths are zero-terminated. */
typedef struct gxds_tls_creds {
  gxds_str ca_certificate_file; /* empty: the system's authorities are trusted */
  gxds_str certificate_file;    /* empty: no certificate of the client's own; then so is the next */
  gxds_str private_key_file;
  gxds_duration refresh_interval; /* positive */
} gxds_tls_creds;

/* Reads the config (JSON text; empty: an empty object). False: errors, at that path, say all that
 * is wrong, and there is nothing to end. Unknown fields are ignored. Whether the files exist is
 * not looked at: they are read while connections are made, again and again. */
bool gxds_tls_creds_init(gxds_tls_creds *c, gxds_str config_json, const gxds_path *at,
                         gxds_errors *errors);
void gxds_tls_creds_fini(gxds_tls_creds *c);

#ifdef __cplusplus
}
#endif

#endif
