/* The epoll set in which the host has all its sockets (GRPC_POLL_STRATEGY=epoll1, its default on
 * Linux). Any thread. */
#ifndef GRPC_XDS_TRANSPORT_HOST_EPOLL_H_
#define GRPC_XDS_TRANSPORT_HOST_EPOLL_H_

#ifdef __cplusplus
extern "C" {
#endif

/* The file descriptor of the set, which belongs to the host. Use it only with poll(); never take
 * events from it with epoll_wait(). Valid as long as the host is initialised. -1 if the host polls
 * in another way, or if there is no /proc to find the set. */
int gxds_host_epoll(void);

#ifdef __cplusplus
}
#endif

#endif
