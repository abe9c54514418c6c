#include "transport/lrs_call.h"

#include "base/memory.h"
#include "transport/reactor.h"
#include "transport/stream_call.h"

struct gxds_lrs_call {
  gxds_lrs_stream *stream;
  struct grpc_channel *channel;
  gxds_call_creds *creds; /* NULL: none */
  gxds_stream_call *call; /* NULL: none */
  uint64_t id;            /* the stream's id of the call */
  gxds_timer timer;
};

static void pump(gxds_lrs_call *l);

static void on_sent(void *owner, uint64_t id) {
  gxds_lrs_call *l = owner;
  gxds_lrs_stream_on_sent(l->stream, id, gxds_reactor_now());
  pump(l);
}

static void on_message(void *owner, uint64_t id, const void *data, size_t size) {
  gxds_lrs_call *l = owner;
  gxds_lrs_stream_on_message(l->stream, id, data, size, gxds_reactor_now());
  pump(l);
}

static void on_closed(void *owner, uint64_t id, const gxds_status *status) {
  gxds_lrs_call *l = owner;
  l->call = NULL;
  gxds_lrs_stream_on_closed(l->stream, id, status, gxds_reactor_now());
  pump(l);
}

static void on_timer(void *arg) {
  gxds_lrs_call *l = arg;
  gxds_lrs_stream_on_deadline(l->stream, gxds_reactor_now());
  pump(l);
}

static void open_call(gxds_lrs_call *l, const gxds_lrs_action *a) {
  static const gxds_stream_call_events events = {on_sent, on_message, on_closed};
  const gxds_stream_call_options options = {
      .method = a->method,
      .wait_for_ready = true,
      .deadline = GXDS_TIME_NEVER,
      .id = a->id,
      .creds = l->creds,
      .events = &events,
      .owner = l,
  };
  gxds_stream_call_close(l->call);
  l->call = gxds_stream_call_open(l->channel, &options);
  l->id = a->id;
}

static void carry_out(gxds_lrs_call *l, const gxds_lrs_action *a) {
  if (a->kind == GXDS_LRS_OPEN) {
    open_call(l, a);
    return;
  }
  if (!l->call || a->id != l->id) return; /* the call has ended in the meantime */
  switch (a->kind) {
    case GXDS_LRS_SEND:
      gxds_stream_call_send(l->call, a->bytes, NULL);
      break;
    case GXDS_LRS_READ:
      gxds_stream_call_read(l->call);
      break;
    case GXDS_LRS_CLOSE:
      gxds_stream_call_close(l->call);
      l->call = NULL;
      break;
    case GXDS_LRS_OPEN:
      break;
  }
}

static void pump(gxds_lrs_call *l) {
  for (const gxds_lrs_action *a; (a = gxds_lrs_stream_next_action(l->stream));) carry_out(l, a);
  gxds_timer_set(&l->timer, gxds_lrs_stream_deadline(l->stream), on_timer, l);
}

gxds_lrs_call *gxds_lrs_call_create(const gxds_bootstrap *bootstrap,
                                    const gxds_bootstrap_server *server, gxds_load_store *store,
                                    struct grpc_channel *channel, gxds_call_creds *creds,
                                    uint64_t seed) {
  gxds_lrs_call *l = GXDS_NEW(gxds_lrs_call);
  l->stream = gxds_lrs_stream_create(bootstrap, server, store, seed, gxds_reactor_now());
  l->channel = channel;
  l->creds = creds;
  pump(l);
  return l;
}

void gxds_lrs_call_set_left(gxds_lrs_call *l, bool left) {
  gxds_lrs_stream_set_left(l->stream, left, gxds_reactor_now());
  pump(l);
}

static void free_lrs_call(gxds_lrs_call *l) {
  gxds_timer_cancel(&l->timer);
  gxds_lrs_stream_destroy(l->stream);
  gxds_free(l);
}

void gxds_lrs_call_destroy(gxds_lrs_call *l) {
  gxds_stream_call_close(l->call);
  free_lrs_call(l);
}

void gxds_lrs_call_finish(gxds_lrs_call *l) {
  gxds_stream_call_finish(l->call);
  free_lrs_call(l);
}
