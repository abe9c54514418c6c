// The parts of an EDS message that are taken from the last good resource without decoding, because
// their bytes are equal.
#include <gmock/gmock.h>

#include "resources/endpoints.h"
#include "resources/endpoints_known_internal.h"
#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

std::string Endpoint(const std::string& address, const std::string& more = "") {
  return "{" + more + "'endpoint':{'address':{'socket_address':{'address':'" + address +
         "','port_value':80}}}}";
}
std::string Keyed(const std::string& address, const std::string& key) {
  return Endpoint(address,
                  "'metadata':{'filter_metadata':{'envoy.lb':{'hash_key':'" + key + "'}}},");
}
std::string Address(const std::string& address) {
  return "{'address':{'socket_address':{'address':'" + address + "','port_value':80}}}";
}
// A61: an endpoint with a second address.
std::string Double(const std::string& address, const std::string& second) {
  return "{'endpoint':{'address':{'socket_address':{'address':'" + address +
         "','port_value':80}},'additional_addresses':[" + Address(second) + "]}}";
}
std::string Draining(const std::string& address) {
  return Endpoint(address, "'health_status':'DRAINING',");
}
std::string Locality(const std::string& zone, const std::string& endpoints, int priority = 0) {
  return "{'locality':{'zone':'" + zone + "'},'lb_endpoints':[" + endpoints +
         "],'load_balancing_weight':1,'priority':" + std::to_string(priority) + "}";
}
std::string Assignment(const std::string& localities, const std::string& more = "") {
  return "{'cluster_name':'foo','endpoints':[" + localities + "]" + more + "}";
}

const gxds_locality* At(const Decoded& d, size_t locality, size_t priority = 0) {
  return d.As<gxds_endpoints>().priorities[priority].localities[locality];
}

// Changes the locality from what its bytes say, to show whether they are decoded again.
void Mark(const gxds_locality* l) { const_cast<gxds_locality*>(l)->weight = 77; }

std::string Show(const gxds_locality* l, uint32_t index) {
  const gxds_endpoint e = gxds_locality_endpoint(l, index);
  gxds_text text = {nullptr, 0, 0};
  gxds_address_render(&e.address, &text);
  std::string out = ToString(gxds_text_str(&text));
  gxds_text_fini(&text);
  if (e.weight != 1) out += "*" + std::to_string(e.weight);
  if (e.health != GXDS_HEALTH_UNKNOWN) out += " healthy";
  const gxds_str key = gxds_locality_hash_key(l, index);
  if (key.size > 0) out += "#" + ToString(key);
  return out + ",";
}

// Everything except pointers and regions.
std::string Show(const gxds_endpoints& e) {
  std::string out;
  for (size_t i = 0; i < e.priority_count; i++) {
    out += " |";
    for (size_t j = 0; j < e.priorities[i].locality_count; j++) {
      const gxds_locality* l = e.priorities[i].localities[j];
      out += " " + ToString(l->zone) + "*" + std::to_string(l->weight) + "=";
      for (uint32_t k = 0; k < l->endpoint_count; k++) out += Show(l, k);
    }
  }
  for (size_t i = 0; i < e.drop_count; i++) {
    out += " drop " + ToString(e.drops[i].name) + ":" + std::to_string(e.drops[i].per_million);
  }
  return out + (e.drop_all ? " all" : "");
}

TEST(KnownLocalities, AreTakenOverUnread) {
  Decoder d;
  const std::string a = Locality("a", Endpoint("10.0.0.1"));
  const std::string b = Locality("b", Endpoint("10.0.0.2"), 1);
  Decoded before = d.Good(gxds_endpoints_type,
                          Assignment(a + "," + b + "," + Locality("c", Endpoint("10.0.0.3"))));
  for (size_t priority : {0, 1}) Mark(At(before, 0, priority));
  Decoded after = d.Good(gxds_endpoints_type,
                         Assignment(a + "," + Locality("c", Endpoint("10.0.0.4")) + "," + b,
                                    ",'policy':{'drop_overloads':[{'category':'x',"
                                    "'drop_percentage':{'numerator':1}}]}"),
                         before.resource());
  EXPECT_EQ(Show(after.As<gxds_endpoints>()),
            " | a*77=10.0.0.1:80, c*1=10.0.0.4:80, | b*77=10.0.0.2:80, drop x:10000");
}

