#include "lrs/lrs_codec.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/upb.h"
#include "envoy/config/core/v3/base.upb.h"
#include "envoy/config/endpoint/v3/load_report.upb.h"
#include "envoy/service/load_stats/v3/lrs.upb.h"
#include "google/protobuf/duration.upb.h"
#include "upb/msg_internal.h"

static gxds_str serialize(const envoy_service_load_stats_v3_LoadStatsRequest *request,
                          upb_Arena *take_arena) {
  size_t size;
  char *bytes = envoy_service_load_stats_v3_LoadStatsRequest_serialize(request, take_arena, &size);
  return gxds_pb_take(bytes, size, take_arena);
}

gxds_str gxds_lrs_encode_first_request(gxds_str node_bytes) {
  upb_Arena *arena = upb_Arena_New();
  envoy_service_load_stats_v3_LoadStatsRequest *request =
      envoy_service_load_stats_v3_LoadStatsRequest_new(arena);
  envoy_config_core_v3_Node *node =
      envoy_config_core_v3_Node_parse(node_bytes.data, node_bytes.size, arena);
  if (!node) node = envoy_config_core_v3_Node_new(arena);
  envoy_config_core_v3_Node_add_client_features(
      node, upb_StringView_FromString("envoy.lrs.supports_send_all_clusters"), arena);
  envoy_service_load_stats_v3_LoadStatsRequest_set_node(request, node);
  return serialize(request, arena);
}

/* A85: the host's table for a locality lacks the fields of these metrics. So each metric is added
 * as an unknown field that contains an encoded UnnamedEndpointLoadMetricStats. */
static void add_unnamed_metric(envoy_config_endpoint_v3_UpstreamLocalityStats *stats,
                               const gxds_metric_report *m, upb_Arena *arena) {
  static const uint32_t fields[] = {[GXDS_METRIC_CPU_UTILIZATION] = 12,
                                    [GXDS_METRIC_MEM_UTILIZATION] = 13,
                                    [GXDS_METRIC_APPLICATION_UTILIZATION] = 14};
  enum { VARINT = 0, FIXED64 = 1, MESSAGE = 2, SIZE_MAX_OF_IT = 32 };
  char *bytes = gxds_arena_alloc(arena, SIZE_MAX_OF_IT);
  size_t size = 2; /* room for the tag and the size of the message, one byte each */
  bytes[size++] = 1 << 3 | VARINT;
  uint64_t count = m->count;
  for (; count >= 0x80; count >>= 7) bytes[size++] = (char)(0x80 | (count & 0x7f));
  bytes[size++] = (char)count;
  bytes[size++] = 2 << 3 | FIXED64;
  memcpy(bytes + size, &m->sum, sizeof m->sum);
  size += sizeof m->sum;
  bytes[0] = (char)(fields[m->metric] << 3 | MESSAGE);
  bytes[1] = (char)(size - 2);
  GXDS_CHECK(_upb_Message_AddUnknown(stats, bytes, size, arena));
}

/* A85: the prefix names the map of the backend's report that the metric is from. */
#define NAMED_METRICS "named_metrics."

static void add_named_metric(envoy_config_endpoint_v3_UpstreamLocalityStats *stats,
                             const gxds_metric_report *m, upb_Arena *arena) {
  const size_t prefix_size = sizeof NAMED_METRICS - 1;
  char *name = gxds_arena_alloc(arena, prefix_size + m->name.size + 1);
  memcpy(name, NAMED_METRICS, prefix_size);
  if (m->name.size) memcpy(name + prefix_size, m->name.data, m->name.size);
  envoy_config_endpoint_v3_EndpointLoadMetricStats *out =
      envoy_config_endpoint_v3_UpstreamLocalityStats_add_load_metric_stats(stats, arena);
  envoy_config_endpoint_v3_EndpointLoadMetricStats_set_metric_name(
      out, upb_StringView_FromDataAndSize(name, prefix_size + m->name.size));
  envoy_config_endpoint_v3_EndpointLoadMetricStats_set_num_requests_finished_with_metric(out,
                                                                                         m->count);
  envoy_config_endpoint_v3_EndpointLoadMetricStats_set_total_metric_value(out, m->sum);
}

