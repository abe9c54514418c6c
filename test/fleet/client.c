/* A client of the fleet: an engine with its owner, and the channels below it. */
#include "base/memory.h"
#include "base/status.h"
#include "host/host_get.h"
#include "resources/resources.h"
#include "test/fleet/fleet_internal.h"

static void drain(fleet_client *c);

static gxds_timer_heap *timers(const fleet_link *link) { return &link->client->fleet->timers; }

/* ---- gRPC's channel ---- */

/* Like gRPC's BackOff: the first step has no jitter. */
static gxds_duration next_of_host(gxds_backoff *b, gxds_random *random) {
  bool first = b->current == 0;
  gxds_duration wait = gxds_backoff_next(b, random);
  return first ? b->initial : wait;
}

static void on_attempt(void *arg) {
  fleet_job *job = arg;
  if (job->generation == job->link->connection) fleet_server_accept(job->link);
  fleet_job_destroy(job);
}

static void connect_now(void *arg) {
  fleet_link *link = arg;
  link->state = FLEET_LINK_CONNECTING;
  link->accepting = false;
  link->attempted = link->client->fleet->now;
  fleet_job *job = fleet_job_after(link, link->client->delay, on_attempt, gxds_str_of(NULL, 0));
  job->generation = ++link->connection;
}

void fleet_client_on_refused(fleet_link *link) {
  fleet_client *c = link->client;
  fleet *f = c->fleet;
  f->counts.refused++;
  link->connection++;
  link->state = FLEET_LINK_WAITING;
  gxds_time next = link->attempted + next_of_host(&link->backoff, &c->random);
  gxds_timer_heap_set(&f->timers, &link->attempt, next, connect_now, link);
  gxds_status status = gxds_status_make(GXDS_UNAVAILABLE, "connection refused");
  gxds_client_on_channel_failed(c->engine, link->id, &status, f->now);
  gxds_status_fini(&status);
  drain(c);
}

static void launch(fleet_link *link) {
  if (link->unsent.size == 0) return;
  gxds_str bytes = link->unsent;
  link->unsent = gxds_str_of(NULL, 0);
  fleet_server_on_request(link, bytes);
  gxds_client_on_sent(link->client->engine, link->stream, link->client->fleet->now);
}

/* Starts the call when there is a connection (wait_for_ready). */
static void start_stream(fleet_link *link) {
  if (!link->stream || link->started || gxds_deadline_is_set(&link->host_retry.deadline)) return;
  if (link->state == FLEET_LINK_IDLE) connect_now(link);
  if (link->state == FLEET_LINK_READY) fleet_server_on_opened(link);
}

void fleet_client_on_connected(fleet_link *link) {
  link->state = FLEET_LINK_READY;
  link->client->fleet->counts.connections++;
  gxds_backoff_reset(&link->backoff);
  start_stream(link);
  drain(link->client);
}

/* ---- streams ---- */

static void forget_stream(fleet_link *link) {
  fleet_server_on_closed(link);
  link->stream = 0;
  link->generation++;
  link->responded = link->read = false;
  gxds_str_free(&link->unsent);
  while (link->inbox) {
    fleet_job *job = link->inbox;
    link->inbox = job->next;
    fleet_job_destroy(job);
  }
}

static void on_host_retry(void *arg) {
  fleet_link *link = arg;
  if (link->stream) {
    start_stream(link);
  } else {
    gxds_client_reset_backoff(link->client->engine, link->client->fleet->now);
  }
  drain(link->client);
}

static void wait_as_host(fleet_link *link) {
  fleet_client *c = link->client;
  if (link->responded) gxds_backoff_reset(&link->host_backoff);
  gxds_time next = c->fleet->now + next_of_host(&link->host_backoff, &c->random);
  gxds_timer_heap_set(&c->fleet->timers, &link->host_retry, next, on_host_retry, link);
}

void fleet_client_on_lost(fleet_link *link) {
  fleet_client *c = link->client;
  link->connection++;
  link->state = FLEET_LINK_IDLE;
  gxds_stream_id stream = link->stream;
  if (!stream) return;
  if (c->fleet->options.rules == FLEET_HOST) wait_as_host(link);
  forget_stream(link);
  gxds_status status = gxds_status_make(GXDS_UNAVAILABLE, "Socket closed");
  gxds_client_on_stream_closed(c->engine, stream, &status, c->fleet->now);
  gxds_status_fini(&status);
  drain(c);
}

/* Returns whether there was a response to read. */
static bool read_next(fleet_link *link) {
  if (!link->read || !link->inbox) return false;
  fleet_job *job = link->inbox;
  link->inbox = job->next;
  link->read = false;
  link->responded = true;
  gxds_client_on_message(link->client->engine, link->stream, job->bytes.data, job->bytes.size,
                         link->client->fleet->now);
  fleet_job_destroy(job);
  return true;
}

void fleet_client_on_response(fleet_job *job) {
  fleet_link *link = job->link;
  if (!link->started || job->generation != link->generation) {
    fleet_job_destroy(job);
    return;
  }
  fleet_job **end = &link->inbox;
  while (*end) end = &(*end)->next;
  *end = job;
  if (link->read) drain(link->client);
}

/* ---- the engine ---- */

