// A port that a test's server can come back on.
#ifndef GRPC_XDS_TEST_SUPPORT_KEPT_PORT_H_
#define GRPC_XDS_TEST_SUPPORT_KEPT_PORT_H_

namespace gxds_test {

// A port of 127.0.0.1 for a server, kept until this process ends: while no server listens there,
// connecting to it is refused, and the kernel gives it to no other socket. A port that is not
// kept may go to a connection of another test while the server is down; then the server can't start
// again.
int KeptPort();

}  // namespace gxds_test

#endif
