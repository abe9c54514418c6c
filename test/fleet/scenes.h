/* What happens to a fleet, one scene after the other, and what was measured of each. Confined to
 * one thread. */
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
  FLEET_SCENE_MEND,     /* and the good one again */
  FLEET_SCENE_FAILOVER, /* the first server is down when all clients start anew within 10 s: until
                           all have all from the second one (A71) */
  FLEET_SCENE_RETURN,   /* the first server is back: until all have all from it, and have left the
                           second one */
  FLEET_SCENE_COUNT,
} fleet_scene;

/* Its name, as in lines and plots. */
extern const char *const fleet_scene_names[FLEET_SCENE_COUNT];

typedef struct fleet_result {
  bool done;      /* all clients came to the scene's end */
  double seconds; /* from its start, simulated */
  /* The same, from when the first server was up again (blink, restart), or from when its last
     replica ended (rolling). */
  double seconds_up;
  size_t peak;         /* streams opened in the busiest second */
  size_t peak_tenth;   /* … and in the busiest tenth of a second */
  double mean;         /* streams opened in a second of seconds_up; rolling: of all seconds */
  double bytes_share;  /* bytes sent, of those of FLEET_SCENE_START */
  fleet_counts counts; /* its bins: none */
} fleet_result;

/* Plays all scenes with these options. on_scene is told of each, with the bins in result->counts,
 * which are borrowed. */
void fleet_play(const fleet_options *options,
                void (*on_scene)(void *arg, fleet_scene scene, const fleet_result *result),
                void *arg);

#endif
