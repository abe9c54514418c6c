/* Any answer of a web server: a DiscoveryResponse in JSON, an index, or a file. The first byte
 * selects which, and the HTTP status. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "web/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One DiscoveryRequest for clusters: type_url, resource_names "a". */
static const char request[] =
    "\x1a\x01"
    "a\x22\x33"
    "type.googleapis.com/envoy.config.cluster.v3.Cluster";

static void answer(gxds_web_server *s, int code, gxds_str body, gxds_time now) {
  gxds_web_request fetch;
  if (!gxds_web_server_next_fetch(s, now, &fetch)) return;
  const gxds_web_response a = {.id = fetch.id, .code = code, .body = body, .error = body};
  gxds_web_server_on_fetched(s, &a, now);
  gxds_web_request_fini(&fetch);
}

/* Schemas are made once, because each costs more than a run. */
static const gxds_schema *schema_of(gxds_web_form form) {
  static gxds_schema *strict;
  static gxds_schema *lenient;
  if (!strict) {
    strict = gxds_schema_create();
    lenient = gxds_schema_create();
    gxds_schema_set_lenient(lenient);
  }
  return form == GXDS_WEB_REST ? lenient : strict;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  const int codes[] = {200, 304, 0, 404};
  const gxds_str body = gxds_str_of((const char *)data + 1, size - 1);
  const gxds_bootstrap_server about = {
      .uri = gxds_str_z("http://h"),
      .web_form = data[0] & 1 ? GXDS_WEB_REST : GXDS_WEB_FILES,
      .refresh_delay = GXDS_SECOND,
  };
  gxds_web_server *s = gxds_web_server_create(&about, schema_of(about.web_form), 1);
  gxds_str bytes;
  gxds_web_server_open(s, 1);
  gxds_web_server_on_request(s, gxds_str_of(request, sizeof request - 1), 1);
  for (int i = 0; i < 4; i++) answer(s, codes[data[0] >> 1 & 3], body, 1 + i * 10 * GXDS_SECOND);
  while (gxds_web_server_next_response(s, 1, &bytes)) gxds_str_free(&bytes);
  if (gxds_web_server_take_end(s, &bytes)) {
    GXDS_CHECK(gxds_str_is_utf8(bytes)); /* it ends in logs and statuses */
    gxds_str_free(&bytes);
  }
  gxds_web_server_destroy(s);
  return 0;
}
