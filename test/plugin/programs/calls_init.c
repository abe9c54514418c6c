/* Calls the first grpc_init in the program. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  void (*init)(void) = NULL;
  void *symbol = dlsym(RTLD_DEFAULT, "grpc_init");
  memcpy(&init, &symbol, sizeof init);
  if (init) init();
  puts("alive");
  return 0;
}
