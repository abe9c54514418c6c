/* What `xds lint` looks at: one bootstrap, or the resources of one file. Confined; after
 * grpc_init(). */
#ifndef GRPC_XDS_TOOLS_LINT_CHECK_H_
#define GRPC_XDS_TOOLS_LINT_CHECK_H_

#include "files/file_set.h"
#include "tools/command/validator.h"
#include "tools/lint/findings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a file is meant to be a bootstrap: JSON whose object has "xds_servers" or "node" and no
 * "@type". */
bool gxds_lint_is_bootstrap(gxds_file_input file);

/* Adds what is wrong with a bootstrap, in the words of a client that reads it, and warns of what
 * gRPC ignores. Returns the bootstrap, whose reference the caller owns; NULL if there are errors.
 */
const gxds_bootstrap *gxds_lint_bootstrap(gxds_file_input file, gxds_findings *findings);

/* Adds what clients will refuse of the resources of a file, field by field, and warns of fields
 * that are deprecated or that gRPC ignores. What is wrong with the file itself is not told again
 * (gxds_file_set_build() does). */
void gxds_lint_resources(const gxds_schema *schema, const gxds_validator *validator,
                         gxds_file_input file, gxds_findings *findings);

/* Warns of resources that others name and that are in none of the files, though others of their
 * type are. */
void gxds_lint_links(const gxds_file_set *set, gxds_findings *findings);

#ifdef __cplusplus
}
#endif

#endif
