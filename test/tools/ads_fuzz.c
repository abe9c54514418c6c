/* The input is a list of events of an ADS server with two streams, SotW and delta, and two states
 * of the resources. The first byte of each step selects the event. A request has the bytes up to
 * the next step. */
#include "test/files/resource_fuzz.h"
#include "tools/serve/ads_server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define URL "{\"@type\":\"type.googleapis.com/envoy.config."

static const gxds_file_set *make_set(const gxds_schema *schema, const char *json) {
  gxds_file_input file = {gxds_str_z("f.json"), gxds_str_z(json)};
  gxds_file_errors errors = {0};
  const gxds_file_set *set = gxds_file_set_build(schema, &file, 1, NULL, &errors);
  GXDS_CHECK(set != NULL);
  return set;
}

static const gxds_file_set *sets[2];

static void make_sets(void) {
  gxds_schema *schema = gxds_schema_create();
  sets[0] = make_set(schema, "[" URL "cluster.v3.Cluster\",\"name\":\"a\"}," URL
                             "cluster.v3.Cluster\",\"name\":\"b\"}," URL
                             "endpoint.v3.ClusterLoadAssignment\",\"cluster_name\":\"a\"}," URL
                             "listener.v3.Listener\",\"name\":\"a\"}]");
  sets[1] =
      make_set(schema, "[" URL "cluster.v3.Cluster\",\"name\":\"a\",\"type\":\"EDS\"}," URL
                       "route.v3.RouteConfiguration\",\"name\":\"a\"}," URL
                       "endpoint.v3.ClusterLoadAssignment\",\"cluster_name\":\"b\"},"
                       "{\"@type\":\"type.googleapis.com/envoy.service.discovery.v3.Resource\","
                       "\"aliases\":[\"b\",\"c\"],\"resource\":" URL
                       "cluster.v3.Cluster\",\"name\":\"d\"}}]");
  gxds_schema_destroy(schema);
}

static void drain(gxds_ads_server *s, uint64_t *sending, uint64_t *streams) {
  gxds_serve_action action;
  gxds_ads_server_validate(s);
  while (gxds_ads_server_next_action(s, &action)) {
    if (action.kind == GXDS_SERVE_SEND) {
      int i = action.stream == streams[1];
      GXDS_CHECK(action.stream == streams[i] && sending[i] == 0);
      sending[i] = action.stream;
    } else if (action.kind == GXDS_SERVE_EVENT) {
      gxds_text text = {0};
      gxds_serve_event_render_json(&action.event, &text);
      gxds_serve_event_render_text(&action.event, &text);
      gxds_text_fini(&text);
    } else {
      for (int i = 0; i < 2; i++) {
        if (streams[i] == action.stream) streams[i] = sending[i] = 0;
      }
    }
    gxds_serve_action_fini(&action);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!sets[0]) make_sets();
  gxds_ads_server *s = gxds_ads_server_create();
  uint64_t streams[2] = {0};
  uint64_t sending[2] = {0};
  gxds_time now = 1;
  for (size_t at = 0; at + 2 <= size;) {
    uint8_t step = data[at++];
    size_t length = data[at++];
    int i = step & 1;
    if (length > size - at) length = size - at;
    now += (step >> 4) * 20 * GXDS_MILLISECOND;
    if (!streams[i]) {
      streams[i] =
          gxds_ads_server_open(s, i ? GXDS_ADS_DELTA : GXDS_ADS_SOTW, gxds_str_z("peer"), now);
    }
    switch ((step >> 1) & 7) {
      case 0:
        gxds_ads_server_set_resources(s, sets[i], now);
        break;
      case 1:
        if (sending[i]) gxds_ads_server_on_sent(s, sending[i], now);
        sending[i] = 0;
        break;
      case 2:
        gxds_ads_server_on_closed(s, streams[i], gxds_str_z("gone"));
        streams[i] = sending[i] = 0;
        break;
      case 3:
        gxds_ads_server_on_deadline(s, now);
        break;
      default:
        gxds_ads_server_on_message(s, streams[i], gxds_str_of((const char *)data + at, length),
                                   now);
        at += length;
    }
    drain(s, sending, streams);
  }
  gxds_ads_server_destroy(s);
  return 0;
}
