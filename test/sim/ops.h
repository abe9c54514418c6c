// What the world does to clients and servers: one op at a time. Each op has its own random numbers,
// so leaving one out changes no other.
#ifndef GRPC_XDS_TEST_SIM_OPS_H_
#define GRPC_XDS_TEST_SIM_OPS_H_

#include "test/sim/world.h"

namespace gxds_sim {

// Draws and does one op; kOpCount: the run leaves this op out. random: the op's own.
Op DoOp(World *world, uint64_t off, Random *random);

}  // namespace gxds_sim

#endif
