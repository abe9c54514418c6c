/* Which epoll set of this process watches a file. Any thread. */
#ifndef GRPC_XDS_TRANSPORT_EPOLL_FIND_H_
#define GRPC_XDS_TRANSPORT_EPOLL_FIND_H_

#ifdef __cplusplus
extern "C" {
#endif

/* The file descriptor of the first epoll set that watches fd; -1: there is none, or no /proc. */
int gxds_epoll_find(int fd);

#ifdef __cplusplus
}
#endif

#endif
