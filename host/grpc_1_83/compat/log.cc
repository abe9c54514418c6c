#include <absl/log/internal/globals.h>
#include <grpc/support/log.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "absl/strings/match.h"

namespace {

constexpr int kMessageMax = 16 * 1024;  // a longer message is cut

// As gRPC compares it: in the same way in every locale.
bool VerbosityIs(const char* verbosity, const char* word) {
  return verbosity != nullptr && absl::EqualsIgnoreCase(verbosity, word);
}

}  // namespace

void gpr_log(const char* file, int line, gpr_log_severity severity, const char* format, ...) {
  if (!gpr_should_log(severity)) return;
  char message[kMessageMax];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  grpc_absl_log(file, line, severity, message);
}

// As in 1.51, a program that does not configure its log sees only errors; abseil would print
// everything to standard error. A program that has configured abseil's log decides there. DEBUG is
// abseil's VLOG(2), which GRPC_VERBOSITY turns on. The variable is read here too, because
// grpc_init() may come later.
int gpr_should_log(gpr_log_severity severity) {
  const char* verbosity = secure_getenv("GRPC_VERBOSITY");
  const bool debug = VerbosityIs(verbosity, "debug");
  if (severity == GPR_LOG_SEVERITY_DEBUG) return debug;
  if (severity == GPR_LOG_SEVERITY_ERROR) return !VerbosityIs(verbosity, "none");
  if (verbosity != nullptr) return debug || VerbosityIs(verbosity, "info");
  return absl::log_internal::IsInitialized();
}
