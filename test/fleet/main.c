/* Prints what the scenes of a fleet cost a control plane, for each of the rules:
 *
 *     fleet CLIENTS [--rules=delta|sotw|again|host] [--lines=FILE]
 *
 * All quantities are simulated, so they are the same on every machine. --lines: the data for
 * plots.gp. It fails if a target is missed, if a scene does not end, or if the bytes that rules
 * send again are not counted. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/fleet/scenes.h"

/* After a restart without changes, the server sends less than this share of the full configuration.
 */
#define DELTA_SHARE_MAX 0.02
#define SOTW_SHARE_MAX 0.10
/* The busiest second after a restart has at most this many times the streams of the mean second
 * until all clients are current. */
#define PEAK_MAX 3

static const char *const rules_names[FLEET_RULES_COUNT] = {"delta", "sotw", "again", "host"};

typedef struct report {
  fleet_options options;
  FILE *lines; /* NULL: none */
  bool failed;
} report;

static void miss(report *r, const char *what, fleet_scene scene) {
  printf("%s, %s: %s\n", rules_names[r->options.rules], fleet_scene_names[scene], what);
  r->failed = true;
}

static void check(report *r, fleet_scene scene, const fleet_result *result) {
  if (!result->done) miss(r, "not all clients came to its end", scene);
  if (scene == FLEET_SCENE_NACK && result->counts.nacks != r->options.clients) {
    miss(r, "a client refuses the same more than once", scene);
  }
  if (scene != FLEET_SCENE_BLINK && scene != FLEET_SCENE_RESTART) return;
  fleet_rules rules = r->options.rules;
  if (rules == FLEET_DELTA && result->bytes_share >= DELTA_SHARE_MAX) {
    miss(r, "the server sends 2 % of the configuration or more", scene);
  }
  if (rules == FLEET_SOTW && result->bytes_share >= SOTW_SHARE_MAX) {
    miss(r, "the server sends 10 % of the configuration or more", scene);
  }
  /* Otherwise the checks above could not fail. */
  if ((rules == FLEET_SOTW_AGAIN || rules == FLEET_HOST) && result->bytes_share < 1) {
    miss(r, "what is sent again is not counted", scene);
  }
  if ((rules == FLEET_DELTA || rules == FLEET_SOTW) &&
      (double)result->peak > PEAK_MAX * result->mean) {
    miss(r, "the peak of streams is more than 3 times the mean", scene);
  }
}

static void on_scene(void *arg, fleet_scene scene, const fleet_result *result) {
  report *r = arg;
  const fleet_counts *c = &result->counts;
  printf("%-6s %-9s %7.1f %9zu %9zu %9zu %9.0f %9zu %9zu %9zu %12" PRIu64 " %7.1f %9zu\n",
         rules_names[r->options.rules], fleet_scene_names[scene], result->seconds_up, c->streams,
         result->peak_tenth, result->peak, result->mean, c->refused, c->requests, c->responses,
         c->bytes_sent, 100 * result->bytes_share, c->largest_queue);
  fflush(stdout);
  const gxds_duration bin = FLEET_BIN;
  const double bin_seconds = (double)bin / (double)GXDS_SECOND;
  for (size_t i = 0; r->lines && i < c->bin_count; i++) {
    fprintf(r->lines, "%s\t%s\t%.1f\t%zu\t%zu\t%zu\n", rules_names[r->options.rules],
            fleet_scene_names[scene], (double)i * bin_seconds, c->bins[i].streams, c->bins[i].queue,
            c->bins[i].current);
  }
  check(r, scene, result);
}

static int usage(void) {
  fprintf(stderr, "usage: fleet CLIENTS [--rules=delta|sotw|again|host] [--lines=FILE]\n");
  return 2;
}

int main(int argc, char **argv) {
  const char *rules = NULL;
  const char *lines = NULL;
  size_t clients = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
  if (clients == 0) return usage();
  for (int i = 2; i < argc; i++) {
    if (strncmp(argv[i], "--rules=", 8) == 0) {
      rules = argv[i] + 8;
    } else if (strncmp(argv[i], "--lines=", 8) == 0) {
      lines = argv[i] + 8;
    } else {
      return usage();
    }
  }
  /* In proportion to the clients, so that a small fleet behaves like a large one. */
  report r = {.options = {.clients = clients,
                          .replicas = 4,
                          .messages = 2 * (double)clients,
                          .bandwidth = 5000 * (double)clients,
                          .seed = 1}};
  if (lines && !(r.lines = fopen(lines, "w"))) {
    perror(lines);
    return 2;
  }
  printf(
      "%zu clients of 10 clusters with 10 endpoints; 4 replicas: %.0f messages, %.0f bytes a "
      "second\n",
      clients, r.options.messages, r.options.bandwidth);
  printf("%-6s %-9s %7s %9s %9s %9s %9s %9s %9s %9s %12s %7s %9s\n", "rules", "scene", "s",
         "streams", "in 0.1 s", "in 1 s", "mean/s", "refused", "requests", "responses", "bytes",
         "% full", "queue");
  bool known = false;
  for (int i = 0; i < FLEET_RULES_COUNT; i++) {
    if (rules && strcmp(rules, rules_names[i]) != 0) continue;
    known = true;
    r.options.rules = (fleet_rules)i;
    fleet_play(&r.options, on_scene, &r);
  }
  if (r.lines) fclose(r.lines);
  if (!known) return usage();
  return r.failed ? 1 : 0;
}
