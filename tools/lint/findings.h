/* gxds_findings: the findings of `xds lint`, in the order of its output. One thread. */
#ifndef GRPC_XDS_TOOLS_LINT_FINDINGS_H_
#define GRPC_XDS_TOOLS_LINT_FINDINGS_H_

#include <stdint.h>

#include "base/errors.h"
#include "base/status.h"
#include "base/text.h"
#include "files/node.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_finding_kind { GXDS_FINDING_ERROR, GXDS_FINDING_WARNING } gxds_finding_kind;

/* Strings are owned. */
typedef struct gxds_finding {
  gxds_finding_kind kind;
  gxds_str file;
  uint32_t line;     /* 0: the file as a whole */
  gxds_str resource; /* "Cluster \"a\""; empty: none, or it is not shown */
  gxds_str field;    /* empty: none */
  gxds_str text;
  size_t place; /* for sorting */
} gxds_finding;

/* Zero-initialised, it is empty. */
typedef struct gxds_findings {
  gxds_finding *items;
  size_t count;
  size_t errors; /* how many findings are errors */
} gxds_findings;

void gxds_findings_fini(gxds_findings *f);
/* Copies everything. */
void gxds_findings_add(gxds_findings *f, const gxds_finding *borrowed);
/* Prints on stderr how many more errors were found than are kept, if there are more. */
void gxds_lint_print_more(const gxds_file_errors *errors);
/* Adds errors of files, and prints how many more there are. */
void gxds_findings_add_file_errors(gxds_findings *f, const gxds_file_errors *errors);
/* Sorts by file and line. Findings of the same line keep the order in which they were added. */
void gxds_findings_sort(gxds_findings *f);
/* Adds the finding as text, without a newline: "a.yaml:3: error: Cluster \"x\": field a.b: must be
 * set". colours: whether to use the colours of a terminal. */
void gxds_finding_render_text(const gxds_finding *f, bool colours, gxds_text *out);
/* Adds the finding as a JSON object, without a newline. */
void gxds_finding_render_json(const gxds_finding *f, gxds_text *out);

/* A resource or a bootstrap that is being checked. Borrows everything. */
typedef struct gxds_lint_subject {
  gxds_findings *findings; /* findings are added to these */
  gxds_str file;
  gxds_str resource;          /* empty: a bootstrap */
  const gxds_file_node *node; /* NULL for a resource of a binary file */
} gxds_lint_subject;

/* Adds a warning about a field. */
void gxds_lint_warn(const gxds_lint_subject *s, uint32_t line, const gxds_path *at,
                    const char *text);
/* Adds the errors with their lines. If there are none and the status is not OK, adds the status.
 * Frees both. */
void gxds_lint_refuse(gxds_lint_subject *s, gxds_errors *take_errors, gxds_status *take_status);

#ifdef __cplusplus
}
#endif

#endif
