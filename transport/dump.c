#include "transport/dump.h"

#include <pthread.h>

#include "base/memory.h"
#include "base/text.h"
#include "metrics/policy_counts.h"
#include "transport/client_metrics.h"
#include "transport/clients.h"
#include "transport/clock.h"
#include "transport/reactor.h"

/* A request to the reactor. The last thread that uses it frees it. */
typedef struct request {
  gxds_dump_form form;
  gxds_str host_config; /* a copy: the caller may be gone */
  pthread_mutex_t lock;
  pthread_cond_t done;
  bool is_done;
  bool given_up;
  gxds_str result;
} request;

static request *create(gxds_dump_form form, gxds_str host_config) {
  request *r = GXDS_NEW(request);
  r->form = form;
  r->host_config = gxds_str_dup(host_config);
  GXDS_CHECK(pthread_mutex_init(&r->lock, NULL) == 0);
  GXDS_CHECK(pthread_cond_init(&r->done, NULL) == 0);
  return r;
}

static void destroy(request *r) {
  pthread_cond_destroy(&r->done);
  pthread_mutex_destroy(&r->lock);
  gxds_str_free(&r->host_config);
  gxds_str_free(&r->result);
  gxds_free(r);
}

static gxds_str metrics(void) {
  gxds_text text = {0};
  gxds_client_metrics_render(&text);
  return gxds_text_take(&text);
}

/* The sources of the dump: one for each view. In a merged dump: one for each client, so that a
 * resource that targets share occurs only once. */
static gxds_status_source *sources_of(const gxds_client_view *views, size_t view_count, bool merged,
                                      size_t *count) {
  gxds_status_source *all = gxds_calloc(view_count, sizeof *all);
  *count = 0;
  for (size_t i = 0; i < view_count; i++) {
    if (merged && !views[i].first) continue;
    all[*count] = views[i].status;
    if (merged) all[*count].watches = NULL;
    ++*count;
  }
  return all;
}

static gxds_str dump(gxds_dump_form form, gxds_str host_config) {
  if (form == GXDS_DUMP_METRICS) return metrics();
  size_t view_count;
  gxds_client_view *views = gxds_clients_views(&view_count);
  size_t count;
  gxds_status_source *all = sources_of(views, view_count, form == GXDS_DUMP_MERGED, &count);
  /* The clock of the reactor is CLOCK_MONOTONIC. */
  int64_t epoch = gxds_clock_wall_now() - gxds_clock_now();
  gxds_str out;
  if (form == GXDS_DUMP_BY_CLIENT) {
    out = gxds_client_status_each(all, count, epoch);
  } else if (count == 0) {
    out = gxds_str_dup(host_config);
  } else {
    out = gxds_client_status_merge(all, count, host_config, epoch);
  }
  gxds_free(all);
  gxds_free(views);
  return out;
}

static void run(void *arg) {
  request *r = arg;
  gxds_str out = dump(r->form, r->host_config);
  pthread_mutex_lock(&r->lock);
  bool given_up = r->given_up;
  r->result = out;
  r->is_done = true;
  pthread_cond_signal(&r->done);
  pthread_mutex_unlock(&r->lock);
  if (given_up) destroy(r);
  gxds_reactor_release();
}

/* Waits for the result. If it takes too long, marks the request as given up, and returns false:
 * then run() frees it. */
static bool wait(request *r, gxds_str *out) {
  const struct timespec until =
      gxds_to_timespec(gxds_clock_now() + GXDS_DUMP_SECONDS_MAX * GXDS_SECOND);
  pthread_mutex_lock(&r->lock);
  for (int error = 0; !r->is_done && error == 0;) {
    error = pthread_cond_clockwait(&r->done, &r->lock, CLOCK_MONOTONIC, &until);
  }
  bool done = r->is_done;
  r->given_up = !done;
  pthread_mutex_unlock(&r->lock);
  if (!done) return false;
  *out = r->result;
  r->result = gxds_str_of(NULL, 0);
  destroy(r);
  return true;
}

/* The dump if there are no clients. The counts of policies stay, and need no reactor. */
static gxds_str dump_without_clients(gxds_dump_form form, gxds_str host_config) {
  if (form != GXDS_DUMP_METRICS) {
    return gxds_str_dup(form == GXDS_DUMP_MERGED ? host_config : gxds_str_of(NULL, 0));
  }
  gxds_text text = {0};
  gxds_policy_counts_render(&text);
  return gxds_text_take(&text);
}

bool gxds_clients_dump(gxds_dump_form form, gxds_str host_config, gxds_str *out) {
  if (gxds_reactor_is_current()) {
    *out = dump(form, host_config);
    return true;
  }
  bool runs = gxds_reactor_acquire_running();
  if (runs) {
    request *r = create(form, host_config);
    gxds_reactor_post(run, r);
    if (wait(r, out)) return true;
  }
  *out = dump_without_clients(form, host_config);
  return !runs;
}
