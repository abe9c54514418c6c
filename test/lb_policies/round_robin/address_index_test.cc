#include "lb_policies/round_robin/address_index.h"

#include <gtest/gtest.h>

#include <vector>

namespace {

gxds_address V4(uint8_t last, uint16_t port) {
  gxds_address a = {};
  a.ip[0] = 10;
  a.ip[3] = last;
  a.port = port;
  return a;
}

class AddressIndexTest : public ::testing::Test {
 protected:
  AddressIndexTest() { gxds_address_index_init(&index_, 100); }
  ~AddressIndexTest() override { gxds_address_index_fini(&index_); }
  gxds_address_index index_;
};

TEST_F(AddressIndexTest, FindsWhatWasAdded) {
  std::vector<gxds_address> addresses;
  for (uint8_t i = 0; i < 50; i++) addresses.push_back(V4(i, 80));
  for (uint32_t i = 0; i < 50; i++) gxds_address_index_add(&index_, &addresses[i], 1000 + i);
  for (uint32_t i = 0; i < 50; i++) {
    EXPECT_EQ(gxds_address_index_take(&index_, &addresses[i]), 1000 + i);
  }
  const gxds_address other = V4(60, 80);
  EXPECT_EQ(gxds_address_index_take(&index_, &other), UINT32_MAX);
}

TEST_F(AddressIndexTest, EachPlaceIsTakenOnce) {
  const gxds_address a = V4(1, 80);
  gxds_address_index_add(&index_, &a, 7);
  gxds_address_index_add(&index_, &a, 8);
  EXPECT_EQ(gxds_address_index_take(&index_, &a), 7u);
  EXPECT_EQ(gxds_address_index_take(&index_, &a), 8u);
  EXPECT_EQ(gxds_address_index_take(&index_, &a), UINT32_MAX);
}

TEST_F(AddressIndexTest, PortAndFamilyAreParts) {
  const gxds_address a = V4(1, 80);
  const gxds_address other_port = V4(1, 81);
  gxds_address six = a;
  six.is_ipv6 = 1;
  gxds_address_index_add(&index_, &a, 1);
  EXPECT_EQ(gxds_address_index_take(&index_, &other_port), UINT32_MAX);
  EXPECT_EQ(gxds_address_index_take(&index_, &six), UINT32_MAX);
  gxds_address_index_add(&index_, &six, 2);
  EXPECT_EQ(gxds_address_index_take(&index_, &six), 2u);
  EXPECT_EQ(gxds_address_index_take(&index_, &a), 1u);
}

TEST(AddressIndex, MayBeEmpty) {
  gxds_address_index index;
  gxds_address_index_init(&index, 0);
  const gxds_address a = V4(1, 80);
  EXPECT_EQ(gxds_address_index_take(&index, &a), UINT32_MAX);
  gxds_address_index_fini(&index);
}

}  // namespace
