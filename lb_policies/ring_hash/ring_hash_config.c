#include "lb_policies/ring_hash/ring_hash_config.h"

#include <grpc/grpc.h>
#include <grpc/slice.h>

#include "base/memory.h"
#include "json/json.h"
#include "lb_policies/ring_hash/ring_hash.h"
#include "lb_policies/ring_hash/ring_hash_policy.h"
#include "resources/ring_size.h"

static void destroy(gxds_lb_config *c) {
  gxds_ring_hash_config *config = (gxds_ring_hash_config *)c;
  gxds_str_free(&config->request_hash_header);
  gxds_free(config);
}

/* If the member is absent or wrong, leaves *size unchanged. */
static void read_size(const json_t *json, const char *name, gxds_errors *errors, uint64_t *size) {
  if (!gxds_json_uint64(json, name, GXDS_JSON_OPTIONAL, NULL, errors, size)) return;
  if (gxds_ring_size_is_valid(*size)) return;
  gxds_errors_add(errors, GXDS_FIELD(NULL, name), "must be in the range [1, 8388608]");
}

static bool is_legal_header(gxds_str name) {
  const grpc_slice slice = grpc_slice_from_copied_buffer(name.data, name.size);
  const bool is_legal = grpc_header_key_is_legal(slice) != 0;
  grpc_slice_unref(slice);
  return is_legal;
}

/* A76 */
static gxds_str read_header(const json_t *json, gxds_errors *errors) {
  static const char *const kField = "requestHashHeader";
  gxds_str name = {NULL, 0};
  if (!gxds_json_str(json, kField, GXDS_JSON_OPTIONAL, NULL, errors, &name)) return name;
  if (gxds_str_empty(name)) return name;
  if (gxds_str_ends_with(name, gxds_str_z("-bin"))) {
    gxds_errors_add(errors, GXDS_FIELD(NULL, kField), "must not be a binary header (\"-bin\")");
  } else if (!is_legal_header(name)) {
    gxds_errors_add(errors, GXDS_FIELD(NULL, kField), "is not a valid header name");
  }
  return name;
}

gxds_lb_config *gxds_ring_hash_parse(const json_t *json, gxds_lb_parse_list *parse_list,
                                     gxds_errors *errors) {
  (void)parse_list;
  if (!gxds_json_is_object(json, NULL, errors)) return NULL;
  uint64_t min_ring_size = GXDS_RING_SIZE_MIN_DEFAULT;
  uint64_t max_ring_size = GXDS_RING_HASH_SIZE_CAP_DEFAULT;
  read_size(json, "minRingSize", errors, &min_ring_size);
  read_size(json, "maxRingSize", errors, &max_ring_size);
  if (min_ring_size > max_ring_size) {
    gxds_errors_add(errors, NULL, "max_ring_size cannot be smaller than min_ring_size");
  }
  const gxds_str header = read_header(json, errors);
  if (errors->count > 0) return NULL;
  gxds_ring_hash_config *config = GXDS_NEW(gxds_ring_hash_config);
  gxds_lb_config_init(&config->base, &gxds_ring_hash_policy, destroy);
  config->min_ring_size = min_ring_size;
  config->max_ring_size = max_ring_size;
  config->request_hash_header = gxds_str_dup(header);
  return &config->base;
}
