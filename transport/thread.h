/* Threads of our own. They block all signals: those are for the program's threads. */
#ifndef GRPC_XDS_TRANSPORT_THREAD_H_
#define GRPC_XDS_TRANSPORT_THREAD_H_

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As pthread_create(), whose error it gives; 0: it runs, and the caller joins or detaches it.
 * name: for those who look at the process; at most 15 bytes. */
int gxds_thread_start(pthread_t *thread, const char *name, void *(*run)(void *arg), void *arg);

/* Likewise, detached. */
int gxds_thread_start_detached(const char *name, void *(*run)(void *arg), void *arg);

#ifdef __cplusplus
}
#endif

#endif
