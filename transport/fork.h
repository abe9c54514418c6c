/* What has to be done around a fork: registered with pthread_atfork() once, for all, in one order.
 * Before the fork the last stage comes first; after it, in the parent and in the child, the first
 * one does. So what stands on something else is at rest before that is, and goes on after it.
 * gRPC registers its own handlers at its first grpc_init(), which is before ours: all of ours are
 * done before gRPC's look for threads inside it, and go on when gRPC is ready again. Where gRPC's
 * are left to the program, it is to register them before its first channel or server: with that
 * ours are.
 *
 * Any thread may register, also while another forks: its stage takes part from the next fork on. */
#ifndef GRPC_XDS_TRANSPORT_FORK_H_
#define GRPC_XDS_TRANSPORT_FORK_H_

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_fork_stage {
  GXDS_FORK_HOST,      /* the host's engines, epoll set and threads (host/) */
  GXDS_FORK_HAND_OVER, /* work that was handed over to the host's engine (hand_over.h) */
  GXDS_FORK_WEB,       /* the threads that fetch from web servers (web_source.h) */
  GXDS_FORK_REACTOR,   /* the reactor and its worker */
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
