#include "tools/status/status.h"

#include <grpc/grpc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/command/args.h"
#include "tools/resolve/print.h"
#include "tools/status/csds.h"
#include "tools/status/report.h"

static const char help[] =
    "usage: xds status PID|ADDRESS:PORT|SOCKET [--watch] [--json] [--timeout SECONDS]\n"
    "\n"
    "Prints the resources of the xDS clients in a running program as a tree: for each client its\n"
    "listeners, route configurations, clusters and endpoints, with versions, states, the time of\n"
    "the last change, and the errors of rejected resources.\n"
    "\n"
    "  PID                a process with this library that was started with\n"
    "                     GRPC_XDS_STATUS_DIR=DIR in its environment; it listens on the socket\n"
    "                     DIR/PID.sock, and responds only to its own user and root\n"
    "  SOCKET             the path of such a socket\n"
    "  ADDRESS:PORT       the client status discovery service (CSDS, gRFC A40) of any program,\n"
    "                     without TLS\n"
    "  --watch            then read the state once a second, and print each change until\n"
    "                     interrupted: old lines with -, new lines with +; with --json the whole\n"
    "                     tree at each change\n"
    "  --json             print the tree as one line of JSON with the fields kind, name,\n"
    "                     attributes, error and children\n"
    "  --timeout SECONDS  wait for a response at most that long (default 15)\n"
    "\n"
    "Exit status: 0 if every resource is ACKED, 1 if one is not or the program has no xDS client\n"
    "now, 2 if the command line is wrong, the program does not respond or the output was\n"
    "lost.\n";

typedef struct options {
  const char *program;
  pid_t pid; /* 0: not a process */
  gxds_duration timeout;
  bool watch;
  bool json;
  bool help;
} options;

/* The response, and what it means for the exit status. */
typedef struct outcome {
  gxds_view *view; /* owned; NULL: none */
  gxds_report report;
  char summary[80]; /* a line */
} outcome;

static bool parse_pid(const char *text, pid_t *out) {
  size_t length = strlen(text);
  if (length == 0 || length > 9 || strspn(text, "0123456789") != length) return false;
  *out = (pid_t)strtol(text, NULL, 10);
  return *out > 0;
}

/* A path has a slash. A target of gRPC may have one too, but then it has a colon (dns:///host:1).
 */
static bool is_path(const char *text) {
  return text[0] == '/' || text[0] == '.' || (strchr(text, '/') && !strchr(text, ':'));
}

static bool parse(int argc, char *const *argv, options *out, gxds_text *error) {
  *out = (options){.timeout = 15 * GXDS_SECOND};
  for (int i = 1; i < argc && error->size == 0; i++) {
    const char *value;
    if (gxds_args_is_help(argv, i)) {
      out->help = true;
    } else if (gxds_args_flag(argv, i, "--json")) {
      out->json = true;
    } else if (gxds_args_flag(argv, i, "--watch")) {
      out->watch = true;
    } else if ((value = gxds_args_value(argv, &i, "--timeout", error)) != NULL) {
      gxds_args_seconds("--timeout", value, &out->timeout, error);
    } else if (error->size == 0 && argv[i][0] == '-') {
      gxds_text_addf(error, "no such option: %s", argv[i]);
    } else if (error->size == 0 && out->program) {
      gxds_text_addf(error, "one argument too many: %s", argv[i]);
    } else if (error->size == 0) {
      out->program = argv[i];
    }
  }
  if (error->size || out->help) return error->size == 0;
  if (!out->program) {
    gxds_text_add_z(error, "which program? (PID, ADDRESS:PORT or the path of a socket)");
    return false;
  }
  if (parse_pid(out->program, &out->pid) || is_path(out->program)) return true;
  if (strchr(out->program, ':')) return gxds_args_check_address(out->program, out->program, error);
  gxds_text_addf(error, "%s is no PID, ADDRESS:PORT or path of a socket", out->program);
  return false;
}

static void set_summary(outcome *o) {
  const gxds_report *r = &o->report;
  if (r->clients == 0) {
    snprintf(o->summary, sizeof o->summary, "the program has no xDS client now\n");
  } else {
    snprintf(o->summary, sizeof o->summary, "%zu of %zu resources ACKED\n", r->acked, r->resources);
  }
}

static bool fetch(const options *o, outcome *out, gxds_text *error) {
  gxds_text reply = {0};
  bool ok;
  *out = (outcome){0};
  if (o->pid) {
    ok = gxds_csds_of_process(o->pid, o->timeout, &reply, error);
  } else if (is_path(o->program)) {
    ok = gxds_csds_of_socket(o->program, 0, o->timeout, &reply, error);
  } else {
    ok = gxds_csds_of_server(o->program, o->timeout, &reply, error);
  }
  if (ok) {
    out->view = gxds_view_add(NULL, o->pid ? "process" : "program", gxds_str_z(o->program));
    ok = gxds_report_add(out->view, gxds_text_str(&reply), &out->report);
    set_summary(out);
    if (!ok) gxds_text_addf(error, "the response of %s is no ClientStatusResponse", o->program);
  }
  gxds_text_fini(&reply);
  return ok;
}

/* Runs until the program does not respond any more, the output is lost, or until an interrupt. */
static void follow(const options *o, outcome *a, gxds_text *error) {
  for (;;) {
    sleep(1);
    outcome next;
    bool ok = fetch(o, &next, error);
    bool printed = ok && gxds_view_print_change(a->view, next.view, o->json, next.summary);
    gxds_view_destroy(ok ? a->view : next.view);
    if (ok) *a = next;
    if (!printed) return;
  }
}

static int run(const options *o, gxds_text *error) {
  setenv("GRPC_VERBOSITY", "NONE", 0); /* gRPC need not log errors, because they are printed
                                          below */
  grpc_init();
  outcome a;
  int result = 2;
  if (fetch(o, &a, error)) {
    const bool printed = gxds_view_print(a.view, o->json, a.summary);
    if (o->watch && printed) {
      follow(o, &a, error);
    } else {
      result = a.report.clients > 0 && a.report.acked == a.report.resources ? 0 : 1;
    }
  }
  gxds_view_destroy(a.view);
  grpc_shutdown_blocking();
  return result;
}

int xds_status_main(int argc, char **argv) {
  options o;
  gxds_text error = {0};
  int result = 2;
  if (!parse(argc, argv, &o, &error)) {
    fprintf(stderr, "xds status: %s (xds status --help)\n", error.data);
  } else if (o.help) {
    fputs(help, stdout);
    result = 0;
  } else {
    result = run(&o, &error);
    if (error.size) fprintf(stderr, "xds status: %s\n", error.data);
  }
  gxds_text_fini(&error);
  return result;
}
