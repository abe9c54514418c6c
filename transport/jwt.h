/* A JWT (RFC 7519) as far as a client must know it: when it expires. All else is for the server to
 * check (A97). Pure; any thread. */
#ifndef GRPC_XDS_TRANSPORT_JWT_H_
#define GRPC_XDS_TRANSPORT_JWT_H_

#include "base/str.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NULL, and *expiry in nanoseconds since 1970, positive (GXDS_TIME_NEVER: or later). Else why not:
 * static, to be read after "the token"; it says nothing of what is in the token. One without an
 * error has no byte that a header may not have. */
const char *gxds_jwt_expiry(gxds_str token, gxds_time *expiry);

#ifdef __cplusplus
}
#endif

#endif
