/* `xds serve`: the control plane for development. */
#ifndef GRPC_XDS_TOOLS_SERVE_SERVE_H_
#define GRPC_XDS_TOOLS_SERVE_SERVE_H_

/* argv[0] is the subcommand's name. Runs until SIGTERM or SIGINT. Returns the exit status. */
int xds_serve_main(int argc, char **argv);

#endif
