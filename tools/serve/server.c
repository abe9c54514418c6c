#include "tools/serve/server.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <pthread.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/mpsc_list.h"
#include "tools/serve/ads_server.h"
#include "tools/serve/call.h"
#include "tools/serve/lrs_server.h"
#include "transport/clock.h"
#include "transport/gpr_time.h"
#include "transport/unix_socket.h"

/* The most bytes of a request. A request names each subscribed resource: 100,000 names are some
 * megabytes. */
enum { kReceiveMax = 64 << 20 };

typedef struct message {
  gxds_mpsc_link link; /* first */
  enum { SET, EVENT, STOP } kind;
  const gxds_file_set *set; /* SET: the new state */
  gxds_serve_event event;   /* EVENT: the event to emit */
} message;

struct gxds_serve_server {
  gxds_serve_options options;
  pthread_t thread;
  gxds_mpsc_list messages; /* of any thread; a wake-up is on its way unless it is empty */

  /* Only for the server's thread, and before it runs, for the thread that starts it. */
  grpc_completion_queue *cq;
  grpc_server *server;
  grpc_channel *wake_channel; /* a lame channel: its call is only for wake-ups */
  grpc_call *wake_call;
  gxds_serve_tag wake;
  gxds_serve_tag shutdown;
  gxds_ads_server *ads;
  gxds_lrs_server *lrs;
  gxds_serve_call *calls[GXDS_SERVE_CALL_OTHER]; /* the calls by stream, for each kind that is
                                                    served */
  size_t call_count;                             /* calls of any kind */
  int requests;       /* how many calls were requested and have not arrived yet */
  bool shutting_down; /* the server accepts no more calls */
  bool shut_down;     /* the completion of the shutdown has arrived */
};

static gxds_serve_call *find_call(gxds_serve_server *s, gxds_serve_call_kind kind,
                                  uint64_t stream) {
  gxds_serve_call *c = NULL;
  HASH_FIND(by_stream, s->calls[kind], &stream, sizeof stream, c);
  return c && !c->notified_closed ? c : NULL;
}

static void carry_out(gxds_serve_server *s, gxds_serve_call_kind kind,
                      const gxds_serve_action *action) {
  if (action->kind == GXDS_SERVE_EVENT) {
    s->options.on_event(s->options.arg, &action->event);
    return;
  }
  gxds_serve_call *c = find_call(s, kind, action->stream);
  if (!c) return;
  if (action->kind == GXDS_SERVE_SEND) {
    gxds_serve_call_send(c, action->bytes);
  } else {
    gxds_serve_call_close(c, &action->status);
  }
}

/* Carries out all present actions of the protocol logic. */
static void drain(gxds_serve_server *s) {
  gxds_serve_action action;
  while (gxds_ads_server_next_action(s->ads, &action)) {
    carry_out(s, GXDS_SERVE_CALL_ADS, &action);
    gxds_serve_action_fini(&action);
  }
  while (gxds_lrs_server_next_action(s->lrs, &action)) {
    carry_out(s, GXDS_SERVE_CALL_LRS, &action);
    gxds_serve_action_fini(&action);
  }
}

/* Nothing may be started on a queue that was shut down, so the queue ends after the last call. */
static void maybe_end_queue(gxds_serve_server *s) {
  if (s->shut_down && s->requests == 0 && s->call_count == 0) grpc_completion_queue_shutdown(s->cq);
}

static const gxds_serve_call_events call_events;

static void request_call(gxds_serve_server *s) {
  s->requests++;
  gxds_serve_call_request(s->server, s->cq, &call_events, s);
}

static void on_started(void *owner, gxds_serve_call *c) {
  gxds_serve_server *s = owner;
  s->requests--;
  s->call_count++;
  gxds_str peer = gxds_serve_call_peer(c);
  if (c->kind == GXDS_SERVE_CALL_ADS) {
    c->stream = gxds_ads_server_open(s->ads, c->service, peer, gxds_clock_now());
  } else if (c->kind == GXDS_SERVE_CALL_LRS) {
    c->stream = gxds_lrs_server_open(s->lrs, peer);
  }
  gxds_str_free(&peer);
  if (c->kind != GXDS_SERVE_CALL_OTHER) {
    HASH_ADD(by_stream, s->calls[c->kind], stream, sizeof c->stream, c);
  }
  if (s->shutting_down) {
    gxds_serve_call_cancel(c);
  } else {
    request_call(s);
  }
  drain(s);
}

