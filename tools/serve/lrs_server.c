#include "tools/serve/lrs_server.h"

#include <envoy/config/core/v3/base.upb.h>
#include <envoy/config/endpoint/v3/load_report.upb.h>
#include <envoy/service/load_stats/v3/lrs.upb.h>
#include <google/protobuf/duration.upb.h>

#include "base/hash_table.h"
#include "base/upb.h"
#include "tools/serve/load_totals.h"
#include "tools/serve/reported_metrics.h"
#include "tools/serve/wire_input.h"

typedef struct stream {
  uint64_t id;
  gxds_str node;
  gxds_str peer;
  bool requested;    /* the first request has come */
  bool all_clusters; /* the client can report all clusters without their names */
  bool sending;
  bool due; /* a response must be sent */
  UT_hash_handle by_id;
} stream;

struct gxds_lrs_server {
  gxds_duration interval;
  const gxds_file_set *set; /* NULL: none yet */
  stream *streams;          /* in the table by id, in the order in which they were opened */
  uint64_t last_id;
  gxds_load_totals totals;
  gxds_serve_queue queue;
};

gxds_lrs_server *gxds_lrs_server_create(gxds_duration interval) {
  GXDS_CHECK(interval > 0);
  gxds_lrs_server *s = GXDS_NEW(gxds_lrs_server);
  s->interval = interval;
  return s;
}

static void end_stream(gxds_lrs_server *s, stream *st) {
  HASH_DELETE(by_id, s->streams, st);
  gxds_str_free(&st->node);
  gxds_str_free(&st->peer);
  gxds_free(st);
}

void gxds_lrs_server_destroy(gxds_lrs_server *s) {
  while (s->streams) end_stream(s, s->streams);
  gxds_load_totals_fini(&s->totals);
  gxds_serve_queue_fini(&s->queue);
  gxds_file_set_unref(s->set);
  gxds_free(s);
}

/* NULL if the stream has ended. */
static stream *find(const gxds_lrs_server *s, uint64_t id) {
  stream *st = NULL;
  HASH_FIND(by_id, s->streams, &id, sizeof id, st);
  return st;
}

static gxds_serve_event event_of(const stream *st, gxds_serve_event_kind kind) {
  return (gxds_serve_event){.kind = kind,
                            .node = gxds_str_dup(st->node),
                            .peer = gxds_str_dup(st->peer),
                            .service = "lrs"};
}

static gxds_str encode(const gxds_lrs_server *s, const stream *st) {
  upb_Arena *arena = upb_Arena_New();
  envoy_service_load_stats_v3_LoadStatsResponse *msg =
      envoy_service_load_stats_v3_LoadStatsResponse_new(arena);
  google_protobuf_Duration *interval =
      envoy_service_load_stats_v3_LoadStatsResponse_mutable_load_reporting_interval(msg, arena);
  google_protobuf_Duration_set_seconds(interval, s->interval / GXDS_SECOND);
  google_protobuf_Duration_set_nanos(interval, (int32_t)(s->interval % GXDS_SECOND));
  if (st->all_clusters) {
    envoy_service_load_stats_v3_LoadStatsResponse_set_send_all_clusters(msg, true);
  } else if (s->set) {
    const gxds_file_list *list = &s->set->types[GXDS_FILE_CLUSTER];
    for (size_t i = 0; i < list->count; i++) {
      envoy_service_load_stats_v3_LoadStatsResponse_add_clusters(
          msg, gxds_pb_view(list->entries[i].resource->name), arena);
    }
  }
  size_t size;
  const char *data = envoy_service_load_stats_v3_LoadStatsResponse_serialize(msg, arena, &size);
  return gxds_pb_take(data, size, arena);
}

static void pump(gxds_lrs_server *s, stream *st) {
  if (st->sending || !st->due) return;
  st->due = false;
  st->sending = true;
  gxds_serve_queue_send(&s->queue, st->id, encode(s, st));
}

void gxds_lrs_server_set_resources(gxds_lrs_server *s, const gxds_file_set *set) {
  const gxds_file_set *old = s->set;
  s->set = gxds_file_set_ref(set);
  for (stream *st = s->streams; st; st = st->by_id.next) {
    st->due = st->due || (st->requested && !st->all_clusters);
    pump(s, st);
  }
  gxds_file_set_unref(old);
}

uint64_t gxds_lrs_server_open(gxds_lrs_server *s, gxds_str peer) {
  stream *st = GXDS_NEW(stream);
  st->id = ++s->last_id;
  st->peer = gxds_str_dup(peer);
  HASH_ADD(by_id, s->streams, id, sizeof st->id, st);
  gxds_serve_event event = event_of(st, GXDS_SERVE_STREAM_OPEN);
  gxds_serve_queue_event(&s->queue, &event);
  return st->id;
}

void gxds_lrs_server_on_closed(gxds_lrs_server *s, uint64_t id, gxds_str why) {
  stream *st = find(s, id);
  if (!st) return;
  gxds_serve_event event = event_of(st, GXDS_SERVE_STREAM_CLOSE);
  event.detail = gxds_str_dup(why);
  gxds_serve_queue_event(&s->queue, &event);
  end_stream(s, st);
}

void gxds_lrs_server_on_sent(gxds_lrs_server *s, uint64_t id) {
  stream *st = find(s, id);
  if (!st) return;
  st->sending = false;
  pump(s, st);
}

