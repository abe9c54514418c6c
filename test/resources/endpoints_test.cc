#include "resources/endpoints.h"

#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

std::string Endpoint(const std::string& address, int port = 80, const std::string& more = "") {
  return "{" + more + "'endpoint':{'address':{'socket_address':{'address':'" + address +
         "','port_value':" + std::to_string(port) + "}}}}";
}
std::string Locality(const std::string& zone, const std::string& endpoints, int weight = 1,
                     int priority = 0) {
  return "{'locality':{'region':'r','zone':'" + zone + "'},'lb_endpoints':[" + endpoints +
         "],'load_balancing_weight':" + std::to_string(weight) +
         ",'priority':" + std::to_string(priority) + "}";
}
std::string Assignment(const std::string& localities, const std::string& more = "") {
  return "{'cluster_name':'foo','endpoints':[" + localities + "]" + more + "}";
}

std::string Render(const gxds_address& address) {
  gxds_text text = {nullptr, 0, 0};
  gxds_address_render(&address, &text);
  std::string result = ToString(gxds_text_str(&text));
  gxds_text_fini(&text);
  return result;
}

// "z:1.2.3.4:80,5.6.7.8:80" for each locality, " | " between priorities.
std::string Show(const gxds_endpoints& e) {
  std::string out;
  for (size_t i = 0; i < e.priority_count; i++) {
    if (i > 0) out += " |";
    for (size_t j = 0; j < e.priorities[i].locality_count; j++) {
      const gxds_locality* l = e.priorities[i].localities[j];
      if (!out.empty()) out += " ";
      out += ToString(l->zone) + "=";
      for (uint32_t k = 0; k < l->endpoint_count; k++) {
        if (k > 0) out += ",";
        out += Render(gxds_locality_endpoint(l, k).address);
      }
    }
  }
  return out;
}

TEST(EndpointsType, IsAsTheProtocolNamesIt) {
  EXPECT_STREQ(gxds_endpoints_type.type_url,
               "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment");
  EXPECT_STREQ(gxds_endpoints_type.v2_type_url,
               "type.googleapis.com/envoy.api.v2.ClusterLoadAssignment");
  EXPECT_STREQ(gxds_endpoints_type.short_name, "EDS");
  EXPECT_FALSE(gxds_endpoints_type.all_resources_required_in_sotw);
  EXPECT_EQ(gxds_resource_types[3], &gxds_endpoints_type);
}

// An endpoint with all its addresses: "1.2.3.4:80+[::1]:80".
std::string ShowAll(const gxds_locality* l, uint32_t index) {
  std::string out = Render(gxds_locality_endpoint(l, index).address);
  uint32_t count;
  const gxds_address* more = gxds_locality_more(l, index, &count);
  for (uint32_t i = 0; i < count; i++) out += "+" + Render(more[i]);
  return out;
}
std::string Several(const std::string& address, const std::vector<std::string>& more) {
  std::string list;
  for (const auto& m : more) {
    list += (list.empty() ? "" : ",");
    list += "{'address':{'socket_address':{'address':'" + m + "','port_value':80}}}";
  }
  return "{'endpoint':{'address':{'socket_address':{'address':'" + address +
         "','port_value':80}},'additional_addresses':[" + list + "]}}";
}

TEST(Endpoints, OfSeveralAddresses) {  // A61.8
  Decoder d;
  Decoded result = d.Good(
      gxds_endpoints_type,
      Assignment(Locality("a", Endpoint("10.0.0.1")) + "," +
                 Locality("b", Endpoint("10.0.0.2") + "," +
                                   Several("10.0.0.3", {"::3", "10.0.1.3"}) + "," +
                                   Endpoint("10.0.0.4") + "," + Several("::5", {"10.0.0.5"})) +
                 "," + Locality("c", Several("10.0.0.6", {"::6"}))));
  const auto& p = result.As<gxds_endpoints>().priorities[0];
  ASSERT_EQ(p.locality_count, 3u);
  EXPECT_EQ(p.localities[0]->rare, nullptr) << "no memory for what nobody has";
  const gxds_locality* b = p.localities[1];
  ASSERT_EQ(b->endpoint_count, 4u);
  EXPECT_EQ(ShowAll(b, 0), "10.0.0.2:80");
  EXPECT_EQ(ShowAll(b, 1), "10.0.0.3:80+[::3]:80+10.0.1.3:80");
  EXPECT_EQ(ShowAll(b, 2), "10.0.0.4:80");
  EXPECT_EQ(ShowAll(b, 3), "[::5]:80+10.0.0.5:80");
  EXPECT_EQ(ShowAll(p.localities[2], 0), "10.0.0.6:80+[::6]:80");
}

