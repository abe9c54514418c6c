/* gxds_path_index: finds the routes that match a path, by a hash of the routes' texts. Private to
 * xds_resolver. Immutable once made: any thread.
 *
 * Routes with the same kind, case rule and text form one chain, in order of the routes. The text of
 * a regular expression is the fixed prefix of all paths that it matches. The hash is computed byte
 * by byte, so the hashes of all prefixes of a path cost one pass over the path. */
#ifndef GRPC_XDS_XDS_RESOLVER_PATH_INDEX_H_
#define GRPC_XDS_XDS_RESOLVER_PATH_INDEX_H_

#include "resources/route_config.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GXDS_PATH_CHAIN_END UINT32_MAX
/* The most chains that one path may match; real paths match a handful. */
#define GXDS_PATH_CHAINS_MAX 64u

typedef struct gxds_path_lengths {
  size_t *items; /* lengths, ascending, without duplicates */
  size_t count;
} gxds_path_lengths;

typedef struct gxds_path_index {
  const gxds_route *routes;       /* borrowed: valid as long as the index */
  uint32_t *next;                 /* for each route, the next route of its chain, or
                                     GXDS_PATH_CHAIN_END */
  struct gxds_path_chain *chains; /* an open-addressed hash table of chains */
  size_t mask;                    /* the size of the table minus one */
  gxds_path_lengths prefix[2];    /* the lengths of prefixes; [1]: of the prefixes that ignore
                                     case */
  gxds_path_lengths segments[2];  /* the lengths of path-separated prefixes; [1]: of those that
                                     ignore case */
  bool exact[2];                  /* whether there are exact paths; [1]: whether any ignore case */
  /* Which kinds the index has. Kinds that it lacks are not searched. */
  bool has_ignoring_case;         /* prefixes or exact paths that ignore case */
  bool has_segments;              /* path-separated prefixes */
  bool has_others;                /* path-separated prefixes or regular expressions */
  const gxds_str *regex_prefixes; /* borrowed: valid as long as the index */
  gxds_path_lengths regex;        /* the lengths of the prefixes of regular expressions */
} gxds_path_index;

/* regex_prefixes has, by route, the fixed prefix of all paths that the route's regular expression
 * matches. Both arrays are borrowed: valid as long as the index. count must be below UINT32_MAX. */
void gxds_path_index_init(gxds_path_index *x, const gxds_route *routes,
                          const gxds_str *regex_prefixes, size_t count);
void gxds_path_index_fini(gxds_path_index *x);

/* Finds the first route of every chain that matches the path. Also finds the first route of every
 * chain of regular expressions that may match; the caller must still try these. Returns the number
 * of chains. If it is more than GXDS_PATH_CHAINS_MAX, out is not valid. */
size_t gxds_path_index_find(const gxds_path_index *x, gxds_str path,
                            uint32_t out[GXDS_PATH_CHAINS_MAX]);

#ifdef __cplusplus
}
#endif

#endif
