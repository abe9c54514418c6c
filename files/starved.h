/* What the system had too little of, when a call of it failed: files that could not be watched or
 * read for lack of it can be when it has more, without any event that says so. Pure; any thread. */
#ifndef GRPC_XDS_FILES_STARVED_H_
#define GRPC_XDS_FILES_STARVED_H_

#ifdef __cplusplus
extern "C" {
#endif

/* In words, with the limit to raise, by the errno of open(), opendir() or inotify_add_watch();
 * NULL: the call failed for another reason. */
const char *gxds_starved_of(int error);

#ifdef __cplusplus
}
#endif

#endif
