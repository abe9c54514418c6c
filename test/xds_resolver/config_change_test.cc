// What a snapshot has that the one before had not, in words.
#include "xds_resolver/config_change.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/xds_resolver/made_up_routes.h"

namespace {

using made_up::Str;

struct Parts {
  const gxds_listener *listener = made_up::RdsListener("routes");
  const gxds_route_config *routes = made_up::RoutesTo({"a"});
  Parts() = default;
  Parts(const Parts &) = delete;
  ~Parts() {
    made_up::Unref(listener);
    made_up::Unref(routes);
  }
  // One with a reference of each part; the clusters are taken.
  const gxds_config *Config(const gxds_cluster_map *clusters) const {
    gxds_resource_ref(&listener->base);
    gxds_resource_ref(&routes->base);
    return gxds_config_create(listener, routes, &routes->virtual_hosts[0], clusters,
                              gxds_names_create(nullptr, 0), nullptr, nullptr, {});
  }
};

const gxds_cluster_entry *Leaf(const std::string &name) {
  const gxds_cluster *c = made_up::EdsCluster(name);
  const gxds_cluster_entry *e =
      gxds_cluster_entry_endpoints(made_up::S(name), c, nullptr, made_up::Z(""));
  made_up::Unref(c);
  return e;
}

// m is taken.
const gxds_cluster_map *With(const gxds_cluster_map *m, const gxds_cluster_entry *take) {
  const gxds_cluster_map *out = gxds_cluster_map_put(m, take);
  gxds_cluster_map_unref(m);
  return out;
}

std::string Describe(const gxds_config *before, const gxds_config *after) {
  gxds_text text = {};
  gxds_config_describe_change(before, after, &text);
  std::string out = Str(gxds_text_str(&text));
  gxds_text_fini(&text);
  return out;
}

TEST(ConfigChange, OfTheFirstIsAllThatItHas) {
  Parts parts;
  const gxds_config *first = parts.Config(With(With(nullptr, Leaf("b")), Leaf("a")));
  EXPECT_EQ(Describe(nullptr, first), "listener new, routes new, clusters: +a +b (2 in all)");
  gxds_config_unref(first);
}

TEST(ConfigChange, NamesWhatIsNewChangedAndGone) {
  Parts parts;
  Parts others;
  const gxds_config *before =
      parts.Config(With(With(With(nullptr, Leaf("a")), Leaf("b")), Leaf("c")));
  const gxds_cluster_map *without = gxds_cluster_map_remove(before->clusters, made_up::Z("c"));
  gxds_status error = gxds_status_make(GXDS_UNAVAILABLE, "does not exist");
  const gxds_config *after = others.Config(
      With(With(without, Leaf("b")), gxds_cluster_entry_error(made_up::Z("d"), &error)));
  EXPECT_EQ(Describe(before, after),
            "listener changed, routes changed, clusters: ~b -c +d (does not exist) (3 in all)");
  EXPECT_EQ(Describe(after, after), "listener unchanged, routes unchanged, clusters: (3 in all)");
  gxds_status_fini(&error);
  gxds_config_unref(before);
  gxds_config_unref(after);
}

TEST(ConfigChange, OfManyTellsSomeAndCountsTheRest) {
  Parts parts;
  const gxds_cluster_map *clusters = nullptr;
  for (int i = 0; i < 103; i++) clusters = With(clusters, Leaf("c" + std::to_string(1000 + i)));
  const gxds_config *config = parts.Config(clusters);
  std::string text = Describe(nullptr, config);
  EXPECT_NE(text.find(" +c1099 and 3 more (103 in all)"), std::string::npos) << text;
  gxds_config_unref(config);
}

}  // namespace