TEST(Endpoints, AdditionalAddressesOfOneThatIsLeftOutAreNotLookedAt) {  // A61.8
  Decoder d;
  Decoded result = d.Good(
      gxds_endpoints_type,
      Assignment(Locality(
          "a", Endpoint("10.0.0.1") +
                   ",{'health_status':'TIMEOUT','endpoint':{'additional_addresses':[{}]}}")));
  EXPECT_EQ(Show(result.As<gxds_endpoints>()), "a=10.0.0.1:80");
}

TEST(Endpoints, ManyOfSeveralAddresses) {  // more than the initial size of the set of addresses
  Decoder d;
  std::string all;
  for (int i = 1; i <= 200; i++) {
    const std::string n = std::to_string(i);
    all += (i > 1 ? "," : "") + Several("10.0.0." + n, {"10.0.1." + n, "10.0.2." + n, "::" + n});
  }
  Decoded result = d.Good(gxds_endpoints_type, Assignment(Locality("a", all)));
  const gxds_locality* l = result.As<gxds_endpoints>().priorities[0].localities[0];
  ASSERT_EQ(l->endpoint_count, 200u);
  EXPECT_EQ(ShowAll(l, 199), "10.0.0.200:80+10.0.1.200:80+10.0.2.200:80+[::200]:80");
}

TEST(Endpoints, LocalityIsSharedUnlessAnAdditionalAddressChanged) {  // A61.8
  auto assignment = [](const std::string& more, const std::string& other) {
    return Assignment(Locality("a", Several("10.0.0.1", {more})) + "," +
                      Locality("b", Several("10.0.0.2", {other})));
  };
  Decoder d;
  Decoded before = d.Good(gxds_endpoints_type, assignment("::1", "::2"));
  Decoded after = d.Good(gxds_endpoints_type, assignment("::3", "::2"), before.resource());
  const auto& old_ones = before.As<gxds_endpoints>().priorities[0];
  const auto& new_ones = after.As<gxds_endpoints>().priorities[0];
  EXPECT_NE(old_ones.localities[0], new_ones.localities[0]);
  EXPECT_EQ(old_ones.localities[1], new_ones.localities[1]);
  EXPECT_EQ(ShowAll(new_ones.localities[0], 0), "10.0.0.1:80+[::3]:80");
  EXPECT_FALSE(gxds_locality_equal(old_ones.localities[0], new_ones.localities[0]));
  Decoded twice =
      d.Decode(gxds_endpoints_type, Resource(gxds_endpoints_type, assignment("::2", "::2")),
               before.resource());
  EXPECT_EQ(twice.message(),
            "errors parsing EDS resource: [field:endpoints[1].lb_endpoints[0] error:duplicate "
            "endpoint address \"ipv6:%5B::2%5D:80\"]");
}

TEST(Endpoints, OfOneLocality) {
  Decoder d;
  Decoded result = d.Good(
      gxds_endpoints_type,
      "{'cluster_name':'foo','endpoints':[{'locality':{'region':'r','zone':'z','sub_zone':'s'},"
      "'load_balancing_weight':7,'lb_endpoints':[" +
          Endpoint("10.0.0.1", 443, "'health_status':'HEALTHY','load_balancing_weight':3,") +
          "]}]}");
  const auto& e = result.As<gxds_endpoints>();
  EXPECT_EQ(result.name(), "foo");
  ASSERT_EQ(e.priority_count, 1u);
  ASSERT_EQ(e.priorities[0].locality_count, 1u);
  const gxds_locality* l = e.priorities[0].localities[0];
  EXPECT_EQ(ToString(l->region), "r");
  EXPECT_EQ(ToString(l->zone), "z");
  EXPECT_EQ(ToString(l->sub_zone), "s");
  EXPECT_EQ(l->weight, 7u);
  ASSERT_EQ(l->endpoint_count, 1u);
  EXPECT_EQ(gxds_locality_endpoint(l, 0).weight, 3u);
  EXPECT_EQ(gxds_locality_endpoint(l, 0).health, GXDS_HEALTH_HEALTHY);
  EXPECT_EQ(Render(gxds_locality_endpoint(l, 0).address), "10.0.0.1:443");
  EXPECT_EQ(e.drop_count, 0u);
  EXPECT_FALSE(e.drop_all);
}

