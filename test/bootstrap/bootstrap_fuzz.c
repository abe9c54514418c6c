/* Any bytes give a whole bootstrap or an error status, never both. */
#include <stdint.h>
#include <stdlib.h>

#include "bootstrap/bootstrap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool creds_supported(gxds_str type) { return type.size < 10; }

static void check(gxds_str name, gxds_str config_json, const gxds_path *at, gxds_errors *errors) {
  if (name.size + config_json.size > 40) gxds_errors_add(errors, at, "too long");
}

static void require(bool condition) {
  if (!condition) abort();
}

static void look(const gxds_bootstrap *b) {
  require(b->server_count > 0);
  for (size_t i = 0; i < b->server_count; i++) {
    require(!gxds_str_empty(b->servers[i]->uri));
    require(!gxds_str_empty(b->servers[i]->creds_type) || creds_supported(gxds_str_z("")));
    for (size_t k = 0; k < b->servers[i]->jwt_token_file_count; k++) {
      require(!gxds_str_empty(b->servers[i]->jwt_token_files[k]));
    }
    gxds_bootstrap_server copy = gxds_bootstrap_server_copy(b->servers[i]);
    require(gxds_bootstrap_server_equal(b->servers[i], &copy));
    gxds_bootstrap_server_fini(&copy);
  }
  for (size_t i = 0; i < b->authority_count; i++) {
    const gxds_bootstrap_authority *a = &b->authorities[i];
    require(gxds_bootstrap_find_authority(b, a->name) == a);
    require(a->server_count > 0);
    gxds_str name;
    gxds_status status = gxds_bootstrap_listener_name(b, a->name, b->node_id, &name);
    require(gxds_status_is_ok(&status));
    gxds_str_free(&name);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const gxds_host host = {.creds_supported = creds_supported,
                          .creds_check = check,
                          .certificate_provider_check = check};
  const gxds_bootstrap *b = NULL;
  gxds_status status = gxds_bootstrap_parse(gxds_str_of((const char *)data, size), &host, &b, NULL);
  require(gxds_status_is_ok(&status) == (b != NULL));
  if (b) look(b);
  gxds_bootstrap_unref(b);
  gxds_status_fini(&status);
  return 0;
}
