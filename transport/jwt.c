#include "transport/jwt.h"

#include <jansson.h>

#include "base/base64.h"
#include "base/memory.h"

/* Finds the second of the three parts, which are separated by dots. False if there are not three
 * parts. */
static bool find_payload(gxds_str token, gxds_str *payload) {
  size_t dots[2];
  size_t count = 0;
  for (size_t i = 0; i < token.size; i++) {
    if (token.data[i] != '.') continue;
    if (count == 2) return false;
    dots[count++] = i;
  }
  if (count != 2) return false;
  *payload = gxds_str_of(token.data + dots[0] + 1, dots[1] - dots[0] - 1);
  return true;
}

/* RFC 7519: seconds since 1970, which may have a fraction. */
static const char *read_expiry(const json_t *claims, gxds_time *expiry) {
  static const int64_t too_late = GXDS_TIME_NEVER / GXDS_SECOND;
  const json_t *exp = json_object_get(claims, "exp");
  if (!exp) return "has no \"exp\"";
  if (!json_is_number(exp)) return "has an \"exp\" that is not a number";
  if (!(json_number_value(exp) > 0)) return "has an \"exp\" that is not positive";
  if (json_number_value(exp) >= (double)too_late) {
    *expiry = GXDS_TIME_NEVER;
  } else if (json_is_integer(exp)) {
    *expiry = json_integer_value(exp) * GXDS_SECOND;
  } else {
    *expiry = (gxds_time)(json_real_value(exp) * (double)GXDS_SECOND);
  }
  return NULL;
}

const char *gxds_jwt_expiry(gxds_str token, gxds_time *expiry) {
  gxds_str payload;
  if (token.size == 0) return "is empty";
  for (size_t i = 0; i < token.size; i++) {
    char c = token.data[i];
    if (c != '.' && c != '=' && gxds_base64_digit(GXDS_BASE64_URL, c) < 0)
      return "has a character that no JWT has";
  }
  if (!find_payload(token, &payload)) return "does not have the three parts of a JWT";
  char *text = gxds_calloc(payload.size, 1);
  size_t size;
  if (!gxds_base64_decode(GXDS_BASE64_URL, payload, text, &size)) {
    gxds_free(text);
    return "has a payload that is not base64url";
  }
  /* Other claims may have any string, and integers so large that only a real can hold them. */
  json_t *claims = json_loadb(text, size, JSON_ALLOW_NUL, NULL);
  if (!claims) claims = json_loadb(text, size, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, NULL);
  gxds_free(text);
  const char *why = json_is_object(claims) ? read_expiry(claims, expiry)
                                           : "has a payload that is not a JSON object";
  json_decref(claims);
  return why;
}
