/* Base64 (RFC 4648). Pure functions, any thread. */
#ifndef GRPC_XDS_BASE_BASE64_H_
#define GRPC_XDS_BASE_BASE64_H_

#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_base64_alphabet {
  GXDS_BASE64,     /* with + and / */
  GXDS_BASE64_URL, /* with - and _ */
} gxds_base64_alphabet;

/* What a character stands for; -1: it is not of the alphabet. */
int gxds_base64_digit(gxds_base64_alphabet alphabet, char c);

/* Decodes text, with or without its padding. to: has room for as many bytes as text. False: it is
 * not base64. */
bool gxds_base64_decode(gxds_base64_alphabet alphabet, gxds_str text, char *to, size_t *size);

/* Adds bytes in the alphabet GXDS_BASE64, with padding. */
void gxds_base64_add(gxds_text *out, gxds_str bytes);

#ifdef __cplusplus
}
#endif

#endif
