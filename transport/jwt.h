/* Reads the time at which a JWT (RFC 7519) expires. The client needs only this time; the server
 * checks the rest of the token (A97). Pure; any thread. */
#ifndef GRPC_XDS_TRANSPORT_JWT_H_
#define GRPC_XDS_TRANSPORT_JWT_H_

#include "base/str.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* On success returns NULL, and sets *expiry in nanoseconds since 1970, which is positive;
 * GXDS_TIME_NEVER also stands for later times. On failure returns the error as a static text that
 * follows the words "the token", and contains nothing of the token. A valid token has only bytes
 * that are allowed in a header. */
const char *gxds_jwt_expiry(gxds_str token, gxds_time *expiry);

#ifdef __cplusplus
}
#endif

#endif
