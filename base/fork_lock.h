/* GXDS_LOCK_OVER_FORKS: keeps a lock of the whole process usable in the child of a fork. If another
 * thread held the lock at the fork, nobody would release it in the child, and what it protects
 * could be half changed there. So the thread that forks takes the lock, and releases it in the
 * parent and in the child.
 *
 * A thread that holds the lock may take no other lock. The handlers are registered when the library
 * is loaded, and so before gRPC's. So they run last before a fork, when gRPC's handlers no longer
 * wait for a thread that may need the lock. */
#ifndef GRPC_XDS_BASE_FORK_LOCK_H_
#define GRPC_XDS_BASE_FORK_LOCK_H_

#include <pthread.h>

#include "base/check.h"

/* At file scope, once in a file. The arguments are void functions without arguments. The last one
 * releases the lock in the child. */
#define GXDS_LOCK_OVER_FORKS(take, release, release_in_child)                    \
  __attribute__((constructor)) static void gxds_register_lock_over_forks(void) { \
    GXDS_CHECK(pthread_atfork(take, release, release_in_child) == 0);            \
  }                                                                              \
  struct gxds_needs_semicolon

#endif
