/* gxds_child_numbers: which child of the priority policy serves which priority of a leaf cluster.
 *
 * Children are known by numbers. A priority takes over the child that had one of its localities, so
 * that connections live on while localities move between priorities (A56). If no priority before
 * had one, it takes over the child that had one when it left, the latest of them: priority may keep
 * it still, and a locality that flaps between two priorities makes no more than two children, where
 * the host makes one each time (see A115). What has nothing in common with either gets a number
 * that was never used: a child that is kept never turns into another. Pure: all it knows is its
 * arguments. */
#ifndef GRPC_XDS_LB_POLICIES_CDS_CHILD_NUMBERS_H_
#define GRPC_XDS_LB_POLICIES_CDS_CHILD_NUMBERS_H_

#include "base/text.h"
#include "resources/endpoints.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of how many children that left it is known what they had: as many as priority keeps. */
#define GXDS_CHILD_NUMBERS_LEFT_MAX 16u

/* A child that serves no priority any more. */
typedef struct gxds_child_left {
  size_t number;
  const gxds_locality **localities; /* references; names alone, without endpoints */
  size_t locality_count;
} gxds_child_left;

/* Lives in the caller's struct; zero-initialised has no children. */
typedef struct gxds_child_numbers {
  size_t *numbers; /* by priority */
  size_t count;
  size_t next;           /* never used so far */
  gxds_child_left *left; /* the latest last; no number twice, here and above */
  size_t left_count;
} gxds_child_numbers;

void gxds_child_numbers_fini(gxds_child_numbers *n);
/* No child is known any more, but what was used so far is not used again. */
void gxds_child_numbers_forget(gxds_child_numbers *n);
/* From the priorities before (to which n belongs) to those after. NULL, and a resource without
 * priorities, stand for one priority without localities: there is always a child, to drop RPCs or
 * to say what is wrong. True when n changed. */
bool gxds_child_numbers_update(gxds_child_numbers *n, const gxds_endpoints *before,
                               const gxds_endpoints *after);
/* Adds "{cluster=NAME, child_number=N}", as the host names them. */
void gxds_child_number_render(gxds_str cluster, size_t number, gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
