#include "test/support/kept_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

namespace gxds_test {

int KeptPort() {
  // The socket is bound, but never listens and is never closed. With SO_REUSEADDR, which gRPC's
  // servers set, another socket may listen on its port.
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    perror("no port of 127.0.0.1 can be kept");
    abort();
  }
  return ntohs(address.sin_port);
}

}  // namespace gxds_test
