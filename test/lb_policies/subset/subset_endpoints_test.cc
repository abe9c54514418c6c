// The endpoints of a subset, and what an update leaves unchanged (E5).
#include "lb_policies/subset/subset_endpoints.h"

#include <string>
#include <vector>

#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

gxds_str View(const std::string& s) { return gxds_str_of(s.data(), s.size()); }

// A locality. endpoints: {port, version}; version "": none.
struct Zone {
  std::string name;
  std::vector<std::pair<int, std::string>> endpoints;
  int weight = 1;
  int priority = 0;
};

class SubsetEndpoints : public testing::Test {
 protected:
  SubsetEndpoints() { decoder_.UseSubsets(); }
  ~SubsetEndpoints() override { gxds_subset_endpoints_fini(&subset_); }

  Decoded Endpoints(const std::vector<Zone>& zones, const gxds_resource* previous = nullptr) {
    std::string json;
    for (const Zone& z : zones) {
      std::string list;
      for (const auto& [port, version] : z.endpoints) {
        list += (list.empty() ? "" : ",") +
                std::string(
                    "{'endpoint':{'address':{'socket_address':{'address':'10.0.0.1',"
                    "'port_value':") +
                std::to_string(port) + "}}}" +
                (version.empty()
                     ? ""
                     : ",'metadata':{'filter_metadata':{'envoy.lb':{'v':" + version + "}}}") +
                "}";
      }
      json += (json.empty() ? "" : ",") + std::string("{'locality':{'zone':'") + z.name +
              "'},'load_balancing_weight':" + std::to_string(z.weight) +
              ",'priority':" + std::to_string(z.priority) + ",'lb_endpoints':[" + list + "]}";
    }
    return decoder_.Good(gxds_endpoints_type, "{'cluster_name':'foo','endpoints':[" + json + "]}",
                         previous);
  }
  // Updates the subset. The result must be the same with and without the changes.
  void Take(const Decoded& all, const std::string& wanted = R"({"v":"1"})") {
    const gxds_endpoints* after = &all.As<gxds_endpoints>();
    gxds_subset_changes* changes = gxds_subset_changes_create(subset_.all, after);
    gxds_subset_endpoints_update(&subset_, after, View(wanted), &rules_, changes);
    gxds_subset_changes_destroy(changes);
    gxds_subset_endpoints anew = {};
    gxds_subset_endpoints_update(&anew, after, View(wanted), &rules_, nullptr);
    EXPECT_EQ(Show(), Show(anew));
    EXPECT_EQ(subset_.count, anew.count);
    gxds_subset_endpoints_fini(&anew);
  }
  const gxds_locality* Part(size_t priority, size_t index) const {
    return subset_.part->priorities[priority].localities[index];
  }
  // "a*2:1,2 | b*1:5": localities with their weights and ports, "|" between priorities.
  std::string Show() const { return Show(subset_); }
  static std::string Show(const gxds_subset_endpoints& subset) {
    std::string out;
    for (size_t p = 0; p < subset.part->priority_count; p++) {
      if (p > 0) out += " |";
      for (size_t i = 0; i < subset.part->priorities[p].locality_count; i++) {
        const gxds_locality* l = subset.part->priorities[p].localities[i];
        out += (out.empty() ? "" : " ") + ToString(l->zone) + "*" + std::to_string(l->weight);
        for (uint32_t k = 0; k < l->endpoint_count; k++) {
          out += (k ? "," : ":") + std::to_string(gxds_locality_endpoint(l, k).address.port);
        }
      }
    }
    return out;
  }

  Decoder decoder_;
  gxds_lb_subsets rules_ = {};
  gxds_subset_endpoints subset_ = {};
};

TEST_F(SubsetEndpoints, AreThoseThatHaveAllThatIsWanted) {  // E5.2, E5.10
  rules_.locality_weight_aware = true;
  Decoded all = Endpoints({{"a", {{1, "'1'"}, {2, "'2'"}, {3, "'1'"}}, 5},
                           {"b", {{4, "'2'"}, {5, ""}}},
                           {"c", {{6, "1"}, {7, "'1'"}}, 3, 1}});
  Take(all);
  EXPECT_EQ(Show(), "a*5:1,3 | c*3:7") << "localities without any are left out";
  EXPECT_EQ(subset_.count, 3u);
  EXPECT_TRUE(gxds_subset_exists(&all.As<gxds_endpoints>(), View(R"({"v":1})"), &rules_));
  EXPECT_FALSE(gxds_subset_exists(&all.As<gxds_endpoints>(), View(R"({"v":"3"})"), &rules_));
  EXPECT_FALSE(gxds_subset_exists(nullptr, View(R"({"v":"1"})"), &rules_));
}

// A locality with three endpoints. The first has two additional addresses, the last has one.
std::string WithMoreAddresses(int last_port) {
  const auto address = [](int port) {
    return "'address':{'socket_address':{'address':'10.0.0.1','port_value':" +
           std::to_string(port) + "}}";
  };
  const auto endpoint = [&](int port, const std::string& more, const std::string& version) {
    return "{'endpoint':{" + address(port) + ",'additional_addresses':[" + more +
           "]},'metadata':{'filter_metadata':{'envoy.lb':{'v':'" + version + "'}}}}";
  };
  return "{'cluster_name':'foo','endpoints':[{'locality':{'zone':'a'},"
         "'load_balancing_weight':1,'lb_endpoints':[" +
         endpoint(1, "{" + address(11) + "},{" + address(12) + "}", "2") + "," +
         endpoint(2, "", "1") + "," + endpoint(3, "{" + address(last_port) + "}", "1") + "]}]}";
}

