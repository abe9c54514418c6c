/* Metadata of endpoints and routes in the namespace "envoy.lb", by which a cluster's endpoints are
 * told apart into subsets (E5: Envoy's load balancer subsets).
 *
 * Its one form is a JSON object on one line, {"stage":"prod","version":"v1"}: names in the order of
 * their bytes as they are written, each once, and equal values written alike. So two are equal when
 * their bytes are. Pure functions: any thread. */
#ifndef GRPC_XDS_RESOURCES_LB_METADATA_H_
#define GRPC_XDS_RESOURCES_LB_METADATA_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of one endpoint or route, in its one form. Labels are short; but each endpoint keeps its own. */
#define GXDS_LB_METADATA_BYTES_MAX 4096u

/* What a route wants of the endpoints. Immutable: as long as its route. */
typedef struct gxds_metadata_match {
  gxds_str text; /* at least one member */
  uint64_t hash; /* gxds_metadata_hash(text) */
} gxds_metadata_match;

uint64_t gxds_metadata_hash(gxds_str text);

/* Takes the next member off the front of *rest, which is a text of that form, or what this function
 * left of it. name: with its quotes. Borrowed: valid as long as the text. False: there is none. */
bool gxds_metadata_next(gxds_str *rest, gxds_str *name, gxds_str *value);
/* Likewise with the items of a list; *rest: a value. False: there is none, or it is no list. */
bool gxds_metadata_next_item(gxds_str *rest, gxds_str *value);

/* Whether an endpoint with that metadata (empty: none) has all members of wanted, with those
 * values. list_as_any: an item of a list will do in place of the list. */
bool gxds_metadata_matches(gxds_str of_endpoint, gxds_str wanted, bool list_as_any);

#ifdef __cplusplus
}
#endif

#endif
