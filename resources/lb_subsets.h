/* gxds_lb_subsets: how a cluster's endpoints are told apart by their metadata (E5: Envoy's
 * lb_subset_config). Immutable: as long as its cluster. */
#ifndef GRPC_XDS_RESOURCES_LB_SUBSETS_H_
#define GRPC_XDS_RESOURCES_LB_SUBSETS_H_

#include "resources/lb_metadata.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Both are walked for each match that a route has, when it is first seen and when endpoints change.
 * Envoy has no limits; these are far above what people write. */
#define GXDS_SUBSET_SELECTORS_MAX 64u
#define GXDS_SUBSET_KEYS_MAX 16u

/* Where RPCs go whose match no endpoint has. */
typedef enum gxds_subset_fallback {
  GXDS_SUBSET_FALLBACK_NONE,    /* nowhere: they fail */
  GXDS_SUBSET_FALLBACK_ANY,     /* to all endpoints */
  GXDS_SUBSET_FALLBACK_DEFAULT, /* to those of default_subset */
  GXDS_SUBSET_FALLBACK_KEYS,    /* of a selector: as if the match had its fallback_keys only */
  GXDS_SUBSET_FALLBACK_CLUSTER, /* of a selector: as the cluster says */
} gxds_subset_fallback;

/* Keys: as in the names of lb_metadata.h, in the order of their bytes, each once. */
typedef struct gxds_subset_keys {
  const gxds_str *keys;
  size_t count;
} gxds_subset_keys;

typedef struct gxds_subset_selector {
  gxds_subset_keys keys;
  gxds_subset_fallback fallback;
  gxds_subset_keys fallback_keys; /* KEYS: some of keys, at least one, not all */
} gxds_subset_selector;

typedef struct gxds_lb_subsets {
  const gxds_subset_selector *selectors; /* at least one; no two of the same keys */
  size_t selector_count;
  gxds_subset_fallback fallback; /* NONE, ANY or DEFAULT: also of RPCs without a match */
  gxds_str default_subset;       /* of lb_metadata.h's form; empty: all endpoints */
  bool locality_weight_aware;    /* else localities weigh what they have in endpoints */
  bool scale_locality_weight;    /* with it: by the part of their endpoints that is in the subset */
  bool panic_mode_any;           /* a default subset without endpoints: to all of them */
  bool list_as_any;              /* gxds_metadata_matches() */
} gxds_lb_subsets;

/* Whether the match has those keys and no other. */
bool gxds_subset_keys_are_of(const gxds_subset_keys *keys, gxds_str match);

#ifdef __cplusplus
}
#endif

#endif
