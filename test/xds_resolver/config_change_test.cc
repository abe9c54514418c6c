// The text of what changed from one snapshot to the next.
#include "xds_resolver/config_change.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
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
  // A snapshot that holds a reference to each part. Takes ownership of clusters.
  const gxds_config *Config(const gxds_cluster_map *clusters) const {
    gxds_resource_ref(&listener->base);
    gxds_resource_ref(&routes->base);
    return gxds_config_create(listener, routes, &routes->virtual_hosts[0], clusters,
                              gxds_names_create(nullptr, 0), nullptr, nullptr, {});
  }
};

const gxds_cluster_entry *Leaf(const std::string &name) {
  const gxds_cluster *c = made_up::EdsCluster(name);
  const gxds_cluster_entry *e = gxds_cluster_entry_endpoints(made_up::S(name), c, nullptr, nullptr);
  made_up::Unref(c);
  return e;
}

// Takes ownership of m.
const gxds_cluster_map *With(const gxds_cluster_map *m, const gxds_cluster_entry *take) {
  const gxds_cluster_map *out = gxds_cluster_map_put(m, take);
  gxds_name_map_unref(m);
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

TEST(ConfigChange, OfManySomeAreNamedAndTheRestIsCounted) {
  Parts parts;
  const gxds_cluster_map *clusters = nullptr;
  for (int i = 0; i < 103; i++) clusters = With(clusters, Leaf("c" + std::to_string(1000 + i)));
  const gxds_config *config = parts.Config(clusters);
  std::string text = Describe(nullptr, config);
  EXPECT_NE(text.find(" +c1099 and 3 more (103 in all)"), std::string::npos) << text;
  gxds_config_unref(config);
}

// note: the error; nullptr: none, so the note contains only an origin.
const gxds_cluster_entry *LeafWithNote(const std::string &name, const char *note,
                                       bool with_endpoints = true,
                                       const std::vector<size_t> &localities = {1}) {
  const gxds_cluster *c = made_up::EdsCluster(name);
  const gxds_endpoints *endpoints =
      with_endpoints ? made_up::NewEndpoints(name, localities) : nullptr;
  gxds_text no_message = {};
  const gxds_error *error =
      note ? made_up::NewError(note)
           : gxds_error_create(GXDS_OK, &no_message, made_up::Z("s"), made_up::Z("n"));
  const gxds_cluster_entry *e = gxds_cluster_entry_endpoints(made_up::S(name), c, endpoints, error);
  gxds_error_unref(error);
  made_up::Unref(c);
  if (endpoints != nullptr) made_up::Unref(endpoints);
  return e;
}

const gxds_cluster_entry *Error(const std::string &name, const std::string &why) {
  gxds_status error = gxds_status_make(GXDS_UNAVAILABLE, why.c_str());
  const gxds_cluster_entry *e = gxds_cluster_entry_error(made_up::S(name), &error);
  gxds_status_fini(&error);
  return e;
}

const char *const kWell = nullptr;

// The faults of `after` that `before` did not have: their severity, and their text.
std::pair<gxds_fault, std::string> Faults(const gxds_config *before, const gxds_config *after) {
  gxds_text text = {};
  gxds_fault worst = gxds_config_describe_faults(before, after, &text);
  std::string out = Str(gxds_text_str(&text));
  gxds_text_fini(&text);
  return {worst, out};
}

using Fault = std::pair<gxds_fault, std::string>;

TEST(ConfigFaults, AClusterThatIsWellIsNotReported) {
  Parts parts;
  const gxds_config *config = parts.Config(With(nullptr, LeafWithNote("a", kWell)));
  EXPECT_EQ(Faults(nullptr, config), Fault(GXDS_FAULT_NONE, ""));
  gxds_config_unref(config);
}

TEST(ConfigFaults, AreReportedWhenTheyComeAndWhenTheyGo) {
  Parts parts;
  const gxds_config *good = parts.Config(
      With(With(With(nullptr, LeafWithNote("a", kWell)), LeafWithNote("b", kWell)), Leaf("c")));
  const gxds_config *ambient =
      parts.Config(With(gxds_name_map_ref(good->clusters), LeafWithNote("a", "EDS a: stale")));
  const gxds_config *worse =
      parts.Config(With(With(gxds_name_map_ref(ambient->clusters), Error("c", "CDS c: gone")),
                        LeafWithNote("b", "EDS b: refused", false)));
  EXPECT_EQ(Faults(good, ambient), Fault(GXDS_FAULT_AMBIENT, "cluster a: EDS a: stale"));
  EXPECT_EQ(Faults(ambient, worse),
            Fault(GXDS_FAULT_UNUSABLE, "cluster b: EDS b: refused; cluster c: CDS c: gone"));
  EXPECT_EQ(Faults(worse, good),
            Fault(GXDS_FAULT_OVER,
                  "cluster a: well again; cluster b: well again; cluster c: well again"));
  gxds_config_unref(good);
  gxds_config_unref(ambient);
  gxds_config_unref(worse);
}

TEST(ConfigFaults, TheSameTextIsNotReportedAgain) {
  Parts parts;
  const gxds_config *before = parts.Config(With(nullptr, LeafWithNote("a", "EDS a: stale")));
  const gxds_config *after = parts.Config(With(nullptr, LeafWithNote("a", "EDS a: stale")));
  EXPECT_EQ(Faults(before, after), Fault(GXDS_FAULT_NONE, ""));
  gxds_config_unref(before);
  gxds_config_unref(after);
}

TEST(ConfigFaults, AClusterThatIsGoneIsNotWellAgain) {
  Parts parts;
  const gxds_config *before = parts.Config(With(nullptr, Error("a", "CDS a: gone")));
  const gxds_config *after = parts.Config(nullptr);
  EXPECT_EQ(Faults(before, after), Fault(GXDS_FAULT_NONE, ""));
  gxds_config_unref(before);
  gxds_config_unref(after);
}

TEST(ConfigFaults, OfManySomeAreReportedAndTheRestIsCounted) {
  Parts parts;
  const gxds_cluster_map *clusters = nullptr;
  for (int i = 0; i < 13; i++) clusters = With(clusters, Error("c" + std::to_string(100 + i), "e"));
  const gxds_config *config = parts.Config(clusters);
  const std::string words = Faults(nullptr, config).second;
  EXPECT_NE(words.find("; cluster c109: e and 3 more clusters"), std::string::npos) << words;
  gxds_config_unref(config);
}

TEST(ConfigFaults, ThoseForWhichThereIsNoRoomAreCounted) {
  Parts parts;
  const gxds_cluster_map *clusters = nullptr;
  const std::string why(600, 'e');
  for (int i = 0; i < 9; i++) clusters = With(clusters, Error("c" + std::to_string(i), why));
  const gxds_config *config = parts.Config(clusters);
  const std::string words = Faults(nullptr, config).second;
  EXPECT_LE(words.size(), size_t{GXDS_FAULTS_BYTES_MAX});
  EXPECT_NE(words.find("; cluster c1: "), std::string::npos) << words;
  EXPECT_NE(words.find("e and 7 more clusters"), std::string::npos) << words;
  gxds_config_unref(config);
}

TEST(ConfigFaults, AClusterWithoutEndpointsIsUnusable) {
  Parts parts;
  const gxds_config *config =
      parts.Config(With(nullptr, LeafWithNote("a", "EDS a: contains no localities", true, {})));
  EXPECT_EQ(Faults(nullptr, config),
            Fault(GXDS_FAULT_UNUSABLE, "cluster a: EDS a: contains no localities"));
  gxds_config_unref(config);
}

TEST(ConfigFaults, LongTextsAreCutBetweenCharacters) {
  Parts parts;
  for (size_t pad = 0; pad < 2; pad++) {
    std::string why(pad, 'x');
    for (int i = 0; i < GXDS_FAULTS_BYTES_MAX; i++) why += "\xc3\xa4";
    const gxds_config *config = parts.Config(With(nullptr, Error("a", why)));
    const std::string words = Faults(nullptr, config).second;
    EXPECT_LE(words.size(), size_t{GXDS_FAULTS_BYTES_MAX});
    EXPECT_GT(words.size(), size_t{GXDS_FAULTS_BYTES_MAX / 2});
    EXPECT_TRUE(gxds_str_is_utf8(made_up::S(words)));
    gxds_config_unref(config);
  }
}

}  // namespace
