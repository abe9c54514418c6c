/* `xds status`: shows people the resources of a running program's xDS clients. */
#ifndef GRPC_XDS_TOOLS_STATUS_STATUS_H_
#define GRPC_XDS_TOOLS_STATUS_STATUS_H_

/* argv[0] is the subcommand's name. The exit status: 0 every resource is ACKED, 1 one is not, or
 * there is no xDS client, 2 the command line is wrong or the program does not respond. */
int xds_status_main(int argc, char **argv);

#endif
