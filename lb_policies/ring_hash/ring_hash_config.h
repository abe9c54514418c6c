/* The config of a ring_hash policy, and its JSON form. Private to ring_hash. */
#ifndef GRPC_XDS_LB_POLICIES_RING_HASH_RING_HASH_CONFIG_H_
#define GRPC_XDS_LB_POLICIES_RING_HASH_RING_HASH_CONFIG_H_

#include "host/policy.h"

typedef struct gxds_ring_hash_config {
  gxds_lb_config base;
  uint64_t min_ring_size;
  uint64_t max_ring_size;
  gxds_str request_hash_header; /* the header whose value is hashed; empty: the ConfigSelector's
                                   hash is used (A76). Owned */
} gxds_ring_hash_config;

/* As gxds_policy_type.parse. */
gxds_lb_config *gxds_ring_hash_parse(const struct json_t *json, gxds_lb_parse_list *parse_list,
                                     gxds_errors *errors);

#endif
