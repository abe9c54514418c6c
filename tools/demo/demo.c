#include "tools/demo/demo.h"

#include <fcntl.h>
#include <jansson.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "tools/command/args.h"
#include "tools/demo/child.h"
#include "tools/demo/config.h"
#include "transport/clock.h"

/* One step of the demo: a change, and how long it is watched. Shares are measured from SETTLE_MS
 * after the change to the end of the step. */
typedef struct step {
  const char *what;
  int ms;
  demo_config config;
} step;

enum { SETTLE_MS = 700, RPCS_PER_SECOND = 2000 };
/* The largest allowed relative difference of a share from its weight. */
static const double kTolerance = 0.03;

static const step steps[] = {
    {"route to green, weights 25:75",
     3500,
     {.cluster = "green", .weights = {25, 75, 100, 25, 75, 100}}},
    {"weights 60:40", 3000, {.cluster = "green", .weights = {60, 40, 100, 25, 75, 100}}},
    {"priority 0 of green is emptied",
     2500,
     {.cluster = "green", .weights = {60, 40, 100, 25, 75, 100}, .priority_0_empty = true}},
    {"priority 0 is back", 2500, {.cluster = "green", .weights = {60, 40, 100, 25, 75, 100}}},
    {"route to blue", 3000, {.cluster = "blue", .weights = {60, 40, 100, 25, 75, 100}}},
};
enum { STEPS = sizeof steps / sizeof steps[0] };

typedef struct counts {
  long by[DEMO_BACKENDS];
  long failed;
} counts;

/* Static, so that the signal handler can use it. */
static char work_dir[] = "/tmp/xds-demo-XXXXXX";

typedef struct demo {
  char resources[80];
  char self[PATH_MAX];
  char plugin[PATH_MAX];
  char client_path[PATH_MAX];
  int ports[DEMO_BACKENDS];
  demo_child backends[DEMO_BACKENDS];
  demo_child serve;
  demo_child client;
  bool plugin_spoke; /* the client's log has the line of the plugin */
  bool client_done;
  counts now;     /* the counts that the client printed last */
  counts settled; /* the counts when this step had settled */
  counts shown;
  bool drawn;                       /* the table is drawn above the cursor */
  long long arrived[DEMO_BACKENDS]; /* when RPCs last began to reach each backend, in µs */
  long reported[DEMO_BACKENDS];     /* RPCs by locality, from load reports */
  long reported_failed;
  double worst; /* largest relative difference of a share so far */
  double failover_ms;
  double failback_ms;
  double reroute_ms;
} demo;

static long long now_us(void) { return gxds_clock_now() / 1000; }

static int backend_index(const char *name, size_t size) {
  for (int i = 0; i < DEMO_BACKENDS; i++) {
    if (strlen(demo_localities[i].name) == size &&
        memcmp(demo_localities[i].name, name, size) == 0) {
      return i;
    }
  }
  return -1;
}

/* Reads a line that the client printed. client.cc has the form of the lines. */
static void on_client_line(void *arg, bool is_err, char *text) {
  demo *d = arg;
  if (is_err) {
    bool ours = strstr(text, "grpc_xds:") != NULL;
    if (ours && !d->plugin_spoke) printf("client: %s\n", strstr(text, "grpc_xds:"));
    if (ours) d->plugin_spoke = true;
    /* Skips gRPC's INFO lines, which it also prints at this verbosity. */
    if (!ours && text[0] != 'I') fprintf(stderr, "client: %s\n", text);
    return;
  }
  char *rest = text;
  const char *word = strsep(&rest, " ");
  const char *when = strsep(&rest, " ");
  if (!word || !when || !rest) return;
  if (strcmp(word, "arrive") == 0) {
    int i = backend_index(rest, strlen(rest));
    if (i >= 0) d->arrived[i] = atoll(when);
    return;
  }
  d->client_done = strcmp(word, "done") == 0;
  d->now.failed = atol(strsep(&rest, " "));
  for (char *entry; (entry = strsep(&rest, " ")) != NULL;) {
    char *count = strchr(entry, '=');
    int i = count ? backend_index(entry, (size_t)(count - entry)) : -1;
    if (i >= 0) d->now.by[i] = atol(count + 1);
  }
}

