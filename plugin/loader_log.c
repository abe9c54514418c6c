#include "plugin/loader_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kSeverityError = 2, kMessageMax = 1024 };

/* True if the host printed the message, to wherever the program wants its log. Before the first
 * grpc_init() sets up the host's log, it prints nothing. */
static bool log_through(const gxds_host_library *host, int line, const char *message) {
  if (!host) return false;
  gxds_host_function should = gxds_host_library_function(host, "gpr_should_log");
  gxds_host_function print = gxds_host_library_function(host, "gpr_log_message");
  if (!should || !print || !((int (*)(int))(void *)should)(kSeverityError)) return false;
  ((void (*)(const char *, int, int, const char *))(void *)print)(__FILE__, line, kSeverityError,
                                                                  message);
  return true;
}

static void log_to_stderr(int line, const char *message) {
  const char *verbosity = secure_getenv("GRPC_VERBOSITY");
  if (verbosity && strcasecmp(verbosity, "none") == 0) return;
  struct timespec now = {0};
  struct tm local = {0};
  char date[32] = "";
  if (clock_gettime(CLOCK_REALTIME, &now) == 0 && localtime_r(&now.tv_sec, &local)) {
    strftime(date, sizeof date, "%m%d %H:%M:%S", &local);
  }
  char text[kMessageMax + 128];
  int size = snprintf(text, sizeof text, "E%s.%09ld %7ld %s:%d] %s\n", date, now.tv_nsec,
                      (long)syscall(SYS_gettid), strrchr("/" __FILE__, '/') + 1, line, message);
  if (size <= 0) return;
  size_t length = (size_t)size < sizeof text ? (size_t)size : sizeof text - 1;
  /* In one write, so that lines of several threads stay whole. */
  ssize_t written = write(STDERR_FILENO, text, length);
  (void)written;
}

void gxds_loader_log_error(const gxds_host_library *host, const char *format, va_list args) {
  char message[kMessageMax] = "grpc_xds: not registered: ";
  size_t used = strlen(message);
  vsnprintf(message + used, sizeof message - used, format, args);
  if (!log_through(host, __LINE__, message)) log_to_stderr(__LINE__, message);
}

void gxds_loader_log(const char *format, ...) {
  va_list args;
  va_start(args, format);
  gxds_loader_log_error(NULL, format, args);
  va_end(args);
}
