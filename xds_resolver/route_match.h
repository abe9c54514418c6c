/* Matches one route against one RPC (A28): path, headers and fraction. Immutable once made: any
 * thread. */
#ifndef GRPC_XDS_XDS_RESOLVER_ROUTE_MATCH_H_
#define GRPC_XDS_XDS_RESOLVER_ROUTE_MATCH_H_

#include "xds_resolver/request_header.h"
#include "xds_resolver/route_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One of the route's headers. */
typedef struct gxds_header_matcher {
  gxds_str name; /* if the route before asks for the same header, its bytes, so that the pointers
                    are equal */
  void *regex;   /* NULL if it is of another kind */
  gxds_header_source source;
  bool when_missing; /* whether it matches an RPC without the header */
} gxds_header_matcher;

typedef struct gxds_route_matcher {
  const gxds_route *route; /* borrowed: as long as the matcher */
  void *path_regex;        /* NULL: none, or the host has no regular expressions */
  gxds_header_matcher *headers;
} gxds_route_matcher;

/* route and host are borrowed: valid as long as the matcher. before is the matcher of a route that
 * is often tried before this one, and lives as long; may be NULL. */
void gxds_route_matcher_init(gxds_route_matcher *m, const gxds_route *route, const gxds_host *host,
                             const gxds_route_matcher *before);
void gxds_route_matcher_fini(gxds_route_matcher *m, const gxds_host *host);

/* Remembers the last header that one search for an RPC's route looked up, since many routes ask for
 * the same one. Starts zeroed. */
typedef struct gxds_header_memo {
  gxds_str name; /* empty: none yet. Borrowed from a route */
  gxds_str value;
  bool present;
} gxds_header_memo;

/* The same for a path matcher that is more than a comparison of bytes. */
bool gxds_route_matcher_other_path(const gxds_route_matcher *m, const gxds_host *host,
                                   gxds_str path);
static inline bool gxds_route_matcher_path(const gxds_route_matcher *m, const gxds_host *host,
                                           gxds_str path) {
  const gxds_path_match *p = &m->route->path;
  if (p->kind >= GXDS_PATH_REGEX || !p->case_sensitive) {
    return gxds_route_matcher_other_path(m, host, path);
  }
  bool fits = p->kind == GXDS_PATH_EXACT ? path.size == p->text.size : path.size >= p->text.size;
  return fits && (p->text.size == 0 || memcmp(path.data, p->text.data, p->text.size) == 0);
}
/* Matches the headers, then the fraction. Draws a random number only if it gets that far. */
bool gxds_route_matcher_conditions(const gxds_route_matcher *m, const gxds_host *host,
                                   const gxds_route_request *request, gxds_header_memo *memo);
/* The same; most routes have neither. */
static inline bool gxds_route_matcher_rest(const gxds_route_matcher *m, const gxds_host *host,
                                           const gxds_route_request *request,
                                           gxds_header_memo *memo) {
  if (m->route->header_count == 0 && m->route->fraction_per_million < 0) return true;
  return gxds_route_matcher_conditions(m, host, request, memo);
}

#ifdef __cplusplus
}
#endif

#endif
