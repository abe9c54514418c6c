/* gxds_note: collects the errors of a cluster and its resources into one message that names each
 * resource (A88's resolution_note): "CDS resource a, EDS resource a: why; DNS name b:80: why (xDS
 * server S) …". It becomes one gxds_error, which the policies above the cluster add to their own.
 *
 * Lives in the caller's struct; zero-initialised, it is empty. Resources with the same error share
 * one text. Server and node are named once if they are the same for all. */
#ifndef GRPC_XDS_XDS_RESOLVER_NOTE_H_
#define GRPC_XDS_XDS_RESOLVER_NOTE_H_

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* More errors than these are only counted, because the note becomes part of the status of RPCs. */
#define GXDS_NOTE_ERRORS_MAX 10

typedef struct gxds_note {
  gxds_text text;         /* everything so far, without the server and node of the last error */
  const gxds_error *last; /* borrowed */
  size_t last_at;         /* where the message of the last error begins in text */
  size_t count;
} gxds_note;

/* Adds an error, which must stay valid until the note is taken. NULL, or an error without a
 * message, adds nothing. kind is the kind of the resource, such as "CDS resource". name is
 * escaped. */
void gxds_note_add(gxds_note *n, const char *kind, gxds_str name, const gxds_error *why);
/* Makes the error from the note; n is empty afterwards. The caller owns the returned reference.
 * origin (code GXDS_OK) names the server and node that the cluster comes from. A note without
 * errors gives origin itself. If the last error has no server and node, it gets those of origin. */
const gxds_error *gxds_note_take(gxds_note *n, const gxds_error *origin);

#ifdef __cplusplus
}
#endif

#endif
