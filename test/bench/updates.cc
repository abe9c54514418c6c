#include "test/bench/updates.h"

#include <chrono>
#include <ctime>
#include <thread>

#include "test/bench/decoding.h"
#include "test/bench/report.h"

namespace gxds_bench {
namespace {

// The cost by used(), which returns what the client has used so far.
std::optional<double> CostOfUpdates(const Process& client, const Updates& updates, int count,
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

std::optional<double> CpuOfUpdates(const Process& client, const Updates& updates, int count) {
  return CostOfUpdates(client, updates, count, [&client] { return client.Cpu(); });
}

std::optional<double> CpuOfUpdatesApart(const Process& client, const Updates& updates, int count,
                                        std::chrono::milliseconds apart) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kEnough = std::chrono::seconds(60);
  const Clock::time_point start = Clock::now();
  const double before = client.Cpu();
  int made = 0;
  for (; made < count && Clock::now() - start < kEnough; ++made) {
    const Clock::time_point next = Clock::now() + apart;
    if (!updates.make(made)) return std::nullopt;
    std::this_thread::sleep_until(next);
  }
  if (!client.WaitForQuiet(std::chrono::milliseconds(20))) return std::nullopt;
  const double after = client.Cpu();
  std::this_thread::sleep_for(Clock::now() - start);
  const double after_idle = client.Cpu();
  return (after - before - (after_idle - after)) / made;
}

std::optional<double> InstructionsOfUpdates(Client* client, const Updates& updates, int count) {
  return CostOfUpdates(client->process(), updates, count,
                       [client] { return client->Instructions(); });
}

double CpuOfRawDecode(const std::string& bytes) {
  constexpr int kRounds = 50;
  const clock_t before = clock();
  for (int i = 0; i < kRounds; ++i) DecodeRaw(bytes);
  return static_cast<double>(clock() - before) / CLOCKS_PER_SEC / kRounds;
}

}  // namespace gxds_bench
