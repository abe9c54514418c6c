#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "resources/endpoints.h"
#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

gxds_locality* Make(const char* region, const char* zone, const char* sub_zone, size_t count = 0) {
  return gxds_locality_create(gxds_str_z(region), gxds_str_z(zone), gxds_str_z(sub_zone), 1, count);
}

// The parsed address of a resource with one endpoint; "" if it is refused.
std::string Parsed(const std::string& address) {
  Decoder d;
  Decoded result = d.Decode(
      gxds_endpoints_type,
      Resource(gxds_endpoints_type,
               "{'endpoints':[{'locality':{},'load_balancing_weight':1,'lb_endpoints':[{'endpoint':"
               "{'address':{'socket_address':{'address':'" +
                   address + "','port_value':80}}}}]}]}"));
  if (result.resource() == nullptr) return "";
  const gxds_endpoint e =
      gxds_locality_endpoint(result.As<gxds_endpoints>().priorities[0].localities[0], 0);
  gxds_text text = {nullptr, 0, 0};
  gxds_address_render(&e.address, &text);
  std::string shown = ToString(gxds_text_str(&text));
  gxds_text_fini(&text);
  return shown;
}

TEST(Address, GoesToTheSystemsFormAndBack) {
  const gxds_address ipv4 = {{1, 2, 3, 4}, 80, 0};
  const gxds_address ipv6 = {{0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7}, 65535, 1};
  for (const gxds_address& address : {ipv4, ipv6}) {
    sockaddr_storage storage;
    EXPECT_EQ(gxds_address_to_sockaddr(&address, &storage),
              address.is_ipv6 != 0 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in));
    gxds_address back;
    EXPECT_TRUE(gxds_address_of_sockaddr(&storage, &back));
    EXPECT_EQ(memcmp(back.ip, address.ip, sizeof back.ip), 0);
    EXPECT_EQ(back.port, address.port);
    EXPECT_EQ(back.is_ipv6, address.is_ipv6);
  }
  sockaddr_storage local = {};
  local.ss_family = AF_UNIX;
  gxds_address none;
  EXPECT_FALSE(gxds_address_of_sockaddr(&local, &none));
}

TEST(Address, Ipv4) {  // A27.37
  EXPECT_EQ(Parsed("0.0.0.0"), "0.0.0.0:80");
  EXPECT_EQ(Parsed("255.255.255.255"), "255.255.255.255:80");
  EXPECT_EQ(Parsed("1.20.100.0"), "1.20.100.0:80");
}

TEST(Address, Ipv6) {  // A27.37
  EXPECT_EQ(Parsed("::1"), "[::1]:80");
  EXPECT_EQ(Parsed("[::1]"), "[::1]:80") << "as the host takes it";
  EXPECT_EQ(Parsed("2001:DB8:0:0:0:0:0:1"), "[2001:db8::1]:80");
  EXPECT_EQ(Parsed("::ffff:1.2.3.4"), "[::ffff:1.2.3.4]:80");
  EXPECT_EQ(Parsed("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255"),
            "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:80");
}

TEST(Address, NeitherOfTheTwo) {
  for (const char* bad : {"",
                          ".",
                          "1",
                          "1.2",
                          "1.2.3",
                          "1.2.3.",
                          "1.2.3.4.",
                          "1.2.3.4.5",
                          ".1.2.3.4",
                          "1..2.3",
                          "256.1.1.1",
                          "1.1.1.256",
                          "1.1.1.1000",
                          "01.1.1.1",
                          "1.1.1.00",
                          "1.1.1.1 ",
                          " 1.1.1.1",
                          "+1.1.1.1",
                          "-1.1.1.1",
                          "0x1.1.1.1",
                          "a.b.c.d",
                          "1.2.3.4:80",
                          "[1.2.3.4]",
                          "[",
                          "]",
                          "[]",
                          "[::1",
                          "::1]",
                          ":",
                          ":::",
                          "1::2::3",
                          "12345::",
                          "1:2:3:4:5:6:7",
                          "1:2:3:4:5:6:7:8:9",
                          "fe80::1%1",
                          "::1\\u0000",
                          "1.2.3.4\\u0000",
                          "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000"}) {
    EXPECT_EQ(Parsed(bad), "") << bad;
  }
}

TEST(Locality, CopiesItsName) {
  std::string region = "r";
  gxds_locality* l = Make(region.c_str(), "", "s", 3);
  region[0] = 'x';
  EXPECT_EQ(ToString(l->region), "r");
  EXPECT_EQ(ToString(l->zone), "");
  EXPECT_EQ(ToString(l->sub_zone), "s");
  EXPECT_EQ(l->endpoint_count, 3u);
  EXPECT_EQ(gxds_locality_endpoint(l, 2).weight, 0u) << "the caller's to fill";
  gxds_locality_unref(gxds_locality_ref(l));
  gxds_locality_unref(l);
}

