#include "tools/status/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "base/wire.h"
#include "tools/command/links.h"

/* Field numbers of envoy/service/status/v3/csds.proto and what it uses. */
enum { kResponseConfig = 1 };
enum { kConfigNode = 1, kConfigOldForm = 2, kConfigResource = 3, kConfigScope = 4 };
enum { kNodeId = 1 };
enum {
  kResourceType = 1,
  kResourceName = 2,
  kResourceVersion = 3,
  kResourceAny = 4,
  kResourceUpdated = 5,
  kResourceState = 7,
  kResourceError = 8,
};
enum { kAnyValue = 2 };
enum { kErrorTime = 2, kErrorDetails = 3, kErrorVersion = 4 };
enum { kTimestampSeconds = 1 };

/* Aggregates deeper than A37 allows are an error of the configuration. They are shown, but side by
 * side. */
enum { kDepthMax = 24 };
enum { kStateAcked = 3 };

/* ---- resources ---- */

#define OTHER GXDS_FILE_TYPE_COUNT

typedef struct entry {
  gxds_file_type kind; /* OTHER for a type that gRPC does not know */
  gxds_str message;    /* the serialized GenericXdsConfig */
  gxds_str type_url;
  gxds_str name;
  gxds_str bytes; /* of the resource */
  bool shown;
} entry;

typedef struct client {
  entry *entries; /* the entries, sorted by kind and name */
  size_t count;
  gxds_report *report;
} client;

static gxds_file_type kind_of(gxds_str type_url) {
  static const char *const endings[] = {".Listener", ".RouteConfiguration", ".Cluster",
                                        ".ClusterLoadAssignment"};
  for (unsigned i = 0; i < OTHER; i++) {
    if (gxds_str_ends_with(type_url, gxds_str_z(endings[i]))) return (gxds_file_type)i;
  }
  return OTHER;
}

static int by_kind_and_name(const void *a, const void *b) {
  const entry *x = a;
  const entry *y = b;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  return gxds_str_compare(x->name, y->name);
}

static entry *find(const client *c, gxds_file_type k, gxds_str name) {
  const entry key = {.kind = k, .name = name};
  if (c->count == 0) return NULL;
  return bsearch(&key, c->entries, c->count, sizeof *c->entries, by_kind_and_name);
}

static void add_time(gxds_view *v, const char *key, gxds_str timestamp) {
  time_t at = (time_t)gxds_wire_number_at(timestamp, kTimestampSeconds);
  struct tm utc;
  char text[32];
  if (at == 0 || !gmtime_r(&at, &utc)) return;
  if (strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)) {
    gxds_view_attribute(v, key, "%s", text);
  }
}

static void add_state(gxds_view *v, const entry *e, gxds_report *report) {
  static const char *const names[] = {"UNKNOWN", "REQUESTED",      "DOES_NOT_EXIST", "ACKED",
                                      "NACKED",  "RECEIVED_ERROR", "TIMEOUT"};
  gxds_view_text(v, "version", gxds_wire_bytes_at(e->message, kResourceVersion));
  uint64_t state = gxds_wire_number_at(e->message, kResourceState);
  if (state < sizeof names / sizeof *names) {
    gxds_view_attribute(v, "state", "%s", names[state]);
  } else {
    gxds_view_attribute(v, "state", "%" PRIu64, state);
  }
  add_time(v, "updated", gxds_wire_bytes_at(e->message, kResourceUpdated));
  gxds_str error = gxds_wire_bytes_at(e->message, kResourceError);
  gxds_view_text(v, "rejected_version", gxds_wire_bytes_at(error, kErrorVersion));
  add_time(v, "failed", gxds_wire_bytes_at(error, kErrorTime));
  gxds_view_error(v, gxds_wire_bytes_at(error, kErrorDetails));
  report->resources++;
  if (state == kStateAcked) report->acked++;
}

static void count_one(void *arg, gxds_str value) {
  (void)value;
  ++*(size_t *)arg;
}

static void add_counts(gxds_view *v, const entry *e) {
  static const uint8_t localities[] = {2, 0};
  static const uint8_t endpoints[] = {2, 2, 0};
  size_t count = 0;
  if (e->kind != GXDS_FILE_ENDPOINTS || !e->bytes.data) return;
  gxds_links_follow(e->bytes, localities, count_one, &count);
  gxds_view_attribute(v, "localities", "%zu", count);
  count = 0;
  gxds_links_follow(e->bytes, endpoints, count_one, &count);
  gxds_view_attribute(v, "endpoints", "%zu", count);
}

/* ---- what names what ---- */

typedef struct place {
  client *client;
  gxds_view *view; /* the view of the resource that names it */
  int depth;
} place;

static void add_entry(client *c, gxds_view *up, entry *e, int depth);

static void add_named(void *arg, gxds_file_type type, gxds_str name) {
  const place *p = arg;
  entry *e = find(p->client, type, name);
  if (e) add_entry(p->client, p->view, e, p->depth);
}

/* A resource that was shown before is only named. */
static void add_entry(client *c, gxds_view *up, entry *e, int depth) {
  static const char *const kinds[] = {"listener", "route_config", "cluster", "endpoints",
                                      "resource"};
  if (depth > kDepthMax) return;
  gxds_view *v = gxds_view_add(up, kinds[e->kind], e->name);
  if (e->shown) return;
  e->shown = true;
  if (e->kind == OTHER) gxds_view_text(v, "type", e->type_url);
  add_state(v, e, c->report);
  add_counts(v, e);
  place below = {c, v, depth + 1};
  gxds_links_each(e->kind, e->name, e->bytes, add_named, &below);
}

/* ---- clients ---- */

static void add_client(gxds_view *root, gxds_str config, gxds_report *report) {
  client c = {.report = report};
  bool old_form = false;
  gxds_str rest = config;
  gxds_wire_field f;
  while (gxds_wire_next(&rest, &f)) {
    old_form |= f.number == kConfigOldForm;
    if (f.number != kConfigResource || !f.has_size) continue;
    gxds_str type_url = gxds_wire_bytes_at(f.value, kResourceType);
    c.entries = gxds_realloc(c.entries, c.count + 1, sizeof *c.entries);
    c.entries[c.count++] = (entry){
        .kind = kind_of(type_url),
        .message = f.value,
        .type_url = type_url,
        .name = gxds_wire_bytes_at(f.value, kResourceName),
        .bytes = gxds_wire_bytes_at(gxds_wire_bytes_at(f.value, kResourceAny), kAnyValue),
    };
  }
  if (c.count) qsort(c.entries, c.count, sizeof *c.entries, by_kind_and_name);
  gxds_view *v = gxds_view_add(root, "client", gxds_wire_bytes_at(config, kConfigScope));
  gxds_view_text(v, "node", gxds_wire_bytes_at(gxds_wire_bytes_at(config, kConfigNode), kNodeId));
  if (old_form) {
    gxds_view_error(v, gxds_str_z("the program reports its resources in a form of before 2021 "
                                  "(PerXdsConfig), which is not read"));
  }
  report->clients++;
  for (size_t i = 0; i < c.count; i++) {
    if (!c.entries[i].shown) add_entry(&c, v, &c.entries[i], 0);
  }
  gxds_free(c.entries);
}

bool gxds_report_add(gxds_view *root, gxds_str response, gxds_report *out) {
  *out = (gxds_report){0};
  if (!gxds_wire_is_whole(response)) return false;
  gxds_wire_field f;
  while (gxds_wire_next(&response, &f)) {
    if (f.number == kResponseConfig && f.has_size) add_client(root, f.value, out);
  }
  return true;
}
