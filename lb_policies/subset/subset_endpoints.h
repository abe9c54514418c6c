/* gxds_subset_endpoints: the endpoints of a cluster that have certain metadata (E5), in their
 * priorities and localities. After an update, a locality of the subset that did not change is the
 * same object as before. So the policies below do nothing for it.
 *
 * Confined to the owner's serializer. Lives in the owner's struct; zero-initialised, it has no
 * endpoints. */
#ifndef GRPC_XDS_LB_POLICIES_SUBSET_SUBSET_ENDPOINTS_H_
#define GRPC_XDS_LB_POLICIES_SUBSET_SUBSET_ENDPOINTS_H_

#include "resources/endpoints.h"
#include "resources/lb_subsets.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_subset_endpoints {
  const gxds_endpoints *part; /* a reference; NULL: the cluster's endpoints are not known */
  size_t count;               /* the number of endpoints in part */
  /* Private: the endpoints and the rules that part was made from. */
  const gxds_endpoints *all; /* a reference */
  bool locality_weight_aware;
  bool scale_locality_weight;
  bool list_as_any;
} gxds_subset_endpoints;

/* The changes of an update to a cluster, computed once for all of its subsets. For each locality,
 * this is the range of indexes that contains all changed endpoints. */
typedef struct gxds_subset_changes gxds_subset_changes;
/* Computes the changes between two versions of the endpoints. Both are borrowed: they must stay
 * valid as long as the result. Either may be NULL: the endpoints were, or are, not known. */
gxds_subset_changes *gxds_subset_changes_create(const gxds_endpoints *before,
                                                const gxds_endpoints *after);
void gxds_subset_changes_destroy(gxds_subset_changes *c); /* NULL is allowed */

void gxds_subset_endpoints_fini(gxds_subset_endpoints *s);
/* Updates the subset to the endpoints of `all`; NULL: they are not known. wanted is the metadata
 * that they must have, as in lb_metadata.h; it is the same at each call, and empty for all
 * endpoints. changes are those since the last call; NULL: not known. Localities without any such
 * endpoint are left out. If no change concerns the subset, the cost depends only on the number of
 * changed endpoints and of localities. */
void gxds_subset_endpoints_update(gxds_subset_endpoints *s, const gxds_endpoints *all,
                                  gxds_str wanted, const gxds_lb_subsets *rules,
                                  const gxds_subset_changes *changes);

/* Whether any endpoint has that metadata. */
bool gxds_subset_exists(const gxds_endpoints *all, gxds_str wanted, const gxds_lb_subsets *rules);

#ifdef __cplusplus
}
#endif

#endif