static void on_message(void *owner, gxds_serve_call *c, gxds_str bytes) {
  gxds_serve_server *s = owner;
  if (c->kind == GXDS_SERVE_CALL_ADS) {
    gxds_ads_server_on_message(s->ads, c->stream, bytes, gxds_clock_now());
  } else {
    gxds_lrs_server_on_message(s->lrs, c->stream, bytes);
  }
  drain(s);
}

static void on_sent(void *owner, gxds_serve_call *c) {
  gxds_serve_server *s = owner;
  if (c->kind == GXDS_SERVE_CALL_ADS) {
    gxds_ads_server_on_sent(s->ads, c->stream, gxds_clock_now());
  } else {
    gxds_lrs_server_on_sent(s->lrs, c->stream);
  }
  drain(s);
}

static void on_closed(void *owner, gxds_serve_call *c, const char *why) {
  gxds_serve_server *s = owner;
  if (c->kind == GXDS_SERVE_CALL_ADS) {
    gxds_ads_server_on_closed(s->ads, c->stream, gxds_str_z(why));
  } else {
    gxds_lrs_server_on_closed(s->lrs, c->stream, gxds_str_z(why));
  }
  drain(s);
}

static void on_ended(void *owner, gxds_serve_call *c) {
  gxds_serve_server *s = owner;
  if (!c->started) {
    s->requests--;
  } else {
    s->call_count--;
    if (c->kind != GXDS_SERVE_CALL_OTHER) HASH_DELETE(by_stream, s->calls[c->kind], c);
  }
  maybe_end_queue(s);
}

static const gxds_serve_call_events call_events = {on_started, on_message, on_sent, on_closed,
                                                   on_ended};

static void on_shutdown(gxds_serve_tag *tag, bool ok) {
  (void)ok;
  gxds_serve_server *s = tag->owner;
  s->shut_down = true;
  maybe_end_queue(s);
}

static void shut_down(gxds_serve_server *s) {
  s->shutting_down = true;
  grpc_server_shutdown_and_notify(s->server, s->cq, &s->shutdown);
  grpc_server_cancel_all_calls(s->server);
}

static void set_resources(gxds_serve_server *s, const gxds_file_set *set) {
  gxds_ads_server_set_resources(s->ads, set, gxds_clock_now());
  gxds_lrs_server_set_resources(s->lrs, set);
  drain(s);
}

/* Messages of other threads, in order. Of several states that wait, only the last one is used. */
static void on_wake(gxds_serve_tag *tag, bool ok) {
  (void)ok;
  gxds_serve_server *s = tag->owner;
  message *m = (message *)gxds_mpsc_list_take(&s->messages);
  const message *newest = NULL;
  for (const message *x = m; x; x = (message *)x->link.next) newest = x->kind == SET ? x : newest;
  while (m) {
    message *next = (message *)m->link.next;
    if (m == newest) set_resources(s, m->set);
    if (m->kind == EVENT) s->options.on_event(s->options.arg, &m->event);
    if (m->kind == STOP) shut_down(s);
    gxds_file_set_unref(m->set);
    gxds_serve_event_fini(&m->event);
    gxds_free(m);
    m = next;
  }
}

static void *run(void *arg) {
  gxds_serve_server *s = arg;
  for (;;) {
    gpr_timespec deadline = gxds_to_gpr(gxds_ads_server_deadline(s->ads));
    grpc_event event = grpc_completion_queue_next(s->cq, deadline, NULL);
    if (event.type == GRPC_QUEUE_SHUTDOWN) return NULL;
    if (event.type == GRPC_OP_COMPLETE) {
      gxds_serve_tag *tag = event.tag;
      tag->done(tag, event.success != 0);
    }
    gxds_ads_server_on_deadline(s->ads, gxds_clock_now());
    drain(s);
  }
}

static void post(gxds_serve_server *s, message take_message) {
  message *m = GXDS_NEW(message);
  *m = take_message;
  if (gxds_mpsc_list_push(&s->messages, &m->link) != GXDS_MPSC_FIRST) return;
  /* An empty batch completes at once. It only posts to the completion queue, so that any thread may
   * start it without a lock. */
  GXDS_CHECK(grpc_call_start_batch(s->wake_call, NULL, 0, &s->wake, NULL) == GRPC_CALL_OK);
}

