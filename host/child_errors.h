/* The errors of a policy's children for one update, as one status: "errors from children: [child A:
 * …; child B: …]". Lives in the caller's struct; zero-initialised, it is empty. */
#ifndef GRPC_XDS_HOST_CHILD_ERRORS_H_
#define GRPC_XDS_HOST_CHILD_ERRORS_H_

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_child_errors {
  gxds_text text;
} gxds_child_errors;

/* Adds the child's status for its update; OK adds nothing. If e is NULL, the status is dropped: a
 * child that refused its update fails its RPCs by itself. */
void gxds_child_errors_add(gxds_child_errors *e, gxds_str child, gxds_status take_status);
/* Returns all errors as one status, or OK if there are none. Ends e. */
GXDS_MUST_USE gxds_status gxds_child_errors_take(gxds_child_errors *e);

#ifdef __cplusplus
}
#endif

#endif
