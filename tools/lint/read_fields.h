/* Which fields of which messages this client reads, so that `xds lint` can say what gRPC ignores.
 * Static. */
#ifndef GRPC_XDS_TOOLS_LINT_READ_FIELDS_H_
#define GRPC_XDS_TOOLS_LINT_READ_FIELDS_H_

#ifdef __cplusplus
extern "C" {
#endif

/* The names of the fields that are read of a message ("envoy.config.cluster.v3.Cluster"), each with
 * a space before and behind it. NULL: all of it is read, or nobody knows. */
const char *gxds_read_fields(const char *message);

#ifdef __cplusplus
}
#endif

#endif
