/* gxds_file_errors: all errors of a set of resource files, each with its file, line and field, and
 * a text that says what was expected. Lives in the caller's struct; zero-initialised, it is empty.
 * One thread. */
#ifndef GRPC_XDS_FILES_FILE_ERRORS_H_
#define GRPC_XDS_FILES_FILE_ERRORS_H_

#include <stdint.h>

#include "base/errors.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most errors that are kept; more are only counted. A reader has no use for more. A wrong
 * indentation in a large file can cause one error per line. */
#define GXDS_FILE_ERRORS_MAX 100

/* Strings are owned by the list. */
typedef struct gxds_file_error {
  gxds_str file;
  uint32_t line;  /* 0: the file as a whole */
  gxds_str field; /* "virtual_hosts[0].domains"; empty: none */
  gxds_str text;
} gxds_file_error;

typedef struct gxds_file_errors {
  gxds_file_error *items;
  size_t stored;
  size_t capacity;
  size_t count;  /* how many errors were added, stored or not */
  gxds_str file; /* the file of the next errors; borrowed, and set by the code that reads a file */
} gxds_file_errors;

void gxds_file_errors_fini(gxds_file_errors *e);
/* Adds an error in the current file. at may be NULL. The text has printf()'s format. Characters
 * that are not printable are escaped. */
__attribute__((format(printf, 4, 5))) void gxds_file_errors_add(gxds_file_errors *e, uint32_t line,
                                                                const gxds_path *at,
                                                                const char *format, ...);
/* One line per error: "routes.yaml:12: field virtual_hosts[0].domains: expected a list, found
 * null", in the order in which they were found; at the end "and N more errors". */
void gxds_file_errors_render(const gxds_file_errors *e, gxds_text *out);
/* Adds all errors on one line, separated by semicolons. */
void gxds_file_errors_render_line(const gxds_file_errors *e, gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
