/* An extension with its own copy of gRPC, whose grpc_init() it exports and calls. */
#include <stdio.h>
#include <string.h>

void extension_run(const char *target);
void grpc_init(void);

__attribute__((visibility("default"))) void grpc_init(void) { puts("private grpc_init"); }

__attribute__((visibility("default"))) void extension_run(const char *target) {
  if (strcmp(target, "call") == 0) {
    grpc_init();
    puts("called");
    return;
  }
  grpc_init(); /* compiled to a jump, so it sees the program as its caller */
}
