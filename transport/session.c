#include "transport/session.h"

#include <grpc/support/log.h>
#include <utlist.h>

#include "base/memory.h"
#include "base/random.h"
#include "resources/resources.h"
#include "transport/channel_args.h"
#include "transport/clock.h"
#include "transport/file_source.h"
#include "transport/lrs_call.h"
#include "transport/prepared.h"
#include "transport/reactor.h"
#include "transport/server_channel.h"
#include "transport/stream_call.h"
#include "transport/target_caches.h"
#include "transport/web_source.h"

/* A server in use: by the engine, for load reports, or both. */
typedef struct connection {
  gxds_session *session;
  const gxds_bootstrap_server *server;
  gxds_call_creds *call_creds;  /* NULL: the server has no call credentials */
  gxds_server_channel *channel; /* NULL: the server is not a gRPC server */
  gxds_source *source;          /* NULL: the server is a gRPC server */
  gxds_server_id id;            /* the server's number in the engine; 0: the engine does not use the
                                   server */
  gxds_stream_call *call;       /* the engine's stream; NULL: none, or the source has it */
  gxds_stream_id stream;        /* 0: none */
  gxds_lrs_call *lrs_call;      /* NULL: no load is reported here */
  struct connection *next;
} connection;

struct gxds_session {
  uint64_t number; /* never reused */
  gxds_client *engine;
  const gxds_bootstrap *bootstrap;
  gxds_prepared *prepared;
  grpc_channel_args *args;
  gxds_load_store *load_store;
  gxds_target_caches *caches; /* NULL: the bootstrap has none */
  const gxds_session_events *events;
  void *arg;
  connection *connections; /* a handful at most */
  gxds_timer timer;        /* the engine's deadline, or now: there are actions to drain */
  gxds_random random;
  bool draining;
  bool notified; /* a watcher was notified in this drain */
  struct gxds_session *next;
};

static gxds_session *sessions; /* only on the reactor's thread */
static uint64_t last_number;

static void drain(gxds_session *s, bool response);

/* Connections */

/* The line is logged with the session's number. The engine's lines name the server themselves. */
static void write_log(const gxds_session *s, gxds_severity of_engine, gxds_str line) {
  static const gpr_log_severity severities[] = {
      [GXDS_DEBUG] = GPR_LOG_SEVERITY_DEBUG,
      [GXDS_INFO] = GPR_LOG_SEVERITY_INFO,
      [GXDS_ERROR] = GPR_LOG_SEVERITY_ERROR,
  };
  gpr_log_severity severity = severities[of_engine];
  if (!gpr_should_log(severity)) return;
  gpr_log(__FILE__, __LINE__, severity, "grpc_xds: [xds_client %llu] %.*s",
          (unsigned long long)s->number, GXDS_STR_ARG(line));
}

static connection *connection_of_id(gxds_session *s, gxds_server_id id) {
  connection *c = s->connections;
  while (c && c->id != id) c = c->next;
  return c;
}

static connection *connection_of_stream(gxds_session *s, gxds_stream_id stream) {
  connection *c = s->connections;
  while (c && c->stream != stream) c = c->next;
  return c;
}

static void on_server_failed(void *arg, const gxds_status *status) {
  const connection *c = arg;
  /* Only load reports use the channel; they continue when the server is back. */
  if (c->id == 0) return;
  gxds_client_on_channel_failed(c->session->engine, c->id, status, gxds_reactor_now());
  drain(c->session, false);
}

static void on_source_log(void *arg, bool error, gxds_str line) {
  const connection *c = arg;
  write_log(c->session, error ? GXDS_ERROR : GXDS_INFO, line);
}

/* The connection to a server, made if there is none. NULL if the bootstrap has no such server. */
static connection *connection_to(gxds_session *s, const gxds_bootstrap_server *wanted) {
  const gxds_prepared_server *prepared = gxds_prepared_find(s->prepared, wanted);
  if (!prepared) return NULL;
  const gxds_bootstrap_server *server = prepared->server;
  for (connection *c = s->connections; c; c = c->next) {
    if (c->server == server) return c;
  }
  static const gxds_source_events source_events = {on_server_failed, on_source_log};
  connection *c = GXDS_NEW(connection);
  c->session = s;
  c->server = server;
  c->call_creds = prepared->call_creds;
  if (server->directory.size) {
    c->source = gxds_file_source_create(server->directory, &source_events, c);
  } else if (server->web_form != GXDS_WEB_NONE) {
    c->source = gxds_web_source_create(server, &source_events, c);
  } else {
    c->channel = gxds_server_channel_create(server, prepared->creds, s->args, on_server_failed, c);
  }
  LL_PREPEND(s->connections, c);
  return c;
}

