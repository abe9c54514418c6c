/* Finds out what the system lacked when a system call failed, such as file descriptors. No event
 * reports when they are available again, so the caller must retry. Pure; any thread. */
#ifndef GRPC_XDS_FILES_STARVED_H_
#define GRPC_XDS_FILES_STARVED_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Returns a static text that names what was lacking, and the limit to raise. error is the errno of
 * open(), opendir() or inotify_add_watch(). NULL if the call failed for another reason. */
const char *gxds_starved_of(int error);

#ifdef __cplusplus
}
#endif

#endif
