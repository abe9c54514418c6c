/* Finds out what the system lacked when one of its calls failed. When the system has it again, the
 * files can be watched or read, but no event reports that. Pure; any thread. */
#ifndef GRPC_XDS_FILES_STARVED_H_
#define GRPC_XDS_FILES_STARVED_H_

#ifdef __cplusplus
extern "C" {
#endif

/* A text that names what was lacking and the limit to raise. error is the errno of open(),
 * opendir() or inotify_add_watch(). NULL if the call failed for another reason. */
const char *gxds_starved_of(int error);

#ifdef __cplusplus
}
#endif

#endif
