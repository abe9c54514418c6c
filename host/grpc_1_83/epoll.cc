#include "transport/host_epoll.h"

// This host's event engine polls its sockets on its own threads.
int gxds_host_epoll(void) { return -1; }
