/* Sockets that the child of a fork has of its parent, taken from whoever inherited them: a
 * connection that its peer has closed comes into their place, so that nothing writes to what is the
 * parent's, nor to what takes the number next. Any thread. */
#ifndef GRPC_XDS_TRANSPORT_CUT_OFF_H_
#define GRPC_XDS_TRANSPORT_CUT_OFF_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a connection that its peer has closed. The caller closes it. -1 if the process has no file
 * descriptor left. */
int gxds_cut_off_make(void);
/* Puts that connection in the place of fd. */
void gxds_cut_off_put(int made, int fd);

/* Runs close_some, and puts such a connection in the place of each socket that it closed. These
 * descriptors stay open for the life of the process, since nobody knows them any more. Without
 * /proc it finds none. */
void gxds_cut_off_closed(void (*close_some)(void));

#ifdef __cplusplus
}
#endif

#endif
