#include "tools/serve/event.h"

#include <math.h>

#include "base/memory.h"
#include "base/utf8.h"

static const struct kind_name {
  const char *json;
  const char *text; /* follows the type */
} kind_names[] = {
    [GXDS_SERVE_LISTENING] = {"listening", "listening"},
    [GXDS_SERVE_RESOURCES] = {"resources", "resources"},
    [GXDS_SERVE_ERROR] = {"error", ""},
    [GXDS_SERVE_WARNING] = {"warning", ""},
    [GXDS_SERVE_STREAM_OPEN] = {"stream_open", "stream opened"},
    [GXDS_SERVE_STREAM_CLOSE] = {"stream_close", "stream closed"},
    [GXDS_SERVE_SUBSCRIBED] = {"subscribed", "subscribed"},
    [GXDS_SERVE_UNSUBSCRIBED] = {"unsubscribed", "unsubscribed"},
    [GXDS_SERVE_PUSH] = {"push", "push"},
    [GXDS_SERVE_ACK] = {"ack", "ACK"},
    [GXDS_SERVE_NACK] = {"nack", "NACK"},
    [GXDS_SERVE_STALE] = {"stale", "stale"},
    [GXDS_SERVE_UNKNOWN_TYPE] = {"unknown_type", "unknown_type"},
    [GXDS_SERVE_LOAD] = {"load", "load"},
};

void gxds_serve_load_fini(gxds_serve_load *l) {
  gxds_str_free(&l->cluster);
  gxds_str_free(&l->eds_service);
  gxds_str_free(&l->region);
  gxds_str_free(&l->zone);
  gxds_str_free(&l->sub_zone);
  for (size_t i = 0; i < l->drop_count; i++) gxds_str_free(&l->drops[i].category);
  gxds_free(l->drops);
  for (size_t i = 0; i < l->metric_count; i++) gxds_str_free(&l->metrics[i].name);
  gxds_free(l->metrics);
}

void gxds_serve_event_fini(gxds_serve_event *e) {
  gxds_str_free(&e->node);
  gxds_str_free(&e->peer);
  gxds_strs_free(e->names, e->name_count);
  gxds_strs_free(e->removed, e->removed_count);
  gxds_str_free(&e->version);
  gxds_str_free(&e->nonce);
  gxds_str_free(&e->file);
  gxds_str_free(&e->field);
  gxds_str_free(&e->detail);
  for (size_t i = 0; i < e->load_count; i++) gxds_serve_load_fini(&e->loads[i]);
  gxds_free(e->loads);
  *e = (gxds_serve_event){0};
}

/* Makes room for one more item: arrays grow when their count is a power of two. */
static void *grow(void *items, size_t count, size_t size) {
  if (count & (count - 1)) return items;
  return gxds_realloc(items, count ? 2 * count : 1, size);
}

void gxds_serve_event_add_name(gxds_serve_event *e, gxds_str name) {
  e->names = grow(e->names, e->name_count, sizeof *e->names);
  e->names[e->name_count++] = gxds_str_dup(name);
}

gxds_serve_load *gxds_serve_event_add_load(gxds_serve_event *e) {
  e->loads = grow(e->loads, e->load_count, sizeof *e->loads);
  e->loads[e->load_count] = (gxds_serve_load){0};
  return &e->loads[e->load_count++];
}

void gxds_serve_load_add_drop(gxds_serve_load *l, gxds_str category, uint64_t count) {
  l->drops = grow(l->drops, l->drop_count, sizeof *l->drops);
  l->drops[l->drop_count++] = (gxds_serve_drop){gxds_str_dup(category), count};
}

void gxds_serve_load_add_metric(gxds_serve_load *l, gxds_str name, uint64_t requests, double sum) {
  l->metrics = grow(l->metrics, l->metric_count, sizeof *l->metrics);
  l->metrics[l->metric_count++] = (gxds_serve_metric){gxds_str_dup(name), requests, sum};
}

/* Each part has its length before it, so that different parts never make the same key. */
gxds_str gxds_serve_load_key(gxds_str client, const gxds_serve_load *l) {
  const gxds_str parts[] = {client, l->cluster, l->eds_service, l->region, l->zone, l->sub_zone};
  gxds_text key = {0};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    gxds_text_addf(&key, "%zu:", parts[i].size);
    gxds_text_add(&key, parts[i]);
  }
  gxds_text_add_z(&key, l->has_locality ? "l" : "d");
  return gxds_text_take(&key);
}

/* Text. Strings from clients are escaped, because they go to a terminal. */

