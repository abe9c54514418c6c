/* gxds_hash_policy: one of the ways by which a route gives an RPC its hash (A42), for policies such
 * as ring_hash. Part of a route: immutable, borrowed as long as its resource. */
#ifndef GRPC_XDS_RESOURCES_HASH_POLICY_H_
#define GRPC_XDS_RESOURCES_HASH_POLICY_H_

#include "base/str.h"

typedef enum gxds_hash_policy_kind {
  GXDS_HASH_HEADER,     /* the hash of a header's value; no hash if the RPC does not have the
                           header */
  GXDS_HASH_CHANNEL_ID, /* the same number for all RPCs of a channel */
} gxds_hash_policy_kind;

typedef struct gxds_hash_policy {
  gxds_hash_policy_kind kind;
  bool terminal; /* if there is a hash after this policy, the later policies are not used */
  gxds_str header;
  /* HEADER: whether the value is rewritten before it is hashed. Then every match of the regular
   * expression (RE2, which the host can compile) is replaced by the text, which may refer to the
   * expression's groups. */
  bool has_rewrite;
  gxds_str rewrite_regex;
  gxds_str rewrite_text;
} gxds_hash_policy;

#endif
