/* `xds lint`: finds errors in bootstraps and resource files. */
#ifndef GRPC_XDS_TOOLS_LINT_LINT_H_
#define GRPC_XDS_TOOLS_LINT_LINT_H_

/* argv[0] is the subcommand's name. The exit status: 0 no errors, 1 errors, 2 the command line or a
 * file that cannot be read. */
int xds_lint_main(int argc, char **argv);

#endif
