/* gxds_lb_subsets: how a cluster's endpoints are divided into subsets by their metadata (E5:
 * Envoy's lb_subset_config). Immutable; valid as long as its cluster. */
#ifndef GRPC_XDS_RESOURCES_LB_SUBSETS_H_
#define GRPC_XDS_RESOURCES_LB_SUBSETS_H_

#include "resources/lb_metadata.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most selectors, and the most keys of one. All are searched for each match of a route, when it
 * is first used and when endpoints change. Envoy has no limits; these are far above real
 * configurations. */
#define GXDS_SUBSET_SELECTORS_MAX 64u
#define GXDS_SUBSET_KEYS_MAX 16u

/* Where RPCs go if no endpoint has their match. */
typedef enum gxds_subset_fallback {
  GXDS_SUBSET_FALLBACK_NONE,    /* the RPCs fail */
  GXDS_SUBSET_FALLBACK_ANY,     /* RPCs go to all endpoints */
  GXDS_SUBSET_FALLBACK_DEFAULT, /* RPCs go to the endpoints of default_subset */
  GXDS_SUBSET_FALLBACK_KEYS,    /* only for a selector: as if the match had only the selector's
                                   fallback_keys */
  GXDS_SUBSET_FALLBACK_CLUSTER, /* only for a selector: follow the cluster's fallback policy */
} gxds_subset_fallback;

/* Keys in the form of the names in lb_metadata.h, in the order of their bytes, each once. */
typedef struct gxds_subset_keys {
  const gxds_str *keys;
  size_t count;
} gxds_subset_keys;

typedef struct gxds_subset_selector {
  gxds_subset_keys keys;
  gxds_subset_fallback fallback;
  gxds_subset_keys fallback_keys; /* KEYS: at least one of keys, but not all */
} gxds_subset_selector;

typedef struct gxds_lb_subsets {
  const gxds_subset_selector *selectors; /* at least one; no two have the same keys */
  size_t selector_count;
  gxds_subset_fallback fallback; /* the cluster's fallback policy: NONE, ANY or DEFAULT; also for
                                    RPCs without a match */
  gxds_str default_subset;       /* the metadata, in the form of lb_metadata.h; empty: all
                                    endpoints */
  bool locality_weight_aware; /* use the weights of localities; if false, the weight of a locality
                                 is the number of its endpoints */
  bool scale_locality_weight; /* with locality_weight_aware: scale the weights by the part of the
                                 endpoints that is in the subset */
  bool panic_mode_any;        /* if the default subset has no endpoints, use all of them */
  bool list_as_any;           /* as in gxds_metadata_matches() */
} gxds_lb_subsets;

/* Whether the match has exactly those keys. */
bool gxds_subset_keys_are_of(const gxds_subset_keys *keys, gxds_str match);

#ifdef __cplusplus
}
#endif

#endif