TEST(Endpoints, MayBeNone) {  // A27.28
  Decoder d;
  EXPECT_EQ(
      d.Good(gxds_endpoints_type, "{'cluster_name':'foo'}").As<gxds_endpoints>().priority_count,
      0u);
  Decoded result = d.Good(gxds_endpoints_type, Assignment(Locality("z", "")));
  EXPECT_EQ(Show(result.As<gxds_endpoints>()), "z=");
}

TEST(Endpoints, LocalitiesAreOrderedByPriorityThenName) {
  Decoder d;
  Decoded result = d.Good(
      gxds_endpoints_type,
      Assignment(Locality("y", Endpoint("10.0.0.1"), 1, 1) + "," +
                 Locality("z", Endpoint("10.0.0.2")) + "," + Locality("b", Endpoint("10.0.0.3")) +
                 "," + Locality("b", Endpoint("10.0.0.4"), 1, 1) + "," +
                 Locality("", Endpoint("10.0.0.5")) + "," + Locality("bb", "", 1, 2)));
  EXPECT_EQ(Show(result.As<gxds_endpoints>()),
            "=10.0.0.5:80 b=10.0.0.3:80 z=10.0.0.2:80 | b=10.0.0.4:80 y=10.0.0.1:80 | bb=");
}

TEST(Endpoints, LocalityWithoutWeightIsSkippedUnchecked) {  // A27.29
  Decoder d;
  Decoded result = d.Good(gxds_endpoints_type, Assignment("{'lb_endpoints':[{}],'priority':9}," +
                                                          Locality("zero", "{}", 0, 500) + "," +
                                                          Locality("z", Endpoint("10.0.0.2"))));
  EXPECT_EQ(Show(result.As<gxds_endpoints>()), "z=10.0.0.2:80");
}

TEST(Endpoints, WeightsUpTo32BitsPerPriority) {  // A27.30: per priority, not in all
  Decoder d;
  const std::string half = "'load_balancing_weight':2147483647";
  auto heavy = [&](const std::string& zone, int priority, const std::string& weight) {
    return "{'locality':{'zone':'" + zone + "'},'load_balancing_weight':" + weight +
           ",'priority':" + std::to_string(priority) + "}";
  };
  Decoded result = d.Good(gxds_endpoints_type, Assignment(heavy("a", 0, "2147483647") + "," +
                                                          heavy("b", 0, "2147483648") + "," +
                                                          heavy("a", 1, "4294967295")));
  EXPECT_EQ(result.As<gxds_endpoints>().priority_count, 2u);
}

TEST(Endpoints, PrioritiesUpTo127) {
  std::string localities;
  for (int i = 127; i >= 0; i--) localities += Locality("z", "", 1, i) + (i ? "," : "");
  Decoder d;
  Decoded result = d.Good(gxds_endpoints_type, Assignment(localities));
  EXPECT_EQ(result.As<gxds_endpoints>().priority_count, 128u);
}

TEST(Endpoints, OnlyHealthyAndUnknownOnesAreUsed) {  // A27.34
  std::string endpoints;
  const char* const states[] = {"UNKNOWN",  "HEALTHY", "UNHEALTHY",
                                "DRAINING", "TIMEOUT", "DEGRADED"};
  for (int i = 0; i < 6; i++) {
    endpoints += (i ? "," : "") + Endpoint("10.0.0." + std::to_string(i + 1), 80,
                                           std::string("'health_status':'") + states[i] + "',");
  }
  Decoder d;
  Decoded result = d.Good(gxds_endpoints_type, Assignment(Locality("z", endpoints)));
  const auto& e = result.As<gxds_endpoints>();
  EXPECT_EQ(Show(e), "z=10.0.0.1:80,10.0.0.2:80");
  EXPECT_EQ(gxds_locality_endpoint(e.priorities[0].localities[0], 0).health, GXDS_HEALTH_UNKNOWN);
  EXPECT_EQ(gxds_locality_endpoint(e.priorities[0].localities[0], 1).health, GXDS_HEALTH_HEALTHY);
}

