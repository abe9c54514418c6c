/* Sessions (A55, A60): what the cookie of an RPC says of the endpoint that its session has, and the
 * cookie that the response gets when it came from another.
 *
 * A cookie's value is, in base64, "1.2.3.4:80,[::1]:80;CLUSTER": all addresses of an endpoint
 * (A61), and the cluster that it is of. So do gRPC's own clients write it; A60 has "cluster:"
 * before the name. One such prefix is no part of the name when a cookie is read, and before a name
 * that begins so itself it is written: so each name is read as it was written. Whoever sends the
 * RPC decides what is in it, so that it is only looked up. Any thread. */
#ifndef GRPC_XDS_XDS_RESOLVER_SESSION_H_
#define GRPC_XDS_XDS_RESOLVER_SESSION_H_

#include "host/pick.h"
#include "resources/session_cookie.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The longest text that a cookie may hold. The addresses of an endpoint and the name of a cluster
 * are shorter, so a longer cookie is not ours. */
#define GXDS_SESSION_TEXT_MAX 4096u

/* A cookie's value, decoded. Lives on the caller's stack; not initialised. */
typedef struct gxds_session_text {
  size_t addresses; /* how many bytes of text the addresses take; 0: there are none */
  size_t size;
  char text[GXDS_SESSION_TEXT_MAX];
} gxds_session_text;

/* Fills *out from the first cookie of that name in the values of the header "cookie". Without one
 * that can be read, *out is empty. */
void gxds_session_text_read(gxds_session_text *out, gxds_str cookie_name, gxds_str header);
/* Whether it names that cluster. */
bool gxds_session_text_is_of(const gxds_session_text *t, gxds_str cluster);

/* How much memory a session needs, at any multiple of 16. */
size_t gxds_session_size(const gxds_session_cookie *cookie, const gxds_session_text *text);
/* Makes a session in that memory. cluster is where the RPC goes, and is borrowed: valid as long as
 * the session. All else is copied. Nobody has to end it. */
gxds_session *gxds_session_init(void *memory, const gxds_session_cookie *cookie,
                                const gxds_session_text *text, gxds_str cluster);

#ifdef __cplusplus
}
#endif

#endif
