/* Finds in /proc which sockets the epoll sets of this process watch. Any thread. */
#ifndef GRPC_XDS_TRANSPORT_EPOLL_FIND_H_
#define GRPC_XDS_TRANSPORT_EPOLL_FIND_H_

#ifdef __cplusplus
extern "C" {
#endif

/* The file descriptor of the first epoll set that watches fd; -1 if there is none, or no /proc. */
int gxds_epoll_find(int fd);

/* For the child of a fork: cuts off (cut_off.h) each socket that the epoll set watches. */
void gxds_epoll_cut_off(int epoll);

#ifdef __cplusplus
}
#endif

#endif