TEST(Endpoints, WhatIsUnhealthyIsNotChecked) {
  Decoder d;
  Decoded result = d.Good(
      gxds_endpoints_type,
      Assignment(Locality("z", "{'health_status':'UNHEALTHY'}," + Endpoint("10.0.0.1") + "," +
                                   Endpoint("10.0.0.1", 80, "'health_status':'UNHEALTHY',"))));
  EXPECT_EQ(Show(result.As<gxds_endpoints>()), "z=10.0.0.1:80");
}

TEST(Endpoints, SameAddressOnAnotherPortIsAnother) {
  Decoder d;
  Decoded result =
      d.Good(gxds_endpoints_type,
             Assignment(Locality("z", Endpoint("10.0.0.1", 80) + "," + Endpoint("10.0.0.1", 81) +
                                          "," + Endpoint("::ffff:10.0.0.1", 80))));
  EXPECT_EQ(Show(result.As<gxds_endpoints>()), "z=10.0.0.1:80,10.0.0.1:81,[::ffff:10.0.0.1]:80");
}

TEST(Endpoints, ManyAddressesAreDistinct) {
  std::string endpoints;
  for (int i = 0; i < 3000; i++) {
    endpoints += (i ? "," : "") +
                 Endpoint("10.0." + std::to_string(i / 250) + "." + std::to_string(i % 250));
  }
  Decoder d;
  Decoded result = d.Good(gxds_endpoints_type, Assignment(Locality("z", endpoints)));
  EXPECT_EQ(result.As<gxds_endpoints>().priorities[0].localities[0]->endpoint_count, 3000u);
}

// An endpoint with that metadata.
std::string Keyed(const std::string& address, const std::string& filter_metadata) {
  return Endpoint(address, 80, "'metadata':{'filter_metadata':{" + filter_metadata + "}},");
}
std::string HashKeyOf(const gxds_locality* l, uint32_t index) {
  return ToString(gxds_locality_hash_key(l, index));
}

TEST(HashKey, IsThatOfEnvoyLbInTheMetadata) {  // A76.10
  Decoder d;
  Decoded result = d.Good(
      gxds_endpoints_type,
      Assignment(Locality("a", Endpoint("10.0.0.1") + "," +
                                   Keyed("10.0.0.2", "'envoy.lb':{'x':1,'hash_key':'pod-2'}") +
                                   "," + Keyed("10.0.0.3", "'other':{'hash_key':'no'}") + "," +
                                   Keyed("10.0.0.4", "'envoy.lb':{'hash_key':7}") + "," +
                                   Keyed("10.0.0.5", "'envoy.lb':{'hash_key':''}") + "," +
                                   Keyed("10.0.0.6", "'envoy.lb':{}")) +
                 "," + Locality("b", Endpoint("10.0.0.7"))));
  const gxds_priority& p = result.As<gxds_endpoints>().priorities[0];
  std::string keys;
  for (uint32_t i = 0; i < 6; i++) keys += HashKeyOf(p.localities[0], i) + ";";
  EXPECT_EQ(keys, ";pod-2;;;;;");
  EXPECT_EQ(HashKeyOf(p.localities[1], 0), "");
  EXPECT_EQ(p.localities[1]->rare, nullptr) << "no memory for what nobody has";
}

TEST(HashKey, BelongsToTheEndpointsThatAreUsed) {
  Decoder d;
  const std::string unhealthy =
      Endpoint("10.0.0.1", 80,
               "'health_status':'UNHEALTHY','metadata':{'filter_metadata':{'envoy.lb':"
               "{'hash_key':'no'}}},");
  Decoded result =
      d.Good(gxds_endpoints_type,
             Assignment(Locality("a", unhealthy + "," + Endpoint("10.0.0.2")) + "," +
                        Locality("b", Keyed("10.0.0.3", "'envoy.lb':{'hash_key':'yes'}"))));
  const gxds_priority& p = result.As<gxds_endpoints>().priorities[0];
  EXPECT_EQ(p.localities[0]->rare, nullptr);
  EXPECT_EQ(HashKeyOf(p.localities[1], 0), "yes");
}

