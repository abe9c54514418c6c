/* The implementation's functions that report the state of its clients: for the client status
 * discovery service (A40), and as metrics (A78). */
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "plugin/impl.h"
#include "transport/dump.h"

static const char kTooLate[] =
    "grpc_xds: the xDS clients were too busy to report within %d s what they hold";

__attribute__((visibility("default"))) struct grpc_slice grpc_xds_impl_merge_dump(
    struct grpc_slice take_host) {
  bool by_client = gxds_impl_host_dumps_by_client;
  gxds_str host =
      gxds_str_of((const char *)GRPC_SLICE_START_PTR(take_host), GRPC_SLICE_LENGTH(take_host));
  gxds_str ours;
  if (!gxds_clients_dump(by_client ? GXDS_DUMP_BY_CLIENT : GXDS_DUMP_MERGED, host, &ours)) {
    gpr_log(GPR_ERROR, kTooLate, GXDS_DUMP_SECONDS_MAX);
  }
  /* The bytes of two ClientStatusResponses, one after the other, are one ClientStatusResponse with
   * the clients of both. */
  gxds_text merged = {0};
  if (by_client) gxds_text_add(&merged, host);
  gxds_text_add(&merged, ours);
  grpc_slice_unref(take_host);
  grpc_slice out = grpc_slice_from_copied_buffer(merged.data, merged.size);
  gxds_str_free(&ours);
  gxds_text_fini(&merged);
  return out;
}

static grpc_xds_result give(gxds_dump_form form, char **data, size_t *size) {
  gxds_str out;
  bool done = gxds_clients_dump(form, gxds_str_of(NULL, 0), &out);
  if (done) {
    *data = malloc(out.size + 1);
    if (!*data) abort();
    memcpy(*data, out.data ? out.data : "", out.size);
    (*data)[out.size] = 0;
    *size = out.size;
  } else {
    gpr_log(GPR_ERROR, kTooLate, GXDS_DUMP_SECONDS_MAX);
  }
  gxds_str_free(&out);
  return done ? GRPC_XDS_OK : GRPC_XDS_ERROR_BUSY;
}

__attribute__((visibility("default"))) grpc_xds_result grpc_xds_impl_dump_client_status(
    char **data, size_t *size) {
  return give(GXDS_DUMP_BY_CLIENT, data, size);
}

__attribute__((visibility("default"))) grpc_xds_result grpc_xds_impl_dump_metrics(char **data,
                                                                                  size_t *size) {
  return give(GXDS_DUMP_METRICS, data, size);
}
