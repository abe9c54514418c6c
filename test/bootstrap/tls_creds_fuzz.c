/* Any bytes give a whole configuration of tls credentials or at least one error, never both. */
#include <stdint.h>
#include <stdlib.h>

#include "bootstrap/tls_creds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
  if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  gxds_tls_creds c;
  gxds_errors errors = {0};
  bool valid = gxds_tls_creds_init(&c, gxds_str_of((const char *)data, size), NULL, &errors);
  require(valid == (errors.count == 0));
  if (valid) {
    require(c.refresh_interval > 0);
    require(gxds_str_empty(c.certificate_file) == gxds_str_empty(c.private_key_file));
    require(strlen(c.ca_certificate_file.data) == c.ca_certificate_file.size);
    gxds_tls_creds_fini(&c);
  }
  gxds_errors_fini(&errors);
  return 0;
}
