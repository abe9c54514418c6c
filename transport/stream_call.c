#include "transport/stream_call.h"

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>

#include "base/check.h"
#include "base/memory.h"
#include "transport/gpr_time.h"
#include "transport/reactor.h"

typedef struct batch {
  gxds_completion completion; /* first, so that its address is the address of the batch */
  gxds_stream_call *owner;
  bool outstanding;
} batch;

struct gxds_stream_call {
  grpc_call *call;
  uint64_t id;
  const gxds_stream_call_events *events;
  void *owner;
  unsigned holds; /* batches that are outstanding, or whose completion is being handled */
  bool ended;     /* on_closed was called, or the owner has closed the call, so no more events are
                     reported */
  bool finished;  /* the status has arrived */
  bool finishing; /* gxds_stream_call_finish() ended the call: messages are read and dropped,
                     because gRPC reports the status only after all messages */
  gxds_timer patience; /* cancels the call that gxds_stream_call_finish() ended */
  gxds_call_token token;

  batch whole; /* the batch that lasts from the initial metadata to the status */
  grpc_metadata_array initial_metadata;
  grpc_metadata_array trailing_metadata;
  grpc_status_code code;
  grpc_slice details;

  batch send;
  grpc_byte_buffer *outgoing;
  batch read;
  grpc_byte_buffer *incoming;
};

static void start(gxds_stream_call *c, batch *b, const grpc_op *ops, size_t count) {
  GXDS_CHECK(!b->outstanding);
  b->outstanding = true;
  c->holds++;
  gxds_reactor_start_batch(c->call, ops, count, &b->completion);
}

static void free_call(gxds_stream_call *c) {
  gxds_timer_cancel(&c->patience);
  grpc_call_unref(c->call);
  grpc_metadata_array_destroy(&c->initial_metadata);
  grpc_metadata_array_destroy(&c->trailing_metadata);
  grpc_slice_unref(c->details);
  gxds_free(c);
  gxds_reactor_release();
}

static void drop_hold(gxds_stream_call *c) {
  if (--c->holds == 0 && c->ended) free_call(c);
}

/* Reports the end of the call, but not before an outstanding read is done, because the status may
 * arrive before the read's completion. */
static void close_when_read(gxds_stream_call *c) {
  if (!c->finished || c->ended || c->read.outstanding) return;
  c->ended = true;
  gxds_status status = gxds_status_copy(&c->token.failure);
  gxds_call_token_fini(&c->token);
  if (gxds_status_is_ok(&status) && c->code != GRPC_STATUS_OK) {
    gxds_str details =
        gxds_str_of((const char *)GRPC_SLICE_START_PTR(c->details), GRPC_SLICE_LENGTH(c->details));
    status = gxds_status_make((gxds_code)c->code, "%.*s", GXDS_STR_ARG(details));
  }
  c->events->on_closed(c->owner, c->id, &status);
  gxds_status_fini(&status);
}

static void on_finished(gxds_completion *self, bool ok) {
  (void)ok; /* unused: the status tells how the call ended */
  gxds_stream_call *c = ((batch *)self)->owner;
  c->whole.outstanding = false;
  c->finished = true;
  close_when_read(c);
  drop_hold(c);
}

static void on_sent(gxds_completion *self, bool ok) {
  gxds_stream_call *c = ((batch *)self)->owner;
  c->send.outstanding = false;
  grpc_byte_buffer_destroy(c->outgoing);
  c->outgoing = NULL;
  if (ok && !c->ended && !c->finished) c->events->on_sent(c->owner, c->id);
  drop_hold(c);
}

/* Most messages have one slice, and are passed on without a copy. The slices of other messages are
 * joined. */
static void deliver_message(gxds_stream_call *c, grpc_byte_buffer *message) {
  grpc_byte_buffer_reader reader;
  GXDS_CHECK(grpc_byte_buffer_reader_init(&reader, message));
  grpc_slice slice = grpc_empty_slice();
  size_t size = grpc_byte_buffer_length(message);
  if (size > 0 && grpc_byte_buffer_reader_next(&reader, &slice) &&
      GRPC_SLICE_LENGTH(slice) < size) {
    grpc_slice_unref(slice);
    grpc_byte_buffer_reader_destroy(&reader);
    GXDS_CHECK(grpc_byte_buffer_reader_init(&reader, message));
    slice = grpc_byte_buffer_reader_readall(&reader);
  }
  c->events->on_message(c->owner, c->id, GRPC_SLICE_START_PTR(slice), GRPC_SLICE_LENGTH(slice));
  grpc_slice_unref(slice);
  grpc_byte_buffer_reader_destroy(&reader);
}

static void start_read(gxds_stream_call *c) {
  grpc_op op = {.op = GRPC_OP_RECV_MESSAGE};
  op.data.recv_message.recv_message = &c->incoming;
  start(c, &c->read, &op, 1);
}

