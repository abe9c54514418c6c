#include "transport/web_source.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/mpsc_list.h"
#include "base/random.h"
#include "base/ref.h"
#include "bootstrap/tls_creds.h"
#include "transport/clock.h"
#include "transport/fork.h"
#include "transport/http.h"
#include "transport/reactor.h"
#include "transport/source_thread.h"
#include "web/server.h"

/* ---- forks ---- */

/* Held for reading while a thread does anything but wait: a fork waits for all of them, so that the
 * child finds no lock of libcurl, of OpenSSL or of ours held by a thread that it does not have. */
static pthread_rwlock_t busy = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static void before_fork(void) { GXDS_CHECK(pthread_rwlock_wrlock(&busy) == 0); }
static void after_fork_in_parent(void) { GXDS_CHECK(pthread_rwlock_unlock(&busy) == 0); }
static void after_fork_in_child(void) {
  busy = (pthread_rwlock_t)PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
}

static atomic_bool exiting;

/* At exit, OpenSSL ends before the destructors of libraries run, and no thread may be inside it
 * then. So from now on no thread returns from its wait. */
static void hold_at_exit(void) {
  GXDS_CHECK(pthread_rwlock_wrlock(&busy) == 0);
  atomic_store(&exiting, true);
  GXDS_CHECK(pthread_rwlock_unlock(&busy) == 0);
}

static void stop_waiting(void) {
  GXDS_CHECK(pthread_rwlock_rdlock(&busy) == 0);
  if (!atomic_load(&exiting)) return;
  GXDS_CHECK(pthread_rwlock_unlock(&busy) == 0);
  for (;;) pause(); /* waits until the process has ended */
}

static void begin_waiting(void) { GXDS_CHECK(pthread_rwlock_unlock(&busy) == 0); }

/* Call this after libcurl was loaded, and with it OpenSSL, because the handler that is registered
 * last runs first. */
static void register_exit(void) { GXDS_CHECK(atexit(hold_at_exit) == 0); }

/* ---- the source ---- */

/* A command of the reactor for the thread. */
typedef struct command {
  gxds_mpsc_link link; /* first */
  enum { OPEN, SEND, READ, CLOSE } kind;
  uint64_t stream;
  gxds_str bytes;
} command;

typedef struct web_source {
  gxds_source source; /* first */
  /* Used by the reactor and by the thread. */
  gxds_ref refs;
  gxds_bootstrap_server server; /* a copy */
  int wake;                     /* an eventfd; -1: it could not be made */
  atomic_bool stopped;
  gxds_mpsc_list commands;

  /* Used by the reactor only. */
  gxds_source_thread thread;
  const gxds_source_events *events;
  void *arg;
  const gxds_stream_call_events *stream_events;
  void *stream_owner;
  uint64_t stream; /* 0: none */
} web_source;

/* Used by the thread only. */
typedef struct worker {
  web_source *source;
  gxds_schema *schema;
  gxds_web_server *server;
  gxds_http *http; /* NULL: nothing was fetched yet, or libcurl is not available */
  uint64_t stream; /* 0: none */
  bool read;       /* a read is outstanding */
} worker;

static void free_command(command *c) {
  gxds_str_free(&c->bytes);
  gxds_free(c);
}

static void unref(web_source *s) {
  if (!gxds_ref_dec(&s->refs)) return;
  gxds_mpsc_link *first = gxds_mpsc_list_take(&s->commands);
  for (command *c = (command *)first, *next; c; c = next) {
    next = (command *)c->link.next;
    free_command(c);
  }
  if (s->wake >= 0) close(s->wake);
  gxds_bootstrap_server_fini(&s->server);
  gxds_free(s);
}

/* ---- from the thread to the reactor ---- */

typedef struct event {
  web_source *source;
  enum { SENT, MESSAGE, CLOSED, LINE, LAST } kind; /* LAST: the thread has ended */
  uint64_t stream;
  gxds_str bytes;
} event;

static void deliver(web_source *s, const event *e) {
  if (e->kind == LINE) {
    s->events->on_log(s->arg, false, e->bytes);
    return;
  }
  if (s->stream == 0 || s->stream != e->stream) return;
  if (e->kind == SENT) {
    s->stream_events->on_sent(s->stream_owner, e->stream);
  } else if (e->kind == MESSAGE) {
    s->stream_events->on_message(s->stream_owner, e->stream, e->bytes.data, e->bytes.size);
  } else {
    gxds_status status = gxds_status_make(GXDS_UNAVAILABLE, "%.*s", GXDS_STR_ARG(e->bytes));
    s->stream = 0;
    s->stream_events->on_closed(s->stream_owner, e->stream, &status);
    gxds_status_fini(&status);
  }
}

