#include "test/support/kept_port.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>

#include "test/support/backend.h"

namespace gxds_test {
namespace {

// Whether a socket without SO_REUSEPORT can bind the port, as the local end of a connection would.
bool Free(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool bound = bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  close(fd);
  return bound;
}

TEST(KeptPort, IsNobodysWhileTheServerIsDownAndTheServersWhenItComesBack) {
  auto backend = std::make_unique<Backend>("a");
  const int port = backend->port();
  ASSERT_GT(port, 0);
  backend.reset();
  EXPECT_FALSE(Free(port));
  backend = std::make_unique<Backend>("a", port);
  EXPECT_EQ(backend->port(), port);
}

}  // namespace
}  // namespace gxds_test
