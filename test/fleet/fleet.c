#include "test/fleet/fleet.h"

#include "base/check.h"
#include "base/memory.h"
#include "bootstrap/bootstrap.h"
#include "host/host_get.h"
#include "test/fleet/fleet_internal.h"

/* ---- jobs ---- */

fleet_job *fleet_job_after(fleet_link *link, gxds_duration after, void (*fire)(void *),
                           gxds_str bytes) {
  fleet_job *job = GXDS_NEW(fleet_job);
  job->fleet = link->client->fleet;
  job->link = link;
  job->bytes = bytes;
  gxds_timer_heap_set(&job->fleet->timers, &job->timer, job->fleet->now + after, fire, job);
  return job;
}

void fleet_job_destroy(fleet_job *job) {
  gxds_str_free(&job->bytes);
  gxds_free(job);
}

/* ---- counts ---- */

fleet_bin *fleet_bin_now(fleet *f) {
  size_t at = (size_t)((f->now - f->marked) / FLEET_BIN);
  if (at >= f->bin_capacity) {
    f->bin_capacity = 2 * at + 16;
    f->counts.bins = gxds_realloc(f->counts.bins, f->bin_capacity, sizeof(fleet_bin));
  }
  while (f->counts.bin_count <= at) f->counts.bins[f->counts.bin_count++] = (fleet_bin){0};
  return &f->counts.bins[at];
}

/* Fills the bins before `until` with the current state. */
static void fill_bins(fleet *f, gxds_time until) {
  size_t last = (size_t)((until - f->marked) / FLEET_BIN);
  for (size_t at = (size_t)((f->now - f->marked) / FLEET_BIN); at < last; at++) {
    fleet_bin *bin = fleet_bin_now(f);
    bin->queue = f->queue;
    bin->current = f->current[0];
    f->now = f->marked + (gxds_duration)(at + 1) * FLEET_BIN;
  }
}

void fleet_mark(fleet *f) {
  fleet_bin *bins = f->counts.bins;
  f->counts = (fleet_counts){.bins = bins};
  f->marked = f->now;
}

const fleet_counts *fleet_counted(const fleet *f) { return &f->counts; }

size_t fleet_peak(const fleet_counts *c, gxds_duration within) {
  const size_t width = (size_t)(within / FLEET_BIN);
  size_t sum = 0;
  size_t peak = 0;
  for (size_t i = 0; i < c->bin_count; i++) {
    sum += c->bins[i].streams;
    if (i >= width) sum -= c->bins[i - width].streams;
    if (sum > peak) peak = sum;
  }
  return peak;
}

/* ---- time ---- */

bool fleet_run(fleet *f, gxds_duration most, bool (*done)(const fleet *f)) {
  const gxds_time end = f->now + most;
  for (;;) {
    if (done && done(f)) return true;
    gxds_time next = gxds_timer_heap_deadline(&f->timers);
    if (next > end) break;
    fill_bins(f, next);
    f->now = next;
    gxds_timer_heap_fire(&f->timers, f->now);
  }
  fill_bins(f, end);
  f->now = end;
  return false;
}

gxds_time fleet_now(const fleet *f) { return f->now; }
size_t fleet_current(const fleet *f, size_t server) { return f->current[server]; }
size_t fleet_open_streams(const fleet *f, size_t server) { return f->open[server]; }
size_t fleet_size(const fleet *f) { return f->options.clients; }

/* ---- its life ---- */

static const gxds_bootstrap *make_bootstrap(bool delta) {
  gxds_text json = {0};
  gxds_text_add_z(&json, "{\"node\":{\"id\":\"fleet\"},\"xds_servers\":[");
  for (int i = 0; i < FLEET_SERVERS; i++) {
    gxds_text_addf(&json,
                   "%s{\"server_uri\":\"server%d\",\"channel_creds\":[{\"type\":\"insecure\"}],"
                   "\"server_features\":[%s]}",
                   i ? "," : "", i, delta ? "\"delta\"" : "");
  }
  gxds_text_add_z(&json, "]}");
  const gxds_bootstrap *bootstrap;
  gxds_status status =
      gxds_bootstrap_parse(gxds_text_str(&json), gxds_host_get(), &bootstrap, NULL);
  GXDS_CHECK(gxds_status_is_ok(&status));
  gxds_text_fini(&json);
  return bootstrap;
}

fleet *fleet_create(const fleet_options *options, const gxds_file_set *set) {
  GXDS_CHECK(options->replicas > 0 && options->replicas <= FLEET_REPLICAS_MAX);
  for (int i = 0; i < GXDS_FILE_TYPE_COUNT; i++) GXDS_CHECK(set->types[i].count < PLANE_NAMES_MAX);
  fleet *f = GXDS_NEW(fleet);
  f->options = *options;
  f->random.state = options->seed;
  f->now = f->marked = GXDS_SECOND;
  f->plane.set = gxds_file_set_ref(set);
  f->plane.delta = options->rules == FLEET_DELTA;
  f->plane.trusts_versions = options->rules == FLEET_DELTA || options->rules == FLEET_SOTW;
  f->bootstrap = make_bootstrap(f->plane.delta);
  f->clients = gxds_calloc(options->clients, sizeof(fleet_client));
  for (size_t i = 0; i < options->clients; i++) fleet_client_init(&f->clients[i], f);
  return f;
}

static void on_start(void *arg) { fleet_client_start(arg); }

void fleet_start(fleet *f, gxds_duration within) {
  for (size_t i = 0; i < f->options.clients; i++) {
    fleet_client *c = &f->clients[i];
    fleet_client_fini(c);
    gxds_time at = f->now + (gxds_duration)(gxds_random_unit(&f->random) * (double)within);
    gxds_timer_heap_set(&f->timers, &c->start, at, on_start, c);
  }
}

/* Messages on their way to ended clients are dropped when they arrive. */
void fleet_destroy(fleet *f) {
  for (size_t i = 0; i < f->options.clients; i++) fleet_client_fini(&f->clients[i]);
  while (gxds_timer_heap_deadline(&f->timers) != GXDS_TIME_NEVER) {
    f->now = gxds_timer_heap_deadline(&f->timers);
    gxds_timer_heap_fire(&f->timers, f->now);
  }
  gxds_timer_heap_fini(&f->timers);
  gxds_free(f->clients);
  gxds_free(f->counts.bins);
  gxds_bootstrap_unref(f->bootstrap);
  gxds_file_set_unref(f->plane.set);
  gxds_free(f);
}
