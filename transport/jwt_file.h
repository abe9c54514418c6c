/* gxds_jwt_file: the token in a file, for call credentials (A97). The file is read when a token is
 * requested. The token is kept until shortly before it expires.
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

/* A97: a token is no longer used this long before it expires, because clocks differ and requests
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
 * gxds_str_free(). UNAVAILABLE: the file cannot be read. UNAUTHENTICATED: the file contains no JWT,
 * or the JWT has no "exp", or it has expired. After an error the file is not read again until the
 * backoff is over; until then the same error is returned. */
GXDS_MUST_USE gxds_status gxds_jwt_file_get(gxds_jwt_file *f, gxds_time now, gxds_time wall,
                                            gxds_str *token);
/* Ends the backoff: the next call of gxds_jwt_file_get() reads the file if it needs to. */
void gxds_jwt_file_reset_backoff(gxds_jwt_file *f);

#ifdef __cplusplus
}
#endif

#endif