static void on_read(gxds_completion *self, bool ok) {
  (void)ok; /* unused: without success there is no message */
  gxds_stream_call *c = ((batch *)self)->owner;
  c->read.outstanding = false;
  grpc_byte_buffer *message = c->incoming;
  c->incoming = NULL;
  if (message) {
    if (!c->ended) deliver_message(c, message);
    grpc_byte_buffer_destroy(message);
    /* If the owner has just finished the call, a read is outstanding already. */
    if (c->finishing && !c->finished && !c->read.outstanding) start_read(c);
  }
  close_when_read(c);
  drop_hold(c);
}

gxds_stream_call *gxds_stream_call_open(grpc_channel *channel,
                                        const gxds_stream_call_options *options) {
  gxds_reactor_acquire();
  gxds_stream_call *c = GXDS_NEW(gxds_stream_call);
  c->call = grpc_channel_create_call(channel, NULL, GRPC_PROPAGATE_DEFAULTS, gxds_reactor_cq(),
                                     grpc_slice_from_static_string(options->method), NULL,
                                     gxds_to_gpr(options->deadline), NULL);
  gxds_call_token_init(&c->token, options->creds, c->call);
  c->id = options->id;
  c->events = options->events;
  c->owner = options->owner;
  c->details = grpc_empty_slice();
  grpc_metadata_array_init(&c->initial_metadata);
  grpc_metadata_array_init(&c->trailing_metadata);
  c->whole = (batch){gxds_completion_make(on_finished), c, false};
  c->send = (batch){gxds_completion_make(on_sent), c, false};
  c->read = (batch){gxds_completion_make(on_read), c, false};

  grpc_op ops[3] = {{.op = GRPC_OP_SEND_INITIAL_METADATA},
                    {.op = GRPC_OP_RECV_INITIAL_METADATA},
                    {.op = GRPC_OP_RECV_STATUS_ON_CLIENT}};
  ops[0].flags = GRPC_INITIAL_METADATA_WAIT_FOR_READY_EXPLICITLY_SET |
                 (options->wait_for_ready ? GRPC_INITIAL_METADATA_WAIT_FOR_READY : 0);
  ops[1].data.recv_initial_metadata.recv_initial_metadata = &c->initial_metadata;
  ops[2].data.recv_status_on_client.trailing_metadata = &c->trailing_metadata;
  ops[2].data.recv_status_on_client.status = &c->code;
  ops[2].data.recv_status_on_client.status_details = &c->details;
  start(c, &c->whole, ops, 3);
  return c;
}

static void give_back(void *block) { gxds_block_unref(block); }

static grpc_slice lend(const gxds_block *b) {
  gxds_block_ref(b);
  return grpc_slice_new_with_user_data((void *)b->bytes.data, b->bytes.size, give_back, (void *)b);
}

void gxds_stream_call_send(gxds_stream_call *c, gxds_str head, const gxds_block *rest) {
  GXDS_CHECK(!c->ended);
  if (c->finished) return; /* on_closed is about to be called */
  grpc_slice slices[2] = {grpc_slice_from_copied_buffer(head.data, head.size)};
  size_t count = 1;
  if (rest) slices[count++] = lend(rest);
  c->outgoing = grpc_raw_byte_buffer_create(slices, count);
  for (size_t i = 0; i < count; i++) grpc_slice_unref(slices[i]);
  grpc_op op = {.op = GRPC_OP_SEND_MESSAGE};
  op.data.send_message.send_message = c->outgoing;
  start(c, &c->send, &op, 1);
}

void gxds_stream_call_read(gxds_stream_call *c) {
  GXDS_CHECK(!c->ended);
  if (!c->finished) start_read(c);
}

void gxds_stream_call_close(gxds_stream_call *c) {
  if (!c) return;
  GXDS_CHECK(!c->ended);
  c->ended = true;
  gxds_call_token_fini(&c->token);
  grpc_call_cancel(c->call, NULL);
  if (c->holds == 0) free_call(c);
}

static void cancel(void *arg) {
  const gxds_stream_call *c = arg;
  grpc_call_cancel(c->call, NULL);
}

void gxds_stream_call_finish(gxds_stream_call *c) {
  if (!c) return;
  if (c->finished || c->send.outstanding) {
    gxds_stream_call_close(c);
    return;
  }
  GXDS_CHECK(!c->ended);
  c->ended = true;
  gxds_call_token_fini(&c->token);
  const grpc_op op = {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT};
  start(c, &c->send, &op, 1);
  c->finishing = true;
  if (!c->read.outstanding) start_read(c);
  gxds_timer_set(&c->patience, gxds_time_after(gxds_reactor_now(), GXDS_STREAM_CALL_FINISH_MAX),
                 cancel, c);
}
