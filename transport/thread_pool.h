/* Threads that do work which may wait: as many as are needed for none to wait for another, and no
 * fewer later. Lives as long as the process, and so do its threads. */
#ifndef GRPC_XDS_TRANSPORT_THREAD_POOL_H_
#define GRPC_XDS_TRANSPORT_THREAD_POOL_H_

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_thread_pool gxds_thread_pool;

gxds_thread_pool *gxds_thread_pool_create(void);

/* Any thread. What is given first begins first. */
void gxds_thread_pool_run(gxds_thread_pool *pool, void (*work)(void *arg), void *arg);

#ifdef __cplusplus
}
#endif

#endif
