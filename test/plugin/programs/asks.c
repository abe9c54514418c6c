/* Asks for registration in a program without gRPC. */
#include <stdio.h>

#include "grpc_xds/grpc_xds.h"

int main(void) {
  printf("result %d\n", (int)grpc_xds_plugin_register());
  return 0;
}
