/* gxds_worker: a thread of ours that polls the host's sockets when nobody else does.
 *
 * Thus updates come in at once in a program that makes no calls, and one that does has no rival for
 * its sockets (poll_policy.h). It is inside gRPC only while it polls. One owner; functions say more
 * where that is not enough. */
#ifndef GRPC_XDS_TRANSPORT_WORKER_H_
#define GRPC_XDS_TRANSPORT_WORKER_H_

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct timespec;
typedef struct gxds_worker gxds_worker;

/* Starts it. host_epoll: gxds_host_epoll(), not -1. The caller holds a grpc_init until
 * gxds_worker_destroy(). NULL: the process has no file descriptor or no thread left for it. */
gxds_worker *gxds_worker_create(int host_epoll);
/* Ends and joins it. It may be inside gRPC, and there in our code: the caller holds no lock that
 * code under a serializer takes. */
void gxds_worker_destroy(gxds_worker *w);

/* Whether the calling thread is one. */
bool gxds_worker_is_current(void);

/* For a fork, from any thread: waits until it is outside gRPC, at most until limit
 * (CLOCK_REALTIME), and keeps it there until resumed. Nests. False: it is still inside. */
bool gxds_worker_park(gxds_worker *w, const struct timespec *limit);
void gxds_worker_resume(gxds_worker *w);
/* In the child of a fork, which has no such thread: closes what it inherited. w is lost. */
void gxds_worker_abandon(gxds_worker *w);

#ifdef __cplusplus
}
#endif

#endif
