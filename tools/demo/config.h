/* What the demo configures, and how it is written for `xds serve`: two clusters of three localities
 * over two priorities each, and a route to one of them. */
#ifndef GRPC_XDS_TOOLS_DEMO_CONFIG_H_
#define GRPC_XDS_TOOLS_DEMO_CONFIG_H_

#include <stdbool.h>

#define DEMO_TARGET "greeter.example"
#define DEMO_BACKENDS 6

/* A backend and the locality of its own in which it stands. */
typedef struct demo_locality {
  const char *name; /* what the backend answers: "green/0/zone-a" */
  const char *cluster;
  unsigned priority;
  const char *zone;
} demo_locality;
extern const demo_locality demo_localities[DEMO_BACKENDS];

typedef struct demo_config {
  const char *cluster; /* the route's */
  unsigned weights[DEMO_BACKENDS];
  bool priority_0_empty; /* in both clusters */
} demo_config;

/* Writes the files of the configuration into dir, which `xds serve` watches: each aside, then
 * renamed. ports: of the backends. False, with a message on stderr, when that fails. */
bool demo_config_write(const demo_config *config, const int *ports, const char *dir);

/* The share of the RPCs that locality i gets under the configuration: 0 … 1. */
double demo_config_share(const demo_config *config, int i);

#endif