// A locality with an endpoint 10.0.0.1:80, and one with that address and weight.
const gxds_locality* CopyOf(const gxds_address& address, uint32_t weight) {
  const gxds_endpoint endpoints[] = {{{{10, 0, 0, 1}, 80, 0}, GXDS_HEALTH_HEALTHY, 1},
                                     {address, GXDS_HEALTH_UNKNOWN, weight}};
  gxds_locality view = {};
  view.endpoint_count = 2;
  view.list.full = endpoints;
  const gxds_locality* copy = gxds_locality_copy(&view);
  EXPECT_TRUE(gxds_locality_equal(&view, copy));
  EXPECT_TRUE(gxds_locality_equal(copy, &view));
  const gxds_locality* again = gxds_locality_copy(copy);
  EXPECT_EQ(again->is_small, copy->is_small);
  EXPECT_TRUE(gxds_locality_equal(copy, again));
  gxds_locality_unref(again);
  const uint32_t places[] = {1};
  const gxds_locality* second = gxds_locality_select(copy, places, 1, 1);
  EXPECT_TRUE(gxds_locality_endpoint_equal(copy, 1, second, 0));
  EXPECT_FALSE(gxds_locality_endpoint_equal(copy, 0, second, 0));
  gxds_locality_unref(second);
  const gxds_endpoint e = gxds_locality_endpoint(copy, 1);
  EXPECT_EQ(memcmp(e.address.ip, address.ip, sizeof address.ip), 0);
  EXPECT_EQ(e.address.port, address.port);
  EXPECT_EQ(e.address.is_ipv6, address.is_ipv6);
  EXPECT_EQ(e.health, GXDS_HEALTH_UNKNOWN);
  EXPECT_EQ(e.weight, weight);
  EXPECT_EQ(gxds_locality_endpoint(copy, 0).health, GXDS_HEALTH_HEALTHY);
  return copy;
}

TEST(Locality, EndpointsAreSmallIfAllCanBe) {
  static_assert(sizeof(gxds_small_endpoint) == 8, "docs/scale.md");
  const gxds_address ipv4 = {{1, 2, 3, 4}, 65535, 0};
  const gxds_address ipv6 = {{0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7}, 65535, 1};
  const struct {
    gxds_address address;
    uint32_t weight;
    bool small;
  } cases[] = {{ipv4, 1, true},    {ipv4, 255, true},         {ipv4, 256, false},
               {ipv4, 257, false}, {ipv4, UINT32_MAX, false}, {ipv6, 1, false}};
  for (const auto& c : cases) {
    const gxds_locality* l = CopyOf(c.address, c.weight);
    EXPECT_EQ(l->is_small, c.small) << c.weight;
    gxds_locality_unref(l);
  }
}

TEST(Locality, OrderOfNames) {
  const char* const ordered[][3] = {{"", "", ""},   {"", "", "b"}, {"", "a", ""},
                                    {"", "a", "b"}, {"a", "", ""}, {"a", "", "b"}};
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      gxds_locality* a = Make(ordered[i][0], ordered[i][1], ordered[i][2]);
      gxds_locality* b = Make(ordered[j][0], ordered[j][1], ordered[j][2]);
      int order = gxds_locality_compare_name(a, b);
      EXPECT_EQ((order > 0) - (order < 0), (i > j) - (i < j)) << i << " " << j;
      EXPECT_EQ(gxds_locality_equal(a, b), i == j);
      gxds_locality_unref(a);
      gxds_locality_unref(b);
    }
  }
}

TEST(Locality, NameAsTheHostPrintsIt) {
  gxds_locality* l = Make("r", "z", "s");
  gxds_text text = {nullptr, 0, 0};
  gxds_locality_render_name(l, &text);
  EXPECT_EQ(ToString(gxds_text_str(&text)), "{region=\"r\", zone=\"z\", sub_zone=\"s\"}");
  gxds_text_fini(&text);
  gxds_locality_unref(l);
}

TEST(EndpointsOfLocality, HasOnePriority) {  // logical DNS
  // A37.17
  gxds_locality* l = Make("", "", "");
  const gxds_endpoints* e = gxds_endpoints_of_locality(l);
  ASSERT_EQ(e->priority_count, 1u);
  ASSERT_EQ(e->priorities[0].locality_count, 1u);
  EXPECT_EQ(e->priorities[0].localities[0], l);
  EXPECT_EQ(e->drop_count, 0u);
  EXPECT_EQ(e->base.type, &gxds_endpoints_type);
  gxds_resource_unref(&e->base);
}

}  // namespace
}  // namespace grpc_xds_test
