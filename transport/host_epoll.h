/* The epoll set in which the host has all its sockets (GRPC_POLL_STRATEGY=epoll1, its default on
 * Linux). Any thread. */
#ifndef GRPC_XDS_TRANSPORT_HOST_EPOLL_H_
#define GRPC_XDS_TRANSPORT_HOST_EPOLL_H_

#ifdef __cplusplus
extern "C" {
#endif

/* The file descriptor of the set, the host's own: to be looked at with poll(), never to be waited
 * on with epoll_wait(). Valid as long as the host is initialised. -1: the host polls in another
 * way, or there is no /proc to find it in. */
int gxds_host_epoll(void);

#ifdef __cplusplus
}
#endif

#endif
