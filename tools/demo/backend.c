/* `xds demo-backend NAME`: a gRPC server that responds to every unary call with its name. It prints
 * its port and runs until its standard input ends, so it never outlives the demo. */
#include <grpc/byte_buffer.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/alloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/memory.h"
#include "tools/demo/demo.h"

typedef struct call_state {
  grpc_call *call; /* NULL: the slot waits for a call */
  grpc_call_details details;
  grpc_metadata_array metadata;
  grpc_byte_buffer *request;
  int cancelled;
  enum { WAITING, READING, RESPONDING } step;
} call_state;

typedef struct backend {
  grpc_server *server;
  grpc_completion_queue *cq;
  grpc_slice name;
} backend;

static char shutdown_tag;

static void await_call(backend *b) {
  call_state *c = GXDS_NEW(call_state);
  grpc_call_details_init(&c->details);
  grpc_metadata_array_init(&c->metadata);
  grpc_call_error error =
      grpc_server_request_call(b->server, &c->call, &c->details, &c->metadata, b->cq, b->cq, c);
  GXDS_CHECK(error == GRPC_CALL_OK);
}

static void end_call(call_state *c) {
  if (c->call) grpc_call_unref(c->call);
  if (c->request) grpc_byte_buffer_destroy(c->request);
  grpc_call_details_destroy(&c->details);
  grpc_metadata_array_destroy(&c->metadata);
  gxds_free(c);
}

static void read_request(call_state *c) {
  c->step = READING;
  grpc_op op = {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &c->request};
  GXDS_CHECK(grpc_call_start_batch(c->call, &op, 1, c, NULL) == GRPC_CALL_OK);
}

static void respond(backend *b, call_state *c) {
  c->step = RESPONDING;
  grpc_byte_buffer *reply = grpc_raw_byte_buffer_create(&b->name, 1);
  grpc_op ops[] = {
      {.op = GRPC_OP_SEND_INITIAL_METADATA},
      {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = reply},
      {.op = GRPC_OP_SEND_STATUS_FROM_SERVER,
       .data.send_status_from_server.status = GRPC_STATUS_OK},
      {.op = GRPC_OP_RECV_CLOSE_ON_SERVER, .data.recv_close_on_server.cancelled = &c->cancelled},
  };
  GXDS_CHECK(grpc_call_start_batch(c->call, ops, 4, c, NULL) == GRPC_CALL_OK);
  grpc_byte_buffer_destroy(reply);
}

static void on_event(backend *b, call_state *c, bool ok) {
  if (c->step == WAITING && ok) {
    await_call(b);
    read_request(c);
  } else if (c->step == READING && ok) {
    respond(b, c);
  } else {
    end_call(c);
  }
}

static void *end_with_stdin(void *arg) {
  backend *b = arg;
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  grpc_server_shutdown_and_notify(b->server, b->cq, &shutdown_tag);
  return NULL;
}

static void serve(backend *b) {
  await_call(b);
  for (;;) {
    grpc_event event = grpc_completion_queue_next(b->cq, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
    if (event.type != GRPC_OP_COMPLETE) continue;
    if (event.tag == &shutdown_tag) break;
    on_event(b, event.tag, event.success != 0);
  }
  grpc_server_destroy(b->server);
  grpc_completion_queue_shutdown(b->cq);
  for (;;) {
    grpc_event event = grpc_completion_queue_next(b->cq, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
    if (event.type == GRPC_QUEUE_SHUTDOWN) break;
    if (event.type == GRPC_OP_COMPLETE) end_call(event.tag);
  }
  grpc_completion_queue_destroy(b->cq);
}

int xds_demo_backend_main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: xds demo-backend NAME\n");
    return 2;
  }
  grpc_init();
  backend b = {.name = grpc_slice_from_copied_string(argv[1])};
  b.server = grpc_server_create(NULL, NULL);
  b.cq = grpc_completion_queue_create_for_next(NULL);
  grpc_server_register_completion_queue(b.server, b.cq, NULL);
  grpc_server_credentials *credentials = grpc_insecure_server_credentials_create();
  int port = grpc_server_add_http2_port(b.server, "127.0.0.1:0", credentials);
  grpc_server_credentials_release(credentials);
  if (port == 0) {
    fprintf(stderr, "xds demo-backend: no port to listen on at 127.0.0.1\n");
    return 1;
  }
  grpc_server_start(b.server);
  printf("port %d\n", port);
  fflush(stdout);
  pthread_t watcher;
  GXDS_CHECK(pthread_create(&watcher, NULL, end_with_stdin, &b) == 0);
  serve(&b);
  pthread_join(watcher, NULL);
  grpc_slice_unref(b.name);
  grpc_shutdown();
  return 0;
}
