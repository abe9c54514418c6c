#include "tools/command/validator.h"

#include "base/check.h"
#include "base/memory.h"
#include "host/host_get.h"
#include "resources/resources.h"

struct gxds_validator {
  const gxds_bootstrap *bootstrap;
  bool any_bootstrap; /* the clients' bootstrap is not known, and bootstrap stands in for it */
};

gxds_validator *gxds_validator_create(const gxds_bootstrap *bootstrap) {
  static const char plain[] =
      "{\"xds_servers\":[{\"server_uri\":\"localhost\",\"channel_creds\":[{\"type\":\"insecure\"}]}"
      "],\"node\":{\"id\":\"xds\"}}";
  gxds_validator *v = GXDS_NEW(gxds_validator);
  if (bootstrap) {
    v->bootstrap = gxds_bootstrap_ref(bootstrap);
    return v;
  }
  v->any_bootstrap = true;
  gxds_status status =
      gxds_bootstrap_parse(gxds_str_z(plain), gxds_host_get(), &v->bootstrap, NULL);
  GXDS_CHECK(gxds_status_is_ok(&status));
  return v;
}

void gxds_validator_destroy(gxds_validator *v) {
  gxds_bootstrap_unref(v->bootstrap);
  gxds_free(v);
}

bool gxds_validator_trusts(const gxds_validator *v) {
  return v->any_bootstrap || v->bootstrap->servers[0]->trusted_xds_server;
}

bool gxds_validator_takes_subsets(const gxds_validator *v) {
  return v->any_bootstrap || v->bootstrap->servers[0]->lb_subsets;
}

gxds_status gxds_validator_check(const gxds_validator *v, const gxds_file_resource *resource,
                                 gxds_errors *errors) {
  gxds_decode_context context = {.bootstrap = v->bootstrap,
                                 .server = v->bootstrap->servers[0],
                                 .host = gxds_host_get(),
                                 .any_bootstrap = v->any_bootstrap};
  const gxds_resource_type *type = gxds_resource_types[resource->type]; /* in the same order */
  GXDS_CHECK(gxds_file_type_find(gxds_str_z(type->type_url)) == resource->type);
  gxds_decoded decoded = {0};
  gxds_status status = type->decode(&context, resource->bytes, &decoded);
  gxds_resource_unref(decoded.resource);
  if (errors) {
    *errors = decoded.errors;
    decoded.errors = (gxds_errors){0};
  }
  gxds_decoded_fini(&decoded);
  return status;
}
