#include "files/starved.h"

#include <errno.h>
#include <stddef.h>

const char *gxds_starved_of(int error) {
  switch (error) {
    case EMFILE:
      return "the process has no more file descriptors (RLIMIT_NOFILE, ulimit -n)";
    case ENFILE:
      return "the system has no more file descriptors (fs.file-max)";
    case ENOSPC: /* inotify_add_watch(): no more watches; open() of an existing file never fails
                    with ENOSPC */
      return "the user has no more inotify watches (fs.inotify.max_user_watches)";
    case ENOMEM:
      return "the kernel has no more memory";
    default:
      return NULL;
  }
}
