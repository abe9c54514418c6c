/* gxds_validator: whether clients will accept a resource, by asking our own client's decoders.
 * Confined; after grpc_init(). */
#ifndef GRPC_XDS_TOOLS_COMMAND_VALIDATOR_H_
#define GRPC_XDS_TOOLS_COMMAND_VALIDATOR_H_

#include "base/errors.h"
#include "bootstrap/bootstrap.h"
#include "files/file_set.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_validator gxds_validator;

/* bootstrap: of the clients (a reference is taken), which has the certificate providers
 * that resources may name; NULL: it is not known, so they may name any. */
gxds_validator *gxds_validator_create(const gxds_bootstrap *bootstrap);
void gxds_validator_destroy(gxds_validator *v);
/* Whether the server that clients have resources from may rewrite authorities (A81); if their
 * bootstrap is not known, it may. */
bool gxds_validator_trusts(const gxds_validator *v);
/* Likewise, whether Clusters from there may have subsets (E5). What is wrong with them is found
 * only with a bootstrap that says so. */
bool gxds_validator_takes_subsets(const gxds_validator *v);
/* Not OK: the words of the client's NACK. errors (empty, or NULL: they are not wanted) gets those
 * of fields, when there are any; the caller ends it with gxds_errors_fini(). */
GXDS_MUST_USE gxds_status gxds_validator_check(const gxds_validator *v,
                                               const gxds_file_resource *resource,
                                               gxds_errors *errors);

#ifdef __cplusplus
}
#endif

#endif
