// Every rule of a ClusterLoadAssignment, broken.
#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

// One endpoint's JSON.
std::string Endpoint(const std::string& address, const std::string& port,
                     const std::string& more = "") {
  return "{" + more + "'endpoint':{'address':{'socket_address':{'address':'" + address +
         "','port_value':" + port + "}}}}";
}

std::string Locality(const std::string& zone, const std::string& endpoints,
                     const std::string& more = "'load_balancing_weight':1") {
  return "{'locality':{'region':'r','zone':'" + zone + "','sub_zone':'s'},'lb_endpoints':[" +
         endpoints + "]," + more + "}";
}

std::string Assignment(const std::string& localities, const std::string& more = "") {
  return Resource(gxds_endpoints_type,
                  "{'cluster_name':'foo','endpoints':[" + localities + "]" + more + "}");
}

// A resource with one endpoint, given as JSON.
std::string OneEndpoint(const std::string& endpoint) { return Assignment(Locality("z", endpoint)); }

// An endpoint with that first address and more.
std::string Several(const std::string& address, const std::string& more) {
  return "{'endpoint':{'address':{'socket_address':{'address':'" + address +
         "','port_value':80}},'additional_addresses':[" + more + "]}}";
}
std::string More(const std::string& address, const std::string& port = "80") {
  return "{'address':{'socket_address':{'address':'" + address + "','port_value':" + port + "}}}";
}
std::string ManyMore(int count) {
  std::string out;
  for (int i = 0; i < count; i++) out += (i > 0 ? "," : "") + More("10.1.0." + std::to_string(i));
  return out;
}
// An assignment whose only endpoint has one additional address, given as bytes.
std::string MoreBytes(const std::string& bytes) {
  const std::string endpoint =
      Proto("envoy.config.endpoint.v3.Endpoint",
            "{'address':{'socket_address':{'address':'10.0.0.1','port_value':80}}}") +
      Field(4, bytes);
  return Field(1, "foo") +
         Field(2, Field(1, Field(2, "z")) + Field(2, Field(1, endpoint)) + Field(3, Number(1, 1)));
}

std::string Drops(const std::string& drops) {
  return Assignment("", ",'policy':{'drop_overloads':[" + drops + "]}");
}

std::string Bad(const std::string& errors) {
  return "errors parsing EDS resource: [" + errors + "]";
}

const char kUnparsable[] = "Can't parse ClusterLoadAssignment resource.";
#ifdef GXDS_HOST_HAS_ADDITIONAL_ADDRESSES
constexpr bool kDecodesMore = true;
#else
constexpr bool kDecodesMore = false;
#endif
const char kFirst[] = "field:endpoints[0].lb_endpoints[0]";

