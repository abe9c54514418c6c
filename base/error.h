/* gxds_error: the error of a resource, a server or a DNS name, with its origin. It is made once,
 * compared by value once, and compared by its pointer from then on. It becomes text only where it
 * is shown (NACK, status of an RPC, CSDS, log, xds), and that text is never parsed.
 *
 * Immutable, counted by reference: any thread. For the errors of fields while an input is
 * validated, see base/errors.h. */
#ifndef GRPC_XDS_BASE_ERROR_H_
#define GRPC_XDS_BASE_ERROR_H_

#include "base/ref.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Strings are in the same allocation as the struct, and zero-terminated. */
typedef struct gxds_error {
  gxds_ref refs;
  /* GXDS_OK: there is no error, and the value only names the origin of a resource. */
  gxds_code code;
  gxds_str message; /* the error, printable; empty when OK */
  gxds_str server;  /* the xDS server that the error comes from; empty: no server, or message names
                       it */
  gxds_str node_id; /* this client's node id, which the operator of that server needs; empty:
                       none */
} gxds_error;

/* The caller owns the returned reference. Takes ownership of the message (*take_message is empty
 * afterwards); the other strings are copied. */
const gxds_error *gxds_error_create(gxds_code code, gxds_text *take_message, gxds_str server,
                                    gxds_str node_id);
/* Makes an error with the code and the message of a status. All strings are copied. The caller owns
 * the returned reference. */
const gxds_error *gxds_error_of_status(const gxds_status *status, gxds_str server,
                                       gxds_str node_id);
const gxds_error *gxds_error_ref(const gxds_error *e);
void gxds_error_unref(const gxds_error *e); /* NULL is allowed */
/* Sets *slot to e, with its own reference, and releases the old value. e may be NULL. */
void gxds_error_assign(const gxds_error **slot, const gxds_error *e);
/* Returns the error to hold when `take` replaces `known`: `known` itself if both are equal by
 * value, else `take`. So equal errors keep one pointer. Takes ownership of `take`; `known` is
 * borrowed, and may be NULL. The caller owns the returned reference. */
const gxds_error *gxds_error_renew(const gxds_error *known, const gxds_error *take);
/* Compares pointers first, then values. Both may be NULL. */
bool gxds_error_equal(const gxds_error *a, const gxds_error *b);
/* Whether both are equal if their codes are ignored. */
bool gxds_error_same_text(const gxds_error *a, const gxds_error *b);

/* "message (xDS server S) (node ID:N)"; without a message "(xDS server S) (node ID:N)". NULL adds
 * nothing. */
void gxds_error_render(const gxds_error *e, gxds_text *out);
/* The text of gxds_error_render() as an owned string. */
gxds_str gxds_error_text(const gxds_error *e);
/* Adds " (xDS server S) (node ID:N)", the end of every error. A part with an empty value is left
 * out. */
void gxds_text_add_origin(gxds_text *t, gxds_str server, gxds_str node_id);

#ifdef __cplusplus
}
#endif

#endif
