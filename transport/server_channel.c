#include "transport/server_channel.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>

#include "base/memory.h"
#include "transport/channel_args.h"
#include "transport/reactor.h"
#include "transport/stream_call.h"

/* How long to wait for the reason. A channel in TRANSIENT_FAILURE fails the call at once. If the
 * channel has left that state in the meantime, the call would wait; then the reason is not
 * known. */
#define REASON_TIMEOUT (1 * GXDS_SECOND)

struct gxds_server_channel {
  gxds_completion watch; /* first: the tag is its address */
  grpc_channel *channel; /* NULL: the channel is destroyed, and the watch has not ended yet */
  void (*on_failed)(void *arg, const gxds_status *status);
  void *arg;
  grpc_connectivity_state state;
  gxds_stream_call *reason; /* the call that finds the reason of a failure; NULL: none */
  bool watching;
  bool destroyed;
};

static void on_reason(void *owner, uint64_t id, const gxds_status *status) {
  (void)id;
  gxds_server_channel *c = owner;
  c->reason = NULL;
  bool lasting = grpc_channel_check_connectivity_state(c->channel, 0) != GRPC_CHANNEL_READY;
  if (!lasting && status->code != GXDS_UNAVAILABLE) return; /* the call reached the server */
  gxds_status failure;
  if (status->code == GXDS_DEADLINE_EXCEEDED) {
    failure = gxds_status_make(GXDS_UNAVAILABLE, "channel in TRANSIENT_FAILURE");
  } else {
    failure = gxds_status_make(GXDS_UNAVAILABLE, "channel in TRANSIENT_FAILURE: %.*s",
                               GXDS_STR_ARG(status->message));
  }
  c->on_failed(c->arg, &failure);
  gxds_status_fini(&failure);
}

static void find_reason(gxds_server_channel *c) {
  static const gxds_stream_call_events events = {.on_closed = on_reason};
  if (c->reason) return;
  const gxds_stream_call_options options = {
      .method = "/grpc_xds.Connectivity/Reason", /* no server has this method, so the call does
                                                    nothing */
      .deadline = gxds_time_after(gxds_reactor_now(), REASON_TIMEOUT),
      .events = &events,
      .owner = c,
  };
  c->reason = gxds_stream_call_open(c->channel, &options);
}

static void watch(gxds_server_channel *c) {
  c->watching = true;
  grpc_channel_watch_connectivity_state(c->channel, c->state, gpr_inf_future(GPR_CLOCK_MONOTONIC),
                                        gxds_reactor_cq(), gxds_completion_expect(&c->watch));
}

static void free_channel(gxds_server_channel *c) {
  gxds_free(c);
  gxds_reactor_release();
}

/* Destroys the channel, unless it is connecting. If a connection succeeds after its channel is
 * gone, the host leaves it open for ever (Subchannel::OnConnectingFinishedLocked in 1.51). So the
 * channel stays until the attempt has ended, which takes at most 20 s. */
static void close_unless_connecting(gxds_server_channel *c) {
  if (grpc_channel_check_connectivity_state(c->channel, 0) == GRPC_CHANNEL_CONNECTING) return;
  grpc_channel_destroy(c->channel); /* this ends the watch */
  c->channel = NULL;
}

static void on_state_changed(gxds_completion *self, bool ok) {
  (void)ok;
  gxds_server_channel *c = (gxds_server_channel *)self;
  c->watching = false;
  if (c->destroyed && c->channel) close_unless_connecting(c);
  if (!c->channel) {
    free_channel(c);
    return;
  }
  c->state = grpc_channel_check_connectivity_state(c->channel, 0);
  if (c->state == GRPC_CHANNEL_TRANSIENT_FAILURE && !c->destroyed) find_reason(c);
  watch(c);
}

static grpc_channel *make_channel(const gxds_bootstrap_server *server,
                                  grpc_channel_credentials *creds, const grpc_channel_args *args) {
  const grpc_arg ours[] = {
      {GRPC_ARG_INTEGER, GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, {.integer = GXDS_RECEIVE_SIZE_MAX}},
      {GRPC_ARG_INTEGER, GRPC_ARG_KEEPALIVE_TIME_MS, {.integer = GXDS_KEEPALIVE_TIME_MS}},
      {GRPC_ARG_INTEGER, GRPC_ARG_KEEPALIVE_TIMEOUT_MS, {.integer = GXDS_KEEPALIVE_TIMEOUT_MS}},
      /* gRPC 1.83 never starts the timer of the keepalive timeout (grpc_chttp2_end_write() asks for
       * one that runs). It starts only that of the ping timeout, which is a minute by default. 1.51
       * does not know this argument. */
      {GRPC_ARG_INTEGER, "grpc.http2.ping_timeout_ms", {.integer = GXDS_KEEPALIVE_TIMEOUT_MS}},
      /* An ADS stream may be silent for hours. By default gRPC would stop after two pings. */
      {GRPC_ARG_INTEGER, GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, {.integer = 0}},
      /* The engine restarts its streams, so gRPC need not copy each request for a retry. */
      {GRPC_ARG_INTEGER, GRPC_ARG_ENABLE_RETRIES, {.integer = 0}},
  };
  grpc_channel_args *all = gxds_channel_args_create(args, ours, sizeof(ours) / sizeof(ours[0]));
  gxds_str uri = gxds_str_dup(server->uri); /* a copy has a terminating zero */
  grpc_channel *channel = grpc_channel_create(uri.data, creds, all);
  gxds_str_free(&uri);
  gxds_channel_args_destroy(all);
  return channel;
}

gxds_server_channel *gxds_server_channel_create(
    const gxds_bootstrap_server *server, grpc_channel_credentials *creds,
    const grpc_channel_args *args, void (*on_failed)(void *arg, const gxds_status *status),
    void *arg) {
  gxds_reactor_acquire();
  gxds_server_channel *c = GXDS_NEW(gxds_server_channel);
  c->watch = gxds_completion_make(on_state_changed);
  c->channel = make_channel(server, creds, args);
  c->on_failed = on_failed;
  c->arg = arg;
  c->state = grpc_channel_check_connectivity_state(c->channel, 0);
  if (grpc_channel_support_connectivity_watcher(c->channel)) {
    watch(c);
  } else {
    /* gRPC made a lame channel, because the target or the credentials are invalid. A watch on it
     * would never end, not even when the channel is destroyed. */
    find_reason(c);
  }
  return c;
}

void gxds_server_channel_report_failure(gxds_server_channel *c) {
  if (c->state == GRPC_CHANNEL_TRANSIENT_FAILURE) find_reason(c);
}

void gxds_server_channel_destroy(gxds_server_channel *c) {
  gxds_stream_call_close(c->reason);
  c->destroyed = true;
  if (c->watching) {
    close_unless_connecting(c);
  } else {
    grpc_channel_destroy(c->channel);
    free_channel(c);
  }
}

grpc_channel *gxds_server_channel_get(gxds_server_channel *c) { return c->channel; }

void gxds_server_channel_reset_backoff(gxds_server_channel *c) {
  if (c->watching) grpc_channel_reset_connect_backoff(c->channel);
}