static void close_connection(gxds_session *s, connection *c) {
  LL_DELETE(s->connections, c);
  gxds_stream_call_close(c->call);
  if (c->lrs_call) gxds_lrs_call_destroy(c->lrs_call);
  if (c->channel) gxds_server_channel_destroy(c->channel);
  if (c->source) c->source->functions->destroy(c->source);
  gxds_free(c);
}

/* Load reports */

typedef struct changed_use {
  uint64_t session;
  gxds_bootstrap_server server; /* a copy */
} changed_use;

/* Opens or ends the LRS stream to a gRPC server, as the use of its counters requires. With the
 * stream, the connection ends too, unless the engine uses it. (A71: the client may have used the
 * server only as a fallback.) */
static void settle_load_reports(gxds_session *s, const gxds_bootstrap_server *server) {
  gxds_load_use use = gxds_load_store_use(s->load_store, server);
  connection *c = s->connections;
  while (c && c->server != server) c = c->next;
  if (!c && use != GXDS_LOAD_NONE) c = connection_to(s, server);
  if (!c) return;
  if (use != GXDS_LOAD_NONE && !c->lrs_call) {
    c->lrs_call = gxds_lrs_call_create(s->bootstrap, c->server, s->load_store,
                                       gxds_server_channel_get(c->channel), c->call_creds,
                                       gxds_random_next(&s->random));
  }
  if (use != GXDS_LOAD_NONE) {
    gxds_lrs_call_set_left(c->lrs_call, use == GXDS_LOAD_LEFT);
  } else if (c->lrs_call) {
    gxds_lrs_call_finish(c->lrs_call);
    c->lrs_call = NULL;
    if (c->id == 0) close_connection(s, c);
  }
}

static void on_changed_use(void *arg) {
  changed_use *use = arg;
  gxds_session *s = sessions;
  while (s && s->number != use->session) s = s->next;
  const gxds_prepared_server *prepared = s ? gxds_prepared_find(s->prepared, &use->server) : NULL;
  if (prepared && gxds_bootstrap_server_is_grpc(prepared->server)) {
    settle_load_reports(s, prepared->server);
  } else if (s) { /* only gRPC servers accept load reports */
    gxds_load_store_set_taken(s->load_store, &use->server, false);
  }
  gxds_bootstrap_server_fini(&use->server);
  gxds_free(use);
  gxds_reactor_release();
}

/* Called on any thread. The session still exists, because gxds_load_store_close() waits for this
 * call. But it may be gone when the message reaches the reactor, so the message has its number, and
 * a use of the reactor. */
static void on_load_use(void *arg, const gxds_bootstrap_server *server) {
  const gxds_session *s = arg;
  changed_use *use = GXDS_NEW(changed_use);
  use->session = s->number;
  use->server = gxds_bootstrap_server_copy(server);
  gxds_reactor_acquire_more();
  gxds_reactor_post(on_changed_use, use);
}

/* Events of the engine's streams */

static void on_sent(void *owner, uint64_t id) {
  gxds_session *s = owner;
  gxds_client_on_sent(s->engine, id, gxds_reactor_now());
  drain(s, false);
}

static void on_message(void *owner, uint64_t id, const void *data, size_t size) {
  gxds_session *s = owner;
  gxds_client_on_message(s->engine, id, data, size, gxds_reactor_now());
  drain(s, true);
}

static void on_closed(void *owner, uint64_t id, const gxds_status *status) {
  gxds_session *s = owner;
  connection *c = connection_of_stream(s, id);
  if (c) c->call = NULL;
  if (c) c->stream = 0;
  gxds_client_on_stream_closed(s->engine, id, status, gxds_reactor_now());
  drain(s, false);
}

