#include "lrs/load_report.h"

#include <stdlib.h>

#include "base/memory.h"
#include "lrs/load_store_internal.h"

int gxds_metric_report_compare(const void *a, const void *b) {
  const gxds_metric_report *x = a;
  const gxds_metric_report *y = b;
  if (x->metric != y->metric) return x->metric < y->metric ? -1 : 1;
  return gxds_str_compare(x->name, y->name);
}

static bool is_wanted(const gxds_load_filter *f, gxds_str cluster) {
  if (f->all) return true;
  return f->cluster_count > 0 && bsearch(&cluster, f->clusters, f->cluster_count,
                                         sizeof *f->clusters, gxds_str_compare_items) != NULL;
}

void gxds_load_report_begin(gxds_load_store *s, const gxds_bootstrap_server *server,
                            gxds_time now) {
  pthread_mutex_lock(&s->lock);
  gxds_load_server *found = gxds_load_store_server(s, server);
  found->since = now;
  gxds_load_cluster *c;
  DL_FOREACH(found->clusters, c) c->since = now;
  pthread_mutex_unlock(&s->lock);
}

/* Marks everything that was counted so far as reported. */
static void forget(gxds_load_cluster *c, gxds_time now) {
  gxds_locality_load *l;
  DL_FOREACH(c->localities, l) {
    gxds_locality_load_read(l, l->reported);
    gxds_metric_counters_forget(&l->metrics);
  }
  for (size_t i = 0; i < c->drops.counters.count; i++) {
    c->drops.counters.names[i].reported = gxds_drop_counters_read(&c->drops.counters, i);
  }
  c->since = now;
}

static void add_localities(gxds_cluster_report *out, gxds_load_cluster *c) {
  gxds_locality_load *l;
  size_t count;
  DL_COUNT(c->localities, l, count);
  out->localities = gxds_calloc(count, sizeof *out->localities);
  DL_FOREACH(c->localities, l) {
    uint64_t totals[GXDS_LOAD_KINDS];
    gxds_locality_load_read(l, totals);
    gxds_locality_report *r = &out->localities[out->locality_count++];
    *r = (gxds_locality_report){
        .region = l->region,
        .zone = l->zone,
        .sub_zone = l->sub_zone,
        .issued = totals[GXDS_LOAD_STARTED] - l->reported[GXDS_LOAD_STARTED],
        .succeeded = totals[GXDS_LOAD_SUCCEEDED] - l->reported[GXDS_LOAD_SUCCEEDED],
        .failed = totals[GXDS_LOAD_FAILED] - l->reported[GXDS_LOAD_FAILED],
        .in_progress =
            totals[GXDS_LOAD_STARTED] - totals[GXDS_LOAD_SUCCEEDED] - totals[GXDS_LOAD_FAILED],
        .load = l,
    };
    r->metrics = gxds_metric_counters_report(&l->metrics, &r->metric_count);
    l->life.pins++;
  }
}

static void add_drops(gxds_cluster_report *out, gxds_drop_load *d) {
  const gxds_drop_counters *counters = &d->counters;
  out->drops = gxds_calloc(counters->count, sizeof *out->drops);
  for (size_t i = 0; i < counters->count; i++) {
    uint64_t count = gxds_drop_counters_read(counters, i) - counters->names[i].reported;
    out->total_dropped += count;
    if (i == GXDS_DROP_UNCATEGORIZED) {
      out->uncategorized = count;
    } else if (count > 0) {
      out->drops[out->drop_count++] = (gxds_drop_report){counters->names[i].name, count, i};
    }
  }
  d->life.pins++;
}

static bool cluster_is_zero(const gxds_cluster_report *c) {
  if (c->total_dropped > 0) return false;
  for (size_t i = 0; i < c->locality_count; i++) {
    const gxds_locality_report *l = &c->localities[i];
    if (l->issued || l->succeeded || l->failed || l->in_progress || l->metric_count) return false;
  }
  return true;
}

