/* gxds_note: what is wrong around a cluster, in words that name each resource (A88's
 * resolution_note): "CDS resource a, EDS resource a: why; DNS name b:80: why (xDS server S) …". It
 * becomes one gxds_error, which those above the cluster add to their own.
 *
 * Lives in the caller's struct; zero-initialised is empty. Resources with the same error share its
 * words, and the server and node are told once if they are the same for all. */
#ifndef GRPC_XDS_XDS_RESOLVER_NOTE_H_
#define GRPC_XDS_XDS_RESOLVER_NOTE_H_

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most errors in a note, because it becomes part of the status of RPCs; more are only counted.
 */
#define GXDS_NOTE_ERRORS_MAX 10

typedef struct gxds_note {
  gxds_text text;         /* the text so far, without the origin of the last error */
  const gxds_error *last; /* borrowed */
  size_t last_at;         /* where the last error's message begins in text */
  size_t count;
} gxds_note;

/* Adds an error, which is borrowed until gxds_note_take(). NULL and an error without a message add
 * nothing. kind is "CDS resource", for example. name is escaped. */
void gxds_note_add(gxds_note *n, const char *kind, gxds_str name, const gxds_error *why);
/* Ends the note; n is empty afterwards. The caller owns the returned reference. origin (code
 * GXDS_OK) tells where the cluster comes from: a note without errors is origin itself, and a note
 * whose last error has no server and node gets those of origin. */
const gxds_error *gxds_note_take(gxds_note *n, const gxds_error *origin);

#ifdef __cplusplus
}
#endif

#endif
