#include "test/fleet/scenes.h"

#include "base/check.h"
#include "files/synthetic.h"

/* 10 clusters of 10 endpoints. */
static const gxds_synthetic configuration = {
    .clusters = 10, .endpoints = 10, .localities = 1, .seed = 1};

/* How long a server is down, and the time in which all clients start. */
#define OUTAGE (10 * GXDS_SECOND)
#define BLINK (200 * GXDS_MILLISECOND)
#define ROLLING_STEP (10 * GXDS_SECOND)
#define ROLLING_DOWN (5 * GXDS_SECOND)
/* The limit of a scene. */
#define MOST (600 * GXDS_SECOND)

const char *const fleet_scene_names[FLEET_SCENE_COUNT] = {
    "start", "blink", "restart", "rolling", "change", "nack", "mend", "failover", "return"};

static double in_seconds(gxds_duration d) { return (double)d / (double)GXDS_SECOND; }

/* The time that passes before seconds_up begins. */
static gxds_duration outage_of(fleet_scene scene, size_t replicas) {
  if (scene == FLEET_SCENE_BLINK) return BLINK;
  if (scene == FLEET_SCENE_ROLLING) return (gxds_duration)(replicas - 1) * ROLLING_STEP;
  return scene == FLEET_SCENE_RESTART ? OUTAGE : 0;
}

static bool all_current(const fleet *f) { return fleet_current(f, 0) == fleet_size(f); }

static bool all_on_second(const fleet *f) { return fleet_current(f, 1) == fleet_size(f); }

static bool all_refused(const fleet *f) { return fleet_counted(f)->nacks >= fleet_size(f); }

static bool all_returned(const fleet *f) { return all_current(f) && fleet_open_streams(f, 1) == 0; }

static bool rolling(fleet *f, size_t replicas) {
  for (size_t i = 0; i < replicas; i++) {
    if (i > 0) fleet_run(f, ROLLING_STEP, NULL);
    fleet_stop_replica(f, 0, i, ROLLING_DOWN);
  }
  return fleet_run(f, MOST, all_current);
}

/* The caller owns the returned reference. */
static const gxds_file_set *with_other_endpoints(const gxds_file_set *set) {
  gxds_str bytes = gxds_synthetic_endpoints(&configuration, 0, configuration.seed + 1);
  const gxds_file_set *changed =
      gxds_file_set_replace(set, &set->types[GXDS_FILE_ENDPOINTS].entries[0], bytes);
  gxds_str_free(&bytes);
  return changed;
}

/* Replaces a cluster with one that has only a name: its type is STATIC, which no client supports.
 */
static const gxds_file_set *with_bad_cluster(const gxds_file_set *set) {
  const gxds_file_entry *entry = &set->types[GXDS_FILE_CLUSTER].entries[0];
  gxds_text bytes = {0};
  gxds_text_addf(&bytes, "\n%c%.*s", (int)entry->resource->name.size,
                 GXDS_STR_ARG(entry->resource->name));
  const gxds_file_set *changed = gxds_file_set_replace(set, entry, gxds_text_str(&bytes));
  gxds_text_fini(&bytes);
  return changed;
}

static bool play(fleet *f, fleet_scene scene, const fleet_options *options,
                 const gxds_file_set *good, const gxds_file_set *bad) {
  switch (scene) {
    case FLEET_SCENE_START:
      fleet_start(f, OUTAGE);
      return fleet_run(f, MOST, all_current);
    case FLEET_SCENE_BLINK:
      fleet_stop_server(f, 0, BLINK);
      return fleet_run(f, MOST, all_current);
    case FLEET_SCENE_RESTART:
      fleet_stop_server(f, 0, OUTAGE);
      return fleet_run(f, MOST, all_current);
    case FLEET_SCENE_ROLLING:
      return rolling(f, options->replicas);
    case FLEET_SCENE_CHANGE:
    case FLEET_SCENE_MEND:
      fleet_set_resources(f, good);
      return fleet_run(f, MOST, all_current);
    case FLEET_SCENE_NACK:
      fleet_set_resources(f, bad);
      return fleet_run(f, MOST, all_refused);
    case FLEET_SCENE_FAILOVER:
      fleet_stop_server(f, 0, 2 * MOST); /* until the next scene */
      fleet_start(f, OUTAGE);
      return fleet_run(f, MOST, all_on_second);
    case FLEET_SCENE_RETURN:
      fleet_stop_server(f, 0, 0);
      return fleet_run(f, MOST, all_returned);
    case FLEET_SCENE_COUNT:
      break;
  }
  return false;
}

void fleet_play(const fleet_options *options,
                void (*on_scene)(void *arg, fleet_scene scene, const fleet_result *result),
                void *arg) {
  const gxds_file_set *first = gxds_synthetic_set(&configuration);
  const gxds_file_set *good = with_other_endpoints(first);
  const gxds_file_set *bad = with_bad_cluster(good);
  fleet *f = fleet_create(options, first);
  double all_bytes = 0;
  for (int i = 0; i < FLEET_SCENE_COUNT; i++) {
    fleet_scene scene = (fleet_scene)i;
    fleet_mark(f);
    gxds_time begin = fleet_now(f);
    fleet_result r = {.done = play(f, scene, options, good, bad), .counts = *fleet_counted(f)};
    r.seconds = in_seconds(fleet_now(f) - begin);
    r.seconds_up = r.seconds - in_seconds(outage_of(scene, options->replicas));
    r.peak = fleet_peak(&r.counts, GXDS_SECOND);
    r.peak_tenth = fleet_peak(&r.counts, FLEET_BIN);
    double recovery = scene == FLEET_SCENE_ROLLING ? r.seconds : r.seconds_up;
    r.mean = (double)r.counts.streams / recovery;
    if (scene == FLEET_SCENE_START) all_bytes = (double)r.counts.bytes_sent;
    r.bytes_share = (double)r.counts.bytes_sent / all_bytes;
    on_scene(arg, scene, &r);
    fleet_run(f, 30 * GXDS_SECOND, NULL); /* until everything is calm */
  }
  fleet_destroy(f);
  gxds_file_set_unref(bad);
  gxds_file_set_unref(good);
  gxds_file_set_unref(first);
}