std::vector<Malformed> Rules() {
  const std::string first = kFirst;
  const std::string a = Endpoint("10.0.0.1", "80");
  const std::string b = Endpoint("10.0.0.2", "80");
  const std::string p1 = "'load_balancing_weight':1,'priority':1";
  const std::string max = "'load_balancing_weight':4294967295";
  return {
      {"LocalityMissing", Assignment("{'load_balancing_weight':1,'lb_endpoints':[" + a + "]}"),
       Bad("field:endpoints[0].locality error:field not present")},
      {"LocalityMissingSaysNothingOfItsEndpoints",
       Assignment("{'load_balancing_weight':1,'lb_endpoints':[" + Endpoint("", "2") + "]}"),
       Bad("field:endpoints[0].locality error:field not present")},
      // A61.8
      {"AdditionalAddressWithoutAnAddress", OneEndpoint(Several("10.0.0.1", "{}")),
       Bad(first + ".endpoint.additional_addresses[0].address error:field not present")},
      // A61.8
      {"AdditionalAddressThatIsNoSocketAddress",
       OneEndpoint(Several("10.0.0.1", More("::1") + ",{'address':{'pipe':{'path':'p'}}}")),
       Bad(first +
           ".endpoint.additional_addresses[1].address.socket_address error:field not present")},
      // A61.8
      {"AdditionalAddressesAllWrong",
       OneEndpoint(Several("10.0.0.1", More("host") + "," + More("10.0.0.2", "65536"))),
       Bad(first +
           ".endpoint.additional_addresses[0].address.socket_address error:Failed to parse "
           "address:host:80; " +
           first +
           ".endpoint.additional_addresses[1].address.socket_address.port_value error:invalid "
           "port")},
      // A61.9
      {"AdditionalAddressThatIsTheFirst",
       OneEndpoint(Several("10.0.0.1", More("10.0.0.2") + "," + More("10.0.0.1"))),
       Bad(first + " error:duplicate endpoint address \"ipv4:10.0.0.1:80\"")},
      // A61.9
      {"AdditionalAddressOfAnotherEndpoint",
       Assignment(Locality("y", Several("10.0.0.1", More("::1"))) + "," +
                  Locality("z", Several("10.0.0.2", More("::1")))),
       Bad("field:endpoints[1].lb_endpoints[0] error:duplicate endpoint address "
           "\"ipv6:%5B::1%5D:80\"")},
      // A61.9
      {"AddressThatIsAdditionalElsewhere",
       Assignment(Locality("y", Several("10.0.0.1", More("10.0.0.2"))) + "," +
                  Locality("z", Endpoint("10.0.0.2", "80"))),
       Bad("field:endpoints[1].lb_endpoints[0] error:duplicate endpoint address "
           "\"ipv4:10.0.0.2:80\"")},
      {"AdditionalAddressesTooMany", OneEndpoint(Several("10.0.0.1", ManyMore(65))),
       Bad(first + ".endpoint.additional_addresses error:more than 64 addresses")},
      {"AdditionalAddressThatIsNoMessage", MoreBytes("\xff"),
       kDecodesMore ? kUnparsable
                    : Bad(first + ".endpoint.additional_addresses[0] error:can't decode "
                                  "AdditionalAddress")},
      // A27.32
      {"LocalityTwice", Assignment(Locality("z", a) + "," + Locality("z", b)),
       Bad("field:endpoints[1] error:duplicate locality {region=\"r\", zone=\"z\", "
           "sub_zone=\"s\"} found in priority 0")},
      {"LocalityTwiceInALaterPriority",
       Assignment(Locality("z", a) + "," + Locality("z", b, p1) + "," + Locality("z", "", p1)),
       Bad("field:endpoints[2] error:duplicate locality {region=\"r\", zone=\"z\", "
           "sub_zone=\"s\"} found in priority 1")},
      {"LocalityThreeTimes",
       Assignment(Locality("z", "") + "," + Locality("z", "") + "," + Locality("z", "")),
       Bad("field:endpoints[1] error:duplicate locality {region=\"r\", zone=\"z\", "
           "sub_zone=\"s\"} found in priority 0; "
           "field:endpoints[2] error:duplicate locality {region=\"r\", zone=\"z\", "
           "sub_zone=\"s\"} found in priority 0")},
      // A27.31
      {"PriorityGapAtTheStart", Assignment(Locality("z", a, p1)),
       Bad("field:endpoints error:priority 0 empty")},
      // A27.31
      {"PriorityGaps",
       Assignment(Locality("y", a, p1) + "," +
                  Locality("z", b, "'load_balancing_weight':1,'priority':3")),
       Bad("field:endpoints errors:[priority 0 empty; priority 2 empty]")},
      {"PriorityGapWhereOnlyASkippedLocalityIs",
       Assignment(Locality("y", a, "'priority':0") + "," + Locality("z", b, p1)),
       Bad("field:endpoints error:priority 0 empty")},
      {"PriorityTooHigh",
       Assignment(Locality("y", a) + "," +
                  Locality("z", b, "'load_balancing_weight':1,'priority':128")),
       Bad("field:endpoints[1].priority error:value must be in the range [0, 127]")},
      // A27.30
      {"WeightSum", Assignment(Locality("y", a, max) + "," + Locality("z", b)),
       Bad("field:endpoints error:sum of locality weights for priority 0 exceeds uint32 max")},
      {"WeightSumOfALaterPriority",
       Assignment(Locality("y", "") + "," + Locality("y", a, max + ",'priority':1") + "," +
                  Locality("z", b, p1)),
       Bad("field:endpoints error:sum of locality weights for priority 1 exceeds uint32 max")},
      // A27.36
      {"EndpointMissing", OneEndpoint("{}"), Bad(first + ".endpoint error:field not present")},
      // A27.36
      {"AddressMissing", OneEndpoint("{'endpoint':{}}"),
       Bad(first + ".endpoint.address error:field not present")},
      // A27.36
      {"SocketAddressMissing", OneEndpoint("{'endpoint':{'address':{}}}"),
       Bad(first + ".endpoint.address.socket_address error:field not present")},
      {"AddressIsAPipe", OneEndpoint("{'endpoint':{'address':{'pipe':{'path':'/p'}}}}"),
       Bad(first + ".endpoint.address.socket_address error:field not present")},
      {"PortTooHigh", OneEndpoint(Endpoint("10.0.0.1", "65536")),
       Bad(first + ".endpoint.address.socket_address.port_value error:invalid port")},
      // A27.37
      {"AddressIsAName", OneEndpoint(Endpoint("not_an_ip_address", "443")),
       Bad(first + ".endpoint.address.socket_address error:Failed to parse "
                   "address:not_an_ip_address:443")},
      {"AddressEmpty", OneEndpoint(Endpoint("", "443")),
       Bad(first + ".endpoint.address.socket_address error:Failed to parse address::443")},
      {"AddressWithLeadingZero", OneEndpoint(Endpoint("10.0.0.01", "443")),
       Bad(first + ".endpoint.address.socket_address error:Failed to parse "
                   "address:10.0.0.01:443")},
      {"AddressIsHalfAnIpv6", OneEndpoint(Endpoint("2001:db8", "443")),
       Bad(first + ".endpoint.address.socket_address error:Failed to parse "
                   "address:[2001:db8]:443")},
      {"AddressWithControlCharacters", OneEndpoint(Endpoint("10.0.0.1\\u0001", "443")),
       Bad(first + ".endpoint.address.socket_address error:Failed to parse "
                   "address:10.0.0.1\\x01:443")},
      // A27.38
      {"AddressTwiceInALocality", OneEndpoint(a + "," + a),
       Bad("field:endpoints[0].lb_endpoints[1] error:duplicate endpoint address "
           "\"ipv4:10.0.0.1:80\"")},
      {"AddressTwiceInAPriority", Assignment(Locality("y", a) + "," + Locality("z", a)),
       Bad("field:endpoints[1].lb_endpoints[0] error:duplicate endpoint address "
           "\"ipv4:10.0.0.1:80\"")},
      // A27.38
      {"AddressTwiceInTheCluster",
       Assignment(Locality("z", a) + "," + Locality("z", b + "," + a, p1)),
       Bad("field:endpoints[1].lb_endpoints[1] error:duplicate endpoint address "
           "\"ipv4:10.0.0.1:80\"")},
      {"Ipv6AddressTwice",
       OneEndpoint(Endpoint("2001:db8::1", "80") + "," + Endpoint("2001:DB8:0::1", "80")),
       Bad("field:endpoints[0].lb_endpoints[1] error:duplicate endpoint address "
           "\"ipv6:%5B2001:db8::1%5D:80\"")},
      {"EndpointWeightZero", OneEndpoint(Endpoint("10.0.0.1", "80", "'load_balancing_weight':0,")),
       Bad(first + ".load_balancing_weight error:must be greater than 0")},
      {"EndpointWeightSum", OneEndpoint(Endpoint("10.0.0.1", "80", max + ",") + "," + b),
       Bad("field:endpoints[0].lb_endpoints error:sum of endpoint weights exceeds uint32 max")},
      {"DropWithoutCategory", Drops("{'drop_percentage':{'numerator':1}}"),
       Bad("field:policy.drop_overloads[0].category error:empty drop category name")},
      {"DropWithoutPercentage", Drops("{'category':'lb'}"),
       Bad("field:policy.drop_overloads[0].drop_percentage error:field not present")},
      {"DropWithUnknownDenominator",
       Drops("{'category':'lb','drop_percentage':{'numerator':1,'denominator':3}}"),
       Bad("field:policy.drop_overloads[0].drop_percentage.denominator error:unknown denominator "
           "type")},
  };
}

