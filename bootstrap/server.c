#include "base/memory.h"
#include "bootstrap/bootstrap.h"

static bool same_features(const gxds_bootstrap_server *a, const gxds_bootstrap_server *b) {
#define X(name, note) a->name == b->name &&
  return GXDS_SERVER_FEATURES(X) true;
#undef X
}

bool gxds_bootstrap_server_equal(const gxds_bootstrap_server *a, const gxds_bootstrap_server *b) {
  return a == b ||
         (gxds_str_equal(a->uri, b->uri) && gxds_str_equal(a->creds_type, b->creds_type) &&
          gxds_str_equal(a->creds_config_json, b->creds_config_json) &&
          gxds_strs_equal(a->jwt_token_files, a->jwt_token_file_count, b->jwt_token_files,
                          b->jwt_token_file_count) &&
          same_features(a, b) && a->web_form == b->web_form &&
          a->refresh_delay == b->refresh_delay);
}

gxds_bootstrap_server gxds_bootstrap_server_copy(const gxds_bootstrap_server *s) {
  gxds_bootstrap_server copy = *s;
  copy.uri = gxds_str_dup(s->uri);
  copy.directory = gxds_str_dup(s->directory);
  copy.creds_type = gxds_str_dup(s->creds_type);
  copy.creds_config_json = gxds_str_dup(s->creds_config_json);
  copy.jwt_token_files = gxds_strs_dup(s->jwt_token_files, s->jwt_token_file_count);
  return copy;
}

void gxds_bootstrap_server_fini(gxds_bootstrap_server *s) {
  gxds_str_free(&s->uri);
  gxds_str_free(&s->directory);
  gxds_str_free(&s->creds_type);
  gxds_str_free(&s->creds_config_json);
  gxds_strs_free((gxds_str *)s->jwt_token_files, s->jwt_token_file_count);
  s->jwt_token_files = NULL;
  s->jwt_token_file_count = 0;
}
