/* gxds_cache_dir: the directory of cache files (cache_file.h). It decides whether the directory may
 * be used, names the files, and removes unused ones.
 *
 * A cache file consists of up to three files, whose name is 16 hexadecimal digits. NAME.gxds is the
 * log. NAME.lock is locked (flock) by the process that writes the log, and its modification time is
 * the time of the last use. NAME.new exists while the log is rewritten. Any thread; blocks on the
 * file system. */
#ifndef GRPC_XDS_TRANSPORT_CACHE_DIR_H_
#define GRPC_XDS_TRANSPORT_CACHE_DIR_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file that was unused for this long is removed, in nanoseconds. Its target, server or node is
 * not in use any more, or its contents are too old to start from. */
#define GXDS_CACHE_UNUSED_MAX (INT64_C(30) * 24 * 3600 * 1000000000)
/* The most entries of a directory that a sweep reads. The directory may also have any number of
 * other files, and the reactor waits during a sweep. A process with a thousand targets has some
 * 3,000. */
#define GXDS_CACHE_ENTRIES_MAX 10000

/* Room for "0123456789abcdef.gxds" and its terminating zero. */
#define GXDS_CACHE_NAME_SIZE 32
void gxds_cache_name(uint64_t number, const char *ending, char out[GXDS_CACHE_NAME_SIZE]);

/* Opens the directory, and makes it (mode 0700) if it does not exist. On success returns NULL and
 * sets *dir. On failure returns the reason, as a text that is valid until the thread's next error.
 * A directory that others may write to is refused: they could make the program connect wherever
 * they like. */
const char *gxds_cache_dir_open(const char *path, int *dir);

/* Locks the file with that number for writing. Returns 0 if *lock holds the lock, and the file
 * still has its name. Otherwise returns an error number, which is EWOULDBLOCK if another process
 * has the lock; then *lock is open, or -1. */
int gxds_cache_dir_lock(int dir, uint64_t number, int *lock);

/* Whether the file of a descriptor still has a name. */
bool gxds_cache_is_linked(int fd);

/* Records that the file of that lock is in use at that time (ns since 1970). */
void gxds_cache_touch(int lock, int64_t wall);

/* Removes the cache files of an earlier format, and those that were unused for
 * GXDS_CACHE_UNUSED_MAX at that time (ns since 1970). Returns how many. It does not touch files
 * that another process has locked, files of other users, and files whose name or first bytes are
 * not those of a cache file. */
size_t gxds_cache_dir_sweep(int dir, int64_t wall);

#ifdef __cplusplus
}
#endif

#endif
