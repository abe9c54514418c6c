/* What a snapshot has that the one before had not, in words: for GRPC_TRACE=xds_resolver, and what
 * is wrong for channelz. Pure functions. */
#ifndef GRPC_XDS_XDS_RESOLVER_CONFIG_CHANGE_H_
#define GRPC_XDS_XDS_RESOLVER_CONFIG_CHANGE_H_

#include "base/text.h"
#include "xds_resolver/config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Clusters told by name; the rest is counted. */
#define GXDS_CHANGED_CLUSTERS_TOLD_MAX 100

/* Adds to out "listener changed, routes unchanged, clusters: +a ~b -c (3 in all)", where + is new,
 * ~ changed and - gone; an entry that is an error is followed by it in brackets. before: NULL:
 * none. Costs what differs. */
void gxds_config_describe_change(const gxds_config *before, const gxds_config *after,
                                 gxds_text *out);

/* Channelz keeps 4 kB of events of a channel: a long one would leave nothing of the others. */
#define GXDS_FAULTS_BYTES_MAX 1000
#define GXDS_FAULTY_CLUSTERS_TOLD_MAX 10
/* How much of the words fits into max bytes, without a part of a character at the end. */
size_t gxds_fault_size(gxds_str words, size_t max);

/* From good to bad. */
typedef enum gxds_fault {
  GXDS_FAULT_NONE,    /* nothing to tell */
  GXDS_FAULT_OVER,    /* something is well again, and nothing is newly wrong */
  GXDS_FAULT_AMBIENT, /* something is wrong with what goes on being used (A88) */
  GXDS_FAULT_UNUSABLE /* RPCs to a cluster fail */
} gxds_fault;

/* Adds to out what is wrong with clusters, in the words of RPCs' statuses, and was not (or
 * otherwise) before, and what is well again: "cluster a: CDS resource a: does not exist (xDS server
 * S) (node ID:N); cluster b: well again". Faults of listener and routes are told with each cluster.
 * At most GXDS_FAULTS_BYTES_MAX; nothing for GXDS_FAULT_NONE. Returns the worst. before: NULL:
 * none. Costs what differs. */
gxds_fault gxds_config_describe_faults(const gxds_config *before, const gxds_config *after,
                                       gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
