/* linked [TARGET]: a program that is linked to libgrpc_xds.so, or contains it together with gRPC.
 * Prints the library's version, and the results of registering the plugin and an invalid policy. */
#include <grpc/grpc.h>
#include <stdio.h>

#include "grpc_xds/grpc_xds.h"
#include "grpc_xds/policy.h"
#include "test/plugin/programs/call.h"

int main(int argc, char **argv) {
  printf("version %s\n", grpc_xds_version());
  printf("result %d\n", (int)grpc_xds_plugin_register());
  printf("result %d\n", (int)grpc_xds_plugin_register());
  const grpc_xds_policy_type newer = {.version = GRPC_XDS_POLICY_VERSION + 1};
  printf("policy %d\n", (int)grpc_xds_register_policy(&newer));
  fflush(stdout);
  if (argc > 1) call_once(argv[1]);
  return 0;
}
