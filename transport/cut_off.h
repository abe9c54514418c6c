/* In the child of a fork, takes the parent's sockets away from the code that inherited them. Each
 * socket is replaced by a connection that its peer has already closed. So that code can write
 * neither to the parent's connections nor to a later file with the same descriptor. Any thread. */
#ifndef GRPC_XDS_TRANSPORT_CUT_OFF_H_
#define GRPC_XDS_TRANSPORT_CUT_OFF_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a connection that its peer has closed. The caller closes it. -1 if the process has no file
 * descriptor left. */
int gxds_cut_off_make(void);
/* Replaces the file of the descriptor fd by that connection. */
void gxds_cut_off_put(int made, int fd);

/* Runs close_some(), and puts such a connection on the descriptor of each socket that close_some()
 * closed. These descriptors stay open for the life of the process, because no code closes them any
 * more. Without /proc it replaces none. */
void gxds_cut_off_closed(void (*close_some)(void));

#ifdef __cplusplus
}
#endif

#endif
