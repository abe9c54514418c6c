/* The fork handlers of the library. All stages are registered with pthread_atfork() once, together,
 * so their order is fixed. Before the fork the last stage runs first; after it, in the parent and
 * in the child, the first stage runs first. So a stage stops before the stages that it depends on,
 * and resumes after them. gRPC registers its own handlers at its first grpc_init(), which is before
 * ours. So all of ours finish before gRPC's handlers look for threads inside gRPC, and ours resume
 * when gRPC is ready again. If the program itself registers gRPC's handlers, it must do so before
 * its first channel or server, because ours are registered when that is made.
 *
 * Any thread may register a stage, also while another thread forks. The stage takes part from the
 * next fork on. */
#ifndef GRPC_XDS_TRANSPORT_FORK_H_
#define GRPC_XDS_TRANSPORT_FORK_H_

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_fork_stage {
  GXDS_FORK_HOST,      /* the host's engines, epoll set and threads (host/) */
  GXDS_FORK_HAND_OVER, /* work that was handed over to the host's engine (hand_over.h) */
  GXDS_FORK_WEB,       /* the threads that fetch from web servers (web_source.h) */
  GXDS_FORK_REACTOR,   /* the reactor */
  GXDS_FORK_CACHE,     /* the locks of the resource cache (cache_file.h) */
  GXDS_FORK_LISTENER,  /* the threads that serve metrics and status */
  GXDS_FORK_STAGE_COUNT
} gxds_fork_stage;

/* Each is called on the thread that forks. Each may be NULL. */
typedef struct gxds_fork_handlers {
  void (*before)(void);
  void (*after_in_parent)(void);
  void (*after_in_child)(void);
} gxds_fork_handlers;

/* Registers the handlers of a stage, which are borrowed until the process ends. Each stage has one
 * set of handlers; repeated calls with the same ones are harmless. */
void gxds_fork_register(gxds_fork_stage stage, const gxds_fork_handlers *handlers);

#ifdef __cplusplus
}
#endif

#endif
