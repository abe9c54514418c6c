/* Shared by the parts of the fleet: servers (server.c) and clients (client.c). Confined to one
 * thread. */
#ifndef GRPC_XDS_TEST_FLEET_FLEET_INTERNAL_H_
#define GRPC_XDS_TEST_FLEET_FLEET_INTERNAL_H_

#include "base/backoff.h"
#include "test/fleet/fleet.h"
#include "test/fleet/plane.h"
#include "transport/timer_heap.h"
#include "xds_client/client.h"

typedef struct fleet_client fleet_client;

/* A message on its way, or work that waits. It is dropped if its stream, connection or replica has
 * ended. */
typedef struct fleet_job {
  gxds_timer timer;
  fleet *fleet;
  struct fleet_link *link;
  uint32_t epoch; /* of the replica, or of the link's stream or connection */
  uint32_t generation;
  size_t replica;
  gxds_str bytes; /* owned */
  struct fleet_job *next;
} fleet_job;

typedef enum fleet_link_state {
  FLEET_LINK_IDLE,
  FLEET_LINK_CONNECTING,
  FLEET_LINK_WAITING, /* until the next attempt */
  FLEET_LINK_READY,
} fleet_link_state;

/* A client's channel to a server, and the ADS stream on it. */
typedef struct fleet_link {
  fleet_client *client;
  size_t server;
  fleet_link_state state;
  gxds_server_id id; /* 0: the engine has no channel to it */
  size_t replica;
  uint32_t connection; /* the number of the connection; jobs of an earlier one are dropped */
  bool accepting;      /* the replica works on the connection */
  gxds_time attempted;
  gxds_backoff backoff;
  gxds_timer attempt;
  gxds_stream_id stream; /* 0: none */
  uint32_t generation;   /* counts streams */
  bool started;          /* the stream is on a connection */
  bool responded;        /* the stream had a response */
  bool read;
  gxds_str unsent;  /* the request that waits for a connection */
  fleet_job *inbox; /* responses that wait for a READ, in order */
  gxds_backoff host_backoff;
  gxds_timer host_retry; /* FLEET_HOST: the time of the next attempt */
  plane_stream served;   /* the server's side */
  bool current;
} fleet_link;

struct fleet_client {
  fleet *fleet;
  gxds_client *engine; /* NULL: not started */
  gxds_random random;
  gxds_duration delay; /* one way */
  gxds_timer start;
  gxds_timer deadline;
  uint16_t watched[GXDS_FILE_TYPE_COUNT]; /* a bit for each name */
  fleet_link links[FLEET_SERVERS];
};

typedef struct fleet_replica {
  gxds_time up;   /* up from this time on */
  gxds_time busy; /* until this time */
  uint32_t epoch; /* counts restarts */
  size_t queue;
} fleet_replica;

struct fleet {
  fleet_options options;
  plane plane;
  gxds_random random;
  gxds_time now;
  gxds_timer_heap timers;
  const gxds_bootstrap *bootstrap;
  fleet_replica replicas[FLEET_SERVERS][FLEET_REPLICAS_MAX];
  size_t queue; /* of all replicas */
  size_t current[FLEET_SERVERS];
  size_t open[FLEET_SERVERS];
  fleet_client *clients;
  fleet_counts counts;
  gxds_time marked;
  size_t bin_capacity;
};

/* Makes a job that fires after that time. Takes ownership of bytes. */
fleet_job *fleet_job_after(fleet_link *link, gxds_duration after, void (*fire)(void *),
                           gxds_str bytes);
void fleet_job_destroy(fleet_job *job);
/* The bin of the current time. */
fleet_bin *fleet_bin_now(fleet *f);

/* ---- server.c ---- */

/* The client's connection attempt arrives. fleet_client_on_connected() or fleet_client_on_refused()
 * follows. */
void fleet_server_accept(fleet_link *link);
/* A stream was opened, or ended. The server notices at once. */
void fleet_server_on_opened(fleet_link *link);
void fleet_server_on_closed(fleet_link *link);
/* A request arrives. Takes ownership of bytes. */
void fleet_server_on_request(fleet_link *link, gxds_str bytes);

/* ---- client.c ---- */

void fleet_client_init(fleet_client *c, fleet *f);
void fleet_client_fini(fleet_client *c);
void fleet_client_start(fleet_client *c);
void fleet_client_on_connected(fleet_link *link);
void fleet_client_on_refused(fleet_link *link);
/* The connection broke, and the stream with it. */
void fleet_client_on_lost(fleet_link *link);
/* A response arrives. Takes ownership of job. */
void fleet_client_on_response(fleet_job *job);

#endif