TEST(HashKey, ThatAloneChangesTheLocality) {
  Decoder d;
  auto assignment = [](const std::string& key) {
    return Assignment(Locality("a", Keyed("10.0.0.1", "'envoy.lb':{'hash_key':'" + key + "'}")) +
                      "," + Locality("b", Keyed("10.0.0.2", "'envoy.lb':{'hash_key':'same'}")) +
                      "," + Locality("c", Endpoint("10.0.0.3")));
  };
  Decoded first = d.Good(gxds_endpoints_type, assignment("one"));
  Decoded second = d.Good(gxds_endpoints_type, assignment("two"), first.resource());
  Decoded third = d.Good(gxds_endpoints_type, assignment(""), second.resource());
  const gxds_priority& p = first.As<gxds_endpoints>().priorities[0];
  const gxds_priority& q = second.As<gxds_endpoints>().priorities[0];
  const gxds_priority& r = third.As<gxds_endpoints>().priorities[0];
  EXPECT_NE(p.localities[0], q.localities[0]);
  EXPECT_NE(q.localities[0], r.localities[0]);
  EXPECT_EQ(HashKeyOf(q.localities[0], 0), "two");
  for (int i : {1, 2}) {
    EXPECT_EQ(p.localities[i], q.localities[i]);
    EXPECT_EQ(q.localities[i], r.localities[i]);
  }
}

TEST(Endpoints, OverprovisioningFactorIsIgnored) {  // A27.40
  Decoder d;
  Decoded plain = d.Good(gxds_endpoints_type, Assignment(Locality("z", Endpoint("10.0.0.1"))));
  Decoded with =
      d.Good(gxds_endpoints_type, Assignment(Locality("z", Endpoint("10.0.0.1")),
                                             ",'policy':{'overprovisioning_factor':1000}"));
  EXPECT_EQ(Show(with.As<gxds_endpoints>()), Show(plain.As<gxds_endpoints>()));
  EXPECT_EQ(with.As<gxds_endpoints>().drop_count, 0u);
}

TEST(Drops, AreInMillionthsAndCapped) {  // A27.39
  Decoder d;
  Decoded result = d.Good(
      gxds_endpoints_type,
      Assignment("",
                 ",'policy':{'drop_overloads':["
                 "{'category':'b','drop_percentage':{'numerator':40}},"
                 "{'category':'a','drop_percentage':{'numerator':40,'denominator':"
                 "'TEN_THOUSAND'}},"
                 "{'category':'c','drop_percentage':{'numerator':40,'denominator':'MILLION'}},"
                 "{'category':'d','drop_percentage':{}}]}"));
  const auto& e = result.As<gxds_endpoints>();
  ASSERT_EQ(e.drop_count, 4u);
  EXPECT_EQ(ToString(e.drops[0].name), "b");
  EXPECT_EQ(e.drops[0].per_million, 400000u);
  EXPECT_EQ(ToString(e.drops[1].name), "a");
  EXPECT_EQ(e.drops[1].per_million, 4000u);
  EXPECT_EQ(e.drops[2].per_million, 40u);
  EXPECT_EQ(e.drops[3].per_million, 0u);
  EXPECT_FALSE(e.drop_all);
}

TEST(Drops, OfAMillionDropEverything) {
  Decoder d;
  for (const char* percentage :
       {"{'numerator':100}", "{'numerator':101}", "{'numerator':4294967295}",
        "{'numerator':2000000,'denominator':'MILLION'}"}) {
    Decoded result = d.Good(gxds_endpoints_type,
                            Assignment("", std::string(",'policy':{'drop_overloads':[{'category':"
                                                       "'lb','drop_percentage':") +
                                               percentage + "}]}"));
    EXPECT_EQ(result.As<gxds_endpoints>().drops[0].per_million, 1000000u) << percentage;
    EXPECT_TRUE(result.As<gxds_endpoints>().drop_all) << percentage;
  }
}

// A locality by its index, by default of the first priority.
const gxds_locality* At(const Decoded& d, size_t locality, size_t priority = 0) {
  return d.As<gxds_endpoints>().priorities[priority].localities[locality];
}