TEST(KnownLocalities, KeepTheirHashKeysWhereOthersChange) {
  Decoder d;
  const std::string a = Locality("a", Keyed("10.0.0.1", "one") + "," + Endpoint("10.0.0.2"));
  auto message = [&](const std::string& key) {
    return Assignment(
        Locality("b", Endpoint("10.0.0.3") + "," + Keyed("10.0.0.4", key)) + "," + a + "," +
        Locality("c", Endpoint("10.0.0.5", "'load_balancing_weight':9,'health_status':'HEALTHY',") +
                          "," + Keyed("10.0.0.6", key)));
  };
  Decoded before = d.Good(gxds_endpoints_type, message("two"));
  Mark(At(before, 0));
  Decoded after = d.Good(gxds_endpoints_type, message("six"), before.resource());
  EXPECT_EQ(Show(after.As<gxds_endpoints>()),
            " | a*77=10.0.0.1:80#one,10.0.0.2:80, b*1=10.0.0.3:80,10.0.0.4:80#six, "
            "c*1=10.0.0.5:80*9 healthy,10.0.0.6:80#six,");
}

TEST(KnownLocalities, LeaveTheDropsToTheMessage) {
  Decoder d;
  auto message = [](const std::string& drops) {
    return Assignment(Locality("a", Endpoint("10.0.0.1")),
                      drops.empty() ? "" : ",'policy':{'drop_overloads':[" + drops + "]}");
  };
  const std::string half = "{'category':'x','drop_percentage':{'numerator':50}}";
  const std::string all = "{'category':'y','drop_percentage':{'numerator':100}}";
  Decoded none = d.Good(gxds_endpoints_type, message(""));
  Mark(At(none, 0));
  Decoded two = d.Good(gxds_endpoints_type, message(half + "," + all), none.resource());
  EXPECT_EQ(Show(two.As<gxds_endpoints>()),
            " | a*77=10.0.0.1:80, drop x:500000 drop y:1000000 all");
  Decoded one = d.Good(gxds_endpoints_type, message(half), two.resource());
  EXPECT_EQ(Show(one.As<gxds_endpoints>()), " | a*77=10.0.0.1:80, drop x:500000");
  Decoded again = d.Good(gxds_endpoints_type, message(""), one.resource());
  EXPECT_EQ(Show(again.As<gxds_endpoints>()), " | a*77=10.0.0.1:80,");
}

TEST(KnownLocalities, AreKnownThroughManyUpdates) {
  Decoder d;
  const std::string kept = Locality("a", Endpoint("10.0.0.1"));
  Decoded first = d.Good(gxds_endpoints_type, Assignment(kept));
  Mark(At(first, 0));
  Decoded second =
      d.Good(gxds_endpoints_type, Assignment(kept + "," + Locality("b", Endpoint("10.0.0.2"))),
             first.resource());
  Decoded third = d.Good(gxds_endpoints_type, Assignment(kept), second.resource());
  EXPECT_EQ(Show(third.As<gxds_endpoints>()), " | a*77=10.0.0.1:80,");
}

TEST(KnownLocalities, MayBeAmongManyInAnyOrder) {
  Decoder d;
  auto localities = [](int first, int step) {
    std::string all;
    for (int i = 0, at = first; i < 101; i++, at = (at + step) % 101) {
      const std::string number = std::to_string(at);
      all += (i == 0 ? "" : ",") + Locality("z" + number, Endpoint("10.0.0." + number), at % 3);
    }
    return all;
  };
  Decoded before = d.Good(gxds_endpoints_type, Assignment(localities(0, 1)));
  for (size_t i = 0; i < 101; i++) Mark(At(before, i / 3, i % 3));
  const std::string marked = Show(before.As<gxds_endpoints>());
  Decoded after = d.Good(gxds_endpoints_type, Assignment(localities(7, 30)), before.resource());
  EXPECT_EQ(Show(after.As<gxds_endpoints>()), marked);
}

