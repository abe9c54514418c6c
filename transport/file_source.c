#include "transport/file_source.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/ref.h"
#include "files/dir_watch.h"
#include "files/file_server.h"
#include "transport/clock.h"
#include "transport/reactor.h"
#include "transport/source_thread.h"

/* How long to wait before the next attempt to watch, while the system has no resources for it. */
#define RETRY_MS 1000

typedef struct file_source {
  gxds_source source; /* first */
  /* Used by the reactor and by the watching thread. */
  gxds_ref refs;
  gxds_str directory;
  int wake; /* an eventfd; -1: it could not be made */
  atomic_bool stopped;

  /* Used by the reactor only. */
  gxds_file_server *server;
  gxds_source_thread thread;
  const gxds_source_events *events;
  void *arg;
  bool has_set;
  gxds_timer timer;
  const gxds_stream_call_events *stream_events;
  void *stream_owner;
  uint64_t stream; /* 0: none */
  bool sent;       /* on_sent must be called */
  bool read;       /* a read is outstanding */
} file_source;

static void unref(file_source *s) {
  if (!gxds_ref_dec(&s->refs)) return;
  if (s->wake >= 0) close(s->wake);
  gxds_str_free(&s->directory);
  gxds_free(s);
}

/* ---- the stream ---- */

static void fire(void *arg) {
  file_source *s = arg;
  gxds_ref_inc(&s->refs); /* a callback may destroy s */
  uint64_t stream = s->stream;
  if (s->sent) {
    s->sent = false;
    s->stream_events->on_sent(s->stream_owner, stream);
  }
  gxds_str message;
  if (s->stream && s->stream == stream && s->read) {
    if (gxds_file_server_next(s->server, gxds_reactor_now(), &message)) {
      s->read = false; /* the next read schedules this function again */
      s->stream_events->on_message(s->stream_owner, stream, message.data, message.size);
      gxds_str_free(&message);
    } else if (!s->sent) {
      gxds_timer_set(&s->timer, gxds_file_server_deadline(s->server), fire, s);
    }
  }
  unref(s);
}

static void schedule(file_source *s) { gxds_timer_set(&s->timer, gxds_reactor_now(), fire, s); }

static void open_stream(gxds_source *source, uint64_t id, const gxds_stream_call_events *events,
                        void *owner) {
  file_source *s = (file_source *)source;
  GXDS_CHECK(s->stream == 0 && id != 0);
  s->stream = id;
  s->stream_events = events;
  s->stream_owner = owner;
  gxds_file_server_open(s->server);
}

static void send_message(gxds_source *source, gxds_str message) {
  file_source *s = (file_source *)source;
  GXDS_CHECK(s->stream && !s->sent);
  gxds_file_server_on_request(s->server, message, gxds_reactor_now());
  s->sent = true;
  schedule(s);
}

static void read_message(gxds_source *source) {
  file_source *s = (file_source *)source;
  GXDS_CHECK(s->stream && !s->read);
  s->read = true;
  schedule(s);
}

static void close_stream(gxds_source *source) {
  file_source *s = (file_source *)source;
  s->stream = 0;
  s->sent = s->read = false;
}

/* ---- events of the directory, on the reactor ---- */

typedef struct event {
  file_source *source;
  const gxds_file_set *set; /* NULL: errors */
  gxds_text errors;
  gxds_str notice; /* a line to be logged as well; empty: none */
  bool last;       /* the thread has ended */
} event;

static void take_set(file_source *s, const gxds_file_set *set) {
  size_t count = 0;
  for (size_t i = 0; i < GXDS_FILE_TYPE_COUNT; i++) count += set->types[i].count;
  gxds_str line =
      gxds_str_format("file source %.*s: %zu resources", GXDS_STR_ARG(s->directory), count);
  s->has_set = true;
  gxds_file_server_set(s->server, set, gxds_reactor_now());
  s->events->on_log(s->arg, false, line);
  gxds_str_free(&line);
  schedule(s);
}

static void take_errors(file_source *s, gxds_str errors) {
  gxds_text line = {0};
  gxds_text_addf(&line, "file source %.*s: %s: ", GXDS_STR_ARG(s->directory),
                 s->has_set ? "not taken, the last good state stays" : "no good state");
  gxds_text_add(&line, errors);
  if (s->has_set) {
    s->events->on_log(s->arg, true, gxds_text_str(&line));
  } else {
    gxds_status status =
        gxds_status_make(GXDS_UNAVAILABLE, "%.*s", GXDS_STR_ARG(gxds_text_str(&line)));
    s->events->on_failed(s->arg, &status);
    gxds_status_fini(&status);
  }
  gxds_text_fini(&line);
}

static void log_notice(file_source *s, gxds_str notice) {
  gxds_str line =
      gxds_str_format("file source %.*s: %.*s", GXDS_STR_ARG(s->directory), GXDS_STR_ARG(notice));
  s->events->on_log(s->arg, true, line);
  gxds_str_free(&line);
}

/* The thread has ended, or never ran. */
static void end_thread(file_source *s) {
  unref(s);
  gxds_reactor_release();
}

