/* Explains routes as text: what a route matches, and why an RPC does not match it (A28). */
#ifndef GRPC_XDS_TOOLS_RESOLVE_EXPLAIN_H_
#define GRPC_XDS_TOOLS_RESOLVE_EXPLAIN_H_

#include "resources/route_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An RPC to explain; strings are borrowed. */
typedef struct gxds_rpc {
  gxds_str path; /* "/package.Service/Method" */
  struct gxds_rpc_header {
    gxds_str name; /* lower case */
    gxds_str value;
  } * headers; /* values of one name are joined by commas, in this order */
  size_t header_count;
} gxds_rpc;

/* Adds what the route matches: "prefix /a, header x is \"b\", 25 % of RPCs". */
void gxds_explain_match(const gxds_route *route, gxds_text *out);

typedef enum gxds_explained {
  GXDS_EXPLAINED_NO,
  GXDS_EXPLAINED_SOMETIMES, /* the route matches only a fraction of such RPCs */
  GXDS_EXPLAINED_YES,
} gxds_explained;

/* Whether the route matches. For NO and SOMETIMES, adds the reason to why. authority is the
 * channel's, borrowed. */
gxds_explained gxds_explain(const gxds_route *route, const gxds_rpc *rpc, gxds_str authority,
                            const gxds_host *host, gxds_text *why);

#ifdef __cplusplus
}
#endif

#endif
