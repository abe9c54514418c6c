/* The command lines of `xds resolve` and `xds route`. */
#ifndef GRPC_XDS_TOOLS_RESOLVE_OPTIONS_H_
#define GRPC_XDS_TOOLS_RESOLVE_OPTIONS_H_

#include "tools/resolve/explain.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Strings are borrowed from argv, except those of rpc. */
typedef struct gxds_query {
  bool is_route; /* `xds route` */
  const char *target;
  const char *authority; /* NULL: use the target's authority */
  gxds_duration timeout;
  bool watch;
  bool json;
  bool help;
  const char *graph; /* NULL: none */
  gxds_rpc rpc;      /* the RPC of `xds route`; owned */
} gxds_query;

extern const char gxds_resolve_help[];
extern const char gxds_route_help[];

/* argv[0] is "resolve" or "route", argv[argc] is NULL. False if the command line is wrong; the
 * reason is then added to error. The caller ends *out with gxds_query_fini() in either case. */
bool gxds_query_parse(int argc, char *const *argv, gxds_query *out, gxds_text *error);
void gxds_query_fini(gxds_query *q);

#ifdef __cplusplus
}
#endif

#endif