void gxds_serve_server_set_resources(gxds_serve_server *s, const gxds_file_set *set) {
  post(s, (message){.kind = SET, .set = gxds_file_set_ref(set)});
}

void gxds_serve_server_emit(gxds_serve_server *s, gxds_serve_event *take_event) {
  post(s, (message){.kind = EVENT, .event = *take_event});
  *take_event = (gxds_serve_event){0};
}

static grpc_server *make_server(void) {
  grpc_arg args[] = {
      {GRPC_ARG_INTEGER, GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, {.integer = kReceiveMax}},
      /* Without this, a second server could use the same port, and each would get a part of the
       * clients. */
      {GRPC_ARG_INTEGER, GRPC_ARG_ALLOW_REUSEPORT, {.integer = 0}},
      /* xDS clients ping idle streams to detect a dead server; that must not count as abuse. */
      {GRPC_ARG_INTEGER, GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, {.integer = 1}},
      {GRPC_ARG_INTEGER, GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, {.integer = 1000}},
      {GRPC_ARG_INTEGER, GRPC_ARG_HTTP2_MAX_PING_STRIKES, {.integer = 0}},
      /* Without this probe, a stream receives at most 64 kB ahead of the reads. SotW ACKs are
       * large: if clients send them faster than they are read, the ACKs then wait in the clients.
       */
      {GRPC_ARG_INTEGER, GRPC_ARG_HTTP2_BDP_PROBE, {.integer = 0}},
  };
  grpc_channel_args list = {sizeof args / sizeof *args, args};
  return grpc_server_create(&list, NULL);
}

/* gRPC removes a socket that is there, even if another process listens on it. */
static bool is_in_use(const char *address) {
  static const char kScheme[] = "unix:";
  if (strncmp(address, kScheme, strlen(kScheme)) != 0) return false;
  const char *path = address + strlen(kScheme);
  if (strncmp(path, "//", 2) == 0) path += 2;
  return gxds_unix_socket_exists(path) && !gxds_unix_socket_is_left_over(path);
}

static void free_server(gxds_serve_server *s) {
  grpc_call_unref(s->wake_call);
  grpc_channel_destroy(s->wake_channel);
  grpc_server_destroy(s->server);
  grpc_completion_queue_destroy(s->cq);
  gxds_ads_server_destroy(s->ads);
  gxds_lrs_server_destroy(s->lrs);
  gxds_free(s);
  grpc_shutdown();
}

gxds_serve_server *gxds_serve_server_start(const gxds_serve_options *options, int *port,
                                           gxds_status *status) {
  grpc_init();
  gxds_serve_server *s = GXDS_NEW(gxds_serve_server);
  s->options = *options;
  s->wake = (gxds_serve_tag){on_wake, s};
  s->shutdown = (gxds_serve_tag){on_shutdown, s};
  s->cq = grpc_completion_queue_create_for_next(NULL);
  s->ads = gxds_ads_server_create();
  s->lrs = gxds_lrs_server_create(options->load_interval);
  s->server = make_server();
  grpc_server_register_completion_queue(s->server, s->cq, NULL);
  grpc_server_credentials *creds = grpc_insecure_server_credentials_create();
  const bool in_use = is_in_use(options->listen);
  *port = in_use ? 0 : grpc_server_add_http2_port(s->server, options->listen, creds);
  grpc_server_credentials_release(creds);
  grpc_server_start(s->server);
  s->wake_channel = grpc_lame_client_channel_create("wake", GRPC_STATUS_UNAVAILABLE, "wake");
  grpc_slice method = grpc_slice_from_static_string("/wake");
  s->wake_call = grpc_channel_create_call(s->wake_channel, NULL, 0, s->cq, method, NULL,
                                          gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
  request_call(s);
  int error = pthread_create(&s->thread, NULL, run, s);
  GXDS_CHECK(error == 0);
  *status = gxds_status_ok();
  if (*port > 0) return s;
  *status = gxds_status_make(GXDS_UNAVAILABLE, "cannot listen on %s%s", options->listen,
                             in_use ? ": another process has this socket" : "");
  gxds_serve_server_stop(s);
  return NULL;
}

void gxds_serve_server_stop(gxds_serve_server *s) {
  post(s, (message){.kind = STOP});
  pthread_join(s->thread, NULL);
  free_server(s);
}