TEST(Sharing, AnUpdateOfOneEndpointKeepsAllOtherLocalities) {
  Decoder d;
  auto with = [](const std::string& changing) {
    return Assignment(Locality("a", Endpoint("10.0.0.1")) + "," +
                      Locality("b", Endpoint("10.0.0.2") + "," + Endpoint(changing)) + "," +
                      Locality("c", Endpoint("10.0.0.3")) + "," +
                      Locality("d", Endpoint("10.0.0.4"), 1, 1));
  };
  Decoded before = d.Good(gxds_endpoints_type, with("10.0.1.1"));
  Decoded after = d.Good(gxds_endpoints_type, with("10.0.1.2"), before.resource());
  EXPECT_NE(before.resource(), after.resource());
  EXPECT_EQ(At(before, 0), At(after, 0));
  EXPECT_NE(At(before, 1), At(after, 1));
  EXPECT_EQ(At(before, 2), At(after, 2));
  EXPECT_EQ(At(before, 0, 1), At(after, 0, 1));
  EXPECT_EQ(Show(after.As<gxds_endpoints>()),
            "a=10.0.0.1:80 b=10.0.0.2:80,10.0.1.2:80 c=10.0.0.3:80 | d=10.0.0.4:80");
}

TEST(Sharing, NeedsEqualNameWeightAndEndpointsInOrder) {
  Decoder d;
  const std::string base = Endpoint("10.0.0.1") + "," + Endpoint("10.0.0.2");
  Decoded before = d.Good(gxds_endpoints_type, Assignment(Locality("a", base, 5)));
  const std::string changes[] = {
      Locality("b", base, 5),
      Locality("a", base, 6),
      Locality("a", Endpoint("10.0.0.1"), 5),
      Locality("a", Endpoint("10.0.0.2") + "," + Endpoint("10.0.0.1"), 5),
      Locality("a", Endpoint("10.0.0.1") + "," + Endpoint("10.0.0.2", 81), 5),
      Locality("a", Endpoint("10.0.0.1") + "," + Endpoint("10.0.0.3"), 5),
      Locality("a",
               Endpoint("10.0.0.1", 80, "'load_balancing_weight':2,") + "," + Endpoint("10.0.0.2"),
               5),
      Locality("a",
               Endpoint("10.0.0.1", 80, "'health_status':'HEALTHY',") + "," + Endpoint("10.0.0.2"),
               5),
      Locality("a", Endpoint("::a00:1") + "," + Endpoint("10.0.0.2"), 5),
  };
  for (const std::string& change : changes) {
    Decoded after = d.Good(gxds_endpoints_type, Assignment(change), before.resource());
    EXPECT_NE(At(before, 0), At(after, 0)) << change;
  }
  Decoded same = d.Good(gxds_endpoints_type, Assignment(Locality("a", base, 5)), before.resource());
  EXPECT_EQ(At(before, 0), At(same, 0));
}

TEST(Sharing, FollowsALocalityToAnotherPriority) {
  Decoder d;
  const std::string a = Endpoint("10.0.0.1");
  const std::string b = Endpoint("10.0.0.2");
  Decoded before =
      d.Good(gxds_endpoints_type, Assignment(Locality("a", a) + "," + Locality("b", b, 1, 1)));
  Decoded after =
      d.Good(gxds_endpoints_type, Assignment(Locality("a", a, 1, 1) + "," + Locality("b", b, 1, 0)),
             before.resource());
  EXPECT_EQ(At(before, 0, 0), At(after, 0, 1));
  EXPECT_EQ(At(before, 0, 1), At(after, 0, 0));
}

TEST(Sharing, OutlivesTheResourceThatItCameFrom) {
  Decoder d;
  const std::string json = Assignment(Locality("a", Endpoint("10.0.0.1")));
  auto before = std::make_unique<Decoded>(d.Good(gxds_endpoints_type, json));
  Decoded after = d.Good(gxds_endpoints_type, json, before->resource());
  before.reset();
  EXPECT_EQ(Show(after.As<gxds_endpoints>()), "a=10.0.0.1:80");
}

TEST(Sharing, SameNameInTwoPrioritiesIsFoundByContent) {
  Decoder d;
  const std::string json = Assignment(Locality("a", Endpoint("10.0.0.1")) + "," +
                                      Locality("a", Endpoint("10.0.0.2"), 1, 1));
  Decoded before = d.Good(gxds_endpoints_type, json);
  Decoded after = d.Good(gxds_endpoints_type, json, before.resource());
  EXPECT_EQ(At(before, 0, 0), At(after, 0, 0));
  EXPECT_EQ(At(before, 0, 1), At(after, 0, 1));
}

}  // namespace
}  // namespace grpc_xds_test
