/* Counts the work that is handed over to threads of the host, because the reactor must not run the
 * work of channels itself. A fork waits until it is done: otherwise the child would lack the
 * thread, and find the host in an unfinished state. So does the exit of the process, when the
 * host's globals end. */
#ifndef GRPC_XDS_TRANSPORT_HAND_OVER_H_
#define GRPC_XDS_TRANSPORT_HAND_OVER_H_

#ifdef __cplusplus
extern "C" {
#endif

/* The handlers for fork.h, which knows them from the start. */
extern const struct gxds_fork_handlers gxds_hand_over_fork_handlers;

/* Counts work that will be handed over. Any thread. It waits only for a fork. */
void gxds_hand_over_begin(void);

/* Runs the work on the thread that it was handed over to, and counts it as done afterwards. Call it
 * once for each gxds_hand_over_begin(). The work may fork or exit, which does not wait for the work
 * itself. */
void gxds_hand_over_run(void (*work)(void *arg), void *arg);

#ifdef __cplusplus
}
#endif

#endif
