// Policies that are made while it lives connect to few endpoints before picks need them
// (lb_policies/pace/limits.h).
#ifndef GRPC_XDS_TEST_LB_POLICIES_SUPPORT_ON_DEMAND_H_
#define GRPC_XDS_TEST_LB_POLICIES_SUPPORT_ON_DEMAND_H_

#include <cstdlib>

namespace grpc_xds {
namespace testing {

class OnDemand {
 public:
  OnDemand() { setenv("GRPC_XDS_CONNECT_ON_DEMAND", "true", 1); }
  ~OnDemand() { unsetenv("GRPC_XDS_CONNECT_ON_DEMAND"); }
  OnDemand(const OnDemand&) = delete;
  OnDemand& operator=(const OnDemand&) = delete;
};

}  // namespace testing
}  // namespace grpc_xds

#endif
