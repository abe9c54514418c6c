/* Base64 (RFC 4648). Pure functions, any thread. */
#ifndef GRPC_XDS_BASE_BASE64_H_
#define GRPC_XDS_BASE_BASE64_H_

#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_base64_alphabet {
  GXDS_BASE64,     /* the alphabet with + and / */
  GXDS_BASE64_URL, /* the alphabet with - and _ */
} gxds_base64_alphabet;

/* The value of a character; -1 if it is not in the alphabet. */
int gxds_base64_digit(gxds_base64_alphabet alphabet, char c);

/* Decodes text, with or without its padding. `to` must have room for as many bytes as text has.
 * False if text is not base64. */
bool gxds_base64_decode(gxds_base64_alphabet alphabet, gxds_str text, char *to, size_t *size);

/* Adds bytes in the alphabet GXDS_BASE64, with padding. */
void gxds_base64_add(gxds_text *out, gxds_str bytes);

#ifdef __cplusplus
}
#endif

#endif
