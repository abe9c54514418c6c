#include "host/grpc_1_83/policy.h"

#include <grpc/support/log.h>
#include <string.h>
#include <time.h>

#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "base/random.h"
#include "host/grpc_1_83/convert.h"
#include "src/core/lib/debug/trace.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/util/debug_location.h"

namespace grpc_xds {

using grpc_core::WorkSerializer;
using grpc_event_engine::experimental::EventEngine;

namespace {

struct Channel : gxds_lb_channel {
  std::shared_ptr<WorkSerializer> serializer;
  EventEngine* engine;
};

// Of the channels that live. One takes itself out when it ends, which may be on any thread.
struct Registry {
  std::mutex mu;
  std::map<const WorkSerializer*, Channel*> channels;  // under mu
};

Registry& TheRegistry() {
  static auto* registry = new Registry;
  return *registry;
}

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
  // Kept by the work: the channel may be gone when it is done.
  SerializerOf(channel)->Run([serializer = SerializerOf(channel), work, arg] { work(arg); },
                             DEBUG_LOCATION);
}

// The serializer of this host never runs work where it is asked to.
void Post(gxds_lb_channel* channel, void (*work)(void* arg), void* arg) {
  RunLater(channel, work, arg);
}

gxds_lb_timer StartTimer(gxds_lb_channel* channel, gxds_duration delay, void (*work)(void* arg),
                         void* arg) {
  auto handle = static_cast<Channel*>(channel)->engine->RunAfter(
      std::chrono::nanoseconds(delay), [serializer = SerializerOf(channel), work, arg] {
        grpc_core::ExecCtx exec_ctx;
        serializer->Run([serializer, work, arg] { work(arg); }, DEBUG_LOCATION);
      });
  return {{handle.keys[0], handle.keys[1]}};
}

bool CancelTimer(gxds_lb_channel* channel, gxds_lb_timer timer) {
  return static_cast<Channel*>(channel)->engine->Cancel({timer.words[0], timer.words[1]});
}

bool Traces(const char* word) {
  static const struct {
    const char* word;
    grpc_core::TraceFlag* flag;
  } kFlags[] = {
      {"cds_lb", &grpc_core::cds_lb_trace},
      {"outlier_detection_lb", &grpc_core::outlier_detection_lb_trace},
      {"pick_first", &grpc_core::pick_first_trace},
      {"priority_lb", &grpc_core::priority_lb_trace},
      {"ring_hash_lb", &grpc_core::ring_hash_lb_trace},
      {"round_robin", &grpc_core::round_robin_trace},
      {"xds_cluster_impl_lb", &grpc_core::xds_cluster_impl_lb_trace},
      {"xds_cluster_manager_lb", &grpc_core::xds_cluster_manager_lb_trace},
      {"xds_wrr_locality_lb", &grpc_core::xds_wrr_locality_lb_trace},
  };
  for (const auto& known : kFlags) {
    if (strcmp(known.word, word) == 0) return known.flag->enabled();
  }
  return false;
}

gxds_time Now(const gxds_lb_channel* /*channel*/) {
  timespec now;  // not gpr_now(), which is ahead of it
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * GXDS_SECOND + now.tv_nsec;
}

void Log(gxds_lb_severity severity, gxds_str line) {
  gpr_log(__FILE__, __LINE__,
          severity == GXDS_LB_ERROR ? GPR_LOG_SEVERITY_ERROR : GPR_LOG_SEVERITY_INFO, "%.*s",
          GXDS_STR_ARG(line));
}

const gxds_lb_channel_ops kOps = {
    Destroy,     Now,  [](gxds_lb_channel* /*channel*/) { return gxds_random_seed(); },
    RunLater,    Post, StartTimer,
    CancelTimer, Log,  Traces,
    ParseList,
};

}  // namespace

gxds_lb_channel* ChannelOn(std::shared_ptr<WorkSerializer> serializer, EventEngine* engine) {
  Registry& registry = TheRegistry();
  std::lock_guard<std::mutex> lock(registry.mu);
  Channel*& channel = registry.channels[serializer.get()];
  // One that is about to end waits for the lock, and another takes its place.
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
