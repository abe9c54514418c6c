/* The fields that this client reads of each message, so that `xds lint` can name those that gRPC
 * ignores. Static. */
#ifndef GRPC_XDS_TOOLS_LINT_READ_FIELDS_H_
#define GRPC_XDS_TOOLS_LINT_READ_FIELDS_H_

#ifdef __cplusplus
extern "C" {
#endif

/* The names of the fields that the client reads of a message ("envoy.config.cluster.v3.Cluster"),
 * each with a space before and after it. NULL if it reads all of them, or if that is not known. */
const char *gxds_read_fields(const char *message);

#ifdef __cplusplus
}
#endif

#endif
