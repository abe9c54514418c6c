/* Counts the work that is handed over to threads of the host, because the reactor must not run the
 * work of channels itself. A fork waits until the work is done. Otherwise the child would not have
 * the thread, and the host's state would stay incomplete there. The exit of the process waits too,
 * because the host's globals end there. */
#ifndef GRPC_XDS_TRANSPORT_HAND_OVER_H_
#define GRPC_XDS_TRANSPORT_HAND_OVER_H_

#ifdef __cplusplus
extern "C" {
#endif

/* The fork handlers of this stage. fork.c has them from the start, without a registration. */
extern const struct gxds_fork_handlers gxds_hand_over_fork_handlers;

/* Counts work that will be handed over. Any thread. This waits only while a fork is in progress. */
void gxds_hand_over_begin(void);

/* Runs the work on the thread that it was handed over to, and counts it as done afterwards. Call it
 * once for each gxds_hand_over_begin(). The work itself may fork or exit; the fork or exit does not
 * wait for it. */
void gxds_hand_over_run(void (*work)(void *arg), void *arg);

#ifdef __cplusplus
}
#endif

#endif
