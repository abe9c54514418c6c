/* Matches an RPC against one route (A28): path, headers and fraction. Immutable once made: any
 * thread. */
#ifndef GRPC_XDS_XDS_RESOLVER_ROUTE_MATCH_H_
#define GRPC_XDS_XDS_RESOLVER_ROUTE_MATCH_H_

#include "xds_resolver/request_header.h"
#include "xds_resolver/route_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One header matcher of the route, compiled. */
typedef struct gxds_header_matcher {
  gxds_str name; /* if the previous route's first header matcher has the same name, this points to
                    the bytes of that name, so that the two names can be compared quickly */
  void *regex;   /* NULL if the matcher is of another kind */
  gxds_header_source source;
  bool when_missing; /* whether an RPC without the header matches */
} gxds_header_matcher;

typedef struct gxds_route_matcher {
  const gxds_route *route; /* borrowed: valid as long as the matcher */
  void *path_regex;        /* NULL if there is none, or if the host has no regular expressions */
  gxds_header_matcher *headers;
} gxds_route_matcher;

/* route and host are borrowed: valid as long as the matcher. before is the matcher of a route that
 * is often tried before this one; its route must stay valid as long. before is NULL if there is
 * none. */
void gxds_route_matcher_init(gxds_route_matcher *m, const gxds_route *route, const gxds_host *host,
                             const gxds_route_matcher *before);
void gxds_route_matcher_fini(gxds_route_matcher *m, const gxds_host *host);

/* The header that was read last in the search for one RPC's route: many routes match on the same
 * header. Zero-initialised, it is empty. */
typedef struct gxds_header_memo {
  gxds_str name; /* empty if no header was read yet. Borrowed from a route */
  gxds_str value;
  bool present;
} gxds_header_memo;

/* The part of gxds_route_matcher_path() for path matchers that need more than a comparison of
 * bytes. */
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
/* Whether the RPC matches the headers and then the fraction. Draws a random number only if the
 * headers match and there is a fraction. */
bool gxds_route_matcher_conditions(const gxds_route_matcher *m, const gxds_host *host,
                                   const gxds_route_request *request, gxds_header_memo *memo);
/* Like gxds_route_matcher_conditions(), but fast for routes that have neither headers nor a
 * fraction, as most routes. */
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
