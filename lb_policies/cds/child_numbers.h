/* gxds_child_numbers: which child of the priority policy serves which priority of a leaf cluster.
 * Each child has a number. A priority takes over the child that served one of its localities, so
 * that connections survive when localities move between priorities (A56). If no current child
 * served one, the priority takes over the latest former child that served one when it left, because
 * the priority policy may still keep that child. So a locality that flaps between two priorities
 * makes at most two children, where the host makes one each time (see A115). A priority without a
 * locality of any such child gets a number that was never used. So a kept child never serves other
 * localities. Pure: it depends on its arguments only. */
#ifndef GRPC_XDS_LB_POLICIES_CDS_CHILD_NUMBERS_H_
#define GRPC_XDS_LB_POLICIES_CDS_CHILD_NUMBERS_H_

#include "base/text.h"
#include "resources/endpoints.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most former children whose localities are remembered: as many as the priority policy keeps.
 */
#define GXDS_CHILD_NUMBERS_LEFT_MAX 16u

/* A child that serves no priority any more. */
typedef struct gxds_child_left {
  size_t number;
  const gxds_locality **localities; /* references; with their names only, without endpoints */
  size_t locality_count;
} gxds_child_left;

/* Lives in the caller's struct; zero-initialised, it has no children. */
typedef struct gxds_child_numbers {
  size_t *numbers; /* the child's number for each priority */
  size_t count;
  size_t next;           /* the next number; no child ever had it */
  gxds_child_left *left; /* the latest is last; none of their numbers is in numbers too */
  size_t left_count;
} gxds_child_numbers;

void gxds_child_numbers_fini(gxds_child_numbers *n);
/* Forgets all children, but does not use their numbers again. */
void gxds_child_numbers_forget(gxds_child_numbers *n);
/* Updates n from the priorities before, to which it belongs, to the priorities after. NULL, or a
 * resource without priorities, stands for one priority without localities: there is always one
 * child, which drops RPCs or reports an error. True if n changed. */
bool gxds_child_numbers_update(gxds_child_numbers *n, const gxds_endpoints *before,
                               const gxds_endpoints *after);
/* Adds "{cluster=NAME, child_number=N}", as the host names them. */
void gxds_child_number_render(gxds_str cluster, size_t number, gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