std::vector<Malformed> Several() {
  const std::string a = Endpoint("10.0.0.1", "80");
  const std::string dangling = Endpoint("nowhere", "70000");
  return {
      {"FaultsOfManyKinds",
       Assignment(Locality("x", "{}," + dangling + "," + a) + "," +
                      "{'load_balancing_weight':5,'lb_endpoints':[" + a + "]}," +
                      Locality("z", Endpoint("::", "1", "'load_balancing_weight':0,"),
                               "'load_balancing_weight':1,'priority':2"),
                  ",'policy':{'drop_overloads':[{},{'category':'x'}]}"),
       Bad("field:endpoints error:priority 1 empty; "
           "field:endpoints[0].lb_endpoints[0].endpoint error:field not present; "
           "field:endpoints[0].lb_endpoints[1].endpoint.address.socket_address.port_value "
           "error:invalid port; "
           "field:endpoints[1].locality error:field not present; "
           "field:endpoints[2].lb_endpoints[0].load_balancing_weight error:must be greater than "
           "0; "
           "field:policy.drop_overloads[0].category error:empty drop category name; "
           "field:policy.drop_overloads[0].drop_percentage error:field not present; "
           "field:policy.drop_overloads[1].drop_percentage error:field not present")},
      {"AFaultyPriorityIsNoGap",
       Assignment(Locality("x", dangling) + "," +
                  Locality("y", a, "'load_balancing_weight':1,'priority':1")),
       Bad("field:endpoints[0].lb_endpoints[0].endpoint.address.socket_address.port_value "
           "error:invalid port")},
  };
}

