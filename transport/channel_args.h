/* gxds_channel_args: a copy of channel arguments, for channels that are made after the call that
 * passed the arguments. The public C API borrows arguments and copies none.
 *
 * One owner, any thread. */
#ifndef GRPC_XDS_TRANSPORT_CHANNEL_ARGS_H_
#define GRPC_XDS_TRANSPORT_CHANNEL_ARGS_H_

#include <grpc/grpc.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copies base, and adds defaults for keys that base does not have. Both are borrowed during the
 * call; base may be NULL. */
grpc_channel_args *gxds_channel_args_create(const grpc_channel_args *base, const grpc_arg *defaults,
                                            size_t default_count);
void gxds_channel_args_destroy(grpc_channel_args *args); /* NULL is allowed */
/* Whether both have the same arguments in the same order. NULL counts as no arguments. */
bool gxds_channel_args_equal(const grpc_channel_args *a, const grpc_channel_args *b);

#ifdef __cplusplus
}
#endif

#endif
