#include "tools/status/report.h"

#include <gtest/gtest.h>

#include <string>

namespace {

std::string Varint(uint64_t value) {
  std::string out;
  for (; value > 0x7f; value >>= 7) out.push_back(static_cast<char>((value & 0x7f) | 0x80));
  out.push_back(static_cast<char>(value));
  return out;
}

std::string Field(uint64_t number, const std::string& value) {
  return Varint(number << 3 | 2) + Varint(value.size()) + value;
}

std::string Number(uint64_t number, uint64_t value) { return Varint(number << 3) + Varint(value); }

struct Resource {
  std::string type;
  std::string name;
  std::string bytes;
  uint64_t state = 3;  // ACKED
  std::string error = {};
};

std::string Config(const Resource& r) {
  std::string out = Field(1, "type.googleapis.com/envoy.config." + r.type) + Field(2, r.name);
  if (!r.bytes.empty()) {
    out += Field(3, "v1") + Field(4, Field(1, "t") + Field(2, r.bytes)) + Field(5, Number(1, 60));
  }
  out += Number(7, r.state);
  if (!r.error.empty())
    out += Field(8, Field(2, Number(1, 61)) + Field(3, r.error) + Field(4, "v2"));
  return out;
}

std::string Client(const std::string& scope, const std::vector<Resource>& resources) {
  std::string config = Field(1, Field(1, "node"));
  for (const Resource& r : resources) config += Field(3, Config(r));
  return Field(1, config + Field(4, scope));
}

std::string Any(const std::string& value) { return Field(1, "t") + Field(2, value); }

const char kListener[] = "listener.v3.Listener";
const char kRoutes[] = "route.v3.RouteConfiguration";
const char kCluster[] = "cluster.v3.Cluster";
const char kEndpoints[] = "endpoint.v3.ClusterLoadAssignment";

std::string Listener(const std::string& routes) {
  return Field(1, "l") + Field(19, Field(1, Any(Field(3, Field(2, routes)))));
}
std::string RoutesTo(const std::vector<std::string>& clusters) {
  std::string routes;
  for (const auto& c : clusters) routes += Field(3, Field(2, Field(1, c)));
  return Field(2, routes);
}
std::string EdsCluster(const std::string& service) {
  return Number(2, 3) + Field(3, Field(2, service));
}
std::string Aggregate(const std::vector<std::string>& clusters) {
  std::string names;
  for (const auto& c : clusters) names += Field(1, c);
  return Field(38, Field(2, Any(names)));
}

struct Shown {
  bool read = false;
  gxds_report report = {};
  std::string text;
};

Shown Show(const std::string& response) {
  Shown shown;
  gxds_view* root = gxds_view_add(nullptr, "process", gxds_str_z("1"));
  shown.read = gxds_report_add(root, gxds_str_of(response.data(), response.size()), &shown.report);
  gxds_text text = {};
  gxds_view_render_text(root, false, &text);
  shown.text.assign(text.data, text.size);
  gxds_text_fini(&text);
  gxds_view_destroy(root);
  return shown;
}

TEST(Report, WhatIsNamedStandsBelowWhatNamesIt) {
  Shown s = Show(Client("xds:///a", {{kEndpoints, "svc", Field(2, Field(2, "") + Field(2, ""))},
                                     {kCluster, "blue", EdsCluster("svc")},
                                     {kListener, "l", Listener("r")},
                                     {kRoutes, "r", RoutesTo({"blue", "blue"})}}));
  EXPECT_TRUE(s.read);
  const std::string acked = "  version v1  state ACKED  updated 1970-01-01T00:01:00Z";
  EXPECT_EQ(s.text,
            "process 1\n"
            "└─ client xds:///a  node node\n"
            "   └─ listener l" +
                acked +
                "\n"
                "      └─ route_config r" +
                acked +
                "\n"
                "         ├─ cluster blue" +
                acked +
                "\n"
                "         │  └─ endpoints svc" +
                acked +
                "  localities 1  endpoints 2\n"
                "         └─ cluster blue\n");
  EXPECT_EQ(s.report.acked, 4u);
  EXPECT_EQ(s.report.resources, 4u);
}

TEST(Report, ErrorsStandWithTheirResource) {
  Shown s =
      Show(Client("", {{kCluster, "blue", "", 4, "bad field"}, {kCluster, "red", "", 2, ""}}));
  EXPECT_EQ(s.text,
            "process 1\n"
            "└─ client   node node\n"
            "   ├─ cluster blue  state NACKED  rejected_version v2  failed 1970-01-01T00:01:01Z\n"
            "   │     error: bad field\n"
            "   └─ cluster red  state DOES_NOT_EXIST\n");
  EXPECT_EQ(s.report.acked, 0u);
  EXPECT_EQ(s.report.resources, 2u);
}

TEST(Report, AggregatesThatContainEachOtherEnd) {
  Shown s =
      Show(Client("", {{kCluster, "a", Aggregate({"b"})}, {kCluster, "b", Aggregate({"a"})}}));
  EXPECT_EQ(s.report.resources, 2u);
  EXPECT_NE(s.text.find("cluster b"), std::string::npos);
}

TEST(Report, AChainOfAggregatesIsShownWhole) {
  std::vector<Resource> chain;
  for (int i = 0; i < 100; i++) {
    chain.push_back({kCluster, std::to_string(100 + i), Aggregate({std::to_string(101 + i)})});
  }
  EXPECT_EQ(Show(Client("", chain)).report.resources, 100u);
}

TEST(Report, EveryStateHasItsName) {
  const char* const names[] = {"UNKNOWN", "REQUESTED",      "DOES_NOT_EXIST", "ACKED",
                               "NACKED",  "RECEIVED_ERROR", "TIMEOUT",        "7"};
  for (uint64_t state = 0; state < 8; state++) {
    Shown s = Show(Client("", {{kCluster, "c", "", state, ""}}));
    EXPECT_NE(s.text.find(std::string("state ") + names[state]), std::string::npos) << s.text;
  }
}

TEST(Report, UnknownTypesAreShownToo) {
  Shown s = Show(Client("", {{"x.v3.Thing", "t", "b"}}));
  EXPECT_NE(s.text.find("resource t  type type.googleapis.com/envoy.config.x.v3.Thing"),
            std::string::npos)
      << s.text;
}

TEST(Report, TheOldFormIsNamed) {
  Shown s = Show(Field(1, Field(2, "listeners")));
  EXPECT_NE(s.text.find("error: the program reports its resources in a form of before 2021"),
            std::string::npos)
      << s.text;
}

TEST(Report, WhatIsNoResponseIsRefused) {
  EXPECT_FALSE(Show("\xff").read);
  EXPECT_TRUE(Show("").read);
  EXPECT_EQ(Show("").report.clients, 0u);
}

}  // namespace
