#include "xds_resolver/cluster_ref.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "test/xds_resolver/made_up.h"

namespace {

using made_up::S;
using made_up::Str;
using Strings = std::vector<std::string>;

class ClusterRef : public ::testing::Test {
 protected:
  void SetUp() override {
    gxds_mailbox_owner owner = {[](void *, gxds_mailbox *) {},
                                [](void *arg) { *static_cast<bool *>(arg) = true; }, &gone_};
    mailbox_ = gxds_mailbox_create(owner);
    refs_ = gxds_cluster_refs_create(mailbox_);
  }
  void TearDown() override {
    if (refs_) gxds_cluster_refs_destroy(refs_);
    gxds_mailbox_unref(mailbox_);
    EXPECT_TRUE(gone_) << "somebody still holds the mailbox";
  }
  const gxds_cluster_set *Hold(const Strings &names) {
    std::vector<gxds_str> views;
    for (const auto &n : names) views.push_back(S(n));
    const gxds_names *n = gxds_names_create(views.data(), views.size());
    const gxds_cluster_set *s = gxds_cluster_refs_hold(
        refs_, n,
        [](void *arg, gxds_str name) { static_cast<Strings *>(arg)->push_back(Str(name)); }, &new_);
    gxds_names_unref(n);
    return s;
  }
  // The clusters that the mail reports as unused and that are still unused.
  Strings TakeUnused() {
    Strings out;
    for (gxds_mail *mail = gxds_mailbox_take(mailbox_); mail;) {
      gxds_mail *next = gxds_mail_next(mail);
      EXPECT_EQ(mail->kind, GXDS_MAIL_CLUSTER_UNUSED);
      if (gxds_cluster_refs_forget_unused(refs_, mail->cluster)) {
        out.push_back(Str(mail->cluster));
      }
      gxds_mail_destroy(mail);
      mail = next;
    }
    return out;
  }

  bool gone_ = false;
  gxds_mailbox *mailbox_;
  gxds_cluster_refs *refs_;
  Strings new_;
};

TEST_F(ClusterRef, ASetHoldsItsClusters) {
  const gxds_cluster_set *s = Hold({"a", "b"});
  EXPECT_EQ(new_, (Strings{"a", "b"}));
  EXPECT_TRUE(TakeUnused().empty());
  gxds_cluster_set_unref(s);
  EXPECT_EQ(TakeUnused(), (Strings{"a", "b"}));
}

TEST_F(ClusterRef, AnRpcHoldsItsClusterBeyondTheSet) {  // A31.7
  const gxds_cluster_set *s = Hold({"a", "b"});
  gxds_cluster_ref *rpc = gxds_cluster_set_hold(s, 1);
  EXPECT_EQ(Str(gxds_cluster_ref_name(rpc)), "b");
  gxds_cluster_set_unref(s);
  EXPECT_EQ(TakeUnused(), (Strings{"a"}));
  gxds_cluster_ref_release(rpc);
  EXPECT_EQ(TakeUnused(), (Strings{"b"}));
}

TEST_F(ClusterRef, ANewerSetTakesAClusterUpAgain) {
  const gxds_cluster_set *s = Hold({"a", "b"});
  const gxds_cluster_set *next = Hold({"b", "c"});
  EXPECT_EQ(new_, (Strings{"a", "b", "c"}));
  gxds_cluster_set_unref(s);
  EXPECT_EQ(TakeUnused(), (Strings{"a"}));
  gxds_cluster_set_unref(next);
  EXPECT_EQ(TakeUnused(), (Strings{"b", "c"}));
}

TEST_F(ClusterRef, AClusterThatComesBackHasAnotherId) {
  const gxds_cluster_set *a = Hold({"a", "b"});
  gxds_cluster_ref *hold = gxds_cluster_set_hold(a, 0);
  const uint64_t first = gxds_cluster_ref_id(hold);
  EXPECT_NE(first, 0u);
  gxds_cluster_ref_release(hold);
  hold = gxds_cluster_set_hold(a, 1);
  EXPECT_NE(gxds_cluster_ref_id(hold), first);
  gxds_cluster_ref_release(hold);
  gxds_cluster_set_unref(a);
  TakeUnused();
  a = Hold({"a"});
  hold = gxds_cluster_set_hold(a, 0);
  EXPECT_NE(gxds_cluster_ref_id(hold), first);
  gxds_cluster_ref_release(hold);
  gxds_cluster_set_unref(a);
}

TEST_F(ClusterRef, ANewerSetMayBeFasterThanTheMail) {
  gxds_cluster_set_unref(Hold({"a"}));
  const gxds_cluster_set *again = Hold({"a"});
  EXPECT_EQ(new_, (Strings{"a"}));  // it was never removed
  EXPECT_TRUE(TakeUnused().empty());
  gxds_cluster_set_unref(again);
  EXPECT_EQ(TakeUnused(), (Strings{"a"}));
  const gxds_cluster_set *third = Hold({"a"});
  EXPECT_EQ(new_, (Strings{"a", "a"}));
  gxds_cluster_set_unref(third);
}

TEST_F(ClusterRef, HoldsOutliveTheChannel) {
  const gxds_cluster_set *s = Hold({"a"});
  gxds_cluster_ref *rpc = gxds_cluster_set_hold(s, 0);
  gxds_mailbox_close(mailbox_);
  gxds_cluster_refs_destroy(refs_);
  refs_ = nullptr;
  gxds_cluster_set_unref(s);
  EXPECT_EQ(Str(gxds_cluster_ref_name(rpc)), "a");
  gxds_cluster_ref_release(rpc);
}

// RPCs start and end on several threads while sets change: no cluster is lost, none is removed
// while it is held, and in the end all are removed.
TEST_F(ClusterRef, HoldsComeAndGoOnManyThreads) {
  constexpr int kRounds = 300;
  std::set<std::string> known;
  for (int round = 0; round < kRounds; round++) {
    new_.clear();
    const gxds_cluster_set *s = Hold({"a", round % 2 ? "b" : "c", "d" + std::to_string(round % 5)});
    for (const auto &name : new_) EXPECT_TRUE(known.insert(name).second) << name;
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; t++) {
      gxds_cluster_set_ref(s);
      threads.emplace_back([s, t, &stop] {
        for (int i = 0; i < 50 && !stop; i++) {
          gxds_cluster_ref *rpc = gxds_cluster_set_hold(s, static_cast<size_t>((i + t) % 3));
          EXPECT_GT(gxds_cluster_ref_name(rpc).size, 0u);
          gxds_cluster_ref_release(rpc);
        }
        gxds_cluster_set_unref(s);
      });
    }
    gxds_cluster_set_unref(s);
    for (const auto &name : TakeUnused()) EXPECT_EQ(known.erase(name), 1u) << name;
    for (auto &t : threads) t.join();
  }
  for (const auto &name : TakeUnused()) EXPECT_EQ(known.erase(name), 1u) << name;
  EXPECT_TRUE(known.empty());
}

}  // namespace
