/* late EXTENSION TARGET THREADS: a program without gRPC that opens an extension and runs it in that
 * many threads at the same time. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*run)(const char *target);
static const char *target;
static pthread_barrier_t start;

static void *run_thread(void *unused) {
  (void)unused;
  pthread_barrier_wait(&start);
  run(target);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 4 || chdir("/") != 0) return 2; /* a relative LD_PRELOAD must not matter after this */
  void *extension = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!extension) return puts(dlerror()), 3;
  void *symbol = dlsym(extension, "extension_run");
  memcpy(&run, &symbol, sizeof run);
  target = argv[2];
  int count = atoi(argv[3]);
  pthread_t threads[64];
  if (!run || count < 1 || count > 64) return 4;
  pthread_barrier_init(&start, NULL, (unsigned)count);
  for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, run_thread, NULL);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  puts("alive");
  return 0;
}
