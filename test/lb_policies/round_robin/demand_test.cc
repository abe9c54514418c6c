#include "lb_policies/round_robin/demand.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "host/channel.h"

namespace {

// A policy that is poked, on a channel that keeps the work that was posted. Any thread may poke it.
class Poked {
 public:
  Poked() {
    static const gxds_lb_channel_ops kChannelOps = [] {
      gxds_lb_channel_ops ops = {};
      ops.destroy = [](gxds_lb_channel* c) { delete static_cast<Channel*>(c); };
      ops.run_later = Post;
      ops.post = Post;
      return ops;
    }();
    auto* channel = new Channel();
    gxds_ref_init(&channel->refs);
    channel->ops = &kChannelOps;
    channel->poked = this;
    root_.channel = channel;
    policy_ = gxds_policy_create(&kType, &root_, nullptr);
  }
  ~Poked() {
    gxds_policy_end(policy_);
    Run();
    gxds_lb_channel_unref(root_.channel);
  }

  gxds_poker* poker() const { return gxds_policy_poker(policy_); }
  size_t posted() {
    const std::lock_guard<std::mutex> lock(mu_);
    return work_.size();
  }
  // Does the posted work.
  void Run() {
    for (const auto& [work, arg] : std::exchange(work_, {})) work(arg);
  }
  static inline int pokes = 0;

 private:
  struct Channel : gxds_lb_channel {
    Poked* poked;
  };
  static void Post(gxds_lb_channel* c, void (*work)(void*), void* arg) {
    Poked* self = static_cast<Channel*>(c)->poked;
    const std::lock_guard<std::mutex> lock(self->mu_);
    self->work_.push_back({work, arg});
  }
  static const gxds_policy_type kType;

  std::mutex mu_;
  std::vector<std::pair<void (*)(void*), void*>> work_;
  gxds_lb_root root_ = {};
  gxds_policy* policy_;
};

const gxds_policy_type Poked::kType = [] {
  gxds_policy_type type = {};
  type.name = "poked";
  type.create = [](gxds_policy* p, const gxds_args*) -> void* { return p; };
  type.end = [](void*) {};
  type.destroy = [](void*) {};
  type.poked = [](void*, uint64_t number, gxds_str) {
    EXPECT_EQ(number, 0u);
    pokes++;
  };
  return type;
}();

// A picker that counts its picks.
struct Child : gxds_picker {
  Child() {
    static const gxds_picker_ops kOps = {
        [](gxds_picker* p, const gxds_pick*, gxds_picked* out) {
          static_cast<Child*>(p)->picks++;
          gxds_picked_queue(out);
        },
        [](gxds_picker* p) { static_cast<Child*>(p)->destroyed = true; }};
    gxds_picker_init(this, &kOps);
  }
  std::atomic<int> picks{0};
  bool destroyed = false;
};

class DemandTest : public ::testing::Test {
 protected:
  DemandTest() { Poked::pokes = 0; }
  ~DemandTest() override { gxds_demand_unref(demand_); }

  static void Pick(gxds_picker* picker, int count) {
    for (int i = 0; i < count; i++) {
      gxds_picked out = {};
      gxds_picker_pick(picker, nullptr, &out);
      EXPECT_EQ(out.kind, GXDS_PICKED_QUEUE);
    }
  }

  Poked policy_;
  gxds_demand* demand_ = gxds_demand_create(policy_.poker());
};

TEST_F(DemandTest, PolicyIsPokedOnceWhenThereWereEnoughPicks) {
  Child child;
  gxds_picker* picker = gxds_demand_picker_create(demand_, &child, 10);
  Pick(picker, 9);
  EXPECT_EQ(policy_.posted(), 0u);
  Pick(picker, 1);
  EXPECT_EQ(policy_.posted(), 1u);
  Pick(picker, 100);
  policy_.Run();
  EXPECT_EQ(Poked::pokes, 1);
  gxds_demand_restart(demand_);
  Pick(picker, 9);
  EXPECT_EQ(policy_.posted(), 0u);
  Pick(picker, 1);
  EXPECT_EQ(policy_.posted(), 1u);
  EXPECT_EQ(child.picks, 120);
  gxds_picker_unref(picker);
  EXPECT_TRUE(child.destroyed);
}

TEST_F(DemandTest, PicksOfAllPickersCountTogether) {
  Child a, b;
  gxds_picker* of_many = gxds_demand_picker_create(demand_, &a, 100);
  gxds_picker* of_few = gxds_demand_picker_create(demand_, &b, 10);
  Pick(of_many, 50);
  EXPECT_EQ(policy_.posted(), 0u);
  Pick(of_few, 1);
  EXPECT_EQ(policy_.posted(), 1u) << "more than enough";
  gxds_picker_unref(of_many);
  gxds_picker_unref(of_few);
}

TEST_F(DemandTest, PickerOutlivesItsPolicy) {
  Child child;
  gxds_picker* picker;
  {
    Poked ended;
    gxds_demand* demand = gxds_demand_create(ended.poker());
    picker = gxds_demand_picker_create(demand, &child, 1);
    gxds_demand_unref(demand);
    Pick(picker, 1);
  }
  EXPECT_EQ(Poked::pokes, 0) << "it ended before the poke arrived";
  Pick(picker, 1);
  gxds_picker_unref(picker);
}

TEST_F(DemandTest, ManyThreadsPokeOnce) {
  Child child;
  gxds_picker* picker = gxds_demand_picker_create(demand_, &child, 1000);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) threads.emplace_back([&] { Pick(picker, 1000); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(policy_.posted(), 1u);
  EXPECT_EQ(child.picks, 4000);
  gxds_picker_unref(picker);
}

}  // namespace