static void on_event(void *arg) {
  event *e = arg;
  file_source *s = e->source;
  if (!atomic_load(&s->stopped)) {
    if (e->notice.size) log_notice(s, e->notice);
    if (e->set) {
      take_set(s, e->set);
    } else if (e->errors.size) {
      take_errors(s, gxds_text_str(&e->errors));
    }
  }
  gxds_file_set_unref(e->set);
  gxds_text_fini(&e->errors);
  gxds_str_free(&e->notice);
  bool last = e->last;
  gxds_free(e);
  if (last) end_thread(s);
}

/* ---- the watching thread ---- */

static void post(file_source *s, event take_event) {
  event *e = GXDS_NEW(event);
  *e = take_event;
  e->source = s;
  gxds_reactor_post(on_event, e);
}

static void look(file_source *s, gxds_dir_watch *w) {
  gxds_dir_watch_on_readable(w, gxds_clock_now());
  gxds_dir_change what = gxds_dir_watch_on_deadline(w, gxds_clock_now());
  gxds_str notice = gxds_dir_watch_take_notice(w);
  if (notice.size) post(s, (event){.notice = notice});
  if (what == GXDS_DIR_SET) post(s, (event){.set = gxds_file_set_ref(gxds_dir_watch_set(w))});
  if (what != GXDS_DIR_ERRORS) return;
  gxds_text text = {0};
  gxds_file_errors_render_line(gxds_dir_watch_errors(w), &text);
  post(s, (event){.errors = text});
}

/* How long to wait at most. A thread that cannot be woken checks at least once a second whether it
 * must stop. */
static int milliseconds_until(const file_source *s, gxds_time deadline) {
  if (deadline == GXDS_TIME_NEVER) return s->wake < 0 ? 1000 : -1;
  gxds_time left = deadline - gxds_clock_now();
  if (left <= 0) return 0;
  return left > GXDS_SECOND ? 1000 : (int)(left / GXDS_MILLISECOND) + 1;
}

/* Takes a wake-up from the eventfd. A child of a fork shares the eventfd, so the wake-up may be for
 * the child's thread. False if the eventfd cannot be used any more. */
static bool take_wake(const file_source *s) {
  uint64_t count;
  return read(s->wake, &count, sizeof count) >= 0 || errno == EAGAIN;
}

/* If the system has no more descriptors, logs that once, and tries again until there are some. NULL
 * if the source has ended in the meantime. */
static gxds_dir_watch *make_watch(file_source *s) {
  for (bool logged = false; !atomic_load(&s->stopped); logged = true) {
    gxds_status status;
    gxds_dir_watch *w = gxds_dir_watch_create(s->directory.data, gxds_clock_now(), &status);
    if (w) return w;
    gxds_text text = {0};
    if (!logged) gxds_text_add(&text, status.message);
    gxds_status_fini(&status);
    if (!logged) post(s, (event){.errors = text});
    struct pollfd fd = {s->wake, POLLIN, 0};
    (void)poll(&fd, 1, RETRY_MS);
    if (fd.revents) take_wake(s);
  }
  return NULL;
}

static void *watch_directory(void *arg) {
  file_source *s = arg;
  gxds_dir_watch *w = make_watch(s);
  while (w && !atomic_load(&s->stopped)) {
    look(s, w);
    struct pollfd fds[] = {{gxds_dir_watch_fd(w), POLLIN, 0}, {s->wake, POLLIN, 0}};
    (void)poll(fds, 2, milliseconds_until(s, gxds_dir_watch_deadline(w)));
    if (fds[1].revents && !take_wake(s)) break;
  }
  gxds_dir_watch_destroy(w);
  post(s, (event){.last = true});
  return NULL;
}

static void on_no_thread(void *arg, const gxds_status *status) {
  take_errors(arg, status->message);
}

static void destroy(gxds_source *source) {
  file_source *s = (file_source *)source;
  close_stream(source);
  if (gxds_source_thread_give_up(&s->thread)) end_thread(s);
  gxds_timer_cancel(&s->timer);
  gxds_file_server_destroy(s->server);
  s->server = NULL;
  atomic_store(&s->stopped, true);
  /* If the eventfd is full, the thread is woken anyway. */
  if (s->wake >= 0) (void)eventfd_write(s->wake, 1);
  unref(s);
}

gxds_source *gxds_file_source_create(gxds_str directory, const gxds_source_events *events,
                                     void *arg) {
  static const gxds_source_functions functions = {open_stream, send_message, read_message,
                                                  close_stream, destroy};
  file_source *s = GXDS_NEW(file_source);
  s->source.functions = &functions;
  gxds_ref_init(&s->refs);
  gxds_ref_inc(&s->refs); /* the thread's */
  s->directory = gxds_str_dup(directory);
  s->server = gxds_file_server_create(directory);
  s->events = events;
  s->arg = arg;
  s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  gxds_reactor_acquire(); /* the thread's */
  s->thread = (gxds_source_thread){
      .name = "grpc_xds_files", .run = watch_directory, .on_failed = on_no_thread, .arg = s};
  gxds_source_thread_start(&s->thread);
  return &s->source;
}