/* The length of a run: how many reports, beginning with `first`, are of the same locality, by
 * several targets. */
static size_t run_of(const gxds_cluster_report *c, size_t first) {
  const gxds_locality_report *l = &c->localities[first];
  size_t count = 1;
  for (; first + count < c->locality_count; count++) {
    const gxds_locality_report *next = &c->localities[first + count];
    if (!gxds_str_equal(next->region, l->region) || !gxds_str_equal(next->zone, l->zone) ||
        !gxds_str_equal(next->sub_zone, l->sub_zone)) {
      break;
    }
  }
  return count;
}

/* Sums up the metrics of a run, ordered by metric and name. The caller frees the array. */
static gxds_metric_report *sum_of_metrics(const gxds_locality_report *run, size_t run_size,
                                          size_t *count) {
  size_t size = 0;
  for (size_t i = 0; i < run_size; i++) size += run[i].metric_count;
  gxds_metric_report *all = gxds_calloc(size, sizeof *all);
  size = 0;
  for (size_t i = 0; i < run_size; i++) {
    for (size_t k = 0; k < run[i].metric_count; k++) all[size++] = run[i].metrics[k];
  }
  if (run_size > 1) qsort(all, size, sizeof *all, gxds_metric_report_compare);
  *count = 0;
  for (size_t i = 0; i < size; i++) {
    if (*count > 0 && gxds_metric_report_compare(&all[*count - 1], &all[i]) == 0) {
      all[*count - 1].count += all[i].count;
      all[*count - 1].sum += all[i].sum;
    } else {
      all[(*count)++] = all[i];
    }
  }
  return all;
}

static void add_metrics(envoy_config_endpoint_v3_UpstreamLocalityStats *stats,
                        const gxds_locality_report *run, size_t run_size, upb_Arena *arena) {
  size_t count;
  gxds_metric_report *metrics = sum_of_metrics(run, run_size, &count);
  for (size_t i = 0; i < count; i++) {
    if (metrics[i].metric == GXDS_METRIC_NAMED) {
      add_named_metric(stats, &metrics[i], arena);
    } else {
      add_unnamed_metric(stats, &metrics[i], arena);
    }
  }
  gxds_free(metrics);
}

/* Adds the sum of a run. */
static void add_locality(envoy_config_endpoint_v3_ClusterStats *stats,
                         const gxds_locality_report *run, size_t run_size, upb_Arena *arena) {
  envoy_config_endpoint_v3_UpstreamLocalityStats *out =
      envoy_config_endpoint_v3_ClusterStats_add_upstream_locality_stats(stats, arena);
  envoy_config_core_v3_Locality *name =
      envoy_config_endpoint_v3_UpstreamLocalityStats_mutable_locality(out, arena);
  envoy_config_core_v3_Locality_set_region(name, gxds_pb_view(run->region));
  envoy_config_core_v3_Locality_set_zone(name, gxds_pb_view(run->zone));
  envoy_config_core_v3_Locality_set_sub_zone(name, gxds_pb_view(run->sub_zone));
  gxds_locality_report sum = {0};
  for (size_t i = 0; i < run_size; i++) {
    sum.succeeded += run[i].succeeded;
    sum.failed += run[i].failed;
    sum.in_progress += run[i].in_progress;
    sum.issued += run[i].issued;
  }
  envoy_config_endpoint_v3_UpstreamLocalityStats_set_total_successful_requests(out, sum.succeeded);
  envoy_config_endpoint_v3_UpstreamLocalityStats_set_total_error_requests(out, sum.failed);
  envoy_config_endpoint_v3_UpstreamLocalityStats_set_total_requests_in_progress(out,
                                                                                sum.in_progress);
  envoy_config_endpoint_v3_UpstreamLocalityStats_set_total_issued_requests(out, sum.issued);
  add_metrics(out, run, run_size, arena);
}

