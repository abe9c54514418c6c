/* gxds_cluster: a validated envoy.config.cluster.v3.Cluster (A27, A29, A32, A37, A42, A50, A52,
 * A55, A75, A85, A86).
 * Immutable, shared: any thread. */
#ifndef GRPC_XDS_RESOURCES_CLUSTER_H_
#define GRPC_XDS_RESOURCES_CLUSTER_H_

#include "base/time.h"
#include "resources/lb_subsets.h"
#include "resources/outlier_detection.h"
#include "resources/tls.h"
#include "xds_client/resource_type.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_cluster_kind {
  GXDS_CLUSTER_EDS,
  GXDS_CLUSTER_LOGICAL_DNS,
  GXDS_CLUSTER_AGGREGATE,
} gxds_cluster_kind;

/* A32's default for max_requests. */
#define GXDS_CLUSTER_MAX_REQUESTS_DEFAULT 1024

/* A85: which metrics of backends' load reports go to the LRS server. */
typedef struct gxds_lrs_metrics {
  bool cpu_utilization;
  bool mem_utilization;
  bool application_utilization;
  bool all_named;        /* report all of named_metrics */
  const gxds_str *named; /* otherwise report only these keys of named_metrics; sorted, each once */
  size_t named_count;
} gxds_lrs_metrics;

/* What only few clusters have. */
typedef struct gxds_cluster_rare {
  gxds_str dns_host;                               /* LOGICAL_DNS */
  const gxds_lrs_metrics *lrs_metrics;             /* A85; NULL: no metrics are reported */
  const gxds_outlier_detection *outlier_detection; /* A50; NULL: not configured */
  const gxds_lb_subsets *subsets;                  /* E5; NULL: no subsets */
  /* A29: TLS for channels with xds credentials; NULL: such channels use their fallback
   * credentials. */
  const gxds_tls *tls;
  struct upb_Arena *arena; /* private: owns this and other fields that few clusters have */
} gxds_cluster_rare;

typedef struct gxds_cluster {
  gxds_resource base;
  gxds_str name;
  gxds_cluster_kind kind;
  uint32_t aggregate_count;
  uint32_t max_concurrent_requests; /* max_requests of circuit_breakers, for priority DEFAULT */
  uint16_t dns_port;
  uint8_t session_health;    /* A55: the health states in which an endpoint may serve its sessions,
                                as bits 1 << gxds_health */
  bool http_connect;         /* A86: the cluster's endpoints are reached through their proxies */
  gxds_str eds_service_name; /* EDS: the name to request; empty: the cluster's own name is
                                requested */
  const gxds_str *aggregate; /* AGGREGATE: the clusters of the aggregate, in order of priority */
  /* The locality-picking policy and the policies below it, as a JSON list that the host's registry
   * takes: [{"xds_wrr_locality_experimental":{"childPolicy":[{"round_robin":{}}]}}] Empty for
   * AGGREGATE, because the leaf clusters' policies are used (A75). */
  gxds_str lb_policy_json;
  /* The server that gets load reports: the one that sent this cluster (lrs_server: self). NULL:
   * load is not reported. The reference in `bootstrap` keeps the server alive. */
  const gxds_bootstrap_server *lrs_server;
  gxds_duration session_idle_timeout; /* A75: how long a connection is held after its last use by a
                                         session; 0: for ever */
  const gxds_bootstrap *bootstrap;    /* private: a reference, for lrs_server and tls */
  const gxds_cluster_rare *rare; /* read by the functions below; NULL: the cluster has nothing of
                                    that */
} gxds_cluster;

extern const gxds_resource_type gxds_cluster_type;

/* NULL is allowed. */
bool gxds_lrs_metrics_equal(const gxds_lrs_metrics *a, const gxds_lrs_metrics *b);
/* Whether that key of named_metrics is reported. */
bool gxds_lrs_metrics_has_named(const gxds_lrs_metrics *m, gxds_str key);

/* Fields of gxds_cluster_rare. Borrowed: valid as long as c. */
static inline gxds_str gxds_cluster_dns_host(const gxds_cluster *c) {
  return c->rare ? c->rare->dns_host : gxds_str_of(NULL, 0);
}
static inline const gxds_lrs_metrics *gxds_cluster_lrs_metrics(const gxds_cluster *c) {
  return c->rare ? c->rare->lrs_metrics : NULL;
}
static inline const gxds_outlier_detection *gxds_cluster_outlier_detection(const gxds_cluster *c) {
  return c->rare ? c->rare->outlier_detection : NULL;
}
static inline const gxds_lb_subsets *gxds_cluster_subsets(const gxds_cluster *c) {
  return c->rare ? c->rare->subsets : NULL;
}
static inline const gxds_tls *gxds_cluster_tls(const gxds_cluster *c) {
  return c->rare ? c->rare->tls : NULL;
}

/* The name of the cluster's ClusterLoadAssignment. */
static inline gxds_str gxds_cluster_eds_name(const gxds_cluster *c) {
  return c->eds_service_name.size ? c->eds_service_name : c->name;
}

#ifdef __cplusplus
}
#endif

#endif
