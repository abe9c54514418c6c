#include "base/mpsc_list.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

struct Item {
  gxds_mpsc_link link = {};
  int thread = 0;
  int number = 0;
};

constexpr int kThreads = 4;
constexpr int kItems = 5000;

std::vector<Item *> All(gxds_mpsc_link *oldest) {
  std::vector<Item *> items;
  for (; oldest; oldest = oldest->next) items.push_back(reinterpret_cast<Item *>(oldest));
  return items;
}

TEST(MpscList, ItemsComeInTheOrderOfThePushes) {
  gxds_mpsc_list list = {};
  Item items[3];
  EXPECT_TRUE(gxds_mpsc_list_is_empty(&list));
  EXPECT_EQ(gxds_mpsc_list_take(&list), nullptr);
  for (Item &item : items) gxds_mpsc_list_push(&list, &item.link);
  EXPECT_FALSE(gxds_mpsc_list_is_empty(&list));
  EXPECT_EQ(All(gxds_mpsc_list_take(&list)),
            (std::vector<Item *>{&items[0], &items[1], &items[2]}));
  EXPECT_TRUE(gxds_mpsc_list_is_empty(&list));
}

TEST(MpscList, APushReportsWhetherTheListWasEmpty) {
  gxds_mpsc_list list = {};
  Item items[3];
  EXPECT_EQ(gxds_mpsc_list_push(&list, &items[0].link), GXDS_MPSC_FIRST);
  EXPECT_EQ(gxds_mpsc_list_push(&list, &items[1].link), GXDS_MPSC_MORE);
  gxds_mpsc_list_take(&list);
  EXPECT_EQ(gxds_mpsc_list_push(&list, &items[2].link), GXDS_MPSC_FIRST);
  gxds_mpsc_list_take(&list);
}

TEST(MpscList, AClosedListGivesUpItsItemsAndRefusesOthers) {
  gxds_mpsc_list list = {};
  Item items[3];
  gxds_mpsc_list_push(&list, &items[0].link);
  gxds_mpsc_list_push(&list, &items[1].link);
  EXPECT_EQ(All(gxds_mpsc_list_close(&list)), (std::vector<Item *>{&items[0], &items[1]}));
  EXPECT_EQ(gxds_mpsc_list_push(&list, &items[2].link), GXDS_MPSC_CLOSED);
  EXPECT_TRUE(gxds_mpsc_list_is_empty(&list));
  EXPECT_EQ(gxds_mpsc_list_take(&list), nullptr);
  EXPECT_EQ(gxds_mpsc_list_close(&list), nullptr);
  EXPECT_EQ(gxds_mpsc_list_push(&list, &items[2].link), GXDS_MPSC_CLOSED);
}

// Counts what each thread pushed, and checks the order. Frees the items.
class Receiver {
 public:
  void Take(gxds_mpsc_link *oldest) {
    for (Item *item : All(oldest)) {
      EXPECT_GT(item->number, last_[item->thread]) << "of thread " << item->thread;
      last_[item->thread] = item->number;
      count_++;
      delete item;
    }
  }
  int count() const { return count_; }

 private:
  int last_[kThreads] = {};
  int count_ = 0;
};

Item *MakeItem(int thread, int number) {
  Item *item = new Item;
  item->thread = thread;
  item->number = number;
  return item;
}

TEST(MpscList, EveryItemOfManyThreadsComesOnceAndInTheOrderOfItsThread) {
  gxds_mpsc_list list = {};
  std::atomic<int> firsts{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&list, &firsts, t] {
      for (int i = 1; i <= kItems; i++) {
        if (gxds_mpsc_list_push(&list, &MakeItem(t, i)->link) == GXDS_MPSC_FIRST) firsts++;
      }
    });
  }
  Receiver receiver;
  int takes = 0;
  while (receiver.count() < kThreads * kItems) {
    gxds_mpsc_link *oldest = gxds_mpsc_list_take(&list);
    takes += oldest != nullptr;
    receiver.Take(oldest);
    if (!oldest) std::this_thread::yield();
  }
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(firsts, takes) << "each filling of the empty list is reported once";
  EXPECT_TRUE(gxds_mpsc_list_is_empty(&list));
}

// As the reactor and its posters do: the flag is outside the list.
TEST(MpscList, APushIsTakenOrFindsTheConsumerAsleep) {
  gxds_mpsc_list list = {};
  std::atomic<bool> asleep{true};
  std::atomic<int> wakes{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&, t] {
      for (int i = 1; i <= kItems; i++) {
        gxds_mpsc_list_push(&list, &MakeItem(t, i)->link);
        bool was = true;
        if (asleep.compare_exchange_strong(was, false)) wakes++;
      }
    });
  }
  Receiver receiver;
  // The test ends only if no wake-up is lost.
  for (int seen = 0; receiver.count() < kThreads * kItems; seen++) {
    while (wakes == seen) std::this_thread::yield();
    asleep = true;
    receiver.Take(gxds_mpsc_list_take(&list));
  }
  for (std::thread &thread : threads) thread.join();
}

TEST(MpscList, WhileItCloses_EveryItemIsTakenOrRefused) {
  gxds_mpsc_list list = {};
  std::atomic<int> pushed{0};
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&, t] {
      for (int i = 1; i <= kItems; i++, pushed++) {
        Item *item = MakeItem(t, i);
        if (gxds_mpsc_list_push(&list, &item->link) != GXDS_MPSC_CLOSED) continue;
        refused++;
        delete item;
      }
    });
  }
  Receiver receiver;
  while (pushed < kItems) receiver.Take(gxds_mpsc_list_take(&list));
  receiver.Take(gxds_mpsc_list_close(&list));
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(receiver.count() + refused, kThreads * kItems);
  EXPECT_EQ(gxds_mpsc_list_take(&list), nullptr);
}

}  // namespace
