/* fleet: many clients, each with the production engine, on a simulated network with one control
 * plane of two servers (A71), in simulated time. Each server has replicas behind one name. A
 * replica carries out one piece of work after the other: connections, requests, responses.
 *
 * The channel below the engine is modelled: one connection for each server, made when a stream
 * needs it, with gRPC's connection backoff (whose first step has no jitter) and its 20 s for an
 * attempt. See fleet_rules for what stands in for gRPC's own xDS client.
 *
 * Confined to one thread. A run depends on its options alone. */
#ifndef GRPC_XDS_TEST_FLEET_FLEET_H_
#define GRPC_XDS_TEST_FLEET_FLEET_H_

#include "base/time.h"
#include "files/file_set.h"

/* How clients and the control plane act. */
typedef enum fleet_rules {
  FLEET_DELTA,      /* the engine, in delta */
  FLEET_SOTW,       /* in state of the world, from a control plane that looks at version_info */
  FLEET_SOTW_AGAIN, /* the same, from one that sends everything again on each stream */
  FLEET_HOST,       /* and streams are opened again by the rules of gRPC's own client: 1 s without
                       jitter after a stream that had a response */
  FLEET_RULES_COUNT,
} fleet_rules;

typedef struct fleet_options {
  fleet_rules rules;
  size_t clients;
  size_t replicas;  /* of each server, 1 to FLEET_REPLICAS_MAX */
  double messages;  /* that all replicas of a server carry out in a second; a connection is four */
  double bandwidth; /* bytes that they send in a second */
  uint64_t seed;
} fleet_options;

#define FLEET_SERVERS 2
#define FLEET_REPLICAS_MAX 8

/* Each tenth of a second has one. */
#define FLEET_BIN (GXDS_SECOND / 10)
typedef struct fleet_bin {
  size_t streams; /* that were opened in it */
  size_t queue;   /* the work that waited, of all replicas, at its end */
  size_t current; /* clients that were, at its end */
} fleet_bin;

/* Since fleet_mark(). */
typedef struct fleet_counts {
  size_t streams;
  size_t connections; /* made */
  size_t refused;     /* attempts that failed */
  size_t requests;
  size_t nacks;
  uint64_t bytes_received;
  size_t responses;
  uint64_t bytes_sent;
  size_t largest_queue; /* of all replicas together */
  fleet_bin *bins;      /* owned by the fleet */
  size_t bin_count;
} fleet_counts;

typedef struct fleet fleet;

/* No client is started. set: the fleet takes a reference of its own. */
fleet *fleet_create(const fleet_options *options, const gxds_file_set *set);
void fleet_destroy(fleet *f);

/* Starts all clients, each at its own time within that; those that run are ended first. */
void fleet_start(fleet *f, gxds_duration within);
/* A replica of a server ends, and is back after that time. Its connections are gone. */
void fleet_stop_replica(fleet *f, size_t server, size_t replica, gxds_duration down);
/* All replicas of a server. */
void fleet_stop_server(fleet *f, size_t server, gxds_duration down);
/* The control plane has these resources from now on: the same names, other contents. */
void fleet_set_resources(fleet *f, const gxds_file_set *set);

/* Forgets what was counted. */
void fleet_mark(fleet *f);
const fleet_counts *fleet_counted(const fleet *f);
/* Runs for that time, or, if that is sooner, until done(f) holds. done may be NULL. True: it holds.
 */
bool fleet_run(fleet *f, gxds_duration most, bool (*done)(const fleet *f));
gxds_time fleet_now(const fleet *f);

/* Clients that have all resources as they are, accepted, from that server. */
size_t fleet_current(const fleet *f, size_t server);
size_t fleet_open_streams(const fleet *f, size_t server);
size_t fleet_size(const fleet *f);

/* The most streams that were opened within that time, a multiple of FLEET_BIN. */
size_t fleet_peak(const fleet_counts *c, gxds_duration within);

#endif
