// What identifies the host's addresses to policies in C.
#include "host/grpc_common/convert.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

#include <memory>
#include <string>
#include <utility>

#include "test/host/grpc_1_51/snapshot.h"

namespace grpc_xds {
namespace testing {
namespace {

using grpc_core::ChannelArgs;
using grpc_core::ServerAddress;

// Like grpclb's attribute: the balancer's token that RPCs to the address carry.
class Token : public ServerAddress::AttributeInterface {
 public:
  explicit Token(int number) : number_(number) {}
  std::unique_ptr<AttributeInterface> Copy() const override {
    return std::make_unique<Token>(number_);
  }
  int Cmp(const AttributeInterface* other) const override {
    return number_ - static_cast<const Token*>(other)->number_;
  }
  std::string ToString() const override { return std::to_string(number_); }

 private:
  const int number_;
};
constexpr char kToken[] = "token";

ServerAddress WithToken(const ServerAddress& address, int number) {
  return address.WithAttribute(kToken, std::make_unique<Token>(number));
}

// 10.0.0.1:80 in zone z.
ServerAddress A(uint32_t weight = 1) {
  static const auto& locality = *new CRef<gxds_locality>(MakeLocality({"z", 1, {80}}));
  return TakeAddresses(gxds_locality_addresses(locality.get()))[0].WithAttribute(
      grpc_core::ServerAddressWeightAttribute::kServerAddressWeightAttributeKey,
      std::make_unique<grpc_core::ServerAddressWeightAttribute>(weight));
}

// fe80::1 with that scope id.
ServerAddress LinkLocal(uint32_t scope) {
  grpc_resolved_address address = {};
  auto* in6 = reinterpret_cast<sockaddr_in6*>(address.addr);
  in6->sin6_family = AF_INET6;
  in6->sin6_addr.s6_addr[0] = 0xfe;
  in6->sin6_addr.s6_addr[1] = 0x80;
  in6->sin6_addr.s6_addr[15] = 1;
  in6->sin6_port = htons(80);
  in6->sin6_scope_id = scope;
  address.len = sizeof *in6;
  return ServerAddress(address, ChannelArgs());
}

ServerAddress Unix(const char* path) {
  grpc_resolved_address address = {};
  auto* un = reinterpret_cast<sockaddr_un*>(address.addr);
  un->sun_family = AF_UNIX;
  strcpy(un->sun_path, path);
  address.len = sizeof *un;
  return ServerAddress(address, ChannelArgs());
}

std::string Render(const ServerAddress& address,
                   void (*render)(const gxds_addresses*, size_t, gxds_text*)) {
  const gxds_addresses* list = ToC({address});
  gxds_text text = {};
  render(list, 0, &text);
  gxds_addresses_unref(list);
  std::string out(ToAbsl(gxds_text_str(&text)));
  gxds_text_fini(&text);
  return out;
}
std::string Key(const ServerAddress& address) { return Render(address, gxds_addresses_render_key); }
std::string Detail(const ServerAddress& address) {
  return Render(address, gxds_addresses_render_detail);
}

TEST(Addresses, KeyIsTheAddressAlone) {
  EXPECT_EQ(Key(A()), "10.0.0.1:80");
  EXPECT_EQ(Key(WithToken(A(2), 1)), "10.0.0.1:80");
}

TEST(Addresses, TheLinkOfAnAddressIsPartOfIt) {
  EXPECT_EQ(Key(LinkLocal(1)), Key(LinkLocal(1)));
  EXPECT_NE(Key(LinkLocal(1)), Key(LinkLocal(2)));
}

TEST(Addresses, SocketsThatAreNoIpAddressesAreDistinct) {
  EXPECT_EQ(Key(Unix("a")), Key(Unix("a")));
  EXPECT_NE(Key(Unix("a")), Key(Unix("b")));
}

TEST(Addresses, AnAttributeIsPartOfTheSubchannelButNoWeight) {
  EXPECT_EQ(Detail(WithToken(A(1), 1)), Detail(WithToken(A(2), 1)));
  EXPECT_NE(Detail(WithToken(A(), 1)), Detail(WithToken(A(), 2)));
  EXPECT_NE(Detail(WithToken(A(), 1)), Detail(A()));
}

TEST(Addresses, TheLocalityIsPartOfTheSubchannel) {
  const auto other = MakeLocality({"other", 1, {80}});
  EXPECT_NE(Detail(TakeAddresses(gxds_locality_addresses(other.get()))[0]), Detail(A()));
}

TEST(Addresses, TheHostnameIsPartOfTheSubchannel) {  // A81.4
  const auto plain = MakeLocality({"z", 1, {80}});
  gxds_locality view = *plain;
  const gxds_str hostname = gxds_str_z("a.example");
  gxds_locality_rare rare = {};
  rare.hostnames = &hostname;
  view.rare = &rare;
  const CRef<gxds_locality> named(gxds_locality_copy(&view));
  const ServerAddress with = TakeAddresses(gxds_locality_addresses(named.get()))[0];
  const ServerAddress without = TakeAddresses(gxds_locality_addresses(plain.get()))[0];
  EXPECT_EQ(Key(with), Key(without));
  EXPECT_NE(Detail(with), Detail(without));
}

TEST(Addresses, TheProxyIsPartOfTheSubchannel) {  // A86.7
  const auto plain = MakeLocality({"z", 1, {80}});
  gxds_locality view = *plain;
  const gxds_str proxy = gxds_str_z("10.1.0.1:3128");
  gxds_locality_rare rare = {};
  rare.proxies = &proxy;
  view.rare = &rare;
  const CRef<gxds_locality> reached(gxds_locality_copy(&view));
  const ServerAddress with = TakeAddresses(gxds_locality_addresses(reached.get()))[0];
  const ServerAddress without = TakeAddresses(gxds_locality_addresses(plain.get()))[0];
  EXPECT_EQ(Key(with), Key(without));
  EXPECT_NE(Detail(with), Detail(without));
  const gxds_addresses* back = ToC(grpc_core::ServerAddressList{with});
  EXPECT_TRUE(gxds_str_equal(gxds_addresses_at(back, 0).proxy, proxy));
  gxds_addresses_unref(back);
}

}  // namespace
}  // namespace testing
}  // namespace grpc_xds
