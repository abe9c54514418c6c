/* fleet: many clients, each with the production engine, on a simulated network with a control plane
 * of two servers (A71), in simulated time. Each server has replicas behind one name. A replica does
 * one piece of work after the other: connections, requests, responses.
 *
 * The channel below the engine is a model: one connection for each server, made when a stream needs
 * it, with gRPC's connection backoff (whose first step has no jitter) and its limit of 20 s for an
 * attempt. FLEET_HOST models gRPC's own xDS client.
 *
 * Confined to one thread. A run depends only on its options. */
#ifndef GRPC_XDS_TEST_FLEET_FLEET_H_
#define GRPC_XDS_TEST_FLEET_FLEET_H_

#include "base/time.h"
#include "files/file_set.h"

/* The behaviour of clients and the control plane. */
typedef enum fleet_rules {
  FLEET_DELTA, /* the engine, in delta */
  FLEET_SOTW,  /* the engine in state of the world, with a control plane that uses version_info */
  FLEET_SOTW_AGAIN, /* the same, with a control plane that sends everything again on each stream */
  FLEET_HOST, /* the same, but streams are reopened by the rules of gRPC's own client: 1 s without
                 jitter after a stream that had a response */
  FLEET_RULES_COUNT,
} fleet_rules;

typedef struct fleet_options {
  fleet_rules rules;
  size_t clients;
  size_t replicas;  /* of each server, 1 to FLEET_REPLICAS_MAX */
  double messages;  /* that all replicas of a server handle in a second; a connection is four */
  double bandwidth; /* bytes that all replicas of a server send in a second */
  uint64_t seed;
} fleet_options;

#define FLEET_SERVERS 2
#define FLEET_REPLICAS_MAX 8

/* The counts of a tenth of a second. */
#define FLEET_BIN (GXDS_SECOND / 10)
typedef struct fleet_bin {
  size_t streams; /* opened in it */
  size_t queue;   /* the waiting work of all replicas, at its end */
  size_t current; /* current clients, at its end */
} fleet_bin;

/* The counts since fleet_mark(). */
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

/* Starts no client. Takes its own reference to set. */
fleet *fleet_create(const fleet_options *options, const gxds_file_set *set);
void fleet_destroy(fleet *f);

/* Ends the running clients, then starts all clients, each at its own time within `within`. */
void fleet_start(fleet *f, gxds_duration within);
/* Stops a replica of a server, which breaks its connections. It restarts after the time `down`. */
void fleet_stop_replica(fleet *f, size_t server, size_t replica, gxds_duration down);
/* The same for all replicas of a server. */
void fleet_stop_server(fleet *f, size_t server, gxds_duration down);
/* Replaces the control plane's resources with others of the same names. */
void fleet_set_resources(fleet *f, const gxds_file_set *set);

/* Resets the counts. */
void fleet_mark(fleet *f);
const fleet_counts *fleet_counted(const fleet *f);
/* Runs for the time `most`, or until done(f) holds if that is sooner. done may be NULL. Returns
 * whether done(f) holds. */
bool fleet_run(fleet *f, gxds_duration most, bool (*done)(const fleet *f));
gxds_time fleet_now(const fleet *f);

/* The number of clients that have accepted the current version of all resources from that server.
 */
size_t fleet_current(const fleet *f, size_t server);
size_t fleet_open_streams(const fleet *f, size_t server);
size_t fleet_size(const fleet *f);

/* The most streams opened within any period of that length, which is a multiple of FLEET_BIN. */
size_t fleet_peak(const fleet_counts *c, gxds_duration within);

#endif
