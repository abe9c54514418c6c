#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/check.h"

void *gxds_calloc(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size ? size : 1);
  GXDS_CHECK(memory != NULL);
  return memory;
}

void *gxds_realloc(void *memory, size_t count, size_t size) {
  GXDS_CHECK(size == 0 || count <= SIZE_MAX / size);
  size_t bytes = count * size;
  void *grown = realloc(memory, bytes ? bytes : 1);
  GXDS_CHECK(grown != NULL);
  return grown;
}

void gxds_free(void *memory) { free(memory); }
