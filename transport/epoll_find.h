/* What the epoll sets of this process watch, as /proc tells it. Any thread. */
#ifndef GRPC_XDS_TRANSPORT_EPOLL_FIND_H_
#define GRPC_XDS_TRANSPORT_EPOLL_FIND_H_

#ifdef __cplusplus
extern "C" {
#endif

/* The file descriptor of the first epoll set that watches fd; -1: there is none, or no /proc. */
int gxds_epoll_find(int fd);

/* In the child of a fork: puts a connection that its peer has closed into the place of each socket
 * that epoll watches, so that nothing that was inherited writes to what is the parent's, nor to
 * what takes its number next. */
void gxds_epoll_cut_off(int epoll);

#ifdef __cplusplus
}
#endif

#endif
