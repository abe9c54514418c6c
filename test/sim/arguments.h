// The runner's flags. A line of regressions.txt contains some of them.
#ifndef GRPC_XDS_TEST_SIM_ARGUMENTS_H_
#define GRPC_XDS_TEST_SIM_ARGUMENTS_H_

#include <string>
#include <vector>

#include "test/sim/options.h"

namespace gxds_sim {

struct Flags {
  uint64_t seeds = 1000;
  uint64_t first_seed = 1;
  int threads = 0;   // 0: one for each processor
  bool one = false;  // only spec.seed
  bool shrink = true;
  bool help = false;
  RunSpec spec;
};

// False: *problem holds the error.
bool ParseArguments(const std::vector<std::string> &arguments, Flags *flags, std::string *problem);

}  // namespace gxds_sim

#endif
