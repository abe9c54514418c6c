// Runs in a process of their own, so that a check of the production code that aborts is a failure
// like any other; and from a run that fails to a small one that fails in the same way.
#ifndef GRPC_XDS_TEST_SIM_SHRINK_H_
#define GRPC_XDS_TEST_SIM_SHRINK_H_

#include <string>

#include "test/sim/options.h"

namespace gxds_sim {

// Forks. A crash is a failure whose kind is what was written to stderr. Of the rest of the result
// only the number of ops is filled in. With spec.trace the trace goes to stdout.
RunResult RunApart(const RunSpec &spec);

// A run that fails with the same kind, and of which nothing much can be left out.
RunSpec Shrink(RunSpec spec, const std::string &kind);

}  // namespace gxds_sim

#endif