static void add_names(gxds_text *out, const gxds_str *names, size_t count) {
  enum { kShown = 8 };
  for (size_t i = 0; i < count && i < kShown; i++) {
    gxds_text_add_z(out, i ? ", " : " ");
    gxds_text_add_escaped(out, names[i]);
  }
  if (count > kShown) gxds_text_addf(out, ", and %zu more", count - kShown);
}

static void add_part(gxds_text *out, const char *label, gxds_str s) {
  if (s.size == 0) return;
  gxds_text_add_z(out, label);
  gxds_text_add_escaped(out, s);
}

static void add_client(gxds_text *out, const gxds_serve_event *e) {
  if (e->node.size == 0 && e->peer.size == 0) return;
  gxds_text_add_escaped(out, e->node);
  add_part(out, e->node.size ? "@" : "", e->peer);
  gxds_text_add_z(out, ": ");
}

static void add_metrics_text(gxds_text *out, const gxds_serve_load *l) {
  for (size_t i = 0; i < l->metric_count; i++) {
    const gxds_serve_metric *m = &l->metrics[i];
    gxds_text_add_z(out, i ? ", " : "; ");
    gxds_text_add_escaped(out, m->name);
    gxds_text_addf(out, " %g of %llu", m->sum, (unsigned long long)m->requests);
  }
}

static void add_load_text(gxds_text *out, const gxds_serve_load *l) {
  gxds_text_add_z(out, "\n    ");
  gxds_text_add_escaped(out, l->cluster);
  add_part(out, " (", l->eds_service);
  if (l->eds_service.size) gxds_text_add_z(out, ")");
  if (l->has_locality) {
    gxds_text_add_z(out, " ");
    gxds_text_add_escaped(out, l->region);
    gxds_text_add_z(out, "/");
    gxds_text_add_escaped(out, l->zone);
    gxds_text_add_z(out, "/");
    gxds_text_add_escaped(out, l->sub_zone);
    gxds_text_addf(out, ": %llu issued, %llu ok, %llu failed, %llu in progress",
                   (unsigned long long)l->issued, (unsigned long long)l->successful,
                   (unsigned long long)l->error, (unsigned long long)l->in_progress);
    gxds_text_addf(out, " (in all %llu issued, %llu ok, %llu failed)",
                   (unsigned long long)l->total_issued, (unsigned long long)l->total_successful,
                   (unsigned long long)l->total_error);
    add_metrics_text(out, l);
    return;
  }
  gxds_text_addf(out, ": %llu dropped", (unsigned long long)l->total_dropped);
  for (size_t i = 0; i < l->drop_count; i++) {
    gxds_text_add_z(out, i ? ", " : " (");
    gxds_text_add_escaped(out, l->drops[i].category);
    gxds_text_addf(out, " %llu", (unsigned long long)l->drops[i].count);
  }
  if (l->drop_count) gxds_text_add_z(out, ")");
}

void gxds_serve_event_render_text(const gxds_serve_event *e, gxds_text *out) {
  if (e->kind == GXDS_SERVE_ERROR) {
    gxds_text_add_z(out, "error: ");
  } else if (e->kind == GXDS_SERVE_WARNING) {
    gxds_text_add_z(out, "warning: ");
  }
  if (e->file.size) {
    gxds_text_add_escaped(out, e->file);
    if (e->line) gxds_text_addf(out, ":%u", (unsigned)e->line);
    gxds_text_add_z(out, ": ");
    add_part(out, "field ", e->field);
    if (e->field.size) gxds_text_add_z(out, ": ");
  }
  add_client(out, e);
  if (e->kind == GXDS_SERVE_ERROR || (e->kind == GXDS_SERVE_WARNING && !e->type)) {
    gxds_text_add_escaped(out, e->detail);
    return;
  }
  if (e->kind == GXDS_SERVE_WARNING) {
    gxds_text_addf(out, "clients will NACK the %s", e->type->message);
  } else if (e->type) {
    gxds_text_addf(out, "%s ", e->type->short_name);
  } else if (e->service) {
    gxds_text_addf(out, "%s ", e->service);
  }
  gxds_text_add_z(out, kind_names[e->kind].text);
  add_names(out, e->names, e->name_count);
  if (e->removed_count) {
    gxds_text_add_z(out, "; no longer");
    add_names(out, e->removed, e->removed_count);
  }
  add_part(out, " version ", e->version);
  add_part(out, " nonce ", e->nonce);
  add_part(out, e->kind == GXDS_SERVE_LISTENING ? " on " : ": ", e->detail);
  for (size_t i = 0; i < e->load_count; i++) add_load_text(out, &e->loads[i]);
}

