/* Asks for registration in a program without gRPC. */
#include <stdio.h>

#include "grpc_xds/grpc_xds.h"
#include "grpc_xds/policy.h"

int main(void) {
  printf("result %d\n", (int)grpc_xds_plugin_register());
  printf("policy %d\n", (int)grpc_xds_register_policy(NULL));
  return 0;
}
