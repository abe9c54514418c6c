#include "test/bench/updates.h"

#include <chrono>
#include <ctime>
#include <thread>

#include "test/bench/decoding.h"
#include "test/bench/report.h"

namespace gxds_bench {
namespace {

// By what the client used() so far.
std::optional<double> CostOfUpdates(const Client& client, const Updates& updates, int count,
                                    const std::function<double()>& used) {
  using Clock = std::chrono::steady_clock;
  if (!client.WaitForQuiet()) return std::nullopt;
  Sample costs;
  double before = used();
  for (int i = 0; i < count; ++i) {
    const Clock::time_point start = Clock::now();
    if (!updates.make(i) || !client.WaitForQuiet(std::chrono::milliseconds(20))) {
      return std::nullopt;
    }
    const Clock::duration took = Clock::now() - start;
    const double after = used();
    std::this_thread::sleep_for(took);
    const double after_idle = used();
    costs.values.push_back(after - before - (after_idle - after));
    before = after_idle;
  }
  return costs.Median();
}

}  // namespace

std::optional<double> CpuOfUpdates(const Client& client, const Updates& updates, int count) {
  return CostOfUpdates(client, updates, count, [&client] { return client.Cpu(); });
}

std::optional<double> InstructionsOfUpdates(Client* client, const Updates& updates, int count) {
  return CostOfUpdates(*client, updates, count, [client] { return client->Instructions(); });
}

double CpuOfRawDecode(const std::string& bytes) {
  constexpr int kRounds = 50;
  const clock_t before = clock();
  for (int i = 0; i < kRounds; ++i) DecodeRaw(bytes);
  return static_cast<double>(clock() - before) / CLOCKS_PER_SEC / kRounds;
}

}  // namespace gxds_bench
