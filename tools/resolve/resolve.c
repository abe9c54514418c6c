#include "tools/resolve/resolve.h"

#include <grpc/grpc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/host_get.h"
#include "tools/resolve/graph.h"
#include "tools/resolve/options.h"
#include "tools/resolve/print.h"
#include "tools/resolve/tree.h"
#include "transport/clock.h"

/* How often to look for NACKs and states that cause no event, because they change nothing for the
 * channel. */
#define LOOK_INTERVAL (GXDS_SECOND / 2)

typedef struct session {
  const gxds_query *query;
  gxds_fetch_target target;
  gxds_fetch *fetch;
} session;

static const char *command(const session *s) { return s->query->is_route ? "route" : "resolve"; }

static gxds_tree tree_of(const session *s, const gxds_fetched *f) {
  return gxds_tree_build(f, &s->target, s->query->is_route ? &s->query->rpc : NULL,
                         gxds_host_get());
}

static const char *summary_of(const gxds_tree *tree) {
  return tree->usable ? "an RPC could be sent\n" : "an RPC could not be sent\n";
}

/* Prints what the command waits for. */
static void print_waiting(const session *s, const gxds_fetched *f, const char *how) {
  gxds_text names = {0};
  for (size_t i = 0; i < f->resource_count; i++) {
    const gxds_fetched_resource *r = &f->resources[i];
    if (r->state != GXDS_RESOURCE_REQUESTED) continue;
    gxds_text_addf(&names, "%s%s ", names.size ? ", " : "", r->type->short_name);
    gxds_text_add_escaped(&names, r->name);
  }
  fprintf(stderr, "xds %s: %s %s from %.*s\n", command(s), how,
          names.size ? names.data : "a response", GXDS_STR_ARG(f->servers));
  gxds_text_fini(&names);
}

/* Returns the state as soon as everything is there, or when the time is over. */
static gxds_fetched *first(session *s) {
  gxds_time begin = gxds_clock_now();
  gxds_time end = begin + s->query->timeout;
  gxds_time speak = begin + GXDS_SECOND;
  for (;;) {
    bool quiet = speak >= end;
    gxds_fetch_wait(s->fetch, quiet ? end : speak);
    gxds_fetched *f = gxds_fetch_take(s->fetch);
    if (f->settled) return f;
    gxds_time now = gxds_clock_now();
    if (now >= end) {
      print_waiting(s, f, "the time is up: still waiting for");
      return f;
    }
    if (!quiet && now >= speak) {
      if (isatty(STDERR_FILENO)) print_waiting(s, f, "waiting for");
      speak = GXDS_TIME_NEVER;
    }
    gxds_fetched_destroy(f);
  }
}

/* Runs until an interrupt ends the program, or until the output is lost. */
static void follow(session *s, gxds_tree *tree) {
  for (bool ok = true; ok;) {
    gxds_fetch_wait(s->fetch, gxds_clock_now() + LOOK_INTERVAL);
    gxds_fetched *f = gxds_fetch_take(s->fetch);
    gxds_tree next = tree_of(s, f);
    gxds_fetched_destroy(f);
    ok = gxds_view_print_change(tree->view, next.view, s->query->json, summary_of(&next));
    gxds_tree_fini(tree);
    *tree = next;
  }
}

static int run(session *s) {
  gxds_status status;
  s->fetch = gxds_fetch_start(&s->target, &status);
  if (!s->fetch) {
    fprintf(stderr, "xds %s: %s\n", command(s), status.message.data);
    gxds_status_fini(&status);
    return 2;
  }
  gxds_fetched *f = first(s);
  gxds_tree tree = tree_of(s, f);
  gxds_fetched_destroy(f);
  const bool printed = gxds_view_print(tree.view, s->query->json, summary_of(&tree));
  int result = tree.usable ? 0 : 1;
  if (s->query->graph && !gxds_graph_write(tree.view, s->query->graph)) result = 2;
  if (s->query->watch && printed) follow(s, &tree);
  gxds_tree_fini(&tree);
  gxds_fetch_stop(s->fetch);
  return result;
}

static int run_query(const gxds_query *query, gxds_text *error) {
  session s = {.query = query};
  int result = 2;
  if (gxds_fetch_target_parse(query->target, query->authority, &s.target, error)) {
    setenv("GRPC_VERBOSITY", "NONE", 0); /* gRPC need not log errors, because the tree shows them */
    grpc_init();
    result = run(&s);
    grpc_shutdown_blocking();
  }
  gxds_fetch_target_fini(&s.target);
  return result;
}

int xds_resolve_main(int argc, char **argv) {
  gxds_query query;
  gxds_text error = {0};
  int result = 2;
  if (gxds_query_parse(argc, argv, &query, &error)) {
    if (query.help) {
      fputs(query.is_route ? gxds_route_help : gxds_resolve_help, stdout);
      result = 0;
    } else {
      result = run_query(&query, &error);
    }
  }
  if (error.size) {
    fprintf(stderr, "xds %s: %s (xds %s --help)\n", argv[0], error.data, argv[0]);
  }
  gxds_text_fini(&error);
  gxds_query_fini(&query);
  return result;
}
