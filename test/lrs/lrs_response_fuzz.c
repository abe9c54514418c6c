/* Any bytes are decoded or refused. Decoded names are within bounds, sorted and unique. */
#include "base/check.h"
#include "lrs/lrs_codec.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  gxds_lrs_response r;
  gxds_status status = gxds_lrs_decode_response(data, size, &r);
  if (gxds_status_is_ok(&status)) {
    GXDS_CHECK(r.interval >= GXDS_LRS_INTERVAL_MIN && r.interval <= GXDS_LRS_INTERVAL_MAX);
    GXDS_CHECK(!r.all_clusters || r.cluster_count == 0);
    for (size_t i = 1; i < r.cluster_count; i++) {
      GXDS_CHECK(gxds_str_compare(r.clusters[i - 1], r.clusters[i]) < 0);
    }
    GXDS_CHECK(gxds_lrs_response_equal(&r, &r));
  }
  gxds_status_fini(&status);
  gxds_lrs_response_fini(&r);
  return 0;
}
