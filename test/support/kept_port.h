// A port on which a test's server can be restarted.
#ifndef GRPC_XDS_TEST_SUPPORT_KEPT_PORT_H_
#define GRPC_XDS_TEST_SUPPORT_KEPT_PORT_H_

namespace gxds_test {

// A port of 127.0.0.1 for a server, kept until this process ends. While no server listens on it,
// connections to it are refused, and the kernel gives it to no other socket. A port that is not
// kept may go to a connection of another test while the server is down, and then the server cannot
// start again.
int KeptPort();

}  // namespace gxds_test

#endif
