#include "xds_resolver/config.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "test/xds_resolver/made_up.h"
#include "xds_resolver/mailbox.h"

namespace {

using made_up::Str;
using made_up::Z;

TEST(Names, AreSortedWithoutDuplicates) {
  gxds_str in[] = {Z("b"), Z("a"), Z("b"), Z("aa"), Z("")};
  const gxds_names *n = gxds_names_create(in, 5);
  ASSERT_EQ(n->count, 4u);
  EXPECT_EQ(Str(n->names[0]), "");
  EXPECT_EQ(Str(n->names[1]), "a");
  EXPECT_EQ(Str(n->names[2]), "aa");
  EXPECT_EQ(Str(n->names[3]), "b");
  EXPECT_TRUE(gxds_names_contain(n, Z("aa")));
  EXPECT_FALSE(gxds_names_contain(n, Z("ab")));
  EXPECT_EQ(gxds_names_find(n, Z("b")), 3u);
  gxds_str out[] = {Z("aa"), Z("b"), Z("a"), Z("")};
  const gxds_names *same = gxds_names_create(out, 4);
  const gxds_names *fewer = gxds_names_create(out, 3);
  EXPECT_TRUE(gxds_names_equal(n, same));
  EXPECT_FALSE(gxds_names_equal(n, fewer));
  gxds_names_unref(n);
  gxds_names_unref(same);
  gxds_names_unref(fewer);
  const gxds_names *none = gxds_names_create(nullptr, 0);
  EXPECT_FALSE(gxds_names_contain(none, Z("a")));
  gxds_names_unref(none);
}

TEST(Config, KeepsItsPartsUntilItsLastReference) {
  made_up::g_alive = 0;
  const gxds_cluster *c = made_up::EdsCluster("c");
  const gxds_cluster_map *map =
      gxds_cluster_map_put(nullptr, gxds_cluster_entry_endpoints(c->name, c, nullptr, nullptr));
  made_up::Unref(c);
  gxds_str name = Z("c");
  const gxds_config *config = gxds_config_create(nullptr, nullptr, nullptr, map,
                                                 gxds_names_create(&name, 1), nullptr, nullptr, {});
  gxds_config_ref(config);
  gxds_config_unref(config);
  EXPECT_EQ(gxds_config_cluster(config, Z("c"))->cluster, c);
  EXPECT_EQ(gxds_config_cluster(config, Z("d")), nullptr);
  EXPECT_EQ(made_up::g_alive, 1);
  gxds_config_unref(config);
  EXPECT_EQ(made_up::g_alive, 0);
}

struct Owner {
  std::atomic<int> wakes{0};
  std::atomic<int> gone{0};
  gxds_mailbox_owner owner{[](void *arg, gxds_mailbox *) { static_cast<Owner *>(arg)->wakes++; },
                           [](void *arg) { static_cast<Owner *>(arg)->gone++; }, this};
};

std::vector<std::string> TakeAll(gxds_mailbox *m) {
  std::vector<std::string> out;
  for (gxds_mail *mail = gxds_mailbox_take(m); mail;) {
    gxds_mail *next = gxds_mail_next(mail);
    const char *sign = mail->kind == GXDS_MAIL_SUBSCRIBE     ? "+"
                       : mail->kind == GXDS_MAIL_UNSUBSCRIBE ? "-"
                                                             : "0";
    out.push_back(sign + Str(mail->cluster));
    gxds_mail_destroy(mail);
    mail = next;
  }
  return out;
}

TEST(Mailbox, GivesMailInOrderAndWakesOncePerFilling) {
  Owner owner;
  gxds_mailbox *m = gxds_mailbox_create(owner.owner);
  gxds_mailbox_cluster_subscribe(m, Z("a"));
  gxds_mailbox_cluster_subscribe(m, Z("b"));
  gxds_mailbox_cluster_unsubscribe(m, Z("a"));
  gxds_mailbox_post(m, GXDS_MAIL_CLUSTER_UNUSED, Z("c"));
  EXPECT_EQ(owner.wakes, 1);
  EXPECT_EQ(TakeAll(m), (std::vector<std::string>{"+a", "+b", "-a", "0c"}));
  EXPECT_TRUE(TakeAll(m).empty());
  gxds_mailbox_cluster_subscribe(m, Z("d"));
  EXPECT_EQ(owner.wakes, 2);
  gxds_mailbox_unref(m);  // while it contains mail
  EXPECT_EQ(owner.gone, 1);
}

TEST(Mailbox, IsInertOnceClosed) {
  Owner owner;
  gxds_mailbox *m = gxds_mailbox_create(owner.owner);
  gxds_mailbox_cluster_subscribe(m, Z("a"));
  gxds_mailbox_close(m);
  gxds_mailbox_cluster_subscribe(m, Z("b"));
  EXPECT_EQ(owner.wakes, 1);
  EXPECT_TRUE(TakeAll(m).empty());
  gxds_mailbox_close(m);
  EXPECT_EQ(owner.gone, 0);
  gxds_mailbox_unref(m);
  EXPECT_EQ(owner.gone, 1);
}

TEST(Mailbox, LosesNothingBetweenThreads) {
  Owner owner;
  gxds_mailbox *m = gxds_mailbox_create(owner.owner);
  constexpr int kThreads = 3;
  constexpr int kEach = 2000;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([m, t] {
      for (int i = 0; i < kEach; i++) {
        std::string name = std::to_string(t * kEach + i);
        gxds_mailbox_cluster_subscribe(m, made_up::S(name));
      }
    });
  }
  std::set<std::string> seen;
  while (seen.size() < kThreads * kEach) {
    for (const auto &mail : TakeAll(m)) EXPECT_TRUE(seen.insert(mail).second);
  }
  for (auto &t : threads) t.join();
  EXPECT_GE(owner.wakes, 1);
  gxds_mailbox_unref(m);
}

}  // namespace
