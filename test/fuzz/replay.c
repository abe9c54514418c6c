/* Runs a fuzz target (LLVMFuzzerTestOneInput) over a corpus as a normal test: every file as it is,
 * then mutations that depend only on the file and the round. In real fuzzing, libFuzzer replaces
 * this main(). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { kMutationsPerFile = 300 };

static uint64_t next(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

/* A few byte changes, then perhaps a cut: enough to reach most error paths of a parser. The input
 * is copied to memory of its exact size, so that a sanitizer sees every read beyond it. */
static void run_mutation(const uint8_t *data, size_t size, uint64_t seed) {
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  size_t cut = next(&state) % 4 == 0 && size > 0 ? next(&state) % size : size;
  uint8_t *copy = malloc(cut ? cut : 1);
  if (!copy) abort();
  if (cut) memcpy(copy, data, cut);
  for (uint64_t changes = next(&state) % 4; cut > 0 && changes > 0; changes--) {
    copy[next(&state) % cut] = (uint8_t)next(&state);
  }
  LLVMFuzzerTestOneInput(copy, cut);
  free(copy);
}

static int run_file(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) return perror(path), 1;
  uint8_t *data = NULL;
  size_t size = 0;
  for (size_t got = 1; got > 0; size += got) {
    data = realloc(data, size + 65536);
    if (!data) abort();
    got = fread(data + size, 1, 65536, f);
  }
  fclose(f);
  for (uint64_t i = 0; i < kMutationsPerFile; i++) run_mutation(data, size, i);
  LLVMFuzzerTestOneInput(data, size);
  free(data);
  return 0;
}

int main(int argc, char **argv) {
  int failures = 0;
  for (int i = 1; i < argc; i++) failures += run_file(argv[i]);
  LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
  printf("%d inputs, %d mutations each\n", argc, kMutationsPerFile);
  return failures || argc < 2; /* a missing corpus is a failure */
}
