/* Metadata of endpoints and routes in the namespace "envoy.lb". It divides a cluster's endpoints
 * into subsets (E5: Envoy's load balancer subsets).
 *
 * It is always a JSON object on one line, {"stage":"prod","version":"v1"}. The names are sorted by
 * their bytes as written, each name occurs once, and equal values have the same bytes. So two texts
 * are equal if their bytes are equal. Pure functions: any thread. */
#ifndef GRPC_XDS_RESOURCES_LB_METADATA_H_
#define GRPC_XDS_RESOURCES_LB_METADATA_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most bytes of the metadata of one endpoint or route in this form. Usual labels are short.
 * Metadata is limited because each endpoint keeps its own copy. */
#define GXDS_LB_METADATA_BYTES_MAX 4096u

/* The metadata that a route requires of endpoints. Immutable; valid as long as its route. */
typedef struct gxds_metadata_match {
  gxds_str text; /* has at least one member */
  uint64_t hash; /* gxds_metadata_hash(text) */
} gxds_metadata_match;

uint64_t gxds_metadata_hash(gxds_str text);

/* Takes the next member off the front of *rest, which is a text in this form, or the rest of it
 * after an earlier call. name includes its quotes. Borrowed: valid as long as the text. False if
 * there is none. */
bool gxds_metadata_next(gxds_str *rest, gxds_str *name, gxds_str *value);
/* Like gxds_metadata_next(), for the items of a list. Before the first call, *rest is the value.
 * False if there are no more items, or if the value is not a list. */
bool gxds_metadata_next_item(gxds_str *rest, gxds_str *value);

/* Whether an endpoint with that metadata, which may be empty, has all members of wanted with the
 * same values. list_as_any: if the endpoint's value is a list, it is enough that one item is equal.
 */
bool gxds_metadata_matches(gxds_str of_endpoint, gxds_str wanted, bool list_as_any);

#ifdef __cplusplus
}
#endif

#endif
