/* A cache file: the header, then records up to the first that is not whole. Everything that was
 * read is encoded again and must give the same bytes. */
#include <stdint.h>

#include "base/check.h"
#include "transport/cache_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  gxds_str rest = gxds_str_of((const char *)data, size);
  if (gxds_cache_header_decode(&rest, gxds_str_z("t"), gxds_str_z("s")) != GXDS_CACHE_PART_OK) {
    rest = gxds_str_of((const char *)data, size); /* try to read records anyway */
  }
  for (;;) {
    gxds_str before = rest;
    gxds_cache_record r;
    gxds_cache_part part = gxds_cache_record_decode(&rest, &r);
    GXDS_CHECK((part == GXDS_CACHE_PART_OK) == (rest.size < before.size));
    if (part != GXDS_CACHE_PART_OK) return 0;
    gxds_text again = {0};
    gxds_cache_record_encode(&r, &again);
    GXDS_CHECK(
        gxds_str_equal(gxds_text_str(&again), gxds_str_of(before.data, before.size - rest.size)));
    gxds_text_fini(&again);
  }
}
