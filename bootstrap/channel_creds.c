#include "bootstrap/channel_creds.h"

#include "bootstrap/tls_creds.h"

bool gxds_channel_creds_is_our_tls(gxds_str type, const gxds_host *host) {
  return gxds_str_equal(type, gxds_str_z("tls")) && !host->creds_supported(type);
}

bool gxds_channel_creds_supported(gxds_str type, const gxds_host *host) {
  return host->creds_supported(type) || gxds_channel_creds_is_our_tls(type, host);
}

void gxds_channel_creds_check(gxds_str type, gxds_str config_json, const gxds_path *at,
                              gxds_errors *errors, const gxds_host *host) {
  if (!gxds_channel_creds_is_our_tls(type, host)) {
    host->creds_check(type, config_json, at, errors);
    return;
  }
  gxds_tls_creds creds;
  if (gxds_tls_creds_init(&creds, config_json, GXDS_FIELD(at, "config"), errors)) {
    gxds_tls_creds_fini(&creds);
  }
}
