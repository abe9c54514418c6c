/* `xds demo`: shows what this project does, in fifteen seconds. It starts `xds serve`, six backends
 * and an ordinary gRPC program with the plugin preloaded, changes the configuration while RPCs run,
 * shows where they go, and checks the result. */
#ifndef GRPC_XDS_TOOLS_DEMO_DEMO_H_
#define GRPC_XDS_TOOLS_DEMO_DEMO_H_

/* Both are subcommands of the xds program: argv[0] is the subcommand's name. They return the exit
 * status. */
int xds_demo_main(int argc, char **argv);
int xds_demo_backend_main(int argc, char **argv);

#endif