static void add_load(demo *d, const json_t *entry) {
  const char *cluster = json_string_value(json_object_get(entry, "cluster"));
  const json_t *locality = json_object_get(entry, "locality");
  const char *zone = json_string_value(json_object_get(locality, "zone"));
  for (int i = 0; cluster && zone && i < DEMO_BACKENDS; i++) {
    const demo_locality *l = &demo_localities[i];
    if (strcmp(l->cluster, cluster) != 0 || strcmp(l->zone, zone) != 0) continue;
    d->reported[i] += (long)json_integer_value(json_object_get(entry, "issued"));
    d->reported_failed += (long)json_integer_value(json_object_get(entry, "error"));
  }
}

/* The events of `xds serve --json`, one object a line. */
static void on_serve_line(void *arg, bool is_err, char *text) {
  demo *d = arg;
  json_t *event = is_err ? NULL : json_loads(text, 0, NULL);
  const char *name = json_string_value(json_object_get(event, "event"));
  if (!name) {
    fprintf(stderr, "serve: %s\n", text);
  } else if (strcmp(name, "nack") == 0) {
    printf("serve: %s\n", text);
  } else if (strcmp(name, "load") == 0) {
    size_t index;
    const json_t *entry;
    json_array_foreach(json_object_get(event, "load"), index, entry) add_load(d, entry);
  }
  json_decref(event);
}

static void pump(demo *d, int ms) {
  struct pollfd fds[] = {{.fd = d->client.out, .events = POLLIN},
                         {.fd = d->client.err, .events = POLLIN},
                         {.fd = d->serve.out, .events = POLLIN},
                         {.fd = d->serve.err, .events = POLLIN}};
  poll(fds, 4, ms);
  demo_child_read(&d->client, on_client_line, d);
  demo_child_read(&d->serve, on_serve_line, d);
}

static void run_until(demo *d, long long until) {
  for (long long now = now_us(); now < until; now = now_us()) {
    pump(d, (int)((until - now) / 1000) + 1);
  }
}

/* Handles events until *flag is set, or for at most that many ms. */
static bool run_for(demo *d, const bool *flag, int ms) {
  for (long long until = now_us() + ms * 1000LL; !*flag && now_us() < until;) pump(d, 50);
  return *flag;
}

static long sum(const long *by) {
  long total = 0;
  for (int i = 0; i < DEMO_BACKENDS; i++) total += by[i];
  return total;
}

static void show(demo *d, const demo_config *config) {
  bool terminal = isatty(STDOUT_FILENO);
  long total = sum(d->now.by) - sum(d->shown.by);
  if (d->drawn) printf("\x1b[%dA", DEMO_BACKENDS + 1);
  printf("  cluster  priority  locality  weight  configured   now        RPCs  in load reports\n");
  for (int i = 0; i < DEMO_BACKENDS; i++) {
    const demo_locality *l = &demo_localities[i];
    long part = d->now.by[i] - d->shown.by[i];
    printf("  %-7s  %8u  %-8s  %6u    %6.1f %%  %6.1f %%  %8ld  %8ld\n", l->cluster, l->priority,
           l->zone, config->weights[i], 100 * demo_config_share(config, i),
           total ? 100.0 * (double)part / (double)total : 0.0, d->now.by[i], d->reported[i]);
  }
  fflush(stdout);
  d->drawn = terminal;
  d->shown = d->now;
}

/* Compares the shares of the RPCs since the step settled with the weights. */
static void measure(demo *d, const demo_config *config) {
  long total = sum(d->now.by) - sum(d->settled.by);
  for (int i = 0; i < DEMO_BACKENDS; i++) {
    double wanted = demo_config_share(config, i);
    double got = total ? (double)(d->now.by[i] - d->settled.by[i]) / (double)total : 0;
    double off = wanted > 0 ? fabs(got - wanted) / wanted : (got > 0 ? 1 : 0);
    if (wanted > 0 || got > 0) {
      printf("  %-16s %5.1f %% of %ld RPCs, weight says %5.1f %%\n", demo_localities[i].name,
             100 * got, total, 100 * wanted);
    }
    if (total == 0 || off > d->worst) d->worst = total ? off : 1;
  }
}

static double since(const demo *d, int backend, long long changed) {
  return d->arrived[backend] > changed ? (double)(d->arrived[backend] - changed) / 1000 : NAN;
}

