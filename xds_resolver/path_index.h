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
/* Chains that one path may match: real paths match a handful. */
#define GXDS_PATH_CHAINS_MAX 64u

typedef struct gxds_path_lengths {
  size_t *items; /* ascending, each once */
  size_t count;
} gxds_path_lengths;

typedef struct gxds_path_index {
  const gxds_route *routes;       /* borrowed: as long as the index */
  uint32_t *next;                 /* by route: the next of its chain, or GXDS_PATH_CHAIN_END */
  struct gxds_path_chain *chains; /* a hash table of them, open-addressed */
  size_t mask;                    /* its size less one */
  gxds_path_lengths prefix[2];    /* lengths of prefixes; [1]: those that ignore case */
  gxds_path_lengths segments[2];  /* of path-separated prefixes; [1]: likewise */
  bool exact[2];                  /* whether there are exact ones; [1]: those that ignore case */
  /* What of these an index has none of is not looked for. */
  bool has_ignoring_case;         /* prefixes and exact ones that ignore case */
  bool has_segments;              /* path-separated prefixes */
  bool has_others;                /* these or regular expressions */
  const gxds_str *regex_prefixes; /* borrowed: as long as the index */
  gxds_path_lengths regex;        /* lengths of what regular expressions begin with */
} gxds_path_index;

/* regex_prefixes: by route, what paths that match its regular expression begin with. Borrow both,
 * as long as the index. count < UINT32_MAX. */
void gxds_path_index_init(gxds_path_index *x, const gxds_route *routes,
                          const gxds_str *regex_prefixes, size_t count);
void gxds_path_index_fini(gxds_path_index *x);

/* The first routes of every chain that matches the path, and of the chains of regular expressions
 * that may, which are yet to be tried. Returns how many; more than GXDS_PATH_CHAINS_MAX: there are
 * too many, and out is of no use. */
size_t gxds_path_index_find(const gxds_path_index *x, gxds_str path,
                            uint32_t out[GXDS_PATH_CHAINS_MAX]);

#ifdef __cplusplus
}
#endif

#endif