/* The most bytes of one field on the wire, without the bytes of a text: a tag of at most two bytes,
 * and a varint of at most ten. */
enum { FIELD_BYTES = 12 };

/* The most bytes that a run of localities takes in a request. */
static size_t locality_bytes(const gxds_locality_report *run, size_t run_size) {
  size_t size = 9 * FIELD_BYTES + run->region.size + run->zone.size + run->sub_zone.size;
  for (size_t i = 0; i < run_size; i++) {
    for (size_t k = 0; k < run[i].metric_count; k++) {
      size += 4 * FIELD_BYTES + sizeof NAMED_METRICS + run[i].metrics[k].name.size;
    }
  }
  return size;
}

/* The most bytes that a cluster takes without its localities. first is its first locality in the
 * request. If first is 0, the request has the drops too. */
static size_t cluster_bytes(const gxds_cluster_report *c, size_t first) {
  size_t size = 7 * FIELD_BYTES + c->cluster.size + c->eds_service.size;
  if (first > 0) return size;
  for (size_t i = 0; i < c->drop_count; i++) size += 3 * FIELD_BYTES + c->drops[i].category.size;
  return size;
}

/* How many localities, beginning with `first`, fit into *room, which is reduced by their size. A
 * run is not divided. */
static size_t localities_in(const gxds_cluster_report *c, size_t first, size_t *room) {
  size_t count = 0;
  while (first + count < c->locality_count) {
    size_t run = run_of(c, first + count);
    size_t size = locality_bytes(&c->localities[first + count], run);
    if (size > *room) break;
    *room -= size;
    count += run;
  }
  return count;
}

static void add_drops(envoy_config_endpoint_v3_ClusterStats *stats, const gxds_cluster_report *c,
                      upb_Arena *arena) {
  for (size_t i = 0; i < c->drop_count; i++) {
    envoy_config_endpoint_v3_ClusterStats_DroppedRequests *dropped =
        envoy_config_endpoint_v3_ClusterStats_add_dropped_requests(stats, arena);
    envoy_config_endpoint_v3_ClusterStats_DroppedRequests_set_category(
        dropped, gxds_pb_view(c->drops[i].category));
    envoy_config_endpoint_v3_ClusterStats_DroppedRequests_set_dropped_count(dropped,
                                                                            c->drops[i].count);
  }
  envoy_config_endpoint_v3_ClusterStats_set_total_dropped_requests(stats, c->total_dropped);
}

/* Adds the cluster with `count` of its localities, beginning with `first`. */
static void add_cluster(envoy_service_load_stats_v3_LoadStatsRequest *request,
                        const gxds_cluster_report *c, size_t first, size_t count,
                        upb_Arena *arena) {
  envoy_config_endpoint_v3_ClusterStats *stats =
      envoy_service_load_stats_v3_LoadStatsRequest_add_cluster_stats(request, arena);
  envoy_config_endpoint_v3_ClusterStats_set_cluster_name(stats, gxds_pb_view(c->cluster));
  envoy_config_endpoint_v3_ClusterStats_set_cluster_service_name(stats,
                                                                 gxds_pb_view(c->eds_service));
  for (size_t i = first, run; i < first + count; i += run) {
    run = run_of(c, i);
    add_locality(stats, &c->localities[i], run, arena);
  }
  if (first == 0) add_drops(stats, c, arena);
  google_protobuf_Duration *interval =
      envoy_config_endpoint_v3_ClusterStats_mutable_load_report_interval(stats, arena);
  google_protobuf_Duration_set_seconds(interval, c->interval / GXDS_SECOND);
  google_protobuf_Duration_set_nanos(interval, (int32_t)(c->interval % GXDS_SECOND));
}

