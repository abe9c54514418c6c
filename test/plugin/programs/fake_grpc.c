/* A libgrpc of another version. */
#include <stdio.h>

const char *grpc_version_string(void);
void grpc_init(void);

__attribute__((visibility("default"))) const char *grpc_version_string(void) { return VERSION; }
__attribute__((visibility("default"))) void grpc_init(void) { puts("fake grpc_init"); }
