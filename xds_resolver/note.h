/* gxds_note: what is wrong around a cluster, in words that name each resource (A88's
 * resolution_note): "CDS resource a, EDS resource a: why; DNS name b:80: why (xDS server S) …".
 *
 * Lives in the caller's struct; zero-initialised is empty. Resources with the same trouble share
 * its words, and the server and node are told once if they are the same for all. */
#ifndef GRPC_XDS_XDS_RESOLVER_NOTE_H_
#define GRPC_XDS_XDS_RESOLVER_NOTE_H_

#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* More troubles are only counted: it ends in the status of RPCs. */
#define GXDS_NOTE_TROUBLES_MAX 10

typedef struct gxds_note {
  gxds_text text;
  size_t why_at; /* where the words of the last trouble begin, in text */
  size_t count;
} gxds_note;

/* Adds a trouble; an empty one is none. kind: "CDS resource". name is escaped; why may end with an
 * origin (base/origin.h). */
void gxds_note_add(gxds_note *n, const char *kind, gxds_str name, gxds_str why);
/* Ends the note: one without an origin gets this one, so that one without troubles is
 * "(xDS server S) (node ID:N)". The caller frees it; n is empty afterwards. */
gxds_str gxds_note_take(gxds_note *n, gxds_str server, gxds_str node_id);
/* Whether a note that was taken has any trouble, and not an origin alone. */
bool gxds_note_tells_trouble(gxds_str note);

#ifdef __cplusplus
}
#endif

#endif
