/* The checks of `xds lint`: of a bootstrap, or of the resources of a file. One thread; after
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
 * "@type". If it is, adds all errors, with the texts of a client that reads it, and warnings about
 * fields that gRPC ignores. Then the bootstrap replaces *bootstrap, a reference that the caller
 * owns; NULL if there are errors. */
bool gxds_lint_bootstrap(gxds_file_input file, gxds_findings *findings,
                         const gxds_bootstrap **bootstrap);

/* Adds an error for each field of a file's resources that clients will refuse, and warnings about
 * fields that are deprecated or that gRPC ignores. Errors of the file itself are not repeated:
 * gxds_file_set_build() reports them. */
void gxds_lint_resources(const gxds_schema *schema, const gxds_validator *validator,
                         gxds_file_input file, gxds_findings *findings);

/* Warns about resources that are named but are in none of the files. Does so only for types of
 * which the files have resources. */
void gxds_lint_links(const gxds_file_set *set, gxds_findings *findings);

#ifdef __cplusplus
}
#endif

#endif
