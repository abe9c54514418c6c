/* The input is the requests of an LRS stream, each after its length. */
#include "tools/serve/lrs_server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  gxds_lrs_server *s = gxds_lrs_server_create(GXDS_SECOND);
  uint64_t stream = gxds_lrs_server_open(s, gxds_str_z("peer"));
  for (size_t at = 0; at < size;) {
    size_t length = data[at++];
    if (length > size - at) length = size - at;
    gxds_lrs_server_on_message(s, stream, gxds_str_of((const char *)data + at, length));
    at += length;
    gxds_serve_action action;
    while (gxds_lrs_server_next_action(s, &action)) {
      gxds_text text = {0};
      if (action.kind == GXDS_SERVE_EVENT) {
        gxds_serve_event_render_json(&action.event, &text);
        gxds_serve_event_render_text(&action.event, &text);
      } else if (action.kind == GXDS_SERVE_SEND) {
        gxds_lrs_server_on_sent(s, stream);
      }
      gxds_text_fini(&text);
      gxds_serve_action_fini(&action);
    }
  }
  gxds_lrs_server_destroy(s);
  return 0;
}