static void add_cluster(gxds_load_report *r, gxds_load_cluster *c, gxds_time now) {
  gxds_cluster_report *out = &r->clusters[r->cluster_count++];
  out->cluster = c->cluster;
  out->eds_service = c->eds_service;
  out->interval = c->since == GXDS_TIME_NEVER || c->since > now ? 0 : now - c->since;
  out->load = c;
  c->pins++;
  add_localities(out, c);
  add_drops(out, &c->drops);
  if (!cluster_is_zero(out)) r->is_zero = false;
}

gxds_load_report *gxds_load_report_build(gxds_load_store *s, const gxds_bootstrap_server *server,
                                         gxds_load_filter filter, gxds_time now) {
  gxds_load_report *r = GXDS_NEW(gxds_load_report);
  r->store = gxds_load_store_ref(s);
  r->is_zero = true;
  r->at = now;
  pthread_mutex_lock(&s->lock);
  gxds_load_server *found = gxds_load_store_find_server(s, server);
  if (found) {
    gxds_load_cluster *c;
    gxds_load_cluster *next;
    size_t count;
    DL_COUNT(found->clusters, c, count);
    r->clusters = gxds_calloc(count, sizeof *r->clusters);
    DL_FOREACH_SAFE(found->clusters, c, next) {
      if (c->rests && gxds_load_cluster_is_reported(c)) {
        c->since = now; /* if it is held again, its interval starts as that of a new cluster */
        continue;
      }
      if (is_wanted(&filter, c->cluster)) {
        add_cluster(r, c, now);
      } else {
        forget(c, now);
        gxds_load_store_sweep(s, c);
      }
    }
    /* The first interval of a new cluster starts here. */
    found->since = now;
  }
  gxds_load_store_unlock(s);
  return r;
}

/* Marks the drops of a cluster, and its first `localities` localities, as reported. */
static void mark_reported(gxds_cluster_report *c, size_t localities, gxds_time at) {
  for (size_t i = 0; i < localities; i++) {
    const gxds_locality_report *l = &c->localities[i];
    l->load->reported[GXDS_LOAD_STARTED] += l->issued;
    l->load->reported[GXDS_LOAD_SUCCEEDED] += l->succeeded;
    l->load->reported[GXDS_LOAD_FAILED] += l->failed;
    for (size_t k = 0; k < l->metric_count; k++)
      gxds_metric_counter_reported(l->metrics[k].counter);
  }
  gxds_drop_name *names = c->load->drops.counters.names;
  for (size_t i = 0; i < c->drop_count; i++)
    names[c->drops[i].number].reported += c->drops[i].count;
  if (names) names[GXDS_DROP_UNCATEGORIZED].reported += c->uncategorized;
  /* If the cluster is not reported completely, its interval does not end here. */
  if (localities == c->locality_count) c->load->since = at;
}

static void end(gxds_load_report *r, gxds_load_place sent) {
  gxds_load_store *s = r->store;
  pthread_mutex_lock(&s->lock);
  for (size_t i = 0; i < r->cluster_count; i++) {
    gxds_cluster_report *c = &r->clusters[i];
    if (i < sent.cluster) mark_reported(c, c->locality_count, r->at);
    if (i == sent.cluster && sent.locality > 0) mark_reported(c, sent.locality, r->at);
    for (size_t k = 0; k < c->locality_count; k++) {
      c->localities[k].load->life.pins--;
      gxds_free(c->localities[k].metrics);
    }
    c->load->drops.life.pins--;
    c->load->pins--;
    gxds_load_store_sweep(s, c->load);
    gxds_free(c->localities);
    gxds_free(c->drops);
  }
  gxds_load_store_unlock(s);
  gxds_load_store_unref(s);
  gxds_free(r->clusters);
  gxds_free(r);
}

void gxds_load_report_sent(gxds_load_report *r) { end(r, (gxds_load_place){r->cluster_count, 0}); }

void gxds_load_report_lost(gxds_load_report *r) {
  if (r) end(r, r->sent);
}
