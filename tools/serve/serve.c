#include "tools/serve/serve.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "files/dir_watch.h"
#include "tools/command/validator.h"
#include "tools/serve/options.h"
#include "tools/serve/output.h"
#include "tools/serve/page/server.h"
#include "tools/serve/rest/server.h"
#include "tools/serve/server.h"
#include "tools/serve/write_index.h"
#include "transport/clock.h"

typedef struct serve {
  gxds_serve_command command;
  int signals; /* a signalfd for SIGTERM and SIGINT */
  gxds_serve_output *output;
  gxds_serve_server *server;
  gxds_page_server *page; /* NULL: not configured */
  gxds_rest_server *rest; /* NULL: not configured */
  gxds_validator *validator;
  gxds_dir_watch *watch;       /* NULL: synthetic resources are served */
  const gxds_file_set *served; /* NULL: none yet */
} serve;

/* On the server's thread. */
static void on_event(void *arg, const gxds_serve_event *event) {
  const serve *s = arg;
  const gxds_serve_command *command = &s->command;
  if (s->page) gxds_page_server_on_event(s->page, event);
  bool matters = event->kind == GXDS_SERVE_ERROR || event->kind == GXDS_SERVE_WARNING ||
                 event->kind == GXDS_SERVE_NACK;
  if (matters || !command->quiet) gxds_serve_output_print(s->output, event);
}

static void emit(void *arg, gxds_serve_event *take_event) {
  gxds_serve_server_emit(arg, take_event);
}

static void emit_resources(serve *s, const gxds_file_set *set) {
  gxds_text text = {0};
  for (int t = 0; t < GXDS_FILE_TYPE_COUNT; t++) {
    gxds_text_addf(&text, "%s%zu %s", t ? ", " : "", set->types[t].count,
                   gxds_file_types[t].short_name);
  }
  gxds_serve_event event = {.kind = GXDS_SERVE_RESOURCES, .detail = gxds_text_take(&text)};
  emit(s->server, &event);
}

static void emit_errors(serve *s, const gxds_file_errors *errors) {
  for (size_t i = 0; i < errors->stored; i++) {
    const gxds_file_error *error = &errors->items[i];
    gxds_serve_event event = {.kind = GXDS_SERVE_ERROR,
                              .file = gxds_str_dup(error->file),
                              .line = error->line,
                              .field = gxds_str_dup(error->field),
                              .detail = gxds_str_dup(error->text)};
    emit(s->server, &event);
  }
  gxds_text text = {0};
  if (errors->count > errors->stored) {
    gxds_text_addf(&text, "%zu more errors; ", errors->count - errors->stored);
  }
  gxds_text_add_z(&text, s->served ? "the last good state is still being served"
                                   : "nothing is being served until that is mended");
  gxds_serve_event event = {.kind = GXDS_SERVE_ERROR, .detail = gxds_text_take(&text)};
  emit(s->server, &event);
}

static bool is_served(const serve *s, const gxds_file_resource *r) {
  const gxds_file_entry *old = s->served ? gxds_file_set_find(s->served, r->type, r->name) : NULL;
  return old && old->resource == r;
}

/* Warns once about each resource that clients will refuse. A control plane for development must be
 * able to serve these, so that NACKs can be tried. */
static void emit_warnings(serve *s, const gxds_file_set *set) {
  for (int t = 0; t < GXDS_FILE_TYPE_COUNT; t++) {
    for (size_t i = 0; i < set->types[t].count; i++) {
      const gxds_file_entry *entry = &set->types[t].entries[i];
      if (is_served(s, entry->resource)) continue;
      gxds_status status = gxds_validator_check(s->validator, entry->resource, NULL);
      if (gxds_status_is_ok(&status)) continue;
      gxds_serve_event event = {.kind = GXDS_SERVE_WARNING,
                                .type = &gxds_file_types[t],
                                .file = gxds_str_dup(entry->file),
                                .line = entry->line,
                                .detail = status.message};
      gxds_serve_event_add_name(&event, entry->resource->name);
      emit(s->server, &event); /* emit() takes ownership of the event, and so of the status's
                                  message */
    }
  }
}

static void serve_set(serve *s, const gxds_file_set *set) {
  emit_resources(s, set);
  emit_warnings(s, set);
  gxds_serve_server_set_resources(s->server, set);
  if (s->page) gxds_page_server_set_resources(s->page, set);
  if (s->rest) gxds_rest_server_set_resources(s->rest, set);
  gxds_file_set_unref(s->served);
  s->served = gxds_file_set_ref(set);
}

static void serve_synthetic(serve *s) {
  const gxds_file_set *set = gxds_synthetic_set(&s->command.synthetic);
  serve_set(s, set);
  gxds_file_set_unref(set);
}

/* A user set a weight on the page. */
static void on_change(serve *s) {
  const gxds_file_set *set = gxds_page_server_take_change(s->page);
  if (set) serve_set(s, set);
  gxds_file_set_unref(set);
}

static void on_deadline(serve *s) {
  if (!s->watch) return;
  gxds_dir_change change = gxds_dir_watch_on_deadline(s->watch, gxds_clock_now());
  if (change == GXDS_DIR_ERRORS) {
    emit_errors(s, gxds_dir_watch_errors(s->watch));
  } else if (change == GXDS_DIR_SET) {
    serve_set(s, gxds_dir_watch_set(s->watch));
  }
  /* The notice comes after the set, because new resources remove earlier errors from the page. */
  gxds_serve_event notice = {.kind = GXDS_SERVE_WARNING,
                             .detail = gxds_dir_watch_take_notice(s->watch)};
  if (notice.detail.size) emit(s->server, &notice);
}