static void on_timer(void *arg) {
  gxds_session *s = arg;
  gxds_client_on_deadline(s->engine, gxds_reactor_now());
  drain(s, false);
}

/* Actions of the engine */

static void open_stream(gxds_session *s, const gxds_action *a) {
  static const gxds_stream_call_events events = {on_sent, on_message, on_closed};
  connection *c = connection_of_id(s, a->server_id);
  GXDS_CHECK(c && !c->stream);
  c->stream = a->stream;
  if (c->source) {
    c->source->functions->open(c->source, a->stream, &events, s);
    return;
  }
  const gxds_stream_call_options options = {
      .method = a->method,
      .wait_for_ready = true,
      .deadline = GXDS_TIME_NEVER,
      .id = a->stream,
      .creds = c->call_creds,
      .events = &events,
      .owner = s,
  };
  c->call = gxds_stream_call_open(gxds_server_channel_get(c->channel), &options);
}

static void send(connection *c, const gxds_action *a) {
  if (!c->source) {
    gxds_stream_call_send(c->call, a->bytes, a->rest);
    return;
  }
  gxds_str message = gxds_action_message(a);
  c->source->functions->send(c->source, message);
  gxds_str_free(&message);
}

static void read_message(connection *c) {
  if (c->source) {
    c->source->functions->read(c->source);
  } else {
    gxds_stream_call_read(c->call);
  }
}

static void close_stream(connection *c) {
  if (c->source) c->source->functions->close(c->source);
  gxds_stream_call_close(c->call);
  c->call = NULL;
  c->stream = 0;
}

static void notify(gxds_session *s, const gxds_action *borrowed) {
  s->notified = true;
  /* This is a copy, because the callback may call the engine, after which *borrowed is no longer
   * valid. */
  gxds_action a = *borrowed;
  if (a.resource) gxds_resource_ref(a.resource);
  if (a.error) gxds_error_ref(a.error);
  s->events->on_notification(s->arg, &a);
  gxds_error_unref(a.error);
  gxds_resource_unref(a.resource);
}

static void carry_out_cache(gxds_session *s, const gxds_action *a) {
  gxds_text line = {0};
  gxds_target_caches_carry_out(s->caches, a, s->engine, gxds_reactor_now(), &line);
  if (line.size) write_log(s, GXDS_ERROR, gxds_text_str(&line));
  gxds_text_fini(&line);
}

static void settle_caches(gxds_session *s) {
  if (!s->caches) return;
  gxds_text line = {0};
  gxds_target_caches_settle(s->caches, gxds_reactor_now(), &line);
  if (line.size) write_log(s, GXDS_ERROR, gxds_text_str(&line));
  gxds_text_fini(&line);
}

static void carry_out(gxds_session *s, const gxds_action *a) {
  connection *c;
  switch (a->kind) {
    case GXDS_ACTION_CONNECT:
      c = connection_to(s, a->server);
      GXDS_CHECK(c && c->id == 0); /* the engine's servers are the bootstrap's */
      c->id = a->server_id;
      /* The channel may have failed while only load reports used it. Its next attempt to connect
       * may be two minutes away. */
      if (c->channel) gxds_server_channel_report_failure(c->channel);
      break;
    case GXDS_ACTION_DISCONNECT:
      c = connection_of_id(s, a->server_id);
      GXDS_CHECK(c);
      c->id = 0;
      if (!c->lrs_call) close_connection(s, c);
      break;
    case GXDS_ACTION_OPEN_STREAM:
      open_stream(s, a);
      break;
    case GXDS_ACTION_SEND:
      if ((c = connection_of_stream(s, a->stream))) send(c, a);
      break;
    case GXDS_ACTION_READ:
      if ((c = connection_of_stream(s, a->stream))) read_message(c);
      break;
    case GXDS_ACTION_CLOSE_STREAM:
      if ((c = connection_of_stream(s, a->stream))) close_stream(c);
      break;
    case GXDS_ACTION_RESOURCE:
    case GXDS_ACTION_AMBIENT_ERROR:
      notify(s, a);
      break;
    case GXDS_ACTION_LOG:
      write_log(s, a->severity, a->bytes);
      break;
    case GXDS_ACTION_PERSIST:
    case GXDS_ACTION_FORGET:
    case GXDS_ACTION_RESTORE:
      carry_out_cache(s, a);
      break;
  }
}

