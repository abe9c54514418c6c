/* gxds_jwt_file: the token in a file, for call credentials (A97). It is read when it is asked for,
 * and kept until shortly before it expires.
 *
 *     none ── asked: read ──► kept ── GXDS_JWT_EARLY before its exp ──► none
 *      │  ▲                    │  ▲
 *   failure                    asked in the last GXDS_JWT_REFRESH: returns the kept token, and
 *      ▼  │ asked after the    reads the file for later calls
 *     backoff ─┘
 *
 * Confined: the reactor. It reads no clock: time is an argument. It reads the file only in
 * gxds_jwt_file_get(). No status and no log line contains any part of a token. */
#ifndef GRPC_XDS_TRANSPORT_JWT_FILE_H_
#define GRPC_XDS_TRANSPORT_JWT_FILE_H_

#include "base/status.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A97: how long before its expiry a token is not used any more, because clocks differ and requests
 * take time. */
#define GXDS_JWT_EARLY (30 * GXDS_SECOND)
#define GXDS_JWT_REFRESH (60 * GXDS_SECOND)
/* The most bytes of the file. By default gRPC's servers accept 8 kB of headers. */
#define GXDS_JWT_BYTES_MAX ((size_t)64 * 1024)

typedef struct gxds_jwt_file gxds_jwt_file;

/* seed: for the backoff's jitter. */
gxds_jwt_file *gxds_jwt_file_create(gxds_str path, uint64_t seed);
void gxds_jwt_file_destroy(gxds_jwt_file *f);

/* Gets the token. wall is the time in nanoseconds since 1970. On OK the caller frees *token with
 * gxds_str_free(). UNAVAILABLE: the file cannot be read. UNAUTHENTICATED: it holds no JWT, or one
 * without "exp", or one that has expired. After an error the file is not read again until the
 * backoff is over; until then the same error is returned. */
GXDS_MUST_USE gxds_status gxds_jwt_file_get(gxds_jwt_file *f, gxds_time now, gxds_time wall,
                                            gxds_str *token);
/* The next call of gxds_jwt_file_get() does not wait for the backoff. */
void gxds_jwt_file_reset_backoff(gxds_jwt_file *f);

#ifdef __cplusplus
}
#endif

#endif