/* JSON. */

/* JSON has no form for infinite numbers and NaN, so such a sum is null. */
static void add_metrics_json(gxds_text *out, const gxds_serve_load *l) {
  if (l->metric_count == 0) return;
  gxds_text_add_z(out, ",\"metrics\":[");
  for (size_t i = 0; i < l->metric_count; i++) {
    const gxds_serve_metric *m = &l->metrics[i];
    gxds_text_add_z(out, i ? ",{" : "{");
    gxds_utf8_add_member(out, "name", m->name);
    gxds_text_addf(out, ",\"requests\":%llu,\"sum\":", (unsigned long long)m->requests);
    if (isfinite(m->sum)) {
      gxds_text_addf(out, "%.17g}", m->sum);
    } else {
      gxds_text_add_z(out, "null}");
    }
  }
  gxds_text_add_z(out, "]");
}

static void add_load_json(gxds_text *out, const gxds_serve_load *l) {
  gxds_text_add_z(out, "{");
  gxds_utf8_add_member(out, "cluster", l->cluster);
  gxds_utf8_add_member(out, "eds_service", l->eds_service);
  if (l->has_locality) {
    gxds_text_add_z(out, ",\"locality\":{");
    gxds_utf8_add_member(out, "region", l->region);
    gxds_utf8_add_member(out, "zone", l->zone);
    gxds_utf8_add_member(out, "sub_zone", l->sub_zone);
    gxds_text_addf(out,
                   "},\"successful\":%llu,\"error\":%llu,\"in_progress\":%llu,\"issued\":%llu,"
                   "\"total\":{\"successful\":%llu,\"error\":%llu,\"issued\":%llu}",
                   (unsigned long long)l->successful, (unsigned long long)l->error,
                   (unsigned long long)l->in_progress, (unsigned long long)l->issued,
                   (unsigned long long)l->total_successful, (unsigned long long)l->total_error,
                   (unsigned long long)l->total_issued);
    add_metrics_json(out, l);
    gxds_text_add_z(out, "}");
    return;
  }
  gxds_text_addf(out, ",\"total_dropped\":%llu,\"dropped\":{",
                 (unsigned long long)l->total_dropped);
  for (size_t i = 0; i < l->drop_count; i++) {
    if (i) gxds_text_add_z(out, ",");
    gxds_utf8_add_json(out, l->drops[i].category);
    gxds_text_addf(out, ":%llu", (unsigned long long)l->drops[i].count);
  }
  gxds_text_add_z(out, "}}");
}

void gxds_serve_event_render_json(const gxds_serve_event *e, gxds_text *out) {
  gxds_text_addf(out, "{\"event\":\"%s\"", kind_names[e->kind].json);
  if (e->node.size || e->peer.size) {
    gxds_text_add_z(out, ",\"client\":{");
    gxds_utf8_add_member(out, "node", e->node);
    gxds_utf8_add_member(out, "peer", e->peer);
    gxds_text_add_z(out, "}");
  }
  if (e->service) gxds_utf8_add_member_if_any(out, "service", gxds_str_z(e->service));
  if (e->type) gxds_utf8_add_member_if_any(out, "type", gxds_str_z(e->type->type_url));
  if (e->name_count || e->kind == GXDS_SERVE_PUSH) {
    gxds_utf8_add_list(out, "names", e->names, e->name_count);
  }
  if (e->removed_count) gxds_utf8_add_list(out, "removed", e->removed, e->removed_count);
  gxds_utf8_add_member_if_any(out, "version", e->version);
  gxds_utf8_add_member_if_any(out, "nonce", e->nonce);
  gxds_utf8_add_member_if_any(out, "file", e->file);
  if (e->line) gxds_text_addf(out, ",\"line\":%u", (unsigned)e->line);
  gxds_utf8_add_member_if_any(out, "field", e->field);
  gxds_utf8_add_member_if_any(out, e->kind == GXDS_SERVE_LISTENING ? "address" : "detail",
                              e->detail);
  if (e->kind == GXDS_SERVE_LOAD) {
    gxds_text_add_z(out, ",\"load\":[");
    for (size_t i = 0; i < e->load_count; i++) {
      if (i) gxds_text_add_z(out, ",");
      add_load_json(out, &e->loads[i]);
    }
    gxds_text_add_z(out, "]");
  }
  gxds_text_add_z(out, "}");
}
