/* The servers of the fleet: replicas, their queues, and their responses. */
#include "base/memory.h"
#include "test/fleet/fleet_internal.h"

/* gRPC's minimum connect timeout. */
#define CONNECT_TIMEOUT (20 * GXDS_SECOND)
/* The cost of a connection with TLS, in messages. */
#define CONNECTION_COST 4

static fleet_replica *replica_of(const fleet_link *link) {
  return &link->client->fleet->replicas[link->server][link->replica];
}

/* ---- work ---- */

/* Returns the time until the replica has done this work, after all waiting work. */
static gxds_duration enqueue(fleet_link *link, double messages, double bytes) {
  fleet *f = link->client->fleet;
  fleet_replica *r = replica_of(link);
  double share = (double)f->options.replicas;
  double seconds = messages * share / f->options.messages + bytes * share / f->options.bandwidth;
  if (r->busy < f->now) r->busy = f->now;
  r->busy += (gxds_duration)(seconds * (double)GXDS_SECOND);
  r->queue++;
  f->queue++;
  if (f->queue > f->counts.largest_queue) f->counts.largest_queue = f->queue;
  return r->busy - f->now;
}

static void work(fleet_link *link, double messages, void (*fire)(void *), gxds_str bytes,
                 uint32_t generation) {
  gxds_duration done = enqueue(link, messages, (double)bytes.size);
  fleet_job *job = fleet_job_after(link, done, fire, bytes);
  job->replica = link->replica;
  job->epoch = replica_of(link)->epoch;
  job->generation = generation;
}

/* False: the replica restarted, and its queue is gone. */
static bool is_done(const fleet_job *job) {
  fleet *f = job->fleet;
  fleet_replica *r = &f->replicas[job->link->server][job->replica];
  if (r->epoch != job->epoch) return false;
  r->queue--;
  f->queue--;
  return true;
}

/* ---- connections ---- */

static void on_connected(void *arg) {
  fleet_job *job = arg;
  if (job->generation == job->link->connection) fleet_client_on_connected(job->link);
  fleet_job_destroy(job);
}

static void on_refused(void *arg) {
  fleet_job *job = arg;
  if (job->generation == job->link->connection) fleet_client_on_refused(job->link);
  fleet_job_destroy(job);
}

static void on_accepted(void *arg) {
  fleet_job *job = arg;
  fleet_link *link = job->link;
  if (is_done(job) && job->generation == link->connection) {
    fleet_job *later =
        fleet_job_after(link, link->client->delay, on_connected, gxds_str_of(NULL, 0));
    later->generation = job->generation;
  }
  fleet_job_destroy(job);
}

static void refuse(fleet_link *link, gxds_duration after) {
  fleet_job *later = fleet_job_after(link, after, on_refused, gxds_str_of(NULL, 0));
  later->generation = link->connection;
}

void fleet_server_accept(fleet_link *link) {
  fleet *f = link->client->fleet;
  size_t up[FLEET_REPLICAS_MAX];
  size_t count = 0;
  for (size_t i = 0; i < f->options.replicas; i++) {
    if (f->replicas[link->server][i].up <= f->now) up[count++] = i;
  }
  if (count == 0) {
    refuse(link, link->client->delay);
    return;
  }
  link->replica = up[gxds_random_next(&f->random) % count];
  link->accepting = true;
  work(link, CONNECTION_COST, on_accepted, gxds_str_of(NULL, 0), link->connection);
  if (replica_of(link)->busy + link->client->delay > link->attempted + CONNECT_TIMEOUT) {
    refuse(link, link->attempted + CONNECT_TIMEOUT - f->now);
  }
}

static void on_lost(void *arg) {
  fleet_job *job = arg;
  if (job->generation == job->link->connection) fleet_client_on_lost(job->link);
  fleet_job_destroy(job);
}

static void lose(fleet_link *link) {
  fleet_server_on_closed(link);
  fleet_job *later = fleet_job_after(link, link->client->delay, on_lost, gxds_str_of(NULL, 0));
  later->generation = link->connection;
}

