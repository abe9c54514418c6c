/* gxds_synthetic: resources that are generated, not read from files, to try large sizes: a listener
 * with a route to each of K clusters, and endpoints for each. The same parameters give the same
 * resources. Pure functions, any thread. */
#ifndef GRPC_XDS_FILES_SYNTHETIC_H_
#define GRPC_XDS_FILES_SYNTHETIC_H_

#include "files/file_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most clusters: more than a machine for development can hold in memory. */
#define GXDS_SYNTHETIC_CLUSTERS_MAX 1000000u
#define GXDS_SYNTHETIC_ENDPOINTS_MAX 10000u
#define GXDS_SYNTHETIC_TOTAL_MAX 20000000u /* the most endpoints of all clusters together */

typedef struct gxds_synthetic {
  unsigned clusters;   /* "cluster-000000", … */
  unsigned endpoints;  /* the endpoints of each cluster, in all localities together */
  unsigned localities; /* the localities of each cluster, at least 1 */
  uint64_t seed;       /* determines addresses and weights */
} gxds_synthetic;

/* Reads "clusters=K,endpoints=N,localities=L,seed=S", in any order. The defaults are 100, 10, 1
 * and 1. False if the text is wrong; error then says why. */
bool gxds_synthetic_parse(const char *text, gxds_synthetic *out, gxds_text *error);

/* The resources; the listener is "synthetic.example", its routes are "/cluster-000000/" and so on.
 * The caller owns the returned reference. */
const gxds_file_set *gxds_synthetic_set(const gxds_synthetic *s);

/* The serialized ClusterLoadAssignment of one cluster, generated with that seed instead of s->seed.
 * The caller owns it. */
gxds_str gxds_synthetic_endpoints(const gxds_synthetic *s, unsigned cluster, uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif
