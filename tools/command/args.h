/* Functions that the subcommands' command lines share. Pure. */
#ifndef GRPC_XDS_TOOLS_COMMAND_ARGS_H_
#define GRPC_XDS_TOOLS_COMMAND_ARGS_H_

#include "base/text.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The value of an option, "--name VALUE" or "--name=VALUE"; *i becomes the index of the last
 * argument that was used. NULL if argv[*i] is another option, or if the value is missing, which is
 * then added to error. argv ends with NULL. Borrowed: valid as long as argv. */
const char *gxds_args_value(char *const *argv, int *i, const char *name, gxds_text *error);
/* Whether argv[i] is that option, which has no value. */
bool gxds_args_flag(char *const *argv, int i, const char *name);
/* Reads 0.001 to 86400 seconds. False if the text is something else. */
bool gxds_args_seconds(const char *text, gxds_duration *out);
/* Checks that text is ADDRESS:PORT, looking only at the port; gRPC checks the address. If not, adds
 * an error that names `of`, for example an option. */
bool gxds_args_check_address(const char *of, const char *text, gxds_text *error);

#ifdef __cplusplus
}
#endif

#endif