gxds_str gxds_lrs_encode_report(const gxds_load_report *report, size_t max,
                                gxds_load_place *place) {
  upb_Arena *arena = upb_Arena_New();
  envoy_service_load_stats_v3_LoadStatsRequest *request =
      envoy_service_load_stats_v3_LoadStatsRequest_new(arena);
  size_t room = max;
  bool is_empty = true;
  while (place->cluster < report->cluster_count) {
    const gxds_cluster_report *c = &report->clusters[place->cluster];
    size_t first = place->locality;
    size_t left = c->locality_count - first;
    size_t itself = cluster_bytes(c, first);
    size_t rest = room > itself ? room - itself : 0;
    size_t count = itself < room ? localities_in(c, first, &rest) : 0;
    /* This cluster begins the next request. */
    if (!is_empty && (itself >= room || count < left)) break;
    if (count == 0 && left > 0) count = run_of(c, first);
    add_cluster(request, c, first, count, arena);
    is_empty = false;
    if (count < left) {
      place->locality += count;
      break;
    }
    *place = (gxds_load_place){place->cluster + 1, 0};
    room = rest;
  }
  return serialize(request, arena);
}

static void take_clusters(const envoy_service_load_stats_v3_LoadStatsResponse *response,
                          gxds_lrs_response *out) {
  size_t count;
  const upb_StringView *names =
      envoy_service_load_stats_v3_LoadStatsResponse_clusters(response, &count);
  if (count == 0) return;
  gxds_str *sorted = gxds_calloc(count, sizeof *sorted);
  for (size_t i = 0; i < count; i++) sorted[i] = gxds_pb_str(names[i]);
  qsort(sorted, count, sizeof *sorted, gxds_str_compare_items);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (kept > 0 && gxds_str_equal(sorted[kept - 1], sorted[i])) continue;
    sorted[kept++] = sorted[i];
  }
  for (size_t i = 0; i < kept; i++) sorted[i] = gxds_str_dup(sorted[i]);
  out->clusters = sorted;
  out->cluster_count = kept;
}

static gxds_duration interval_of(const google_protobuf_Duration *d) {
  int64_t seconds = d ? google_protobuf_Duration_seconds(d) : 0;
  int64_t nanos = d ? google_protobuf_Duration_nanos(d) : 0;
  if (seconds >= GXDS_LRS_INTERVAL_MAX / GXDS_SECOND) return GXDS_LRS_INTERVAL_MAX;
  if (seconds < 0) return GXDS_LRS_INTERVAL_MIN;
  gxds_duration interval = seconds * GXDS_SECOND + nanos;
  return interval < GXDS_LRS_INTERVAL_MIN ? GXDS_LRS_INTERVAL_MIN : interval;
}

gxds_status gxds_lrs_decode_response(const void *data, size_t size, gxds_lrs_response *out) {
  *out = (gxds_lrs_response){0};
  upb_Arena *arena = upb_Arena_New();
  const envoy_service_load_stats_v3_LoadStatsResponse *response =
      envoy_service_load_stats_v3_LoadStatsResponse_parse(data, size, arena);
  if (!response) {
    upb_Arena_Free(arena);
    return gxds_status_make(GXDS_INVALID_ARGUMENT, "Can't decode response.");
  }
  out->all_clusters = envoy_service_load_stats_v3_LoadStatsResponse_send_all_clusters(response);
  if (!out->all_clusters) take_clusters(response, out);
  out->interval =
      interval_of(envoy_service_load_stats_v3_LoadStatsResponse_load_reporting_interval(response));
  upb_Arena_Free(arena);
  return gxds_status_ok();
}

void gxds_lrs_response_fini(gxds_lrs_response *r) {
  gxds_strs_free(r->clusters, r->cluster_count);
  *r = (gxds_lrs_response){0};
}

bool gxds_lrs_response_equal(const gxds_lrs_response *a, const gxds_lrs_response *b) {
  return a->all_clusters == b->all_clusters && a->interval == b->interval &&
         gxds_strs_equal(a->clusters, a->cluster_count, b->clusters, b->cluster_count);
}