/* The token of a watch contains the type and the index of the name in the set. */
static void watch(fleet_client *c, gxds_file_type type, size_t i) {
  if (c->watched[type] >> i & 1) return;
  c->watched[type] = (uint16_t)(c->watched[type] | 1u << i);
  gxds_str name = c->fleet->plane.set->types[type].entries[i].resource->name;
  gxds_watcher watcher = {c, (uint64_t)type << 8 | i, 0};
  gxds_client_watch(c->engine, gxds_resource_types[type], name, watcher, c->fleet->now);
}

/* Watches what a channel watches next: the route configuration, its clusters, their endpoints. */
static void on_resource(fleet_client *c, uint64_t token) {
  const gxds_file_set *set = c->fleet->plane.set;
  switch (token >> 8) {
    case GXDS_FILE_LISTENER:
      watch(c, GXDS_FILE_ROUTE_CONFIG, 0);
      break;
    case GXDS_FILE_ROUTE_CONFIG:
      for (size_t i = 0; i < set->types[GXDS_FILE_CLUSTER].count; i++) {
        watch(c, GXDS_FILE_CLUSTER, i);
      }
      break;
    case GXDS_FILE_CLUSTER:
      watch(c, GXDS_FILE_ENDPOINTS, token & 0xff);
      break;
    default:
      break;
  }
}

static fleet_link *link_of(fleet_client *c, const gxds_bootstrap_server *server) {
  const gxds_bootstrap *b = c->fleet->bootstrap;
  return &c->links[gxds_bootstrap_server_equal(server, b->servers[0]) ? 0 : 1];
}

static void disconnect(fleet_link *link) {
  gxds_timer_heap_cancel(timers(link), &link->attempt);
  gxds_timer_heap_cancel(timers(link), &link->host_retry);
  forget_stream(link);
  link->connection++;
  link->state = FLEET_LINK_IDLE;
  link->id = 0;
  gxds_backoff_reset(&link->backoff);
}

static void carry(fleet_client *c, const gxds_action *a) {
  if (a->kind == GXDS_ACTION_RESOURCE && a->resource) on_resource(c, a->watcher.token);
  if (!a->server) return; /* the action is for a watcher, or for the log */
  fleet_link *link = link_of(c, a->server);
  switch (a->kind) {
    case GXDS_ACTION_CONNECT:
      link->id = a->server_id;
      break;
    case GXDS_ACTION_DISCONNECT:
      disconnect(link);
      break;
    case GXDS_ACTION_OPEN_STREAM:
      link->stream = a->stream;
      start_stream(link);
      break;
    case GXDS_ACTION_SEND:
      link->unsent = gxds_action_message(a);
      break;
    case GXDS_ACTION_READ:
      link->read = true;
      break;
    case GXDS_ACTION_CLOSE_STREAM:
      forget_stream(link);
      break;
    default:
      break;
  }
}

static void on_deadline(void *arg) {
  fleet_client *c = arg;
  gxds_client_on_deadline(c->engine, c->fleet->now);
  drain(c);
}

static void drain(fleet_client *c) {
  for (bool more = true; more;) {
    more = false;
    const gxds_action *a;
    while ((a = gxds_client_next_action(c->engine)) != NULL) {
      carry(c, a);
      more = true;
    }
    for (size_t i = 0; i < FLEET_SERVERS; i++) {
      fleet_link *link = &c->links[i];
      if (!link->started) continue;
      if (link->unsent.size) {
        launch(link);
        more = true;
      }
      if (read_next(link)) more = true;
    }
  }
  gxds_timer_heap_set(&c->fleet->timers, &c->deadline, gxds_client_deadline(c->engine), on_deadline,
                      c);
}

/* ---- its life ---- */

void fleet_client_init(fleet_client *c, fleet *f) {
  c->fleet = f;
  c->random.state = gxds_random_next(&f->random);
  c->delay = GXDS_MILLISECOND +
             (gxds_duration)(gxds_random_unit(&f->random) * (double)(20 * GXDS_MILLISECOND));
  for (size_t i = 0; i < FLEET_SERVERS; i++) {
    c->links[i].client = c;
    c->links[i].server = i;
    gxds_backoff_init_xds(&c->links[i].backoff); /* gRPC's channels have the same values */
    gxds_backoff_init_xds(&c->links[i].host_backoff);
  }
}

void fleet_client_fini(fleet_client *c) {
  gxds_timer_heap_cancel(&c->fleet->timers, &c->start);
  gxds_timer_heap_cancel(&c->fleet->timers, &c->deadline);
  for (size_t i = 0; i < FLEET_SERVERS; i++) disconnect(&c->links[i]);
  if (c->engine) gxds_client_destroy(c->engine);
  c->engine = NULL;
  memset(c->watched, 0, sizeof c->watched);
}

void fleet_client_start(fleet_client *c) {
  gxds_client_options options = {.bootstrap = c->fleet->bootstrap,
                                 .host = gxds_host_get(),
                                 .types = gxds_resource_types,
                                 .type_count = GXDS_RESOURCE_TYPE_COUNT,
                                 .seed = gxds_random_next(&c->random)};
  c->engine = gxds_client_create(&options);
  watch(c, GXDS_FILE_LISTENER, 0);
  drain(c);
}
