/* gxds_worker: our own thread that polls the host's sockets when no other thread does. So updates
 * arrive at once in a program that makes no RPCs, and a program that makes RPCs does not compete
 * for its sockets (poll_policy.h). The thread is inside gRPC only while it polls. One owner, unless
 * a function says otherwise. */
#ifndef GRPC_XDS_TRANSPORT_WORKER_H_
#define GRPC_XDS_TRANSPORT_WORKER_H_

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct timespec;
typedef struct gxds_worker gxds_worker;

/* Starts the worker. host_epoll is gxds_host_epoll(), and not -1. The caller holds a grpc_init
 * until gxds_worker_destroy(). NULL if the process has no file descriptor or no thread left. */
gxds_worker *gxds_worker_create(int host_epoll);
/* Ends the thread and joins it. The thread may be inside gRPC, and from there in our code, so the
 * caller must not hold a lock that code under a serializer takes. */
void gxds_worker_destroy(gxds_worker *w);

/* Whether the calling thread is a worker. */
bool gxds_worker_is_current(void);

/* For a fork, from any thread: waits until the worker is outside gRPC, and keeps it outside until
 * gxds_worker_resume(). Waits at most until limit (CLOCK_REALTIME). Calls may be nested. Returns
 * false if the worker is still inside gRPC. */
bool gxds_worker_park(gxds_worker *w, const struct timespec *limit);
void gxds_worker_resume(gxds_worker *w);
/* For the child of a fork, which does not have the thread: closes the inherited descriptor. w is
 * never freed. */
void gxds_worker_abandon(gxds_worker *w);

#ifdef __cplusplus
}
#endif

#endif
