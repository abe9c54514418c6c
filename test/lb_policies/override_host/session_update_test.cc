// Updates of the session table with the endpoints of its cluster.
#include "test/lb_policies/override_host/session_probe.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "test/resources/decoding.h"

namespace {

using grpc_xds_test::Decoded;
using grpc_xds_test::Decoder;

constexpr uint8_t kHealthy = 1 << GXDS_HEALTH_UNKNOWN;
constexpr uint8_t kAlsoDraining = kHealthy | 1 << GXDS_HEALTH_DRAINING;

struct Endpoint {
  std::vector<int> ports;  // one for each address, all at 10.0.0.1
  std::string hostname = {};
  bool drains = false;
};
using Locality = std::vector<Endpoint>;
using Priorities = std::vector<std::map<std::string, Locality>>;  // by zone

gxds_address At(int port) {
  gxds_address a = {};
  EXPECT_TRUE(gxds_address_read(gxds_str_z(("10.0.0.1:" + std::to_string(port)).c_str()), &a));
  return a;
}

std::string Address(int port) {
  return "{'socket_address':{'address':'10.0.0.1','port_value':" + std::to_string(port) + "}}";
}

std::string Json(const Endpoint& e) {
  std::string more;
  for (size_t i = 1; i < e.ports.size(); i++) {
    more += (i > 1 ? "," : "") + ("{'address':" + Address(e.ports[i]) + "}");
  }
  return "{'endpoint':{'address':" + Address(e.ports[0]) + ",'hostname':'" + e.hostname +
         "','additional_addresses':[" + more + "]}" +
         (e.drains ? ",'health_status':'DRAINING'" : "") + "}";
}

std::string Json(const Priorities& priorities) {
  std::string localities;
  for (size_t p = 0; p < priorities.size(); p++) {
    for (const auto& [zone, endpoints] : priorities[p]) {
      std::string list;
      for (const Endpoint& e : endpoints) list += (list.empty() ? "" : ",") + Json(e);
      localities += (localities.empty() ? "" : ",") + std::string("{'locality':{'zone':'") + zone +
                    "'},'load_balancing_weight':1,'priority':" + std::to_string(p) +
                    ",'lb_endpoints':[" + list + "]}";
    }
  }
  return "{'cluster_name':'c','endpoints':[" + localities + "]}";
}

// A table that is updated, with a check of its contents.
class SessionUpdate : public testing::Test {
 protected:
  ~SessionUpdate() override { session_probe_unref(table_); }

  void Update(const Priorities& priorities, uint8_t health = kHealthy) {
    auto now = std::make_unique<Decoded>(decoder_.Good(
        gxds_endpoints_type, Json(priorities), endpoints_ ? endpoints_->resource() : nullptr));
    endpoints_ = std::move(now);
    Update(&endpoints_->As<gxds_endpoints>(), health);
  }
  void Update(const gxds_endpoints* endpoints, uint8_t health) {
    let_go_.clear();
    table_ = session_probe_update(
        table_, endpoints, health,
        [](void* self, int number) { static_cast<SessionUpdate*>(self)->let_go_.insert(number); },
        this);
  }
  // Holds a number for the endpoint.
  void Hold(int port, int number) {
    const gxds_address a = At(port);
    session_probe_hold(table_, &a, number);
  }
  // As session_probe_held().
  int Held(int port) const {
    const gxds_address a = At(port);
    return session_probe_held(table_, &a);
  }
  using Set = std::set<int>;

