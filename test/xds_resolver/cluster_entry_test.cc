#include <gtest/gtest.h>

#include <string>

#include "test/xds_resolver/made_up.h"
#include "xds_resolver/cluster_map.h"

namespace {

using made_up::Str;
using made_up::Z;

TEST(ClusterEntry, KeepsItsResourcesAndComparesThemByPointer) {
  made_up::g_alive = 0;
  const gxds_cluster *c = made_up::EdsCluster("c");
  const gxds_endpoints *e1 = made_up::NewEndpoints("c");
  const gxds_endpoints *e2 = made_up::NewEndpoints("c");
  const gxds_error *note = made_up::NewError("note"), *equal = made_up::NewError("note");
  const gxds_cluster_entry *a = gxds_cluster_entry_endpoints(c->name, c, e1, note);
  const gxds_cluster_entry *same = gxds_cluster_entry_endpoints(c->name, c, e1, equal);
  const gxds_cluster_entry *other = gxds_cluster_entry_endpoints(c->name, c, e2, note);
  const gxds_cluster_entry *noted = gxds_cluster_entry_endpoints(c->name, c, e1, nullptr);
  const gxds_cluster_entry *none = gxds_cluster_entry_endpoints(c->name, c, nullptr, note);
  made_up::Unref(c);
  made_up::Unref(e1);
  made_up::Unref(e2);
  gxds_error_unref(note);
  gxds_error_unref(equal);
  EXPECT_EQ(made_up::g_alive, 3);
  EXPECT_TRUE(gxds_cluster_entry_equal(a, same));
  EXPECT_FALSE(gxds_cluster_entry_equal(a, other));
  EXPECT_FALSE(gxds_cluster_entry_equal(a, noted));
  EXPECT_FALSE(gxds_cluster_entry_equal(a, none));
  EXPECT_EQ(Str(a->name), "c");
  for (auto *e : {a, same, other, noted, none}) gxds_cluster_entry_unref(e);
  EXPECT_EQ(made_up::g_alive, 0);
}

TEST(ClusterEntry, AggregatesCompareTheirLeavesInOrder) {  // A74.15
  const gxds_cluster *c = made_up::Aggregate("agg", {"x", "y"});
  gxds_str xy[] = {Z("x"), Z("y")};
  gxds_str yx[] = {Z("y"), Z("x")};
  const gxds_cluster_entry *a = gxds_cluster_entry_aggregate(c->name, c, xy, 2, nullptr);
  const gxds_cluster_entry *same = gxds_cluster_entry_aggregate(c->name, c, xy, 2, nullptr);
  const gxds_cluster_entry *turned = gxds_cluster_entry_aggregate(c->name, c, yx, 2, nullptr);
  const gxds_cluster_entry *fewer = gxds_cluster_entry_aggregate(c->name, c, xy, 1, nullptr);
  EXPECT_TRUE(gxds_cluster_entry_equal(a, same));
  EXPECT_FALSE(gxds_cluster_entry_equal(a, turned));
  EXPECT_FALSE(gxds_cluster_entry_equal(a, fewer));
  for (auto *e : {a, same, turned, fewer}) gxds_cluster_entry_unref(e);
  made_up::Unref(c);
}

}  // namespace
