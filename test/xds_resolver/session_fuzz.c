/* The header "cookie" of an RPC, whose session cookie is "s". With any contents, the parsed
 * addresses must lie within the header, and the cookie that the session gets must be read as it was
 * written. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "xds_resolver/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static gxds_text added;

static void add_header(gxds_response *r, gxds_str name, gxds_str value) {
  (void)r;
  (void)name;
  const char *end = memchr(value.data, ';', value.size);
  gxds_text_add(&added, gxds_str_of(value.data, (size_t)(end - value.data)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const gxds_session_cookie cookie = {gxds_str_z("s"), {NULL, 0}, 0};
  static gxds_session_text text;
  gxds_session_text_read(&text, cookie.name, gxds_str_of((const char *)data, size));
  GXDS_CHECK(text.addresses <= text.size && text.size <= sizeof text.text);
  const bool of_a = gxds_session_text_is_of(&text, gxds_str_z("a"));
  GXDS_CHECK(!of_a || text.text[text.size - 1] == 'a');
  gxds_session *s = gxds_session_init(gxds_calloc(1, gxds_session_size(&cookie, &text)), &cookie,
                                      &text, gxds_str_z("a"));
  gxds_response response = {add_header};
  s->used = s->wanted;
  s->responded(s, &response);
  if (added.size > 0) {
    static gxds_session_text again;
    gxds_session_text_read(&again, cookie.name, gxds_text_str(&added));
    GXDS_CHECK(s->wanted.size + sizeof ";a" - 1 > sizeof again.text / 4 * 3 ||
               gxds_session_text_is_of(&again, gxds_str_z("a")));
    GXDS_CHECK(s->wanted.size + sizeof ";a" - 1 > sizeof again.text / 4 * 3 ||
               gxds_str_equal(gxds_str_of(again.text, again.addresses), s->wanted));
  }
  gxds_text_fini(&added);
  gxds_free(s);
  return 0;
}
