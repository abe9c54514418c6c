/* Functions that the subcommands' command lines share. Pure.
 *
 * They do not use getopt_long(), which needs more code: a table of options and a switch for each
 * command line. It also accepts abbreviated options ("--js" for "--json"), so a new option could
 * make a working command line ambiguous. And it keeps its state in globals. */
#ifndef GRPC_XDS_TOOLS_COMMAND_ARGS_H_
#define GRPC_XDS_TOOLS_COMMAND_ARGS_H_

#include "base/text.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The value of an option, "--name VALUE" or "--name=VALUE". Sets *i to the index of the last
 * argument that was used. NULL if argv[*i] is another option. If the value is missing, adds an
 * error and returns NULL. argv ends with NULL. Borrowed: valid as long as argv. */
const char *gxds_args_value(char *const *argv, int *i, const char *name, gxds_text *error);
/* Whether argv[i] is that option, which has no value. */
bool gxds_args_flag(char *const *argv, int i, const char *name);
/* Whether argv[i] asks for the help: "--help" or "-h". */
bool gxds_args_is_help(char *const *argv, int i);
/* Reads 0.001 to 86400 seconds, the value of an option. If the text is something else, adds an
 * error that names the option. */
void gxds_args_seconds(const char *option, const char *text, gxds_duration *out, gxds_text *error);
/* Checks that text is ADDRESS:PORT. Checks only the port; gRPC checks the address. If the text is
 * wrong, adds an error that names `of`, which is for example an option. */
bool gxds_args_check_address(const char *of, const char *text, gxds_text *error);

#ifdef __cplusplus
}
#endif

#endif
