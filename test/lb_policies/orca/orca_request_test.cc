// The request for load reports out of band (A51).
#include "lb_policies/orca/orca_request.h"

#include <gtest/gtest.h>

#include <string>

#include "test/lb_policies/orca/orca_bytes.h"
#include "upb/upb.hpp"

namespace {

using orca_test::Part;

TEST(OrcaRequest, HasTheInterval) {  // A58.13
  upb::Arena arena;
  auto encode = [&](gxds_duration interval) {
    const gxds_str bytes = gxds_orca_request_encode(interval, arena.ptr());
    return std::string(bytes.data, bytes.size);
  };
  EXPECT_EQ(encode(0), Part(1, ""));
  EXPECT_EQ(encode(10 * GXDS_SECOND), Part(1, "\x08\x0a"));
  EXPECT_EQ(encode(GXDS_SECOND + 5), Part(1, "\x08\x01\x10\x05"));
}

}  // namespace