/* The timeout for poll(). It is rounded up, so that the deadline has passed when poll() returns. */
static int timeout_ms(gxds_time deadline) {
  if (deadline == GXDS_TIME_NEVER) return -1;
  gxds_duration left = deadline - gxds_clock_now();
  return left <= 0 ? 0 : (int)((left + GXDS_MILLISECOND - 1) / GXDS_MILLISECOND);
}

static void follow(serve *s) {
  struct pollfd fds[] = {{.fd = s->signals, .events = POLLIN},
                         {.fd = s->watch ? gxds_dir_watch_fd(s->watch) : -1, .events = POLLIN},
                         {.fd = s->page ? gxds_page_server_fd(s->page) : -1, .events = POLLIN}};
  for (;;) {
    gxds_time deadline = s->watch ? gxds_dir_watch_deadline(s->watch) : GXDS_TIME_NEVER;
    int ready = poll(fds, 3, timeout_ms(deadline));
    if (ready < 0 && errno != EINTR) return;
    if (ready > 0 && fds[0].revents) return;
    if (s->watch) gxds_dir_watch_on_readable(s->watch, gxds_clock_now());
    on_deadline(s);
    if (ready > 0 && fds[2].revents) on_change(s);
  }
}

static bool write_port(const char *path, int port) {
  gxds_str text = gxds_str_format("%d\n", port);
  const bool ok = gxds_serve_write_file(path, text);
  gxds_str_free(&text);
  return ok;
}

/* service: NULL for xDS itself. */
static void emit_listening(serve *s, const char *service, const char *address, int port) {
  const char *colon = strrchr(address, ':'); /* the options were checked for one */
  gxds_serve_event event = {.kind = GXDS_SERVE_LISTENING, .service = service};
  if (gxds_serve_is_socket(address)) {
    event.detail = gxds_str_dup(gxds_str_z(address));
  } else {
    event.detail = gxds_str_format("%.*s:%d", (int)(colon - address), address, port);
  }
  emit(s->server, &event);
}

static int run(serve *s) {
  gxds_status status = gxds_status_ok();
  int port = 0;
  int page_port = 0;
  int rest_port = 0;
  gxds_serve_options options = {.listen = s->command.listen,
                                .load_interval = s->command.load_interval,
                                .on_event = on_event,
                                .arg = s};
  if (s->command.dir) s->watch = gxds_dir_watch_create(s->command.dir, gxds_clock_now(), &status);
  bool ok = s->watch != NULL || s->command.is_synthetic;
  if (ok && s->command.http) {
    s->page = gxds_page_server_start(s->command.http, &page_port, &status);
    ok = s->page != NULL;
  }
  if (ok && s->command.rest) {
    s->rest = gxds_rest_server_start(s->command.rest, &rest_port, &status);
    ok = s->rest != NULL;
  }
  if (ok) s->server = gxds_serve_server_start(&options, &port, &status);
  if (!s->server) {
    fprintf(stderr, "xds serve: %s\n", status.message.data);
    gxds_status_fini(&status);
    gxds_rest_server_stop(s->rest);
    gxds_page_server_stop(s->page);
    if (s->watch) gxds_dir_watch_destroy(s->watch);
    return 1;
  }
  if (s->rest) gxds_rest_server_emit_to(s->rest, emit, s->server);
  s->validator = gxds_validator_create(NULL);
  if (s->command.is_synthetic) serve_synthetic(s);
  on_deadline(s); /* so that existing files are served from the first request on */
  ok = !s->command.port_file || write_port(s->command.port_file, port);
  if (ok) {
    emit_listening(s, NULL, s->command.listen, port);
    if (s->page) emit_listening(s, "http", s->command.http, page_port);
    if (s->rest) emit_listening(s, "rest", s->command.rest, rest_port);
    follow(s);
  }
  gxds_validator_destroy(s->validator);
  gxds_rest_server_stop(s->rest); /* stopped first, because it emits events to the server */
  gxds_serve_server_stop(s->server);
  gxds_page_server_stop(s->page);
  gxds_file_set_unref(s->served);
  if (s->watch) gxds_dir_watch_destroy(s->watch);
  return ok ? 0 : 1;
}

/* Each client needs a descriptor. When there are none left, gRPC 1.51 stops to listen for good, so
 * the usual soft limit of 1,024 would end the service for new clients. */
static void allow_many_clients(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

int xds_serve_main(int argc, char **argv) {
  serve s = {0};
  gxds_text error = {0};
  if (!gxds_serve_command_parse(argc, argv, &s.command, &error)) {
    fprintf(stderr, "xds serve: %s (xds serve --help)\n", error.data);
    gxds_text_fini(&error);
    return 2;
  }
  if (s.command.help) {
    fputs(gxds_serve_help, stdout);
    return 0;
  }
  if (s.command.write_index) return gxds_serve_write_index(s.command.dir);
  allow_many_clients();
  /* The signals are blocked before any thread is made, so that no thread handles them. */
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigprocmask(SIG_BLOCK, &set, NULL);
  s.signals = signalfd(-1, &set, SFD_CLOEXEC);
  if (s.signals < 0) {
    perror("xds serve: signalfd");
    return 1;
  }
  s.output = gxds_serve_output_start(STDOUT_FILENO, s.command.json);
  int result = run(&s);
  if (!gxds_serve_output_stop(s.output) && result == 0) result = 2;
  close(s.signals);
  return result;
}