static bool play(demo *d, int number) {
  const step *s = &steps[number];
  printf("\n%s\n", s->what);
  long long changed = now_us();
  if (!demo_config_write(&s->config, d->ports, d->resources)) return false;
  run_until(d, changed + SETTLE_MS * 1000LL);
  d->settled = d->now;
  d->shown = d->now;
  /* On a terminal the table is updated all the time; in a log it is printed once for each step. */
  long long until = changed + s->ms * 1000LL;
  long long every = isatty(STDOUT_FILENO) ? 250000 : until - now_us();
  for (long long t = now_us() + every; t <= until; t += every) {
    run_until(d, t);
    show(d, &s->config);
  }
  run_until(d, until);
  d->drawn = false;
  measure(d, &s->config);
  if (number == 2) d->failover_ms = since(d, 2, changed);
  if (number == 3) d->failback_ms = since(d, 0, changed);
  if (number == 4) d->reroute_ms = since(d, 3, changed);
  return true;
}

static bool start_servers(demo *d) {
  for (int i = 0; i < DEMO_BACKENDS; i++) {
    const char *const argv[] = {d->self, "demo-backend", demo_localities[i].name, NULL};
    if (!demo_child_start(&d->backends[i], argv, NULL)) return false;
    const char *port = demo_child_await(&d->backends[i], "port ");
    if (!port) return fprintf(stderr, "xds demo: a backend did not start\n"), false;
    d->ports[i] = atoi(port);
  }
  if (!demo_config_write(&steps[0].config, d->ports, d->resources)) return false;
  const char *const argv[] = {d->self,  "serve",           d->resources, "--listen", "127.0.0.1:0",
                              "--json", "--load-interval", "1",          NULL};
  if (!demo_child_start(&d->serve, argv, NULL)) return false;
  const char *line = demo_child_await(&d->serve, "{\"event\":\"listening\"");
  const char *port = line ? strrchr(line, ':') : NULL;
  if (!port) return fprintf(stderr, "xds demo: xds serve did not start\n"), false;
  char path[96];
  snprintf(path, sizeof path, "%s/bootstrap.json", work_dir);
  FILE *f = fopen(path, "w");
  if (!f) return perror(path), false;
  fprintf(f,
          "{\"xds_servers\":[{\"server_uri\":\"127.0.0.1:%d\",\"channel_creds\":"
          "[{\"type\":\"insecure\"}]}],\"node\":{\"id\":\"demo-client\"}}\n",
          atoi(port + 1));
  return fclose(f) == 0;
}

static bool start_client(demo *d) {
  char preload[PATH_MAX + 16];
  char bootstrap[128];
  char rate[16];
  snprintf(preload, sizeof preload, "LD_PRELOAD=%s", d->plugin);
  snprintf(bootstrap, sizeof bootstrap, "GRPC_XDS_BOOTSTRAP=%s/bootstrap.json", work_dir);
  snprintf(rate, sizeof rate, "%d", RPCS_PER_SECOND);
  const char *const env[] = {preload, bootstrap, "GRPC_VERBOSITY=info", NULL};
  const char *const argv[] = {d->client_path, "xds:///" DEMO_TARGET, rate, NULL};
  return demo_child_start(&d->client, argv, env);
}

/* Ends the RPCs, and waits for the load report that has the last of them. */
static bool finish(demo *d) {
  if (write(d->client.in, "\n", 1) != 1 || !run_for(d, &d->client_done, 10000)) return false;
  for (long long until = now_us() + 5000000;
       now_us() < until && sum(d->reported) < sum(d->now.by);) {
    pump(d, 50);
  }
  return true;
}

static bool check(bool ok, const char *what) {
  printf("  %-6s %s\n", ok ? "ok" : "FAILED", what);
  return ok;
}

static bool summarize(const demo *d) {
  char text[160];
  long succeeded = sum(d->now.by);
  bool ok = true;
  printf("\nSummary\n");
  ok &= check(d->plugin_spoke, "the unmodified client ran on the plugin (its line is in the log)");
  snprintf(text, sizeof text, "RPCs: %ld succeeded, %ld failed", succeeded, d->now.failed);
  ok &= check(succeeded > 0 && d->now.failed == 0, text);
  snprintf(text, sizeof text, "shares follow the weights: at most %.2f %% off (3 %% allowed)",
           100 * d->worst);
  ok &= check(d->worst <= kTolerance, text);
  snprintf(text, sizeof text,
           "file written to first RPC there: failover %.0f ms, back %.0f ms, other cluster %.0f ms",
           d->failover_ms, d->failback_ms, d->reroute_ms);
  ok &= check(d->failover_ms > 0 && d->failback_ms > 0 && d->reroute_ms > 0, text);
  bool same = d->reported_failed == 0;
  for (int i = 0; i < DEMO_BACKENDS; i++) same = same && d->reported[i] == d->now.by[i];
  snprintf(text, sizeof text, "counted by the client: %ld, by load reports: %ld, in each locality",
           succeeded, sum(d->reported));
  return check(same, text) && ok;
}

