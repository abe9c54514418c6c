// The weights of endpoints of several localities together (A113).
#include "lb_policies/endpoint_list/normal_weights.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/memory.h"
#include "lb_policies/endpoint_list/endpoint_list.h"
#include "test/lb_policies/support/fake_cluster.h"

namespace {

using grpc_xds::testing::CRef;
using grpc_xds::testing::MakeLocality;

constexpr uint32_t kOne = GXDS_NORMAL_WEIGHT_ONE;

CRef<gxds_locality> Locality(const std::string &zone, uint32_t weight,
                             const std::vector<uint32_t> &endpoints) {
  CRef<gxds_locality> out = MakeLocality({zone, weight, std::vector<uint16_t>(endpoints.size())});
  for (size_t i = 0; i < endpoints.size(); i++) {
    const_cast<gxds_endpoint *>(out->list.full)[i].weight = endpoints[i];
  }
  return out;
}

std::vector<uint32_t> Weights(const gxds_addresses *take) {
  std::vector<uint32_t> weights(take->count);
  gxds_normal_weights(take, weights.data());
  gxds_addresses_unref(take);
  return weights;
}

std::vector<uint32_t> WeightsOf(const std::vector<CRef<gxds_locality>> &localities) {
  std::vector<const gxds_locality *> of;
  for (const auto &locality : localities) of.push_back(locality.get());
  const gxds_priority priority = {of.data(), of.size()};
  return Weights(gxds_priority_addresses(&priority));
}

template <typename... T>
std::vector<CRef<gxds_locality>> List(T... localities) {
  std::vector<CRef<gxds_locality>> out;
  (out.push_back(std::move(localities)), ...);
  return out;
}

TEST(NormalWeights, AnEndpointHasItsShareOfTheShareOfItsLocality) {  // A113.2
  EXPECT_EQ(WeightsOf(List(Locality("a", 1, {100, 300}), Locality("b", 3, {1, 1}))),
            (std::vector<uint32_t>{kOne / 16, kOne / 16 * 3, kOne / 8 * 3, kOne / 8 * 3}))
      << "not 100, 300, 3, 3";
}

TEST(NormalWeights, SharesAreRoundedDownButNeverToNothing) {  // A113.3
  EXPECT_EQ(WeightsOf(List(Locality("a", 1, {1, 2}))),
            (std::vector<uint32_t>{715827882, 1431655765}));
  EXPECT_EQ(WeightsOf(List(Locality("a", 1, {1, UINT32_MAX - 1}), Locality("b", UINT32_MAX, {1}))),
            (std::vector<uint32_t>{1, 1, kOne - 1}));
}

TEST(NormalWeights, EndpointsThatAreLeftOutKeepTheirShare) {  // A113.2
  const auto a = Locality("a", 1, {1, 1, 2});
  const gxds_addresses *all = gxds_locality_addresses(a.get());
  size_t *places = static_cast<size_t *>(gxds_calloc(2, sizeof *places));
  places[0] = 2;
  places[1] = 0;
  const std::vector<uint32_t> weights = Weights(gxds_addresses_select(all, places, 2));
  EXPECT_EQ(weights, (std::vector<uint32_t>{kOne / 2, kOne / 4}));
  gxds_addresses_unref(all);
}

TEST(NormalWeights, OfNoEndpointsAreNone) { EXPECT_EQ(WeightsOf({}), std::vector<uint32_t>()); }

}  // namespace
