#include "tools/demo/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "transport/clock.h"

extern char **environ;

static void run(const char *const *argv, const char *const *extra_env, const int fds[3]) {
  for (int i = 0; i < 3; i++) {
    if (dup2(fds[i], i) < 0) _exit(127);
  }
  for (; extra_env && *extra_env; extra_env++) putenv((char *)*extra_env);
  execv(argv[0], (char *const *)argv);
  fprintf(stderr, "cannot run %s: %s\n", argv[0], strerror(errno));
  _exit(127);
}

bool demo_child_start(demo_child *c, const char *const *argv, const char *const *extra_env) {
  int in[2];
  int out[2];
  int err[2];
  *c = (demo_child){0};
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) {
    perror("xds demo: pipe");
    return false;
  }
  c->pid = fork();
  if (c->pid == 0) run(argv, extra_env, (const int[]){in[0], out[1], err[1]});
  close(in[0]);
  close(out[1]);
  close(err[1]);
  c->in = in[1];
  c->out = out[0];
  c->err = err[0];
  fcntl(c->out, F_SETFL, O_NONBLOCK);
  fcntl(c->err, F_SETFL, O_NONBLOCK);
  if (c->pid < 0) {
    perror("xds demo: fork");
    c->pid = 0;
    return false;
  }
  return true;
}

static bool fill(int *fd, gxds_text *pending) {
  char bytes[4096];
  while (*fd >= 0) {
    ssize_t size = read(*fd, bytes, sizeof bytes);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (size <= 0) {
      close(*fd);
      *fd = -1;
      break;
    }
    gxds_text_add(pending, gxds_str_of(bytes, (size_t)size));
  }
  return *fd >= 0;
}

/* Moves the first whole line of pending to line. False if there is no whole line. */
static bool cut_line(gxds_text *pending, gxds_text *line) {
  char *end = pending->size ? memchr(pending->data, '\n', pending->size) : NULL;
  if (!end) return false;
  size_t size = (size_t)(end - pending->data);
  gxds_text_clear(line);
  gxds_text_add(line, gxds_str_of(pending->data, size));
  memmove(pending->data, end + 1, pending->size - size - 1);
  pending->size -= size + 1;
  return true;
}

bool demo_child_read(demo_child *c, void (*line)(void *arg, bool is_err, char *text), void *arg) {
  bool open = fill(&c->out, &c->pending_out);
  open = fill(&c->err, &c->pending_err) || open;
  gxds_text one = {0};
  while (cut_line(&c->pending_out, &one)) line(arg, false, one.data);
  while (cut_line(&c->pending_err, &one)) line(arg, true, one.data);
  gxds_text_fini(&one);
  return open;
}

const char *demo_child_await(demo_child *c, const char *prefix) {
  static gxds_text one; /* static, because the caller borrows it; the demo has one thread */
  const gxds_time deadline = gxds_clock_now() + 10 * GXDS_SECOND;
  for (;;) {
    bool open = fill(&c->out, &c->pending_out);
    while (cut_line(&c->pending_out, &one)) {
      if (strncmp(one.data, prefix, strlen(prefix)) == 0) return one.data + strlen(prefix);
    }
    gxds_duration left = (deadline - gxds_clock_now()) / GXDS_MILLISECOND;
    if (!open || left <= 0) return NULL;
    struct pollfd wait = {.fd = c->out, .events = POLLIN};
    poll(&wait, 1, (int)left);
  }
}

int demo_child_end(demo_child *c, bool terminate) {
  int status = 0;
  if (c->pid == 0) return 0;
  close(c->in);
  if (terminate) kill(c->pid, SIGTERM);
  while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (c->out >= 0) close(c->out);
  if (c->err >= 0) close(c->err);
  gxds_text_fini(&c->pending_out);
  gxds_text_fini(&c->pending_err);
  c->pid = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
