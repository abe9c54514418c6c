// What the system knows of a process and of its connections.
#ifndef GRPC_XDS_TEST_SERVE_LOAD_PROCESS_H_
#define GRPC_XDS_TEST_SERVE_LOAD_PROCESS_H_

#include <sys/types.h>

#include <cstdint>

namespace gxds_serve_load {

// The resident memory, in MB.
double ResidentMb(pid_t pid);
// The CPU time so far, of user and system, in seconds.
double CpuSeconds(pid_t pid);

// This process's TCP connections to a port.
struct Connections {
  int count = 0;
  uint64_t received = 0;  // bytes, by all of them
};
Connections ConnectionsTo(uint16_t port);

// Lets this process, and those that it starts, open as many files as they may.
void RaiseFileLimit();

}  // namespace gxds_serve_load

#endif