/* Carries out the engine's actions until there are none. response: a response caused them. */
static void drain(gxds_session *s, bool response) {
  GXDS_CHECK(!s->draining); /* a call never reports an event from within one of its functions */
  s->draining = true;
  s->notified = false;
  gxds_timer_cancel(&s->timer);
  const gxds_action *a;
  while ((a = gxds_client_next_action(s->engine))) {
    for (; a; a = gxds_client_next_action(s->engine)) carry_out(s, a);
    s->events->on_drained(s->arg); /* on_drained may start watches, so there may be more actions */
  }
  settle_caches(s);
  s->draining = false;
  gxds_timer_set(&s->timer, gxds_client_deadline(s->engine), on_timer, s);
  if (s->notified)
    s->events->on_notified(s->arg, response ? gxds_clock_now() - gxds_reactor_now() : -1);
}

/* Life */

/* What to add to the reactor's clock to get the time since 1970. */
static gxds_duration wall_offset(void) { return gxds_clock_wall_now() - gxds_reactor_now(); }

gxds_session *gxds_session_create(const gxds_session_options *options) {
  gxds_reactor_acquire();
  gxds_session *s = GXDS_NEW(gxds_session);
  s->number = ++last_number;
  s->bootstrap = gxds_bootstrap_ref(options->bootstrap);
  s->prepared = options->take_prepared;
  s->args = gxds_channel_args_create(options->args, NULL, 0);
  s->events = options->events;
  s->arg = options->arg;
  s->random.state = gxds_random_seed();
  s->load_store = gxds_load_store_create(on_load_use, s);
  gxds_duration offset = wall_offset();
  if (options->bootstrap->resource_cache_dir.size) {
    s->caches = gxds_target_caches_create(options->bootstrap, offset);
  }
  const gxds_client_options engine = {
      .bootstrap = options->bootstrap,
      .host = options->host,
      .types = gxds_resource_types,
      .type_count = GXDS_RESOURCE_TYPE_COUNT,
      .seed = gxds_random_next(&s->random),
      .resource_does_not_exist_timeout = options->resource_timeout,
      .wall_offset = offset,
      .keeps_resources = s->caches != NULL,
  };
  s->engine = gxds_client_create(&engine);
  LL_PREPEND(sessions, s);
  return s;
}

void gxds_session_destroy(gxds_session *s) {
  GXDS_CHECK(!s->draining);
  LL_DELETE(sessions, s);
  gxds_timer_cancel(&s->timer);
  gxds_load_store_close(s->load_store);
  gxds_client_destroy(s->engine);
  while (s->connections) close_connection(s, s->connections);
  gxds_load_store_unref(s->load_store);
  gxds_target_caches_destroy(s->caches);
  gxds_prepared_destroy(s->prepared);
  gxds_channel_args_destroy(s->args);
  gxds_bootstrap_unref(s->bootstrap);
  gxds_free(s);
  gxds_reactor_release();
}

void gxds_session_add_target(gxds_session *s, uint32_t scope, gxds_str target) {
  if (s->caches) gxds_target_caches_add(s->caches, scope, target);
}

void gxds_session_remove_target(gxds_session *s, uint32_t scope) {
  if (s->caches) gxds_target_caches_remove(s->caches, scope);
}

gxds_client *gxds_session_engine(gxds_session *s) { return s->engine; }

gxds_load_store *gxds_session_load_store(gxds_session *s) { return s->load_store; }

const gxds_bootstrap *gxds_session_bootstrap(gxds_session *s) { return s->bootstrap; }

void gxds_session_kick(gxds_session *s) {
  if (s->draining) return; /* the outer call drains until nothing is left */
  gxds_timer_set(&s->timer, gxds_reactor_now(), on_timer, s);
}

void gxds_session_reset_backoff(gxds_session *s) {
  for (connection *c = s->connections; c; c = c->next) gxds_call_creds_reset_backoff(c->call_creds);
  gxds_client_reset_backoff(s->engine, gxds_reactor_now());
  for (connection *c = s->connections; c; c = c->next) {
    if (c->channel) gxds_server_channel_reset_backoff(c->channel);
  }
  gxds_session_kick(s);
}
