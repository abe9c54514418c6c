/* The demo's configuration, and its files for `xds serve`: two clusters of three localities over
 * two priorities each, and a route to one of them. */
#ifndef GRPC_XDS_TOOLS_DEMO_CONFIG_H_
#define GRPC_XDS_TOOLS_DEMO_CONFIG_H_

#include <stdbool.h>

#define DEMO_TARGET "greeter.example"
#define DEMO_BACKENDS 6

/* A backend in its own locality. */
typedef struct demo_locality {
  const char *name; /* the backend's response: "green/0/zone-a" */
  const char *cluster;
  unsigned priority;
  const char *zone;
} demo_locality;
extern const demo_locality demo_localities[DEMO_BACKENDS];

typedef struct demo_config {
  const char *cluster; /* the route's */
  unsigned weights[DEMO_BACKENDS];
  bool priority_0_empty; /* priority 0 is empty, in both clusters */
} demo_config;

/* Writes the files of the configuration into dir, which `xds serve` watches. Each file is written
 * under another name and then renamed. ports are the backends'. On failure prints a message on
 * stderr, and returns false. */
bool demo_config_write(const demo_config *config, const int *ports, const char *dir);

/* The share of the RPCs that locality i should get: 0 … 1. */
double demo_config_share(const demo_config *config, int i);

#endif
