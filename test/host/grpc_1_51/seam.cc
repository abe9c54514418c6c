#include <grpc/support/log.h>

#include <atomic>

#include "test/support/host_seam.h"

namespace gxds_test {
namespace {

std::atomic<void (*)(std::string_view)> g_read{nullptr};

void Read(gpr_log_func_args* args) {
  if (auto* read = g_read.load()) read(args->message);
}

}  // namespace

const bool kChildMayUseChannelOfParent = true;
const bool kHostIsPolled = true;
const bool kHostnameIsPartOfConnection = false;
const double kShortestFirstBackoff = 1;
const char kNotADuration[] = "config.refresh_interval error:is not a duration, as \"600s\" is";
const char kPingsUnanswered[] = "keepalive";
const char kNoCredentials[] = "Failed to create secure client channel";

void SetHostLogReader(void (*read)(std::string_view line)) {
  g_read = read;
  gpr_set_log_function(read == nullptr ? nullptr : Read);
  gpr_set_log_verbosity(read == nullptr ? GPR_LOG_SEVERITY_ERROR : GPR_LOG_SEVERITY_INFO);
}

}  // namespace gxds_test