/* The thread has ended, or never ran. */
static void end_thread(web_source *s) {
  unref(s);
  gxds_reactor_release();
}

static void on_event(void *arg) {
  event *e = arg;
  web_source *s = e->source;
  if (e->kind != LAST && !atomic_load(&s->stopped)) deliver(s, e);
  gxds_str_free(&e->bytes);
  const bool last = e->kind == LAST;
  gxds_free(e);
  if (last) end_thread(s);
}

static void post(const worker *w, int kind, gxds_str take_bytes) {
  event *e = GXDS_NEW(event);
  e->source = w->source;
  e->kind = kind;
  e->stream = w->stream;
  e->bytes = take_bytes;
  gxds_reactor_post(on_event, e);
}

/* ---- the thread ---- */

static void carry_out(worker *w, const command *c) {
  switch (c->kind) {
    case OPEN:
      w->stream = c->stream;
      w->read = false;
      gxds_web_server_open(w->server, gxds_clock_now());
      break;
    case SEND:
      gxds_web_server_on_request(w->server, c->bytes, gxds_clock_now());
      break;
    case READ:
      w->read = true;
      break;
    case CLOSE:
      w->stream = 0;
      gxds_web_server_close(w->server);
      if (w->http) gxds_http_cancel_all(w->http);
      break;
  }
}

static void take_commands(worker *w) {
  gxds_mpsc_link *first = gxds_mpsc_list_take(&w->source->commands);
  for (command *c = (command *)first, *next; c; c = next) {
    next = (command *)c->link.next;
    carry_out(w, c);
    free_command(c);
  }
}

static void on_fetched(void *arg, const gxds_web_response *response) {
  const worker *w = arg;
  gxds_web_server_on_fetched(w->server, response, gxds_clock_now());
}

static gxds_http *make_http(const worker *w, gxds_text *error) {
  const gxds_bootstrap_server *server = &w->source->server;
  gxds_tls_creds tls = {0};
  gxds_errors errors = {0};
  gxds_http_options options = {.uri = server->uri,
                               .connect = GXDS_HTTP_CONNECT,
                               .slow = GXDS_HTTP_SLOW,
                               .whole = GXDS_HTTP_WHOLE};
  if (gxds_str_starts_with(server->uri, gxds_str_z("https:"))) {
    /* The config was checked when the bootstrap was read. */
    GXDS_CHECK(gxds_tls_creds_init(&tls, server->creds_config_json, NULL, &errors));
    options.tls = &tls;
  }
  gxds_http *http = gxds_http_create(&options, error);
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (http) pthread_once(&once, register_exit);
  gxds_tls_creds_fini(&tls);
  gxds_errors_fini(&errors);
  return http;
}

static void fetch(worker *w, gxds_web_request take_request) {
  gxds_text error = {0};
  if (!w->http) w->http = make_http(w, &error);
  if (w->http) {
    gxds_http_start(w->http, take_request);
  } else {
    const gxds_web_response response = {.id = take_request.id, .error = gxds_text_str(&error)};
    on_fetched(w, &response);
    gxds_web_request_fini(&take_request);
  }
  gxds_text_fini(&error);
}

/* Does everything that can be done now. */
static void pump(worker *w) {
  gxds_web_request request;
  gxds_str bytes;
  while (gxds_web_server_next_fetch(w->server, gxds_clock_now(), &request)) fetch(w, request);
  if (gxds_web_server_take_log(w->server, &bytes)) post(w, LINE, bytes);
  if (gxds_web_server_was_sent(w->server)) post(w, SENT, gxds_str_of(NULL, 0));
  if (w->read && gxds_web_server_next_response(w->server, gxds_clock_now(), &bytes)) {
    w->read = false;
    post(w, MESSAGE, bytes);
  }
  if (gxds_web_server_take_end(w->server, &bytes)) {
    post(w, CLOSED, bytes);
    w->stream = 0;
    if (w->http) gxds_http_cancel_all(w->http);
  }
}

/* How long to wait at most. A thread that cannot be woken checks for commands every 100 ms. */
static int milliseconds_until(const web_source *s, gxds_time deadline) {
  const int never = s->wake < 0 ? 100 : -1;
  if (deadline == GXDS_TIME_NEVER) return never;
  const gxds_time left = deadline - gxds_clock_now();
  if (left <= 0) return 0;
  const int wanted = left > 3600 * GXDS_SECOND ? 3600000 : (int)(left / GXDS_MILLISECOND) + 1;
  return never > 0 && wanted > never ? never : wanted;
}