TEST(KnownLocalities, AreReadWhenTheirPriorityChanges) {
  Decoder d;
  Decoded before =
      d.Good(gxds_endpoints_type, Assignment(Locality("a", Endpoint("10.0.0.1"), 1) + "," +
                                             Locality("b", Endpoint("10.0.0.2"), 0)));
  const std::string swapped = Assignment(Locality("a", Endpoint("10.0.0.1"), 0) + "," +
                                         Locality("b", Endpoint("10.0.0.2"), 1));
  Decoded after = d.Good(gxds_endpoints_type, swapped, before.resource());
  EXPECT_EQ(Show(after.As<gxds_endpoints>()), " | a*1=10.0.0.1:80, | b*1=10.0.0.2:80,");
  Decoded again = d.Good(gxds_endpoints_type, swapped, after.resource());
  EXPECT_EQ(Show(again.As<gxds_endpoints>()), Show(after.As<gxds_endpoints>()));
}

// Errors next to known localities are the same as without them, with their index in the message.
TEST(KnownLocalities, ChangeNoError) {
  Decoder d;
  const std::string unhealthy = Endpoint("10.9.9.9", "'health_status':'UNHEALTHY',");
  const std::string a = Locality("a", unhealthy + "," + Endpoint("10.0.0.1"));
  const std::string b = Locality("b", Endpoint("10.0.0.2"), 1);
  Decoded before = d.Good(gxds_endpoints_type, Assignment(a + "," + b));
  const std::string wrong[] = {
      Locality("c", Endpoint("10.0.0.1")) + "," + a + "," + b,  // a known address
      a + "," + b + "," + Locality("c", Endpoint("10.0.0.2")),
      a + "," + b + "," + a,                                    // a known locality twice
      a + "," + b + "," + Locality("a", Endpoint("10.0.0.3")),  // a known name
      b,                                                        // a gap in the priorities
      a + "," + b + "," + Locality("c", Endpoint("10.0.0.3"), 3),
      a + "," + b + "," + Locality("c", Endpoint("no address")),
  };
  for (const std::string& localities : wrong) {
    const std::string bytes = Resource(gxds_endpoints_type, Assignment(localities));
    Decoded plain = d.Decode(gxds_endpoints_type, bytes);
    Decoded on_top = d.Decode(gxds_endpoints_type, bytes, before.resource());
    EXPECT_NE(plain.message(), "") << localities;
    EXPECT_EQ(on_top.message(), plain.message());
    EXPECT_EQ(on_top.name(), "foo");
    EXPECT_EQ(on_top.resource(), nullptr);
  }
}

// All addresses of an endpoint count, and those of endpoints in DRAINING too.
TEST(KnownLocalities, HaveNoAddressOfAnotherLocality) {
  Decoder d;
  const std::string a =
      Locality("a", Double("10.0.0.1", "10.1.0.1") + "," + Endpoint("2001:db8::1"));
  const std::string b = Locality(
      "b", Endpoint("10.0.0.2") + "," + Draining("10.2.0.2") + "," + Draining("2001:db8::2"));
  Decoded before = d.Good(gxds_endpoints_type, Assignment(a + "," + b));
  auto decode = [&](const std::string& endpoints) {
    const std::string bytes =
        Resource(gxds_endpoints_type, Assignment(a + "," + b + "," + Locality("c", endpoints)));
    const std::string plain = d.Decode(gxds_endpoints_type, bytes).message();
    EXPECT_EQ(d.Decode(gxds_endpoints_type, bytes, before.resource()).message(), plain);
    return plain;
  };
  for (const char* address :
       {"10.0.0.1", "10.1.0.1", "2001:db8::1", "10.0.0.2", "10.2.0.2", "2001:db8::2"}) {
    EXPECT_THAT(decode(Endpoint(address)), testing::HasSubstr("duplicate endpoint address"));
    EXPECT_THAT(decode(Draining(address)), testing::HasSubstr("duplicate endpoint address"));
    EXPECT_THAT(decode(Double("10.0.0.3", address)),
                testing::HasSubstr("duplicate endpoint address"));
  }
  EXPECT_EQ(decode(Double("10.0.0.3", "2001:db8::3")), "");
}

// The filter for addresses has fewer bits than this message has addresses.
TEST(KnownLocalities, MayBeNextToManyNewAddresses) {
  Decoder d;
  auto some = [](int net) {
    std::string all;
    for (int i = 0; i < 5000; i++) {
      all +=
          (i == 0 ? "" : ",") + Endpoint("10." + std::to_string(net) + "." +
                                         std::to_string(i / 250) + "." + std::to_string(i % 250));
    }
    return all;
  };
  const std::string a = Locality("a", some(1));
  Decoded before = d.Good(gxds_endpoints_type, Assignment(a));
  Mark(At(before, 0));
  Decoded after =
      d.Good(gxds_endpoints_type, Assignment(a + "," + Locality("b", some(2))), before.resource());
  EXPECT_EQ(At(after, 0)->weight, 77u);
  EXPECT_EQ(At(after, 1)->endpoint_count, 5000u);
}

