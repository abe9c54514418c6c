// The event engines that channels were given, for the child of a fork.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_ENGINES_H_
#define GRPC_XDS_HOST_GRPC_COMMON_ENGINES_H_

#include <grpc/event_engine/event_engine.h>
#include <grpc/support/port_platform.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "src/core/lib/event_engine/posix_engine/posix_engine.h"

namespace grpc_xds {

class Engines {
 public:
  using EventEngine = grpc_event_engine::experimental::EventEngine;
  using List = std::vector<std::shared_ptr<EventEngine>>;

  // Ignores an engine of another kind: the program made it, and must renew it itself.
  void Add(const std::shared_ptr<EventEngine>& engine) {
    using grpc_event_engine::experimental::PosixEventEngine;
    if (dynamic_cast<PosixEventEngine*>(engine.get()) == nullptr) return;
    all_.erase(std::remove_if(all_.begin(), all_.end(), HasEnded), all_.end());
    const auto same = [&](const std::weak_ptr<EventEngine>& e) { return e.lock() == engine; };
    if (std::none_of(all_.begin(), all_.end(), same)) all_.push_back(engine);
  }

  bool AnyLives() const { return !std::all_of(all_.begin(), all_.end(), HasEnded); }
  // Returns references to the engines that still exist.
  List Hold() const {
    List out;
    for (const std::weak_ptr<EventEngine>& e : all_) {
      if (std::shared_ptr<EventEngine> engine = e.lock()) out.push_back(std::move(engine));
    }
    return out;
  }

 private:
  static bool HasEnded(const std::weak_ptr<EventEngine>& engine) { return engine.expired(); }

  std::vector<std::weak_ptr<EventEngine>> all_;
};

}  // namespace grpc_xds

#endif
