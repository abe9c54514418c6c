/* gxds_errors: all errors of one input, each with the path of its field.
 *
 * A path is a chain of links on the stack, so a validator costs nothing until an error is rendered.
 * Rendering follows the host's ValidationErrors: sorted by path, errors of one path together:
 *   PREFIX: [field:a.b[3].c error:must be set; field:a.d errors:[one; two]]
 * The error of a resource as a whole is a gxds_error (base/error.h). Confined to one thread. Lives
 * in the caller's struct; zero-initialised, it is empty. */
#ifndef GRPC_XDS_BASE_ERRORS_H_
#define GRPC_XDS_BASE_ERRORS_H_

#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_path {
  const struct gxds_path *up; /* NULL at the root; borrowed: valid as long as this link lives */
  const char *field;          /* the name of the field; NULL: the link adds no text to the path */
  int64_t index;              /* -1: none */
  const char *key;            /* the key of a map entry, rendered as ["key"]; NULL: none */
} gxds_path;

#ifndef __cplusplus
#define GXDS_FIELD(up, name) (&(const gxds_path){(up), (name), -1, NULL})
#define GXDS_ITEM(up, name, i) (&(const gxds_path){(up), (name), (int64_t)(i), NULL})
#define GXDS_KEY(up, name, k) (&(const gxds_path){(up), (name), -1, (k)})
#endif

/* Adds "a.b[3].c" to out; NULL adds nothing. */
void gxds_path_render(const gxds_path *at, gxds_text *out);

/* Beyond this many, errors of one input are only counted ("and N more"): a hostile resource with a
 * million faults must not cost a megabyte of NACK. */
#define GXDS_ERRORS_MAX 100

typedef struct gxds_errors {
  struct gxds_field_error *items; /* private */
  size_t stored;
  size_t capacity;
  size_t count; /* how many errors were added, stored or not */
} gxds_errors;

/* Frees the errors and empties *e. */
void gxds_errors_fini(gxds_errors *e);
/* Adds an error at that path. The text has printf's format, and is escaped when it is rendered. */
__attribute__((format(printf, 3, 4))) void gxds_errors_add(gxds_errors *e, const gxds_path *at,
                                                           const char *format, ...);
/* Calls fn for each error, in the order of rendering: sorted by path. field and error are escaped,
 * and borrowed: valid during the call. Errors beyond GXDS_ERRORS_MAX cause one more call at the
 * end, without a field: "and N more". */
void gxds_errors_each(const gxds_errors *e, void (*fn)(void *arg, gxds_str field, gxds_str error),
                      void *arg);
/* OK if there are no errors, else INVALID_ARGUMENT "prefix: [...]". */
GXDS_MUST_USE gxds_status gxds_errors_status(const gxds_errors *e, const char *prefix);

#ifdef __cplusplus
}
#endif

#endif