void fleet_stop_replica(fleet *f, size_t server, size_t replica, gxds_duration down) {
  fleet_replica *r = &f->replicas[server][replica];
  f->queue -= r->queue;
  *r = (fleet_replica){.up = f->now + down, .busy = f->now + down, .epoch = r->epoch + 1};
  for (size_t i = 0; i < f->options.clients; i++) {
    fleet_link *link = &f->clients[i].links[server];
    if (link->replica != replica) continue;
    if (link->state == FLEET_LINK_READY) lose(link);
    if (link->state == FLEET_LINK_CONNECTING && link->accepting) refuse(link, link->client->delay);
  }
}

void fleet_stop_server(fleet *f, size_t server, gxds_duration down) {
  for (size_t i = 0; i < f->options.replicas; i++) fleet_stop_replica(f, server, i, down);
}

/* ---- streams ---- */

static void update_current(fleet_link *link) {
  fleet *f = link->client->fleet;
  bool current = link->started && plane_is_current(&f->plane, &link->served);
  if (current == link->current) return;
  link->current = current;
  if (current) {
    f->current[link->server]++;
  } else {
    f->current[link->server]--;
  }
}

void fleet_server_on_opened(fleet_link *link) {
  fleet *f = link->client->fleet;
  link->served = (plane_stream){0};
  link->started = true;
  f->open[link->server]++;
  f->counts.streams++;
  fleet_bin_now(f)->streams++;
}

void fleet_server_on_closed(fleet_link *link) {
  if (!link->started) return;
  link->started = false;
  link->client->fleet->open[link->server]--;
  update_current(link);
}

static void on_arrived(void *arg) { fleet_client_on_response(arg); }

static void on_response_made(void *arg) {
  fleet_job *job = arg;
  fleet_link *link = job->link;
  if (is_done(job) && link->started && job->generation == link->generation) {
    fleet *f = job->fleet;
    f->counts.responses++;
    f->counts.bytes_sent += job->bytes.size;
    gxds_str bytes = job->bytes;
    job->bytes = gxds_str_of(NULL, 0);
    fleet_job_after(link, link->client->delay, on_arrived, bytes)->generation = job->generation;
  }
  fleet_job_destroy(job);
}

static void respond(fleet_link *link, gxds_file_type type) {
  gxds_text response = {0};
  if (!plane_respond(&link->client->fleet->plane, &link->served, type, &response)) return;
  work(link, 1, on_response_made, gxds_text_take(&response), link->generation);
}

static void on_request_taken(void *arg) {
  fleet_job *job = arg;
  fleet_link *link = job->link;
  if (is_done(job) && link->started && job->generation == link->generation) {
    fleet *f = job->fleet;
    plane_request request = plane_take(&f->plane, &link->served, job->bytes);
    f->counts.requests++;
    f->counts.bytes_received += job->bytes.size;
    if (request.nack) f->counts.nacks++;
    respond(link, request.type);
    update_current(link);
  }
  fleet_job_destroy(job);
}

static void on_request(void *arg) {
  fleet_job *job = arg;
  fleet_link *link = job->link;
  if (link->started && job->generation == link->generation) {
    work(link, 1, on_request_taken, job->bytes, job->generation);
    job->bytes = gxds_str_of(NULL, 0);
  }
  fleet_job_destroy(job);
}

void fleet_server_on_request(fleet_link *link, gxds_str bytes) {
  fleet_job_after(link, link->client->delay, on_request, bytes)->generation = link->generation;
}

/* Make before break: referenced resources come first. */
static const gxds_file_type update_order[] = {GXDS_FILE_CLUSTER, GXDS_FILE_ENDPOINTS,
                                              GXDS_FILE_LISTENER, GXDS_FILE_ROUTE_CONFIG};

void fleet_set_resources(fleet *f, const gxds_file_set *set) {
  gxds_file_set_ref(set);
  gxds_file_set_unref(f->plane.set);
  f->plane.set = set;
  for (size_t i = 0; i < f->options.clients * FLEET_SERVERS; i++) {
    fleet_link *link = &f->clients[i / FLEET_SERVERS].links[i % FLEET_SERVERS];
    if (!link->started) continue;
    for (size_t k = 0; k < GXDS_FILE_TYPE_COUNT; k++) respond(link, update_order[k]);
    update_current(link);
  }
}
