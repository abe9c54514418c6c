/* gxds_cluster_map: the clusters of a snapshot by name: a persistent map. Immutable once it is
 * shared, counted by reference: any thread.
 *
 * A new version shares all but the path to what changed, so an update costs the depth of the map,
 * and gxds_cluster_map_diff() visits only what differs. */
#ifndef GRPC_XDS_XDS_RESOLVER_CLUSTER_MAP_H_
#define GRPC_XDS_XDS_RESOLVER_CLUSTER_MAP_H_

#include "base/error.h"
#include "resources/cluster.h"
#include "resources/endpoints.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_cluster_entry_kind {
  GXDS_ENTRY_ERROR,     /* error: the cluster cannot be used */
  GXDS_ENTRY_ENDPOINTS, /* a leaf: EDS or logical DNS */
  GXDS_ENTRY_AGGREGATE, /* leaf_clusters */
} gxds_cluster_entry_kind;

/* One cluster of a snapshot (A74's ClusterConfig). Immutable, counted by reference: any thread. */
typedef struct gxds_cluster_entry {
  gxds_ref refs;
  gxds_str name;
  gxds_cluster_entry_kind kind;
  gxds_status error; /* ERROR */
  bool deleted; /* ERROR: no route names the cluster any more. RPCs that hold it must be dropped,
                   because otherwise they would wait for ever (A31) */
  const gxds_cluster *cluster;     /* not for ERROR; a reference */
  const gxds_endpoints *endpoints; /* ENDPOINTS: a reference, or NULL: none, see resolution_note */
  /* ENDPOINTS: for error messages (A88), what is wrong with the resources and where they come from;
   * with GXDS_OK only where they come from. AGGREGATE without leaf clusters: why there are none.
   * Else NULL. */
  const gxds_error *resolution_note;
  /* AGGREGATE: in order of priority, each once; none if all are missing. */
  const gxds_str *leaf_clusters;
  size_t leaf_cluster_count;
} gxds_cluster_entry;

/* These functions make an entry. The caller owns the returned reference. Strings are copied; takes
 * references on resources and notes. name is the name that was asked for. The resource's own name
 * may be spelled differently, because the order of the parameters of an xdstp name does not matter
 * (A47). */
const gxds_cluster_entry *gxds_cluster_entry_error(gxds_str name, const gxds_status *error);
const gxds_cluster_entry *gxds_cluster_entry_deleted(gxds_str name, const gxds_status *error);
const gxds_cluster_entry *gxds_cluster_entry_endpoints(gxds_str name, const gxds_cluster *cluster,
                                                       const gxds_endpoints *endpoints,
                                                       const gxds_error *resolution_note);
const gxds_cluster_entry *gxds_cluster_entry_aggregate(gxds_str name, const gxds_cluster *cluster,
                                                       const gxds_str *leaf_clusters, size_t count,
                                                       const gxds_error *resolution_note);
const gxds_cluster_entry *gxds_cluster_entry_ref(const gxds_cluster_entry *e);
void gxds_cluster_entry_unref(const gxds_cluster_entry *e); /* NULL is allowed */
/* A priority of the cluster's endpoints. Borrowed: valid as long as e. NULL if there are no
 * endpoints, or fewer priorities. */
const gxds_priority *gxds_cluster_entry_priority(const gxds_cluster_entry *e, size_t number);
/* Whether both have the same name, kind, error, leaf clusters and note, and the same resources,
 * compared by pointer. */
bool gxds_cluster_entry_equal(const gxds_cluster_entry *a, const gxds_cluster_entry *b);
/* Adds the resolution note to a message: ": what is wrong (xDS server S)", or " (xDS server S)". */
void gxds_cluster_entry_add_note(const gxds_cluster_entry *e, gxds_text *message);
/* Adds " (cluster NAME)" and the note to a message of a policy below. If the message contains the
 * note already, it stays as it is: a policy without endpoints adds the note itself. The policy may
 * be anybody's, so its message is all that there is to look at. */
void gxds_cluster_entry_explain(const gxds_cluster_entry *e, gxds_text *message);

typedef struct gxds_cluster_map gxds_cluster_map; /* NULL is the empty map */

const gxds_cluster_map *gxds_cluster_map_ref(const gxds_cluster_map *m); /* NULL gives NULL */
void gxds_cluster_map_unref(const gxds_cluster_map *m);
/* Borrowed: valid as long as m. NULL: no such cluster. */
const gxds_cluster_entry *gxds_cluster_map_get(const gxds_cluster_map *m, gxds_str name);
size_t gxds_cluster_map_count(const gxds_cluster_map *m);
/* Makes a map like m, but with this entry. m is borrowed; takes ownership of the entry. The caller
 * owns the returned reference. */
const gxds_cluster_map *gxds_cluster_map_put(const gxds_cluster_map *m,
                                             const gxds_cluster_entry *take_entry);
/* Makes a map like m without that name. m is borrowed. The caller owns the returned reference. */
const gxds_cluster_map *gxds_cluster_map_remove(const gxds_cluster_map *m, gxds_str name);
/* Calls fn for each name whose entry is not the same pointer in both maps, in no particular order.
 * The entry before or after is NULL if only one map has the name. The cost follows what differs. */
void gxds_cluster_map_diff(const gxds_cluster_map *before, const gxds_cluster_map *after,
                           void (*fn)(void *arg, const gxds_cluster_entry *before,
                                      const gxds_cluster_entry *after),
                           void *arg);
/* Calls fn for every entry, in no particular order. */
void gxds_cluster_map_each(const gxds_cluster_map *m,
                           void (*fn)(void *arg, const gxds_cluster_entry *entry), void *arg);

#ifdef __cplusplus
}
#endif

#endif
