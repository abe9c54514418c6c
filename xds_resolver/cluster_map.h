/* gxds_cluster_map: the clusters of a snapshot by their names, as a gxds_name_map. Immutable once
 * it is shared, counted by reference: any thread. */
#ifndef GRPC_XDS_XDS_RESOLVER_CLUSTER_MAP_H_
#define GRPC_XDS_XDS_RESOLVER_CLUSTER_MAP_H_

#include "base/error.h"
#include "base/name_map.h"
#include "resources/cluster.h"
#include "resources/endpoints.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_cluster_entry_kind {
  GXDS_ENTRY_ERROR,     /* the cluster can't be used; error says why */
  GXDS_ENTRY_ENDPOINTS, /* a leaf cluster: EDS or logical DNS */
  GXDS_ENTRY_AGGREGATE, /* an aggregate cluster, with leaf_clusters */
} gxds_cluster_entry_kind;

/* One cluster in a snapshot (A74's ClusterConfig). Immutable, counted: any thread. */
typedef struct gxds_cluster_entry {
  gxds_ref refs;
  gxds_cluster_entry_kind kind;
  gxds_str name;
  const gxds_status *error;        /* ERROR: owned; NULL otherwise */
  const gxds_cluster *cluster;     /* a reference; NULL for ERROR */
  const gxds_endpoints *endpoints; /* ENDPOINTS: a reference, or NULL: see resolution_note */
  /* For error messages (A88). ENDPOINTS: what is wrong with the cluster's resources, and the server
   * that sent them; code GXDS_OK if nothing is wrong. AGGREGATE without leaf clusters: why there
   * are none. NULL otherwise. */
  const gxds_error *resolution_note;
  const gxds_str *leaf_clusters; /* AGGREGATE: ordered by priority, without duplicates; empty if all
                                    are missing */
  uint32_t leaf_cluster_count;
  bool deleted; /* ERROR: no route names the cluster any more. RPCs that hold it must be dropped, or
                   they would wait for it in vain (A31) */
} gxds_cluster_entry;

/* These three functions make an entry. The caller owns the returned reference. Strings are copied;
 * the entry takes its own references to resources and notes. name is the requested name. The
 * resource may spell it differently, because the order of an xdstp name's parameters does not
 * matter (A47). */
const gxds_cluster_entry *gxds_cluster_entry_error(gxds_str name, const gxds_status *error);
const gxds_cluster_entry *gxds_cluster_entry_deleted(gxds_str name, const gxds_status *error);
const gxds_cluster_entry *gxds_cluster_entry_endpoints(gxds_str name, const gxds_cluster *cluster,
                                                       const gxds_endpoints *endpoints,
                                                       const gxds_error *resolution_note);
const gxds_cluster_entry *gxds_cluster_entry_aggregate(gxds_str name, const gxds_cluster *cluster,
                                                       const gxds_str *leaf_clusters, size_t count,
                                                       const gxds_error *resolution_note);
const gxds_cluster_entry *gxds_cluster_entry_ref(const gxds_cluster_entry *e);
void gxds_cluster_entry_unref(const gxds_cluster_entry *e); /* e may be NULL */
/* For the map: frees an entry whose last reference was given up. */
void gxds_cluster_entry_destroy(const gxds_cluster_entry *last);
/* Why the cluster can't be used; empty unless it is an ERROR. Borrowed: valid as long as e. */
static inline gxds_str gxds_cluster_entry_why(const gxds_cluster_entry *e) {
  return e->error ? e->error->message : gxds_str_of(NULL, 0);
}
/* A priority of the cluster's endpoints. Borrowed: valid as long as e. NULL if there are no
 * endpoints, or if number is not below the count of priorities. */
const gxds_priority *gxds_cluster_entry_priority(const gxds_cluster_entry *e, size_t number);
/* True if name, kind, error, leaf clusters and note are equal, and the resources are the same
 * pointers. */
bool gxds_cluster_entry_equal(const gxds_cluster_entry *a, const gxds_cluster_entry *b);
/* Whether both have the same leaf clusters in the same order. */
bool gxds_cluster_entry_same_leaves(const gxds_cluster_entry *a, const gxds_cluster_entry *b);
/* Adds the resolution note to a message that is not empty: ": WHAT IS WRONG (xDS server S)", or
 * " (xDS server S)" if nothing is wrong. Adds nothing if the message has the note already. */
void gxds_cluster_entry_add_note(const gxds_cluster_entry *e, gxds_text *message);
/* Adds " (cluster NAME)" and the resolution note to an error message of a policy below. Not for a
 * message that has the note already (gxds_picked.has_note). */
void gxds_cluster_entry_explain(const gxds_cluster_entry *e, gxds_text *message);

typedef gxds_name_map gxds_cluster_map; /* NULL is the empty map */

/* These do the same as the functions of gxds_name_map. */
const gxds_cluster_entry *gxds_cluster_map_get(const gxds_cluster_map *m, gxds_str name);
const gxds_cluster_map *gxds_cluster_map_put(const gxds_cluster_map *m,
                                             const gxds_cluster_entry *take_entry);
const gxds_cluster_map *gxds_cluster_map_remove(const gxds_cluster_map *m, gxds_str name);
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
