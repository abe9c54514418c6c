// Helpers for tests of code on the reactor. They run functions there and wait for events, without
// sleeping.
#ifndef GRPC_XDS_TEST_TRANSPORT_ON_REACTOR_H_
#define GRPC_XDS_TEST_TRANSPORT_ON_REACTOR_H_

#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "transport/reactor.h"

namespace grpc_xds {

// Long enough for a sanitizer on a busy machine. Only a failing test waits this long.
constexpr std::chrono::seconds kPatience(60);

// Events from one thread to another, in order.
template <typename T>
class Inbox {
 public:
  void Put(T event) {
    std::lock_guard<std::mutex> lock(mu_);
    events_.push_back(std::move(event));
    changed_.notify_all();
  }
  // Waits for the next event; none if it does not come.
  std::optional<T> Take() {
    std::unique_lock<std::mutex> lock(mu_);
    if (!changed_.wait_for(lock, kPatience, [this] { return !events_.empty(); })) {
      ADD_FAILURE() << "waited for an event in vain";
      return std::nullopt;
    }
    std::optional<T> event = std::move(events_.front());
    events_.pop_front();
    return event;
  }
  bool Empty() {
    std::lock_guard<std::mutex> lock(mu_);
    return events_.empty();
  }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  std::deque<T> events_;
};

inline void Post(std::function<void()> fn) {
  gxds_reactor_post(
      [](void *arg) {
        auto *f = static_cast<std::function<void()> *>(arg);
        (*f)();
        delete f;
      },
      new std::function<void()>(std::move(fn)));
}

// Runs fn on the reactor and waits for it. The caller holds a use.
inline void OnReactor(const std::function<void()> &fn) {
  Inbox<bool> done;
  Post([&] {
    fn();
    done.Put(true);
  });
  ASSERT_TRUE(done.Take().has_value());
}

// A use of the reactor, counted as a channel.
class ReactorUse {
 public:
  ReactorUse() : opened_in_(gxds_reactor_channel_opened()) { gxds_reactor_acquire(); }
  ~ReactorUse() {
    gxds_reactor_channel_closed(opened_in_);
    gxds_reactor_release();
  }

 private:
  const unsigned opened_in_;
};

// For conditions without an event.
inline bool WaitUntil(const std::function<bool()> &condition) {
  auto limit = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    sched_yield();
  }
  return true;
}

struct Timer {
  gxds_timer timer{};
  std::function<void()> fire;
  void Set(gxds_time deadline) {
    gxds_timer_set(
        &timer, deadline, [](void *arg) { static_cast<Timer *>(arg)->fire(); }, this);
  }
};

}  // namespace grpc_xds

#endif