  Decoder decoder_;
  std::unique_ptr<Decoded> endpoints_;
  gxds_session_table* table_ = nullptr;
  Set let_go_;  // released by the last update
};

constexpr int kNothing = 0;
constexpr int kNoEndpoint = -1;

TEST_F(SessionUpdate, WhatIsReachedInTheSameWayStaysWhereverItStands) {
  Update({{{"a", {{{1}}, {{2}}, {{3}}}}}});
  Hold(2, 2);
  Update({{{"a", {{{3}}, {{7}}, {{2}}}}}});
  EXPECT_EQ(Held(2), 2) << "in another place";
  EXPECT_EQ(Held(1), kNoEndpoint);
  EXPECT_EQ(Held(7), kNothing);
  Update({{{"b", {{{8}}}}}, {{"a", {{{2}}}}}});
  EXPECT_EQ(Held(2), 2) << "in another priority";
  EXPECT_EQ(let_go_, Set{});
  Update({{{"b", {{{8}}, {{2}}}}}});
  EXPECT_EQ(Held(2), kNothing) << "its locality is another";
  EXPECT_EQ(let_go_, Set{2});
}

TEST_F(SessionUpdate, AnotherHostnameIsAnotherEndpoint) {
  Update({{{"a", {{{1}, "x"}}}}});
  Hold(1, 8);
  Update({{{"a", {{{1}, "y"}}}}});
  EXPECT_EQ(Held(1), kNothing);
  EXPECT_EQ(let_go_, Set{8});
}

TEST_F(SessionUpdate, AnEndpointIsAtAllItsAddressesWhateverTheirOrder) {  // A61.18
  Update({{{"a", {{{1, 2, 3}}, {{4}}}}}});
  Hold(3, 9);
  for (int port : {1, 2, 3}) EXPECT_EQ(Held(port), 9);
  Update({{{"a", {{{2, 3, 1}}, {{4}}}}}});
  for (int port : {1, 2, 3}) EXPECT_EQ(Held(port), 9);
  Update({{{"a", {{{2, 3}}, {{4}}}}}});
  EXPECT_EQ(let_go_, Set{9});
  EXPECT_EQ(Held(1), kNoEndpoint) << "an address less";
  for (int port : {2, 3}) EXPECT_EQ(Held(port), kNothing);
}

TEST_F(SessionUpdate, AnEndpointDrainsWithWhatIsHeldIfThatIsAllowed) {  // A55.5, A55.6
  Update({{{"a", {{{1}}, {{2}}}}}}, kAlsoDraining);
  Hold(1, 1);
  Update({{{"a", {{{1}, "", true}, {{2}}}}}}, kAlsoDraining);
  EXPECT_EQ(Held(1), 1);
  Update({{{"a", {{{1}, "", true}, {{2}}}}}}, kHealthy);
  EXPECT_EQ(Held(1), kNoEndpoint) << "the cluster does not allow it any more";
  EXPECT_EQ(Held(2), kNothing);
  EXPECT_EQ(let_go_, Set{1});
  Update({{{"a", {{{1}, "", true}, {{2}}}}}}, kAlsoDraining);
  EXPECT_EQ(Held(1), kNothing);
}

TEST_F(SessionUpdate, WhatIsForgottenIsStillThereForWhoHasTheTable) {
  Update({{{"a", {{{1, 2}}}}}});
  Hold(1, 9);
  const gxds_address one = At(1), two = At(2);
  gxds_session_table* other = session_probe_without(table_, &two);
  EXPECT_EQ(Held(1), 9);
  EXPECT_EQ(session_probe_held(other, &one), kNothing);
  EXPECT_EQ(session_probe_held(other, &two), kNothing);
  session_probe_unref(other);
}

TEST_F(SessionUpdate, AnEndpointIsFoundInItsLocalityAfterOthersCame) {
  Update({{{"a", {{{1}}, {{2, 3}}}}}, {{"b", {{{4}}}}}});
  Update({{{"a", {{{5}}, {{6}}, {{1}}, {{2, 3}}}}, {"0", {{{7}}}}}, {{"b", {{{4}}}}}});
  for (int port : {1, 2, 3, 4, 5, 6, 7}) {
    const gxds_address a = At(port);
    EXPECT_EQ(session_probe_first_port(table_, &a), port == 3 ? 2 : port);
  }
}

TEST_F(SessionUpdate, AnAddressThatIsThereTwiceIsThereUntilBothAreGone) {
  gxds_endpoint twice[3] = {};
  for (gxds_endpoint& e : twice) e = {At(1), GXDS_HEALTH_UNKNOWN, 1};
  twice[2].address = At(2);
  auto update = [&](uint32_t first, uint32_t count) {
    gxds_locality view = {};
    view.weight = 1;
    view.endpoint_count = count;
    view.list.full = &twice[first];
    const gxds_endpoints* endpoints = gxds_endpoints_of_locality(gxds_locality_copy(&view));
    Update(endpoints, kHealthy);
    gxds_resource_unref(&endpoints->base);
  };
  update(0, 3);  // as DNS may return it
  Hold(1, 9);
  update(1, 2);
  EXPECT_EQ(Held(1), 9);
  update(2, 1);
  EXPECT_EQ(Held(1), kNoEndpoint);
  EXPECT_EQ(Held(2), kNothing);
}

// After many updates, the table equals one made from scratch.
TEST_F(SessionUpdate, ItIsAlwaysThatOfItsEndpoints) {
  std::mt19937 random(1);
  auto below = [&random](unsigned limit) { return static_cast<int>(random() % limit); };
  std::map<int, std::string> was;  // by port: what identifies the endpoint
  std::set<int> held;
  size_t stayed = 0, went = 0;
  for (int step = 0; step < 300; step++) {
    const int size = step % 50 < 25 ? 6 : 120;  // the table grows and shrinks
    const uint8_t health = step % 40 < 30 ? kAlsoDraining : kHealthy;
    Priorities priorities(2);
    priorities[0]["a"];
    std::map<int, std::string> is;
    for (int port = 1; port <= size * 2; port += 2) {
      if (below(5) == 0) continue;
      Endpoint e = {{port}, below(10) == 0 ? "other" : "", below(8) == 0};
      if (port % 3 == 0) e.ports.push_back(port + 1);
      if (e.ports.size() == 2 && below(2) == 0) std::swap(e.ports[0], e.ports[1]);
      const std::string zone(1, static_cast<char>('a' + below(20) / 19 + port % 2));
      Locality& in = priorities[below(10) == 9 ? 1 : 0][zone];
      in.insert(below(3) == 0 ? in.begin() : in.end(), e);
      if (e.drains && health == kHealthy) continue;
      for (int p : e.ports) is[p] = zone + " " + e.hostname;
    }
    if (priorities[1].empty()) priorities.pop_back();
    Update(priorities, health);
    Set gone;
    for (int port = 1; port <= 241; port++) {
      const bool stays = is.count(port) == 1 && was.count(port) == 1 && is[port] == was[port];
      if (is.count(port) == 0) {
        ASSERT_EQ(Held(port), kNoEndpoint) << "step " << step;
      } else if (port % 2 == 1) {
        ASSERT_EQ(Held(port), stays && held.count(port) == 1 ? port : kNothing) << "step " << step;
      } else {
        ASSERT_EQ(Held(port), Held(port - 1)) << "step " << step;
      }
      if (held.count(port) == 1 && !stays) gone.insert(port);
    }
    ASSERT_EQ(let_go_, gone) << "step " << step;
    went += gone.size();
    for (int port : gone) held.erase(port);
    stayed += held.size();
    for (const auto& [port, name] : is) {
      if (port % 2 == 0 || Held(port) != kNothing || below(3) > 0) continue;
      Hold(port, port);
      held.insert(port);
    }
    was = is;
  }
  EXPECT_GT(stayed, 1000u);
  EXPECT_GT(went, 1000u);
}

}  // namespace
