/* gxds_validator finds out whether clients will accept a resource, with our own client's decoders.
 * One thread; after grpc_init(). */
#ifndef GRPC_XDS_TOOLS_COMMAND_VALIDATOR_H_
#define GRPC_XDS_TOOLS_COMMAND_VALIDATOR_H_

#include "base/errors.h"
#include "bootstrap/bootstrap.h"
#include "files/file_set.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_validator gxds_validator;

/* bootstrap is the clients' bootstrap, with the certificate providers that resources may name. If
 * it is NULL, resources may name any provider. Takes its own reference. One owner. */
gxds_validator *gxds_validator_create(const gxds_bootstrap *bootstrap);
void gxds_validator_destroy(gxds_validator *v);
/* Whether the clients' server may rewrite authorities (A81). Without a bootstrap it may. */
bool gxds_validator_trusts(const gxds_validator *v);
/* Whether Clusters from that server may have subsets (E5). Errors in subsets are found only with a
 * bootstrap that allows them. */
bool gxds_validator_takes_subsets(const gxds_validator *v);
/* If clients refuse the resource, the status has the text of their NACK. errors may be NULL.
 * Otherwise it must be empty, and gets the errors of fields, if there are any; the caller ends it
 * with gxds_errors_fini(). */
GXDS_MUST_USE gxds_status gxds_validator_check(const gxds_validator *v,
                                               const gxds_file_resource *resource,
                                               gxds_errors *errors);

#ifdef __cplusplus
}
#endif

#endif