TEST(KnownLocalities, DoNotHideWhatCannotBeParsed) {
  Decoder d;
  const std::string bytes =
      Resource(gxds_endpoints_type, Assignment(Locality("a", Endpoint("10.0.0.1"))));
  Decoded before = d.Decode(gxds_endpoints_type, bytes);
  for (const std::string& more : {std::string("\x12"), std::string("\x12\x05zz"),
                                  Field(2, "\x0a\x7f"), Field(1, "\xff\xff")}) {
    Decoded after = d.Decode(gxds_endpoints_type, bytes + more, before.resource());
    EXPECT_EQ(after.message(), "Can't parse ClusterLoadAssignment resource.");
    EXPECT_EQ(after.resource(), nullptr);
  }
}

// A tag can be encoded in more bytes than it needs, and the decoder refuses some of these
// encodings. A locality after such a tag must not be taken over because it is known after another
// tag.
TEST(KnownLocalities, AreNotKnownBehindAnotherTag) {
  Decoder d;
  const std::string content =
      Proto("envoy.config.endpoint.v3.LocalityLbEndpoints", Locality("a", Endpoint("10.0.0.1")));
  auto message = [&content](const std::string& tag) {
    return Field(1, "foo") + tag + Varint(content.size()) + content;
  };
  Decoded before = d.Decode(gxds_endpoints_type, message("\x12"));
  Mark(At(before, 0));
  const std::string longer[] = {
      std::string("\x92\x00", 2),                  // the same field
      std::string("\x92\x80\x80\x80\x00", 5),      // the longest that the decoder accepts
      std::string("\x92\x80\x80\x80\x80\x00", 6),  // one that it refuses
      std::string("\x92\x80\x80\x80\x10", 5),      // another field, with the same lower 32 bits
  };
  for (const std::string& tag : longer) {
    Decoded plain = d.Decode(gxds_endpoints_type, message(tag));
    Decoded on_top = d.Decode(gxds_endpoints_type, message(tag), before.resource());
    EXPECT_EQ(on_top.message(), plain.message()) << tag.size();
    ASSERT_EQ(on_top.resource() == nullptr, plain.resource() == nullptr) << tag.size();
    EXPECT_EQ(on_top.resource() == nullptr, &tag > &longer[1]);
    if (plain.resource() == nullptr) continue;
    EXPECT_EQ(Show(on_top.As<gxds_endpoints>()), Show(plain.As<gxds_endpoints>())) << tag.size();
  }
}

// Such a message is refused, and allocates no memory for its localities before that.
TEST(KnownLocalities, AreNotLookedForAmongMoreThanTheLimit) {
  Decoder d;
  const std::string a = Field(2, Proto("envoy.config.endpoint.v3.LocalityLbEndpoints",
                                       Locality("a", Endpoint("10.0.0.1"))));
  Decoded before = d.Decode(gxds_endpoints_type, Field(1, "foo") + a);
  std::string message = a;
  for (uint32_t i = 1; i < GXDS_ENDPOINTS_MAX; i++) message += std::string("\x12\x00", 2);
  upb_Arena* scratch = upb_Arena_New();
  gxds_known_endpoints most =
      gxds_endpoints_split(ToGxds(message), &before.As<gxds_endpoints>(), scratch);
  EXPECT_EQ(most.locality_count, 1u);
  EXPECT_EQ(most.print_count, GXDS_ENDPOINTS_MAX - 1);
  message += std::string("\x12\x00", 2);
  gxds_known_endpoints more =
      gxds_endpoints_split(ToGxds(message), &before.As<gxds_endpoints>(), scratch);
  EXPECT_EQ(more.localities, nullptr);
  EXPECT_EQ(more.prints, nullptr);
  EXPECT_EQ(more.rest.size, message.size());
  upb_Arena_Free(scratch);
}

}  // namespace
}  // namespace grpc_xds_test
