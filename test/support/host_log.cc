#include "test/support/host_log.h"

#include <algorithm>
#include <mutex>
#include <string_view>

#include "test/support/host_seam.h"

namespace gxds_test {
namespace {

std::mutex g_mu;
std::vector<std::string> g_lines;

void Keep(std::string_view line) {
  std::lock_guard<std::mutex> lock(g_mu);
  g_lines.emplace_back(line);
}

bool HasAll(const std::string& line, const std::vector<std::string>& parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return line.find(part) != std::string::npos; });
}

}  // namespace

HostLog::HostLog() {
  {
    // A thread may still have logged a line when the last HostLog ended.
    std::lock_guard<std::mutex> lock(g_mu);
    g_lines.clear();
  }
  SetHostLogReader(Keep);
}

HostLog::~HostLog() { SetHostLogReader(nullptr); }

std::vector<std::string> HostLog::lines() const {
  std::lock_guard<std::mutex> lock(g_mu);
  return g_lines;
}

int HostLog::Count(const std::string& text) const {
  std::lock_guard<std::mutex> lock(g_mu);
  return static_cast<int>(std::count_if(g_lines.begin(), g_lines.end(),
                                        [&](const auto& line) { return HasAll(line, {text}); }));
}

bool HostLog::Has(const std::vector<std::string>& parts) const {
  std::lock_guard<std::mutex> lock(g_mu);
  return std::any_of(g_lines.begin(), g_lines.end(),
                     [&](const auto& line) { return HasAll(line, parts); });
}

}  // namespace gxds_test