static void wait_for_something(const worker *w) {
  const int wake = w->source->wake;
  const int limit = milliseconds_until(w->source, gxds_web_server_deadline(w->server));
  begin_waiting();
  if (w->http) {
    gxds_http_wait(w->http, wake, limit);
  } else {
    struct pollfd fd = {wake, POLLIN, 0};
    (void)poll(&fd, 1, limit);
  }
  stop_waiting();
  eventfd_t count;
  if (wake >= 0) (void)eventfd_read(wake, &count); /* none if something else ended the wait */
}

static void *work(void *arg) {
  web_source *s = arg;
  stop_waiting();
  worker w = {.source = s, .schema = gxds_schema_create()};
  if (s->server.web_form == GXDS_WEB_REST) gxds_schema_set_lenient(w.schema);
  w.server = gxds_web_server_create(&s->server, w.schema, gxds_random_seed());
  while (!atomic_load(&s->stopped)) {
    take_commands(&w);
    pump(&w);
    wait_for_something(&w);
    if (w.http) gxds_http_turn(w.http, on_fetched, &w);
  }
  gxds_http_destroy(w.http);
  gxds_web_server_destroy(w.server);
  gxds_schema_destroy(w.schema);
  post(&w, LAST, gxds_str_of(NULL, 0));
  begin_waiting();
  return NULL;
}

/* ---- the functions of a source ---- */

static void wake(const web_source *s) {
  /* If the eventfd is full, the thread is woken anyway. */
  if (s->wake >= 0) (void)eventfd_write(s->wake, 1);
}

static void command_thread(web_source *s, int kind, gxds_str bytes) {
  command *c = GXDS_NEW(command);
  c->kind = kind;
  c->stream = s->stream;
  c->bytes = gxds_str_dup(bytes);
  (void)gxds_mpsc_list_push(&s->commands, &c->link);
  wake(s);
}

static void open_stream(gxds_source *source, uint64_t id, const gxds_stream_call_events *events,
                        void *owner) {
  web_source *s = (web_source *)source;
  GXDS_CHECK(s->stream == 0 && id != 0);
  s->stream = id;
  s->stream_events = events;
  s->stream_owner = owner;
  command_thread(s, OPEN, gxds_str_of(NULL, 0));
}

static void send_message(gxds_source *source, gxds_str message) {
  web_source *s = (web_source *)source;
  if (s->stream) command_thread(s, SEND, message);
}

static void read_message(gxds_source *source) {
  web_source *s = (web_source *)source;
  if (s->stream) command_thread(s, READ, gxds_str_of(NULL, 0));
}

static void close_stream(gxds_source *source) {
  web_source *s = (web_source *)source;
  if (s->stream) command_thread(s, CLOSE, gxds_str_of(NULL, 0));
  s->stream = 0;
}

static void on_no_thread(void *arg, const gxds_status *status) {
  const web_source *s = arg;
  s->events->on_failed(s->arg, status);
}

static void destroy(gxds_source *source) {
  web_source *s = (web_source *)source;
  s->stream = 0;
  if (gxds_source_thread_give_up(&s->thread)) end_thread(s);
  atomic_store(&s->stopped, true);
  wake(s);
  unref(s);
}

gxds_source *gxds_web_source_create(const gxds_bootstrap_server *server,
                                    const gxds_source_events *events, void *arg) {
  static const gxds_source_functions functions = {open_stream, send_message, read_message,
                                                  close_stream, destroy};
  static const gxds_fork_handlers fork_handlers = {before_fork, after_fork_in_parent,
                                                   after_fork_in_child};
  gxds_fork_register(GXDS_FORK_WEB, &fork_handlers);
  web_source *s = GXDS_NEW(web_source);
  s->source.functions = &functions;
  gxds_ref_init(&s->refs);
  gxds_ref_inc(&s->refs); /* the thread's */
  s->server = gxds_bootstrap_server_copy(server);
  s->events = events;
  s->arg = arg;
  s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  gxds_reactor_acquire(); /* the thread's */
  s->thread = (gxds_source_thread){
      .name = "grpc_xds_web", .run = work, .on_failed = on_no_thread, .arg = s};
  gxds_source_thread_start(&s->thread);
  return &s->source;
}
