#include "tools/serve/validate.h"

#include "base/check.h"
#include "base/memory.h"
#include "plugin/host.h"
#include "resources/resources.h"

struct gxds_serve_validator {
  const gxds_bootstrap *bootstrap; /* of a client that talks to a server like this one */
};

gxds_serve_validator *gxds_serve_validator_create(void) {
  static const char bootstrap[] =
      "{\"xds_servers\":[{\"server_uri\":\"localhost\",\"channel_creds\":[{\"type\":\"insecure\"}]}"
      "],"
      "\"node\":{\"id\":\"xds serve\"}}";
  gxds_serve_validator *v = GXDS_NEW(gxds_serve_validator);
  gxds_status status = gxds_bootstrap_parse(gxds_str_z(bootstrap), gxds_host_get(), &v->bootstrap);
  GXDS_CHECK(gxds_status_is_ok(&status));
  return v;
}

void gxds_serve_validator_destroy(gxds_serve_validator *v) {
  gxds_bootstrap_unref(v->bootstrap);
  gxds_free(v);
}

static const gxds_resource_type *type_of(gxds_file_type type) {
  for (size_t i = 0; i < GXDS_RESOURCE_TYPE_COUNT; i++) {
    if (gxds_file_type_find(gxds_str_z(gxds_resource_types[i]->type_url)) == type) {
      return gxds_resource_types[i];
    }
  }
  GXDS_CHECK(false);
  return NULL;
}

static bool was_there(const gxds_file_set *previous, const gxds_file_resource *r) {
  const gxds_file_entry *old = previous ? gxds_file_set_find(previous, r->type, r->name) : NULL;
  return old && old->resource == r;
}

void gxds_serve_validator_run(gxds_serve_validator *v, const gxds_file_set *set,
                              const gxds_file_set *previous,
                              void (*tell)(void *arg, gxds_serve_event *take_event), void *arg) {
  gxds_decode_context context = {
      .bootstrap = v->bootstrap, .server = v->bootstrap->servers[0], .host = gxds_host_get()};
  for (int t = 0; t < GXDS_FILE_TYPE_COUNT; t++) {
    const gxds_resource_type *type = type_of((gxds_file_type)t);
    for (size_t i = 0; i < set->types[t].count; i++) {
      const gxds_file_entry *entry = &set->types[t].entries[i];
      if (was_there(previous, entry->resource)) continue;
      gxds_decoded decoded = {0};
      gxds_status status = type->decode(&context, entry->resource->bytes, &decoded);
      gxds_resource_unref(decoded.resource);
      gxds_str_free(&decoded.name);
      if (gxds_status_is_ok(&status)) continue;
      gxds_serve_event event = {.kind = GXDS_SERVE_WARNING,
                                .type = &gxds_file_types[t],
                                .file = gxds_str_dup(entry->file),
                                .line = entry->line,
                                .detail = status.message};
      gxds_serve_event_add_name(&event, entry->resource->name);
      tell(arg, &event); /* takes the status's message too */
    }
  }
}
