// Runs a simulation in a process of its own, so that an aborting check of the production code is a
// failure like any other. Also reduces a failing run to a small one that fails in the same way.
#ifndef GRPC_XDS_TEST_SIM_SHRINK_H_
#define GRPC_XDS_TEST_SIM_SHRINK_H_

#include <string>

#include "test/sim/options.h"

namespace gxds_sim {

// Forks. A crash is a failure whose kind is the output on stderr. Of the rest of the result only
// the number of ops is set. With spec.trace the trace goes to stdout.
RunResult RunApart(const RunSpec &spec);

// A run that fails with the same kind, and from which little more can be removed.
RunSpec Shrink(RunSpec spec, const std::string &kind);

}  // namespace gxds_sim

#endif
