/* A child process of the demo. Its standard input, output and error are pipes, and its output is
 * read line by line. Our own programs end when their input closes; SIGTERM ends others. The demo
 * always waits until a child has ended. */
#ifndef GRPC_XDS_TOOLS_DEMO_CHILD_H_
#define GRPC_XDS_TOOLS_DEMO_CHILD_H_

#include <stdbool.h>
#include <sys/types.h>

#include "base/text.h"

typedef struct demo_child {
  pid_t pid; /* 0: not running */
  int in;
  int out;
  int err;
  gxds_text pending_out;
  gxds_text pending_err;
} demo_child;

/* Starts argv (NULL-terminated; argv[0] a path) with the extra environment ("NAME=value", NULL-
 * terminated; NULL: none). False, with a message on stderr, when that fails. */
bool demo_child_start(demo_child *c, const char *const *argv, const char *const *extra_env);

/* Reads the available output, and calls `line` for each whole line; is_err says that it comes from
 * standard error. Does not block. Returns false once both streams have ended. */
bool demo_child_read(demo_child *c, void (*line)(void *arg, bool is_err, char *text), void *arg);

/* Waits for a line of output that begins with prefix, and returns the rest of that line, which is
 * borrowed until the next call on c. NULL if the child ends or ten seconds pass before. */
const char *demo_child_await(demo_child *c, const char *prefix);

/* Closes the child's input, sends SIGTERM if `terminate` is set, and waits for its end. Returns the
 * exit status, or -1 if a signal killed it. No effect if the child does not run. */
int demo_child_end(demo_child *c, bool terminate);

#endif