TEST_F(SubsetEndpoints, KeepTheirAdditionalAddresses) {  // E5.2, A61
  Decoded all = decoder_.Good(gxds_endpoints_type, WithMoreAddresses(31));
  Take(all);
  EXPECT_EQ(Show(), "a*2:2,3");
  uint32_t count;
  gxds_locality_more(Part(0, 0), 0, &count);
  EXPECT_EQ(count, 0u);
  const gxds_address* more = gxds_locality_more(Part(0, 0), 1, &count);
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(more[0].port, 31);
  Decoded next = decoder_.Good(gxds_endpoints_type, WithMoreAddresses(32));
  Take(next);
  more = gxds_locality_more(Part(0, 0), 1, &count);
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(more[0].port, 32) << "only an additional address changed";
}

TEST_F(SubsetEndpoints, WhereWeightsOfLocalitiesDoNotCountEndpointsAreAlike) {  // E5.9
  Decoded all =
      Endpoints({{"a", {{1, "'1'"}, {2, "'2'"}, {3, "'1'"}}, 50}, {"b", {{4, "'1'"}}, 9}});
  Take(all);
  EXPECT_EQ(Show(), "a*2:1,3 b*1:4");
  rules_.locality_weight_aware = true;
  Take(all);
  EXPECT_EQ(Show(), "a*50:1,3 b*9:4") << "the rules changed, the endpoints did not";
  rules_.scale_locality_weight = true;
  Take(all);
  EXPECT_EQ(Show(), "a*33:1,3 b*9:4") << "two of three";
}

TEST_F(SubsetEndpoints, AScaledWeightIsNeverNothing) {  // E5.9
  rules_.locality_weight_aware = rules_.scale_locality_weight = true;
  Take(Endpoints({{"a", {{1, "'1'"}, {2, ""}, {3, ""}, {4, ""}}, 1}}));
  EXPECT_EQ(Show(), "a*1:1");
}

TEST_F(SubsetEndpoints, ALocalityThatIsInItAsAWholeIsShared) {
  rules_.locality_weight_aware = true;
  Decoded all = Endpoints({{"a", {{1, "'1'"}, {2, "'1'"}}, 5}});
  Take(all);
  EXPECT_EQ(Part(0, 0), all.As<gxds_endpoints>().priorities[0].localities[0]);
}

TEST_F(SubsetEndpoints, AnUpdateSharesWhatItDidNotChange) {  // E5.12
  Decoded first = Endpoints({{"a", {{1, "'1'"}, {2, "'2'"}}}, {"b", {{4, "'1'"}, {5, "'2'"}}}});
  Take(first);
  const gxds_locality* a = Part(0, 0);
  const gxds_locality* b = Part(0, 1);
  Decoded other = Endpoints({{"a", {{1, "'1'"}, {2, "'3'"}}}, {"b", {{4, "'1'"}, {5, "'1'"}}}},
                            first.resource());
  Take(other);
  EXPECT_EQ(Part(0, 0), a) << "the change was of another subset's endpoint";
  EXPECT_NE(Part(0, 1), b);
  EXPECT_EQ(Show(), "a*1:1 b*2:4,5");
  Take(other);
  EXPECT_EQ(Part(0, 0), a);
}

TEST_F(SubsetEndpoints, AnEndpointMovesWithItsMetadata) {  // E5.12
  Decoded first = Endpoints({{"a", {{1, "'1'"}}}, {"b", {{2, "'2'"}}}});
  Take(first);
  EXPECT_EQ(Show(), "a*1:1");
  Take(Endpoints({{"a", {{1, "'2'"}}}, {"b", {{2, "'1'"}}}}, first.resource()));
  EXPECT_EQ(Show(), "b*1:2");
  Take(Endpoints({{"a", {{1, "'2'"}}}}));
  EXPECT_EQ(subset_.count, 0u);
}

TEST_F(SubsetEndpoints, AnyChangeComesToWhatItWouldBeAnew) {  // E5.12
  // Each digit is an endpoint with that version. Its port is its place, except for endpoints that
  // moved.
  const char* const steps[] = {"1212", "1222", "1212", "12212", "212", "2121",
                               "",     "1",    "11",   "31",    "13",  "1331"};
  for (const bool scale : {false, true}) {
    rules_.locality_weight_aware = rules_.scale_locality_weight = scale;
    for (const std::string step : steps) {
      for (const int shift : {0, 1}) {
        Zone zone = {"a", {}, 100};
        for (size_t i = 0; i < step.size(); i++) {
          zone.endpoints.push_back(
              {1 + int((i + shift) % step.size()), "'" + step.substr(i, 1) + "'"});
        }
        Take(Endpoints({zone, {"b", {{9, "'1'"}}}}));
      }
    }
  }
}

TEST_F(SubsetEndpoints, NothingWantedIsAllOfThem) {  // E5.6
  rules_.locality_weight_aware = true;
  Take(Endpoints({{"a", {{1, "'1'"}, {2, ""}}, 4}, {"b", {}, 2}}), "");
  EXPECT_EQ(Show(), "a*4:1,2");
  gxds_subset_endpoints_update(&subset_, nullptr, View(""), &rules_, nullptr);
  EXPECT_EQ(subset_.part, nullptr);
  EXPECT_EQ(subset_.count, 0u);
}

}  // namespace
}  // namespace grpc_xds_test