/* Finds the parts: beside the program in a build tree (bazel-bin/tools), or where they are
 * installed. */
static bool find_parts(demo *d) {
  ssize_t size = readlink("/proc/self/exe", d->self, sizeof d->self - 1);
  if (size <= 0) return false;
  char copy[PATH_MAX];
  memcpy(copy, d->self, (size_t)size + 1);
  const char *folder = dirname(copy);
  const char *const plugins[] = {"../libgrpc_xds.so", "../lib/libgrpc_xds.so"};
  const char *const clients[] = {"demo/client", "../lib/grpc_xds/demo-client"};
  for (int i = 0; i < 2; i++) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, plugins[i]);
    if (!d->plugin[0] && !realpath(path, d->plugin)) d->plugin[0] = 0;
    snprintf(path, sizeof path, "%s/%s", folder, clients[i]);
    if (!d->client_path[0] && !realpath(path, d->client_path)) d->client_path[0] = 0;
  }
  if (d->plugin[0] && d->client_path[0]) return true;
  fprintf(stderr, "xds demo: %s is not beside this program; build it with `make demo`\n",
          d->plugin[0] ? "the demo client" : "libgrpc_xds.so");
  return false;
}

/* Calls only functions that a signal handler may call. */
static void remove_files(void) {
  static const char *const names[] = {"resources/endpoints.yaml", "resources/.endpoints.tmp",
                                      "resources/services.yaml", "resources/.services.tmp",
                                      "bootstrap.json"};
  int dir = open(work_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) return;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) unlinkat(dir, names[i], 0);
  unlinkat(dir, "resources", AT_REMOVEDIR);
  close(dir);
  rmdir(work_dir);
}

/* The children end by themselves, because their pipes close. */
static void on_signal(int number) {
  remove_files();
  raise(number); /* ends the demo: the handler is reset */
}

/* A signal that is ignored stays ignored. */
static void handle_signals(void) {
  const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    struct sigaction old;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
      sigaction(numbers[i], &action, NULL);
    }
  }
}

static bool run_demo(demo *d) {
  if (!start_servers(d) || !start_client(d)) return false;
  /* The first step is measured once RPCs flow. */
  for (long long until = now_us() + 10000000; sum(d->now.by) == 0; pump(d, 50)) {
    if (now_us() > until) return fprintf(stderr, "xds demo: no RPC succeeded in 10 s\n"), false;
  }
  for (int i = 0; i < STEPS; i++) {
    if (!play(d, i)) return false;
  }
  if (!finish(d)) return fprintf(stderr, "xds demo: the client did not end its RPCs\n"), false;
  return summarize(d);
}

static const char help[] =
    "usage: xds demo\n"
    "\n"
    "Shows what the plugin does, in fifteen seconds: a control plane, six backends, and an "
    "ordinary\n"
    "gRPC program with the plugin preloaded. Weights change, a priority fails over and comes "
    "back,\n"
    "and the route moves to another cluster. `make demo` builds and runs it; it needs the source\n"
    "tree.\n"
    "\n"
    "Exit status: 0 if all checks that it prints are ok, 1 if one is not or the demo cannot run, "
    "2\n"
    "if the command line is wrong.\n";

int xds_demo_main(int argc, char **argv) {
  if (argc == 2 && gxds_args_is_help(argv, 1)) {
    fputs(help, stdout);
    return 0;
  }
  if (argc != 1) {
    fprintf(stderr, "xds demo: no arguments are taken, found %s (xds demo --help)\n", argv[1]);
    return 2;
  }
  demo *d = calloc(1, sizeof *d);
  GXDS_CHECK(d != NULL);
  if (!find_parts(d)) return free(d), 1;
  handle_signals();
  if (!mkdtemp(work_dir)) return perror(work_dir), free(d), 1;
  snprintf(d->resources, sizeof d->resources, "%s/resources", work_dir);
  bool ok = mkdir(d->resources, 0700) == 0 && run_demo(d);
  demo_child_end(&d->client, !ok);
  demo_child_end(&d->serve, true);
  for (int i = 0; i < DEMO_BACKENDS; i++) demo_child_end(&d->backends[i], false);
  remove_files();
  free(d);
  return ok ? 0 : 1;
}
