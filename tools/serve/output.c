#include "tools/serve/output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/memory.h"

/* A small write ends soon after a slow reader has read something. */
enum { kWaitingBytesMax = 16 << 20, kWriteBytesMax = PIPE_BUF, kStopSeconds = 1 };

struct gxds_serve_output {
  int fd;
  bool json;
  pthread_t thread;

  pthread_mutex_t mu; /* guards the rest */
  pthread_cond_t changed;
  gxds_text waiting; /* lines for the thread */
  size_t missing;    /* events that are left out after these lines */
  size_t written;    /* how many times the reader has taken something */
  bool failed;
  bool stopping;
  bool stopped;
  bool abandoned; /* the thread frees it all when the reader reads again */
};

static void destroy(gxds_serve_output *o) {
  pthread_cond_destroy(&o->changed);
  pthread_mutex_destroy(&o->mu);
  gxds_text_fini(&o->waiting);
  gxds_free(o);
}

static void render(const gxds_serve_output *o, const gxds_serve_event *event, gxds_text *out) {
  if (o->json) {
    gxds_serve_event_render_json(event, out);
  } else {
    gxds_serve_event_render_text(event, out);
  }
  gxds_text_add_z(out, "\n");
}

static void add_missing(const gxds_serve_output *o, size_t missing, gxds_text *out) {
  gxds_serve_event event = {
      .kind = GXDS_SERVE_WARNING,
      .detail =
          gxds_str_format("%zu events are missing here, because the output was not read", missing)};
  render(o, &event, out);
  gxds_serve_event_fini(&event);
}

static void note_written(gxds_serve_output *o, int error) {
  pthread_mutex_lock(&o->mu);
  const bool first = error && !o->failed;
  o->written++;
  o->failed |= error != 0;
  pthread_cond_signal(&o->changed);
  pthread_mutex_unlock(&o->mu);
  if (first) fprintf(stderr, "xds serve: the output cannot be written: %s\n", strerror(error));
}

/* After an error the rest is given up: a disk may have room again for later lines. */
static void write_all(gxds_serve_output *o, gxds_str rest) {
  while (rest.size) {
    size_t size = rest.size < kWriteBytesMax ? rest.size : kWriteBytesMax;
    ssize_t count = write(o->fd, rest.data, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) { /* others may have made the descriptor so */
      (void)poll(&(struct pollfd){.fd = o->fd, .events = POLLOUT}, 1, -1);
      continue;
    }
    note_written(o, count < 0 ? errno : 0);
    if (count < 0) return;
    rest = gxds_str_of(rest.data + count, rest.size - (size_t)count);
  }
}

static void *run(void *arg) {
  gxds_serve_output *o = arg;
  gxds_text lines = {0};
  pthread_mutex_lock(&o->mu);
  for (;;) {
    while (o->waiting.size == 0 && !o->stopping) pthread_cond_wait(&o->changed, &o->mu);
    if (o->waiting.size == 0) break;
    const gxds_text empty = lines;
    lines = o->waiting;
    o->waiting = empty;
    if (o->missing) add_missing(o, o->missing, &lines);
    o->missing = 0;
    pthread_mutex_unlock(&o->mu);
    write_all(o, gxds_text_str(&lines));
    gxds_text_clear(&lines);
    pthread_mutex_lock(&o->mu);
  }
  o->stopped = true;
  const bool abandoned = o->abandoned;
  pthread_cond_signal(&o->changed);
  pthread_mutex_unlock(&o->mu);
  gxds_text_fini(&lines);
  if (abandoned) destroy(o);
  return NULL;
}

gxds_serve_output *gxds_serve_output_start(int fd, bool json) {
  gxds_serve_output *o = GXDS_NEW(gxds_serve_output);
  o->fd = fd;
  o->json = json;
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&o->changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  pthread_mutex_init(&o->mu, NULL);
  int error = pthread_create(&o->thread, NULL, run, o);
  GXDS_CHECK(error == 0);
  return o;
}

void gxds_serve_output_print(gxds_serve_output *o, const gxds_serve_event *event) {
  gxds_text line = {0};
  render(o, event, &line);
  pthread_mutex_lock(&o->mu);
  /* After one that is left out, all are, until there is room for its notice. */
  if (o->missing || (o->waiting.size && o->waiting.size + line.size > kWaitingBytesMax)) {
    o->missing++;
  } else {
    gxds_text_add(&o->waiting, gxds_text_str(&line));
    pthread_cond_signal(&o->changed);
  }
  pthread_mutex_unlock(&o->mu);
  gxds_text_fini(&line);
}

/* Waits until the thread has written everything. False if the reader reads nothing for some time.
 */
static bool await_end(gxds_serve_output *o) {
  while (!o->stopped) {
    const size_t written = o->written;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += kStopSeconds;
    int error = 0;
    while (!o->stopped && o->written == written && error != ETIMEDOUT) {
      error = pthread_cond_timedwait(&o->changed, &o->mu, &until);
    }
    if (error == ETIMEDOUT && !o->stopped && o->written == written) return false;
  }
  return true;
}

bool gxds_serve_output_stop(gxds_serve_output *o) {
  pthread_mutex_lock(&o->mu);
  o->stopping = true;
  pthread_cond_signal(&o->changed);
  const bool ended = await_end(o);
  const bool ok = ended && !o->failed;
  o->abandoned = !ended;
  if (!ended) pthread_detach(o->thread);
  pthread_mutex_unlock(&o->mu);
  if (!ended) return false;
  pthread_join(o->thread, NULL);
  destroy(o);
  return ok;
}
