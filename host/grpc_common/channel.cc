#include <grpc/support/log.h>
#include <grpc/support/port_platform.h>

#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "base/fork_lock.h"
#include "base/random.h"
#include "host/grpc_common/convert.h"
#include "host/grpc_common/core.h"
#include "host/grpc_common/policy.h"

namespace grpc_xds {

using grpc_core::WorkSerializer;
using grpc_event_engine::experimental::EventEngine;

namespace {

struct Channel : gxds_lb_channel {
  std::shared_ptr<WorkSerializer> serializer;
  EventEngine* engine;
};

// All live channels. A channel removes itself when it ends, which may be on any thread.
struct Registry {
  std::mutex mu;
  std::map<const WorkSerializer*, Channel*> channels;  // under mu
};

Registry& TheRegistry() {
  static auto* registry = new Registry;
  return *registry;
}

void TakeLock() { TheRegistry().mu.lock(); }
void ReleaseLock() { TheRegistry().mu.unlock(); }
GXDS_LOCK_OVER_FORKS(TakeLock, ReleaseLock, ReleaseLock);

void Destroy(gxds_lb_channel* channel) {
  Registry& registry = TheRegistry();
  {
    std::lock_guard<std::mutex> lock(registry.mu);
    auto it = registry.channels.find(SerializerOf(channel).get());
    if (it != registry.channels.end() && it->second == channel) registry.channels.erase(it);
  }
  delete static_cast<Channel*>(channel);
}

void RunLater(gxds_lb_channel* channel, void (*work)(void* arg), void* arg) {
  // The work holds a reference to the serializer, because the channel may be gone when the work is
  // done.
  SerializerOf(channel)->Run([serializer = SerializerOf(channel), work, arg] { work(arg); },
                             DEBUG_LOCATION);
}

gxds_lb_timer StartTimer(gxds_lb_channel* channel, gxds_duration delay, void (*work)(void* arg),
                         void* arg) {
  auto handle = static_cast<Channel*>(channel)->engine->RunAfter(
      std::chrono::nanoseconds(delay), [serializer = SerializerOf(channel), work, arg] {
        CallbackExecCtx callback_exec_ctx;
        grpc_core::ExecCtx exec_ctx;
        serializer->Run([serializer, work, arg] { work(arg); }, DEBUG_LOCATION);
      });
  return {{handle.keys[0], handle.keys[1]}};
}

bool CancelTimer(gxds_lb_channel* channel, gxds_lb_timer timer) {
  return static_cast<Channel*>(channel)->engine->Cancel({timer.words[0], timer.words[1]});
}

void Log(gxds_lb_severity severity, gxds_str line) {
  gpr_log(__FILE__, __LINE__,
          severity == GXDS_LB_ERROR ? GPR_LOG_SEVERITY_ERROR : GPR_LOG_SEVERITY_INFO, "%.*s",
          GXDS_STR_ARG(line));
}

const gxds_lb_channel_ops kOps = {
    Destroy,     Now,  [](gxds_lb_channel* /*channel*/) { return gxds_random_seed(); },
    RunLater,    Post, StartTimer,
    CancelTimer, Log,  TracesPolicies,
    ParseList,
};

}  // namespace

gxds_lb_channel* ChannelOn(std::shared_ptr<WorkSerializer> serializer, EventEngine* engine) {
  Registry& registry = TheRegistry();
  std::lock_guard<std::mutex> lock(registry.mu);
  Channel*& channel = registry.channels[serializer.get()];
  // If the count is 0 already, that channel is about to end and waits for the lock; a new channel
  // takes its place.
  if (channel != nullptr && gxds_ref_inc_if_alive(&channel->refs)) {
    channel->engine = engine;
    return channel;
  }
  channel = new Channel{};
  gxds_ref_init(&channel->refs);
  channel->ops = &kOps;
  channel->serializer = std::move(serializer);
  channel->engine = engine;
  return channel;
}

const std::shared_ptr<WorkSerializer>& SerializerOf(const gxds_lb_channel* channel) {
  return static_cast<const Channel*>(channel)->serializer;
}

}  // namespace grpc_xds