// A locality whose metadata is a list in a list in a list…
std::string Nested(int depth) {
  std::string value;
  for (int i = 0; i < depth; i++) value = Field(6, Field(1, value));
  std::string map = Field(1, Field(1, "k") + Field(2, value));
  std::string metadata = Field(1, Field(1, "f") + Field(2, map));
  return Field(2, Field(2, Field(3, metadata)));
}

std::vector<Malformed> Unparsable() {
  std::string good = OneEndpoint(Endpoint("10.0.0.1", "80"));
  return {
      {"Truncated", good.substr(0, good.size() - 1), kUnparsable},
      {"TruncatedInALocality", good.substr(0, good.size() / 2), kUnparsable},
      {"ZeroByte", std::string(1, '\0'), kUnparsable},
      {"RandomBytes", RandomBytes(1, 200), kUnparsable},
      {"WireTypeOfNothing", std::string("\x0e\x00", 2), kUnparsable},
      {"NameIsNoUtf8", Field(1, "\xff\xfe"), kUnparsable},
      {"NestedTooDeep", Nested(200), kUnparsable},
  };
}

MALFORMED_SUITE(EndpointsRules, gxds_endpoints_type, Rules());
MALFORMED_SUITE(EndpointsSeveral, gxds_endpoints_type, Several());
MALFORMED_SUITE(EndpointsUnparsable, gxds_endpoints_type, Unparsable());

// The host's decoder miscounts such a map entry and aborts.
TEST(EndpointsLimits, UnknownFieldsAtTheEndOfAMapEntryAreHarmless) {  // A27.16
  for (int count = 0; count < 40; count++) {
    std::string entry = Field(1, "k");
    for (int i = 0; i < count; i++) entry += "\x38\x01";
    Decoder decoder;
    std::string bytes = Field(2, Field(2, Field(3, Field(1, entry))));
    EXPECT_EQ(decoder.Decode(gxds_endpoints_type, bytes).code(), GXDS_OK) << count;
    EXPECT_EQ(decoder.Decode(gxds_endpoints_type, bytes.substr(0, bytes.size() - 1)).message(),
              kUnparsable);
  }
}

TEST(EndpointsLimits, SomeNestingIsParsed) {
  Decoder decoder;
  EXPECT_EQ(decoder.Decode(gxds_endpoints_type, Nested(10)).code(), GXDS_OK);
}

TEST(EndpointsLimits, MoreThanAHundredErrorsAreCounted) {
  std::string many;
  for (int i = 0; i < 103; i++) many += (i ? ",{}" : "{}");
  Decoder decoder;
  Decoded result = decoder.Decode(gxds_endpoints_type, OneEndpoint(many));
  std::string message = result.message();
  std::string tail = "; and 3 more]";
  ASSERT_GT(message.size(), tail.size());
  EXPECT_EQ(message.substr(message.size() - tail.size()), tail);
}

TEST(EndpointsLimits, AMillionEndpointsAreTheMost) {
  std::string empty_endpoints;
  for (uint32_t i = 0; i <= GXDS_ENDPOINTS_MAX; i++) empty_endpoints += std::string("\x12\x00", 2);
  ExpectRefused(gxds_endpoints_type, {"", Field(1, "foo") + Field(2, empty_endpoints),
                                      Bad("field:endpoints error:more than 1000000 endpoints")});
}

TEST(EndpointsLimits, AMillionLocalitiesAreTheMost) {
  std::string empty_localities;
  for (uint32_t i = 0; i <= GXDS_ENDPOINTS_MAX; i++) empty_localities += std::string("\x12\x00", 2);
  ExpectRefused(gxds_endpoints_type, {"", Field(1, "foo") + empty_localities,
                                      Bad("field:endpoints error:more than 1000000 localities")});
}

TEST(EndpointsLimits, QuotedTextIsCutBetweenCharacters) {
  std::string euros;
  for (int i = 0; i < 1000; i++) euros += "\xe2\x82\xac";
  Decoder decoder;
  Decoded result = decoder.Decode(gxds_endpoints_type, OneEndpoint(Endpoint(euros, "80")));
  EXPECT_EQ(result.message(), Bad(std::string(kFirst) +
                                  ".endpoint.address.socket_address error:Failed to parse "
                                  "address:" +
                                  euros.substr(0, 255) + ":80"));
}

}  // namespace
}  // namespace grpc_xds_test
