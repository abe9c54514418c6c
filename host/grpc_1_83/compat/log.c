#include <grpc/support/log.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { kMessageMax = 16 * 1024 }; /* A longer one is cut. */

void gpr_log(const char *file, int line, gpr_log_severity severity, const char *format, ...) {
  char message[kMessageMax];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  grpc_absl_log(file, line, severity, message);
}

/* What abseil does with INFO and ERROR is its own business. DEBUG is its VLOG(2), which
 * GRPC_VERBOSITY turns on. */
int gpr_should_log(gpr_log_severity severity) {
  if (severity != GPR_LOG_SEVERITY_DEBUG) return 1;
  const char *verbosity = secure_getenv("GRPC_VERBOSITY");
  return verbosity != NULL && strcasecmp(verbosity, "debug") == 0;
}
