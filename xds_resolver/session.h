/* Sessions (A55, A60): reads the cookie of an RPC, which names the endpoint of its session, and
 * writes the cookie of the response if the RPC went to another endpoint.
 *
 * The value of a cookie is, in base64, "1.2.3.4:80,[::1]:80;CLUSTER": all addresses of an endpoint
 * (A61), and its cluster. gRPC's own clients write it this way, while A60 has "cluster:" before the
 * name. When a cookie is read, one such prefix is removed from the name. When a cookie is written,
 * a name that itself begins with the prefix gets one more. So each name is read as it was written.
 * The sender of the RPC decides what is in a cookie, so the contents are only used for look-ups.
 * Any thread. */
#ifndef GRPC_XDS_XDS_RESOLVER_SESSION_H_
#define GRPC_XDS_XDS_RESOLVER_SESSION_H_

#include "host/pick.h"
#include "resources/session_cookie.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most bytes of a decoded cookie: enough for all addresses of an endpoint and a cluster's name.
 * A longer cookie was not written by this library. */
#define GXDS_SESSION_TEXT_MAX 4096u

/* A cookie's value, decoded. Lives on the caller's stack; not initialised. */
typedef struct gxds_session_text {
  size_t addresses; /* how many bytes of text, from its beginning, are the addresses; 0 if there are
                       none */
  size_t size;
  char text[GXDS_SESSION_TEXT_MAX];
} gxds_session_text;

/* Fills *out from the first cookie of that name in the values of the header "cookie". *out is empty
 * if there is none, or if it can't be read. */
void gxds_session_text_read(gxds_session_text *out, gxds_str cookie_name, gxds_str header);
/* Whether the cookie names that cluster. */
bool gxds_session_text_is_of(const gxds_session_text *t, gxds_str cluster);

/* How many bytes a session needs. The memory must be aligned to 16. */
size_t gxds_session_size(const gxds_session_cookie *cookie, const gxds_session_text *text);
/* Makes a session in that memory. Copies everything except cluster, the cluster that the RPC goes
 * to, which is borrowed: valid as long as the session. The session need not be ended. */
gxds_session *gxds_session_init(void *memory, const gxds_session_cookie *cookie,
                                const gxds_session_text *text, gxds_str cluster);

#ifdef __cplusplus
}
#endif

#endif
