// Synthetic resources: valid descriptions, and the resources made from them.
#include "files/synthetic.h"

#include <envoy/config/endpoint/v3/endpoint.upb.h>
#include <envoy/config/endpoint/v3/endpoint_components.upb.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "files/schema.h"
#include "test/files/support.h"

namespace {

struct SetDeleter {
  void operator()(const gxds_file_set* s) const { gxds_file_set_unref(s); }
};
using Set = std::unique_ptr<const gxds_file_set, SetDeleter>;

gxds_synthetic Good(const char* text) {
  gxds_synthetic s;
  gxds_text error = {};
  EXPECT_TRUE(gxds_synthetic_parse(text, &s, &error)) << Take(&error);
  return s;
}

std::string Bad(const std::string& text) {
  gxds_synthetic s;
  gxds_text error = {};
  EXPECT_FALSE(gxds_synthetic_parse(text.c_str(), &s, &error)) << text;
  return Take(&error);
}

TEST(Synthetic, ADescriptionIsInAnyOrderAndWhatIsLeftOutHasADefault) {
  gxds_synthetic s = Good("seed=7,localities=3,endpoints=20,clusters=4");
  EXPECT_EQ(s.clusters, 4u);
  EXPECT_EQ(s.endpoints, 20u);
  EXPECT_EQ(s.localities, 3u);
  EXPECT_EQ(s.seed, 7u);
  s = Good("clusters=2");
  EXPECT_EQ(s.clusters, 2u);
  EXPECT_EQ(s.endpoints, 10u);
  EXPECT_EQ(s.localities, 1u);
  EXPECT_EQ(s.seed, 1u);
  EXPECT_EQ(Good("endpoints=1,seed=0").seed, 0u);
}

TEST(Synthetic, BoundsAreTakenAndWhatIsBeyondThemIsNamed) {
  EXPECT_EQ(Good("clusters=1000000,endpoints=20").clusters, GXDS_SYNTHETIC_CLUSTERS_MAX);
  EXPECT_EQ(Good("clusters=2000,endpoints=10000,localities=10000,seed=4294967295").localities,
            GXDS_SYNTHETIC_ENDPOINTS_MAX);
  for (const char* part :
       {"", "clusters", "clusters=", "clusters=0", "clusters=1000001", "clusters=-1", "clusters=1x",
        "clusters= 1", "clusters=99999999999999999999", "endpoints=0", "endpoints=10001",
        "localities=0", "localities=10001", "seed=4294967296", "seed=", "cluster=1",
        "Clusters=1"}) {
    EXPECT_EQ(Bad("endpoints=1," + std::string(part) + ",seed=2"),
              "--synthetic: expected clusters=1..1000000,endpoints=1..10000,localities=1..10000,"
              "seed=0..4294967295, found " +
                  std::string(part));
  }
  EXPECT_EQ(Bad("clusters=1000000,endpoints=21"), "--synthetic: at most 20000000 endpoints in all");
}

// The endpoints of each locality of a ClusterLoadAssignment.
std::vector<size_t> EndpointsOf(const gxds_file_resource* r) {
  upb_Arena* arena = upb_Arena_New();
  const auto* m =
      envoy_config_endpoint_v3_ClusterLoadAssignment_parse(r->bytes.data, r->bytes.size, arena);
  size_t count;
  const auto* const* groups = envoy_config_endpoint_v3_ClusterLoadAssignment_endpoints(m, &count);
  std::vector<size_t> sizes(count);
  for (size_t i = 0; i < count; i++) {
    envoy_config_endpoint_v3_LocalityLbEndpoints_lb_endpoints(groups[i], &sizes[i]);
  }
  upb_Arena_Free(arena);
  return sizes;
}

TEST(Synthetic, ThereIsAsMuchAsIsRequested) {
  gxds_synthetic s = Good("clusters=12,endpoints=10,localities=3");
  Set set(gxds_synthetic_set(&s));
  EXPECT_EQ(set->types[GXDS_FILE_LISTENER].count, 1u);
  EXPECT_EQ(set->types[GXDS_FILE_ROUTE_CONFIG].count, 1u);
  ASSERT_EQ(set->types[GXDS_FILE_CLUSTER].count, 12u);
  ASSERT_EQ(set->types[GXDS_FILE_ENDPOINTS].count, 12u);
  for (const gxds_file_type type : {GXDS_FILE_CLUSTER, GXDS_FILE_ENDPOINTS}) {
    for (const char* name : {"cluster-000000", "cluster-000011"}) {  // so that names are sorted
      EXPECT_NE(gxds_file_set_find(set.get(), type, gxds_str_z(name)), nullptr) << name;
    }
  }
  for (size_t i = 0; i < 12; i++) {
    EXPECT_EQ(EndpointsOf(set->types[GXDS_FILE_ENDPOINTS].entries[i].resource),
              (std::vector<size_t>{4, 3, 3}));
  }
  s = Good("clusters=1,endpoints=2,localities=5");  // no locality without endpoints
  Set few(gxds_synthetic_set(&s));
  EXPECT_EQ(EndpointsOf(few->types[GXDS_FILE_ENDPOINTS].entries[0].resource),
            (std::vector<size_t>{1, 1}));
}

TEST(Synthetic, TheSameDescriptionGivesTheSameBytes) {
  gxds_synthetic s = Good("clusters=20,endpoints=7,localities=2,seed=5");
  Set a(gxds_synthetic_set(&s));
  Set b(gxds_synthetic_set(&s));
  EXPECT_TRUE(gxds_file_set_equal(a.get(), b.get()));
  EXPECT_EQ(a->types[GXDS_FILE_ENDPOINTS].version, b->types[GXDS_FILE_ENDPOINTS].version);
  gxds_str bytes = gxds_synthetic_endpoints(&s, 3, 5);
  EXPECT_TRUE(gxds_str_equal(bytes, a->types[GXDS_FILE_ENDPOINTS].entries[3].resource->bytes));
  gxds_str_free(&bytes);
}

TEST(Synthetic, ASeedChangesEndpointsAlone) {
  gxds_synthetic s = Good("clusters=20,endpoints=7,localities=2,seed=5");
  Set a(gxds_synthetic_set(&s));
  s.seed = 6;
  Set b(gxds_synthetic_set(&s));
  for (const gxds_file_type type :
       {GXDS_FILE_LISTENER, GXDS_FILE_ROUTE_CONFIG, GXDS_FILE_CLUSTER}) {
    EXPECT_EQ(a->types[type].version, b->types[type].version);
  }
  std::set<uint64_t> versions;  // clusters also have different endpoints
  for (const Set* set : {&a, &b}) {
    for (size_t i = 0; i < 20; i++) {
      versions.insert((*set)->types[GXDS_FILE_ENDPOINTS].entries[i].resource->version);
    }
  }
  EXPECT_EQ(versions.size(), 40u);
}

}  // namespace
