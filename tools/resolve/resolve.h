/* `xds resolve` and `xds route`: show people the configuration of a channel to an xds: target. */
#ifndef GRPC_XDS_TOOLS_RESOLVE_RESOLVE_H_
#define GRPC_XDS_TOOLS_RESOLVE_RESOLVE_H_

/* argv[0] is the subcommand's name, "resolve" or "route". The exit status: 0 an RPC could be sent,
 * 1 it could not, 2 the command line or the bootstrap is wrong. */
int xds_resolve_main(int argc, char **argv);

#endif
