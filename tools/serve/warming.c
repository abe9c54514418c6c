#include "tools/serve/warming.h"

#include <envoy/config/cluster/v3/cluster.upb.h>

#include "base/upb.h"
#include "tools/serve/wire_input.h"

/* Borrowed from the arena; empty: the cluster has no endpoints by EDS. */
static gxds_str endpoints_of(const gxds_file_resource *cluster, upb_Arena *arena) {
  const envoy_config_cluster_v3_Cluster *msg =
      GXDS_SERVE_PARSE(envoy_config_cluster_v3_Cluster, cluster->bytes, arena);
  if (!msg || envoy_config_cluster_v3_Cluster_type(msg) != envoy_config_cluster_v3_Cluster_EDS) {
    return gxds_str_of(NULL, 0);
  }
  const envoy_config_cluster_v3_Cluster_EdsClusterConfig *eds =
      envoy_config_cluster_v3_Cluster_eds_cluster_config(msg);
  gxds_str name =
      eds ? gxds_pb_str(envoy_config_cluster_v3_Cluster_EdsClusterConfig_service_name(eds))
          : gxds_str_of(NULL, 0);
  return name.size > 0 ? name : gxds_pb_str(envoy_config_cluster_v3_Cluster_name(msg));
}

void gxds_ads_warm(gxds_ads_stream *st, const gxds_file_set *set,
                   const gxds_file_resource *cluster) {
  gxds_ads_type_state *t = &st->types[GXDS_FILE_ENDPOINTS];
  if (t->subscription.count == 0) return; /* no parsing is needed */
  upb_Arena *arena = upb_Arena_New();
  gxds_str name = endpoints_of(cluster, arena);
  if (gxds_file_set_find_by_any_name(set, GXDS_FILE_ENDPOINTS, name) &&
      gxds_ads_subscription_resend(&t->subscription, name)) {
    t->dirty = true;
  }
  upb_Arena_Free(arena);
}

void gxds_ads_warm_initial(gxds_ads_stream *st, const gxds_file_set *set) {
  const gxds_ads_subscription *clusters = &st->types[GXDS_FILE_CLUSTER].subscription;
  st->warmed = true;
  for (size_t i = 0; i < clusters->count; i++) {
    const gxds_ads_entry *e = &clusters->entries[i];
    if (!e->sent) continue;
    const gxds_file_entry *found = gxds_file_set_find_by_any_name(set, GXDS_FILE_CLUSTER, e->name);
    if (found) gxds_ads_warm(st, set, found->resource);
  }
}
