/* gxds_cache_dir: the directory of cache files (cache_file.h): whether it may be used, what its
 * files are called, and which of them nobody needs any more.
 *
 * A file of the cache is three, of one name, 16 hexadecimal digits: NAME.gxds, the log; NAME.lock,
 * which whoever writes the log holds locked (flock), and whose time of modification is when it was
 * last in use; NAME.new, while the log is written anew. Any thread; blocks on the file system. */
#ifndef GRPC_XDS_TRANSPORT_CACHE_DIR_H_
#define GRPC_XDS_TRANSPORT_CACHE_DIR_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file that nobody used for so long is removed, in nanoseconds: its target, server or node are
 * not asked for any more, or what it has is too old to start from. */
#define GXDS_CACHE_UNUSED_MAX (INT64_C(30) * 24 * 3600 * 1000000000)
/* So many entries of a directory are looked at, and no more: it may be anybody's, and huge, and the
 * reactor waits. A process of a thousand targets has some 3,000. */
#define GXDS_CACHE_ENTRIES_MAX 10000

/* "0123456789abcdef.gxds", with its end. */
#define GXDS_CACHE_NAME_SIZE 32
void gxds_cache_name(uint64_t number, const char *ending, char out[GXDS_CACHE_NAME_SIZE]);

/* Opens the directory, which is made (mode 0700) if it is not there. NULL: *dir is it. Otherwise
 * why it can't be used, a text that lasts until the next error of the thread: others may write into
 * it, and so make the program connect wherever they like. */
const char *gxds_cache_dir_open(const char *path, int *dir);

/* Locks the file of that number for who writes it. 0: *lock holds it, and it is what others find
 * under its name. Otherwise errno's, EWOULDBLOCK if another has it, and *lock is open or -1. */
int gxds_cache_dir_lock(int dir, uint64_t number, int *lock);

/* Whether a descriptor is of a file that still has a name. */
bool gxds_cache_is_linked(int fd);

/* The file of that lock is in use, at that time (ns since 1970). */
void gxds_cache_touch(int lock, int64_t wall);

/* Removes the cache files of an earlier form, and those that were not in use for
 * GXDS_CACHE_UNUSED_MAX at that time (ns since 1970); how many. Leaves alone what another process
 * holds locked, what belongs to another user, and all that is no cache file by its name or its
 * first bytes. */
size_t gxds_cache_dir_sweep(int dir, int64_t wall);

#ifdef __cplusplus
}
#endif

#endif
