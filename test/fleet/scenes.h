/* The scenes of a fleet, one after the other, and the measurements of each. Confined to one thread.
 */
#ifndef GRPC_XDS_TEST_FLEET_SCENES_H_
#define GRPC_XDS_TEST_FLEET_SCENES_H_

#include "test/fleet/fleet.h"

typedef enum fleet_scene {
  FLEET_SCENE_START,    /* all clients start within 10 s */
  FLEET_SCENE_BLINK,    /* the first server is down for 0.2 s */
  FLEET_SCENE_RESTART,  /* the first server is down for 10 s */
  FLEET_SCENE_ROLLING,  /* its replicas are down for 5 s each, one every 10 s */
  FLEET_SCENE_CHANGE,   /* the endpoints of one cluster change, which all clients watch */
  FLEET_SCENE_NACK,     /* a cluster that no client accepts, until all have refused it */
  FLEET_SCENE_MEND,     /* the good cluster returns */
  FLEET_SCENE_FAILOVER, /* the first server is down and all clients restart within 10 s: until all
                           have everything from the second server (A71) */
  FLEET_SCENE_RETURN, /* the first server is back: until all have everything from it, and have left
                         the second one */
  FLEET_SCENE_COUNT,
} fleet_scene;

/* The scene's name in lines and plots. */
extern const char *const fleet_scene_names[FLEET_SCENE_COUNT];

typedef struct fleet_result {
  bool done;      /* all clients reached the scene's end */
  double seconds; /* simulated, from its start */
  /* The same, from the time when the first server was up again (blink, restart), or when its last
   * replica stopped (rolling). */
  double seconds_up;
  size_t peak;         /* streams opened in the busiest second */
  size_t peak_tenth;   /* … and in the busiest tenth of a second */
  double mean;         /* streams opened per second of seconds_up; rolling: of the whole scene */
  double bytes_share;  /* bytes sent, as a share of those of FLEET_SCENE_START */
  fleet_counts counts; /* without bins */
} fleet_result;

/* Plays all scenes with these options. Calls on_scene for each, with bins in result->counts. These
 * are borrowed: valid during the call. */
void fleet_play(const fleet_options *options,
                void (*on_scene)(void *arg, fleet_scene scene, const fleet_result *result),
                void *arg);

#endif
