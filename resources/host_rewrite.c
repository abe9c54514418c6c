#include "resources/host_rewrite.h"

#include <string.h>

static bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Whether c may occur in a reg-name, an IP literal or a port. */
static bool is_allowed(char c) {
  return is_letter_or_digit(c) || (c != '\0' && strchr("-._~!$&'()*+,;=%:[]", c) != NULL);
}

bool gxds_authority_is_valid(gxds_str text) {
  if (text.size == 0 || text.size > GXDS_AUTHORITY_BYTES_MAX) return false;
  for (size_t i = 0; i < text.size; i++) {
    if (!is_allowed(text.data[i])) return false;
  }
  return true;
}