static void take_node(stream *st, const envoy_config_core_v3_Node *node) {
  if (!node) return;
  gxds_str_set(&st->node, gxds_pb_str(envoy_config_core_v3_Node_id(node)));
  size_t count;
  upb_StringView const *features = envoy_config_core_v3_Node_client_features(node, &count);
  for (size_t i = 0; i < count; i++) {
    gxds_str name = gxds_str_z("envoy.lrs.supports_send_all_clusters");
    if (gxds_str_equal(gxds_pb_str(features[i]), name)) st->all_clusters = true;
  }
}

typedef const envoy_config_endpoint_v3_ClusterStats cluster_stats;
typedef const envoy_config_endpoint_v3_UpstreamLocalityStats locality_stats;

static gxds_serve_load *add_load(gxds_serve_event *event, cluster_stats *c) {
  gxds_serve_load *load = gxds_serve_event_add_load(event);
  load->cluster = gxds_str_dup(gxds_pb_str(envoy_config_endpoint_v3_ClusterStats_cluster_name(c)));
  load->eds_service =
      gxds_str_dup(gxds_pb_str(envoy_config_endpoint_v3_ClusterStats_cluster_service_name(c)));
  return load;
}

static void add_locality(gxds_lrs_server *s, const stream *st, gxds_serve_event *event,
                         cluster_stats *c, locality_stats *l) {
  gxds_serve_load *load = add_load(event, c);
  load->has_locality = true;
  const envoy_config_core_v3_Locality *name =
      envoy_config_endpoint_v3_UpstreamLocalityStats_locality(l);
  if (name) {
    load->region = gxds_str_dup(gxds_pb_str(envoy_config_core_v3_Locality_region(name)));
    load->zone = gxds_str_dup(gxds_pb_str(envoy_config_core_v3_Locality_zone(name)));
    load->sub_zone = gxds_str_dup(gxds_pb_str(envoy_config_core_v3_Locality_sub_zone(name)));
  }
  load->successful = envoy_config_endpoint_v3_UpstreamLocalityStats_total_successful_requests(l);
  load->error = envoy_config_endpoint_v3_UpstreamLocalityStats_total_error_requests(l);
  load->in_progress = envoy_config_endpoint_v3_UpstreamLocalityStats_total_requests_in_progress(l);
  load->issued = envoy_config_endpoint_v3_UpstreamLocalityStats_total_issued_requests(l);
  gxds_reported_metrics_read(l, load);
  gxds_load_totals_add(&s->totals, st->node.size ? st->node : st->peer, load, GXDS_LRS_TOTALS_MAX);
}

static void add_drops(gxds_serve_event *event, cluster_stats *c) {
  size_t count;
  const envoy_config_endpoint_v3_ClusterStats_DroppedRequests *const *drops =
      envoy_config_endpoint_v3_ClusterStats_dropped_requests(c, &count);
  uint64_t total = envoy_config_endpoint_v3_ClusterStats_total_dropped_requests(c);
  if (count == 0 && total == 0) return;
  gxds_serve_load *load = add_load(event, c);
  load->total_dropped = total;
  for (size_t i = 0; i < count; i++) {
    gxds_serve_load_add_drop(
        load, gxds_pb_str(envoy_config_endpoint_v3_ClusterStats_DroppedRequests_category(drops[i])),
        envoy_config_endpoint_v3_ClusterStats_DroppedRequests_dropped_count(drops[i]));
  }
}

static void take_report(gxds_lrs_server *s, const stream *st,
                        const envoy_service_load_stats_v3_LoadStatsRequest *msg) {
  gxds_serve_event event = event_of(st, GXDS_SERVE_LOAD);
  size_t cluster_count;
  const envoy_config_endpoint_v3_ClusterStats *const *clusters =
      envoy_service_load_stats_v3_LoadStatsRequest_cluster_stats(msg, &cluster_count);
  for (size_t i = 0; i < cluster_count; i++) {
    size_t count;
    const envoy_config_endpoint_v3_UpstreamLocalityStats *const *localities =
        envoy_config_endpoint_v3_ClusterStats_upstream_locality_stats(clusters[i], &count);
    for (size_t j = 0; j < count; j++) add_locality(s, st, &event, clusters[i], localities[j]);
    add_drops(&event, clusters[i]);
  }
  if (event.load_count) gxds_serve_queue_event(&s->queue, &event);
  gxds_serve_event_fini(&event);
}

void gxds_lrs_server_on_message(gxds_lrs_server *s, uint64_t id, gxds_str bytes) {
  stream *st = find(s, id);
  if (!st) return;
  upb_Arena *arena = upb_Arena_New();
  const envoy_service_load_stats_v3_LoadStatsRequest *msg =
      GXDS_SERVE_PARSE(envoy_service_load_stats_v3_LoadStatsRequest, bytes, arena);
  if (!msg) {
    static const char why[] = "the message is no LoadStatsRequest";
    gxds_serve_queue_close(&s->queue, id, gxds_status_make(GXDS_INVALID_ARGUMENT, "%s", why));
    gxds_lrs_server_on_closed(s, id, gxds_str_z(why));
  } else {
    take_node(st, envoy_service_load_stats_v3_LoadStatsRequest_node(msg));
    take_report(s, st, msg);
    st->due = st->due || !st->requested; /* the first request gets a response, which says what to
                                            report */
    st->requested = true;
    pump(s, st);
  }
  upb_Arena_Free(arena);
}

bool gxds_lrs_server_next_action(gxds_lrs_server *s, gxds_serve_action *out) {
  return gxds_serve_queue_pop(&s->queue, out);
}
