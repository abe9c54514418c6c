/* Work that is handed over to threads of the host, as the reactor must not run that of channels
 * itself: how much of it is on its way. A fork, and the exit of the process, wait for it: a child
 * would lack the thread and find the host in the midst of something; at the exit the host's globals
 * end. */
#ifndef GRPC_XDS_TRANSPORT_HAND_OVER_H_
#define GRPC_XDS_TRANSPORT_HAND_OVER_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Of fork.h, which has them from the beginning. */
extern const struct gxds_fork_handlers gxds_hand_over_fork_handlers;

/* Work is on its way from here on. Any thread; it does not wait, but for a fork. */
void gxds_hand_over_begin(void);

/* Does it, on the thread that it was handed over to; after that, and once for each begin, it counts
 * as done. work may fork or exit: that does not wait for itself. */
void gxds_hand_over_run(void (*work)(void *arg), void *arg);

#ifdef __cplusplus
}
#endif

#endif
