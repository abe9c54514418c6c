#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/slice.h>
#include <grpc/support/alloc.h>
#include <grpc/support/time.h>

#include "base/status.h"
#include "tools/status/csds.h"

#define METHOD "/envoy.service.status.v3.ClientStatusDiscoveryService/FetchClientStatus"

/* A unary call. */
typedef struct call {
  grpc_completion_queue *queue;
  grpc_channel *channel;
  grpc_call *call;
  grpc_byte_buffer *request;
  grpc_byte_buffer *response; /* NULL: no response came */
  grpc_metadata_array initial;
  grpc_metadata_array trailing;
  grpc_status_code status;
  grpc_slice message;
} call;

static grpc_channel *open_channel(const char *address) {
  grpc_arg any_size = {GRPC_ARG_INTEGER, GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, {.integer = -1}};
  const grpc_channel_args args = {1, &any_size};
  grpc_channel_credentials *insecure = grpc_insecure_credentials_create();
  grpc_channel *channel = grpc_channel_create(address, insecure, &args);
  grpc_channel_credentials_release(insecure);
  return channel;
}

static void call_init(call *c, const char *address, gpr_timespec deadline) {
  c->queue = grpc_completion_queue_create_for_pluck(NULL);
  c->channel = open_channel(address);
  grpc_slice method = grpc_slice_from_static_string(METHOD);
  c->call = grpc_channel_create_call(c->channel, NULL, GRPC_PROPAGATE_DEFAULTS, c->queue, method,
                                     NULL, deadline, NULL);
  grpc_slice empty = grpc_empty_slice();
  c->request = grpc_raw_byte_buffer_create(&empty, 1);
  grpc_metadata_array_init(&c->initial);
  grpc_metadata_array_init(&c->trailing);
  c->message = grpc_empty_slice();
}

static void call_fini(call *c) {
  grpc_metadata_array_destroy(&c->initial);
  grpc_metadata_array_destroy(&c->trailing);
  grpc_slice_unref(c->message);
  grpc_byte_buffer_destroy(c->request);
  if (c->response) grpc_byte_buffer_destroy(c->response);
  grpc_call_unref(c->call);
  grpc_channel_destroy(c->channel);
  grpc_completion_queue_shutdown(c->queue);
  grpc_completion_queue_destroy(c->queue);
}

/* Waits until the call has ended, which is at its deadline at the latest. */
static void call_run(call *c) {
  grpc_op ops[6] = {
      {.op = GRPC_OP_SEND_INITIAL_METADATA},  {.op = GRPC_OP_SEND_MESSAGE},
      {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT}, {.op = GRPC_OP_RECV_INITIAL_METADATA},
      {.op = GRPC_OP_RECV_MESSAGE},           {.op = GRPC_OP_RECV_STATUS_ON_CLIENT},
  };
  ops[1].data.send_message.send_message = c->request;
  ops[3].data.recv_initial_metadata.recv_initial_metadata = &c->initial;
  ops[4].data.recv_message.recv_message = &c->response;
  ops[5].data.recv_status_on_client.trailing_metadata = &c->trailing;
  ops[5].data.recv_status_on_client.status = &c->status;
  ops[5].data.recv_status_on_client.status_details = &c->message;
  c->status = GRPC_STATUS_INTERNAL;
  if (grpc_call_start_batch(c->call, ops, 6, c, NULL) != GRPC_CALL_OK) return;
  grpc_completion_queue_pluck(c->queue, c, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
}

static void take_response(const call *c, gxds_text *reply) {
  grpc_byte_buffer_reader reader;
  if (!grpc_byte_buffer_reader_init(&reader, c->response)) return;
  grpc_slice all = grpc_byte_buffer_reader_readall(&reader);
  gxds_text_add(reply,
                gxds_str_of((const char *)GRPC_SLICE_START_PTR(all), GRPC_SLICE_LENGTH(all)));
  grpc_slice_unref(all);
  grpc_byte_buffer_reader_destroy(&reader);
}

bool gxds_csds_of_server(const char *address, gxds_duration timeout, gxds_text *reply,
                         gxds_text *error) {
  gpr_timespec deadline =
      gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_nanos(timeout, GPR_TIMESPAN));
  call c = {0};
  call_init(&c, address, deadline);
  call_run(&c);
  bool ok = c.status == GRPC_STATUS_OK && c.response;
  if (ok) {
    take_response(&c, reply);
  } else if (c.status == GRPC_STATUS_UNIMPLEMENTED) {
    gxds_text_addf(error,
                   "%s has no CSDS service (envoy.service.status.v3.ClientStatusDiscoveryService)",
                   address);
  } else {
    gxds_text_addf(error, "%s: %s: ", address, gxds_code_name((gxds_code)c.status));
    gxds_text_add_escaped(error, gxds_str_of((const char *)GRPC_SLICE_START_PTR(c.message),
                                             GRPC_SLICE_LENGTH(c.message)));
  }
  call_fini(&c);
  return ok;
}
