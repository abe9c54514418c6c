/* Reads the time at which a JWT (RFC 7519) expires. The client needs nothing else of it; the server
 * checks the rest (A97). Pure; any thread. */
#ifndef GRPC_XDS_TRANSPORT_JWT_H_
#define GRPC_XDS_TRANSPORT_JWT_H_

#include "base/str.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* On success returns NULL, and sets *expiry in nanoseconds since 1970, which is positive;
 * GXDS_TIME_NEVER also stands for later times. Else returns the error as a static text that
 * continues "the token", and contains nothing of the token. A token without an error has only bytes
 * that a header may have. */
const char *gxds_jwt_expiry(gxds_str token, gxds_time *expiry);

#ifdef __cplusplus
}
#endif

#endif
