#include "test/plugin/programs/call.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/alloc.h>
#include <grpc/support/time.h>
#include <stdio.h>
#include <string.h>

enum { kDeadlineSeconds = 20 };

static void wait_next(grpc_completion_queue *cq) {
  grpc_completion_queue_next(cq, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
}

static void call_on(grpc_channel *channel, grpc_completion_queue *cq) {
  gpr_timespec deadline = gpr_time_add(gpr_now(GPR_CLOCK_REALTIME),
                                       gpr_time_from_seconds(kDeadlineSeconds, GPR_TIMESPAN));
  grpc_call *call =
      grpc_channel_create_call(channel, NULL, GRPC_PROPAGATE_DEFAULTS, cq,
                               grpc_slice_from_static_string("/a/b"), NULL, deadline, NULL);
  grpc_metadata_array trailing;
  grpc_metadata_array_init(&trailing);
  grpc_status_code code = GRPC_STATUS_OK;
  grpc_slice details = grpc_empty_slice();
  grpc_op ops[3];
  memset(ops, 0, sizeof ops);
  ops[0].op = GRPC_OP_SEND_INITIAL_METADATA;
  ops[1].op = GRPC_OP_SEND_CLOSE_FROM_CLIENT;
  ops[2].op = GRPC_OP_RECV_STATUS_ON_CLIENT;
  ops[2].data.recv_status_on_client.trailing_metadata = &trailing;
  ops[2].data.recv_status_on_client.status = &code;
  ops[2].data.recv_status_on_client.status_details = &details;
  if (grpc_call_start_batch(call, ops, 3, NULL, NULL) == GRPC_CALL_OK) wait_next(cq);
  char *text = grpc_slice_to_c_string(details);
  printf("code %d: %s\n", (int)code, text);
  fflush(stdout);
  gpr_free(text);
  grpc_slice_unref(details);
  grpc_metadata_array_destroy(&trailing);
  grpc_call_unref(call);
}

void call_once(const char *target) {
  grpc_init();
  grpc_completion_queue *cq = grpc_completion_queue_create_for_next(NULL);
  grpc_channel_credentials *creds = grpc_insecure_credentials_create();
  grpc_channel *channel = grpc_channel_create(target, creds, NULL);
  grpc_channel_credentials_release(creds);
  call_on(channel, cq);
  grpc_channel_destroy(channel);
  grpc_completion_queue_shutdown(cq);
  wait_next(cq);
  grpc_completion_queue_destroy(cq);
  grpc_shutdown();
}
