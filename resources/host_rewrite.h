/* gxds_host_rewrite: how a control plane sets the :authority of RPCs (A81), and which values are
 * valid. */
#ifndef GRPC_XDS_RESOURCES_HOST_REWRITE_H_
#define GRPC_XDS_RESOURCES_HOST_REWRITE_H_

#include <stdbool.h>

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_host_rewrite_kind {
  GXDS_HOST_REWRITE_AUTO,    /* the hostname of the endpoint that is picked, if it has one (A81) */
  GXDS_HOST_REWRITE_LITERAL, /* always the same text (Envoy's host_rewrite_literal) */
} gxds_host_rewrite_kind;

typedef struct gxds_host_rewrite {
  gxds_host_rewrite_kind kind;
  gxds_str literal; /* LITERAL: a valid authority */
} gxds_host_rewrite;

/* The longest authority: RFC 3986 limits names to 255 characters, and ":65535" may follow. */
#define GXDS_AUTHORITY_BYTES_MAX 261u

/* Whether the text can be the :authority of a request (RFC 9113, 8.3.1): not empty, not too long,
 * and only with characters that RFC 3986 allows in a host and its port. So it has no user before an
 * "@", no path, and nothing that ends a header. */
bool gxds_authority_is_valid(gxds_str text);

#ifdef __cplusplus
}
#endif

#endif
