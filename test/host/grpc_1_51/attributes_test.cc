#include "host/grpc_common/convert.h"

#include <gtest/gtest.h>

#include "src/core/lib/address_utils/sockaddr_utils.h"
#include "test/host/grpc_1_51/snapshot.h"

namespace grpc_xds {
namespace testing {
namespace {

using grpc_core::ChannelArgs;
using grpc_core::ServerAddress;
using grpc_core::ServerAddressList;

const gxds_cluster_entry* Entry(const CRef<gxds_config>& snapshot) {
  return gxds_config_cluster(snapshot.get(), gxds_str_z("foo"));
}

std::string Text(const ServerAddress& address) {
  return grpc_sockaddr_to_string(&address.address(), false).value_or("?");
}

class Attributes : public ::testing::Test {
 protected:
  Attributes() : cluster_("foo") {
    cluster_.Set({{{"a", 10, {80, 81}}, {"b", 20, {82}}}, {{"c", 1, {83}}}});
    snapshot_ = cluster_.Snapshot();
  }

  FakeCluster cluster_;
  CRef<gxds_config> snapshot_;
};

TEST_F(Attributes, ArgsHoldTheSnapshotAndTheMailbox) {  // A74.28
  gxds_mailbox* mailbox = gxds_mailbox_create({});
  GivenConfig given;
  ChannelArgs args = given.Give(ChannelArgs(), snapshot_.get(), mailbox);
  const gxds_config* config = snapshot_.get();
  snapshot_.reset();
  gxds_mailbox_unref(mailbox);
  EXPECT_EQ(ConfigOf(args), config);
  EXPECT_EQ(MailboxOf(args), mailbox);
  ChannelArgs copy = args;
  args = ChannelArgs();
  EXPECT_NE(Entry(CRef<gxds_config>(gxds_config_ref(ConfigOf(copy)))), nullptr);
}

TEST_F(Attributes, ArgsWithoutOursHaveNone) {
  EXPECT_EQ(ConfigOf(ChannelArgs()), nullptr);
  EXPECT_EQ(MailboxOf(ChannelArgs()), nullptr);
  EXPECT_EQ(GivenConfig().Give(ChannelArgs(), nullptr, nullptr), ChannelArgs());
}

TEST_F(Attributes, WithoutOursLeavesExactlyTheRest) {
  ChannelArgs theirs = ChannelArgs().Set("x", 1).Set("grpc_xds", "theirs");
  gxds_mailbox* mailbox = gxds_mailbox_create({});
  ChannelArgs args = GivenConfig().Give(theirs, snapshot_.get(), mailbox);
  gxds_mailbox_unref(mailbox);
  EXPECT_NE(args, theirs);
  EXPECT_EQ(WithoutOurs(args), theirs);
  EXPECT_EQ(WithoutOurs(theirs), theirs);
}

TEST_F(Attributes, SnapshotsCompareByPointer) {
  auto other = cluster_.Snapshot();
  GivenConfig given;
  const ChannelArgs first = given.Give(ChannelArgs(), snapshot_.get(), nullptr);
  EXPECT_EQ(first, given.Give(ChannelArgs(), snapshot_.get(), nullptr));
  gxds_mailbox* mailbox = gxds_mailbox_create({});
  const ChannelArgs second = given.Give(ChannelArgs(), snapshot_.get(), mailbox);
  gxds_mailbox_unref(mailbox);
  EXPECT_NE(first, second);
  EXPECT_NE(second, given.Give(ChannelArgs(), other.get(), nullptr));
}

// The host's policies keep the args with which they were made.
TEST_F(Attributes, ArgsLoseTheirSnapshotAtTheNextUpdate) {
  GivenConfig given;
  const ChannelArgs first = given.Give(ChannelArgs(), snapshot_.get(), nullptr);
  const ChannelArgs again = given.Give(ChannelArgs(), snapshot_.get(), nullptr);
  EXPECT_EQ(ConfigOf(first), snapshot_.get()) << "the snapshot is the same";
  auto next = cluster_.Snapshot();
  const ChannelArgs second = given.Give(ChannelArgs(), next.get(), nullptr);
  EXPECT_EQ(ConfigOf(first), nullptr);
  EXPECT_EQ(ConfigOf(again), nullptr);
  EXPECT_EQ(ConfigOf(second), next.get());
  given.TakeBack();
  EXPECT_EQ(ConfigOf(second), nullptr);
}

TEST_F(Attributes, AddressesOfAPriorityAreThoseOfItsLocalitiesInOrder) {
  ServerAddressList list = AddressesOf(&Entry(snapshot_)->endpoints->priorities[0]);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(Text(list[0]), "10.0.0.1:80");
  EXPECT_EQ(Text(list[1]), "10.0.0.1:81");
  EXPECT_EQ(Text(list[2]), "10.0.0.1:82");
  EXPECT_EQ(ToAbsl(LocalityOf(list[1])->zone), "a");
  EXPECT_EQ(ToAbsl(LocalityOf(list[2])->zone), "b");
  EXPECT_TRUE(AddressesOf(nullptr).empty());
}

TEST_F(Attributes, AddressHoldsItsLocality) {
  ServerAddressList list = AddressesOf(&Entry(snapshot_)->endpoints->priorities[1]);
  snapshot_.reset();
  cluster_.Set({});
  ServerAddress copy = list[0];
  list.clear();
  EXPECT_EQ(ToAbsl(LocalityOf(copy)->zone), "c");
}

TEST_F(Attributes, AddressesCarryNoArgs) {
  for (const auto& address : AddressesOf(&Entry(snapshot_)->endpoints->priorities[0])) {
    EXPECT_EQ(address.args(), ChannelArgs());
  }
}

TEST_F(Attributes, AddressesOfEqualLocalitiesAreEqual) {
  auto a = MakeLocality({"a", 1, {80}});
  auto heavier = MakeLocality({"a", 2, {80}});
  auto elsewhere = MakeLocality({"b", 1, {80}});
  ServerAddressList list;
  for (auto* l : {a.get(), heavier.get(), elsewhere.get()}) AppendAddresses(l, &list);
  EXPECT_TRUE(list[0] == list[1]);
  EXPECT_FALSE(list[0] == list[2]);
}

TEST(AttributesOfAddresses, AddressAndWeightAreThoseOfTheEndpoint) {
  gxds_locality* locality =
      gxds_locality_create(gxds_str_z("r"), gxds_str_z("z"), gxds_str_z("s"), 1, 2);
  auto* endpoints = const_cast<gxds_endpoint*>(locality->list.full);
  endpoints[0].address = {{0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 443, 1};
  endpoints[0].weight = 7;
  endpoints[1].address = {{127, 0, 0, 1}, 65535, 0};
  endpoints[1].weight = 1;
  ServerAddressList list;
  AppendAddresses(locality, &list);
  gxds_locality_unref(locality);
  EXPECT_EQ(Text(list[0]), "[2001:db8::1]:443");
  EXPECT_EQ(WeightOf(list[0]), 7u);
  EXPECT_EQ(Text(list[1]), "127.0.0.1:65535");
  EXPECT_EQ(WeightOf(list[1]), 1u);
  EXPECT_NE(list[1].ToString().find("{region=\"r\", zone=\"z\", sub_zone=\"s\"}"),
            std::string::npos);
}

TEST(AttributesOfAddresses, HashKeyIsThatOfTheEndpoint) {  // A76.9
  auto plain = MakeLocality({"a", 1, {80, 81}});
  gxds_locality view = *plain;
  const gxds_str keys[] = {gxds_str_of(nullptr, 0), gxds_str_z("pod-1")};
  gxds_locality_rare rare = {};
  rare.hash_keys = keys;
  view.rare = &rare;
  CRef<gxds_locality> keyed(gxds_locality_copy(&view));
  ServerAddressList list;
  AppendAddresses(keyed.get(), &list);
  AppendAddresses(plain.get(), &list);
  EXPECT_EQ(HashKeyOf(list[0]), "");
  EXPECT_EQ(HashKeyOf(list[1]), "pod-1");
  EXPECT_EQ(HashKeyOf(list[3]), "");
  EXPECT_TRUE(list[0] == list[2]);
  EXPECT_FALSE(list[1] == list[3]);
  ServerAddress copy = list[1];
  EXPECT_TRUE(copy == list[1]);
}

TEST(AttributesOfAddresses, HostnameIsThatOfTheEndpoint) {  // A81.5
  auto plain = MakeLocality({"a", 1, {80, 81}});
  gxds_locality view = *plain;
  const gxds_str names[] = {gxds_str_of(nullptr, 0), gxds_str_z("b.example:81")};
  gxds_locality_rare rare = {};
  rare.hostnames = names;
  view.rare = &rare;
  CRef<gxds_locality> named(gxds_locality_copy(&view));
  ServerAddressList list;
  AppendAddresses(named.get(), &list);
  AppendAddresses(plain.get(), &list);
  EXPECT_EQ(HostnameOf(list[0]), "");
  EXPECT_EQ(HostnameOf(list[1]), "b.example:81");
  EXPECT_TRUE(list[0] == list[2]);
  EXPECT_FALSE(list[1] == list[3]) << "its subchannel knows the name";
  EXPECT_TRUE(ServerAddress(list[1]) == list[1]);
}

TEST(AttributesOfAddresses, AddressOfAnotherOriginHasNone) {
  ServerAddress address{grpc_resolved_address(), ChannelArgs()};
  EXPECT_EQ(LocalityOf(address), nullptr);
  EXPECT_EQ(WeightOf(address), 1u);
  EXPECT_EQ(HashKeyOf(address), "");
  EXPECT_EQ(HostnameOf(address), "");
}

// The host's policies look it up.
TEST(AttributesOfAddresses, WeightIsTheHostsOwnAttribute) {
  ServerAddress address{grpc_resolved_address(), ChannelArgs()};
  address = address.WithAttribute(
      grpc_core::ServerAddressWeightAttribute::kServerAddressWeightAttributeKey,
      std::make_unique<grpc_core::ServerAddressWeightAttribute>(5));
  EXPECT_EQ(WeightOf(address), 5u);
}

TEST(AttributesOfStatus, StatusBecomesTheHosts) {
  gxds_status status = gxds_status_make(GXDS_UNAVAILABLE, "why %d", 7);
  EXPECT_EQ(ToAbsl(status), absl::UnavailableError("why 7"));
  gxds_status_fini(&status);
  EXPECT_EQ(ToAbsl(status), absl::OkStatus());
}

}  // namespace
}  // namespace testing
}  // namespace grpc_xds
