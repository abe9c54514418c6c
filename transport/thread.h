/* Starts our own threads. They block all signals, because signals are for the program's threads. */
#ifndef GRPC_XDS_TRANSPORT_THREAD_H_
#define GRPC_XDS_TRANSPORT_THREAD_H_

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Like pthread_create(), and with its errors. On 0 the thread runs, and the caller joins or
 * detaches it. name, of at most 15 bytes, is shown by tools such as ps. */
int gxds_thread_start(pthread_t *thread, const char *name, void *(*run)(void *arg), void *arg);

/* Like gxds_thread_start(), but the thread is detached. */
int gxds_thread_start_detached(const char *name, void *(*run)(void *arg), void *arg);

#ifdef __cplusplus
}
#endif

#endif
