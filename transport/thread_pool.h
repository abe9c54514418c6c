/* Threads for work that may block. There are as many as are needed so that no work waits for
 * another, unless the system starts no more threads, and they stay. The pool and its threads live
 * as long as the process. */
#ifndef GRPC_XDS_TRANSPORT_THREAD_POOL_H_
#define GRPC_XDS_TRANSPORT_THREAD_POOL_H_

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_thread_pool gxds_thread_pool;

gxds_thread_pool *gxds_thread_pool_create(void);

/* Runs work(arg) on a thread of the pool. Work begins in the order of the calls. Any thread. */
void gxds_thread_pool_run(gxds_thread_pool *pool, void (*work)(void *arg), void *arg);

#ifdef __cplusplus
}
#endif

#endif
