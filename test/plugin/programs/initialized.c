/* initialized LIBRARY [channel|shutdown]: initialises gRPC, then opens libgrpc_xds.so and asks it
 * to register. Prints the result. */
#include <dlfcn.h>
#include <grpc/grpc.h>
#include <stdio.h>
#include <string.h>

#include "grpc_xds/grpc_xds.h"
#include "test/plugin/programs/call.h"

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  grpc_init();
  if (argc > 2 && strcmp(argv[2], "channel") == 0) {
    call_once("ipv4:127.0.0.1:1");
    grpc_shutdown();
  }
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library) return puts(dlerror()), 3;
  grpc_xds_result (*plugin_register)(void) = NULL;
  void *symbol = dlsym(library, "grpc_xds_plugin_register");
  memcpy(&plugin_register, &symbol, sizeof plugin_register);
  printf("result %d\n", (int)plugin_register());
  printf("result %d\n", (int)plugin_register());
  fflush(stdout);
  call_once("xds:///service");
  return 0;
}
