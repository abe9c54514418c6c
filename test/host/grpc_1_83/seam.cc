#include "test/support/host_seam.h"

#include <absl/log/initialize.h>
#include <absl/log/internal/globals.h>
#include <absl/log/log_entry.h>
#include <absl/log/log_sink.h>
#include <absl/log/log_sink_registry.h>

namespace gxds_test {
namespace {

// A log sink, in addition to abseil's own output.
class Reader : public absl::LogSink {
 public:
  void Send(const absl::LogEntry& entry) override {
    const absl::string_view line = entry.text_message();
    read_({line.data(), line.size()});
  }
  void (*read_)(std::string_view line) = nullptr;  // changed only while the sink is not registered
};

}  // namespace

const bool kChildMayUseChannelOfParent = false;
const bool kHostIsPolled = false;
const bool kHostnameIsPartOfConnection = true;
const double kShortestFirstBackoff = 0.8;
const char kNotADuration[] = "field:refresh_interval error:Not a duration (no s suffix)";
const char kPingsUnanswered[] = "ping timeout";
const char kNoCredentials[] = "No credentials provided";

void SetHostLogReader(void (*read)(std::string_view line)) {
  static Reader reader;
  // abseil logs information only if the program has initialized its log.
  if (!absl::log_internal::IsInitialized()) absl::InitializeLog();
  if (reader.read_ != nullptr) absl::RemoveLogSink(&reader);
  reader.read_ = read;
  if (read != nullptr) absl::AddLogSink(&reader);
}

}  // namespace gxds_test
