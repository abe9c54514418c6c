/* gxds_session_cookie: the cookie through which the RPCs of a session find the endpoint of the
 * session's earlier RPCs (A55), as a stateful_session filter configures it. Part of a resource:
 * immutable, borrowed as long as its resource. Any thread. */
#ifndef GRPC_XDS_RESOURCES_SESSION_COOKIE_H_
#define GRPC_XDS_RESOURCES_SESSION_COOKIE_H_

#include "base/str.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_session_cookie {
  gxds_str name;     /* empty: there are no sessions (the filter is disabled) */
  gxds_str path;     /* the path of the RPCs that use the cookie; empty: all RPCs */
  gxds_duration ttl; /* how long the application may keep the cookie; 0: no limit */
} gxds_session_cookie;

/* Whether the cookie applies to an RPC with that path ("/package.Service/Method"): the path must
 * match the cookie's as in RFC 6265, section 5.1.4. */
bool gxds_session_cookie_is_for(const gxds_session_cookie *c, gxds_str path);

#ifdef __cplusplus
}
#endif

#endif
