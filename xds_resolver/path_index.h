/* gxds_path_index: which routes match a path, by a hash of their texts. Private to xds_resolver.
 * Immutable once made: any thread.
 *
 * Routes with the same kind, case rule and text are one chain, in order; the text of a regular
 * expression is what all that it matches begins with. The hash is one that grows
 * byte by byte, so the hashes of all prefixes of a path cost one pass over it. */
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
  size_t *items; /* ascending, each once */
  size_t count;
} gxds_path_lengths;

typedef struct gxds_path_index {
  const gxds_route *routes; /* borrowed: as long as the index */
  uint32_t *next;           /* for each route the next one of its chain, or GXDS_PATH_CHAIN_END */
  struct gxds_path_chain *chains; /* a hash table of the chains, with open addressing */
  size_t mask;                    /* its size less one */
  gxds_path_lengths prefix[2];    /* lengths of prefixes; [1]: those that ignore case */
  gxds_path_lengths segments[2];  /* of path-separated prefixes; [1]: those that ignore case */
  bool exact[2];                  /* whether there are exact paths; [1]: those that ignore case */
  /* Which kinds the index has, so that a search can skip the others. */
  bool has_ignoring_case;         /* prefixes and exact paths that ignore case */
  bool has_segments;              /* path-separated prefixes */
  bool has_others;                /* path-separated prefixes or regular expressions */
  const gxds_str *regex_prefixes; /* borrowed: as long as the index */
  gxds_path_lengths regex;        /* lengths of regex_prefixes */
} gxds_path_index;

/* regex_prefixes has for each route a text with which all paths begin that match its regular
 * expression. Both arrays are borrowed: valid as long as the index. count < UINT32_MAX. */
void gxds_path_index_init(gxds_path_index *x, const gxds_route *routes,
                          const gxds_str *regex_prefixes, size_t count);
void gxds_path_index_fini(gxds_path_index *x);

/* Finds the first route of every chain that matches the path. Also those of regular expressions
 * that may match, which the caller has to try. Returns their number. If it is more than
 * GXDS_PATH_CHAINS_MAX, out is not valid. */
size_t gxds_path_index_find(const gxds_path_index *x, gxds_str path,
                            uint32_t out[GXDS_PATH_CHAINS_MAX]);

#ifdef __cplusplus
}
#endif

#endif
