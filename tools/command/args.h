/* What the subcommands' command lines have in common. Pure. */
#ifndef GRPC_XDS_TOOLS_COMMAND_ARGS_H_
#define GRPC_XDS_TOOLS_COMMAND_ARGS_H_

#include "base/text.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The value of an option, "--name VALUE" or "--name=VALUE"; *i is then the last argument that was
 * used. NULL: argv[*i] is another one, or (in error) the value is missing. argv ends with NULL.
 * Borrowed: valid as long as argv. */
const char *gxds_args_value(char *const *argv, int *i, const char *name, gxds_text *error);
/* Whether argv[i] is that option, which has no value. */
bool gxds_args_flag(char *const *argv, int i, const char *name);
/* 0.001 to 86400 seconds; false: it is something else. */
bool gxds_args_seconds(const char *text, gxds_duration *out);
/* Whether it is ADDRESS:PORT, by the port; else error says so, of what (an option, say). The
 * address is gRPC's to look at. */
bool gxds_args_check_address(const char *of, const char *text, gxds_text *error);

#ifdef __cplusplus
}
#endif

#endif
