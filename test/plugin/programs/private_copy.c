/* An extension that carries a gRPC of its own, whose grpc_init() it exports and calls. */
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
  grpc_init(); /* compiled to a jump: the caller that it sees is the program */
}
