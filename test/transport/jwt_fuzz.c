/* Any bytes give an expiry and text that a header may hold, or an error; never both. */
#include <stdint.h>
#include <stdlib.h>

#include "transport/jwt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
  if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  gxds_time expiry = -1;
  const char *why = gxds_jwt_expiry(gxds_str_of((const char *)data, size), &expiry);
  require((why == NULL) == (expiry > -1));
  for (size_t i = 0; !why && i < size; i++) require(data[i] > ' ' && data[i] < 0x7f);
  return 0;
}
