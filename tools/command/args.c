#include "tools/command/args.h"

#include <stdint.h>
#include <stdlib.h>

const char *gxds_args_value(char *const *argv, int *i, const char *name, gxds_text *error) {
  size_t size = strlen(name);
  if (strncmp(argv[*i], name, size) != 0) return NULL;
  if (argv[*i][size] == '=') return argv[*i] + size + 1;
  if (argv[*i][size] != 0) return NULL;
  const char *value = argv[*i + 1]; /* NULL after the last argument */
  if (value) {
    ++*i;
  } else {
    gxds_text_addf(error, "%s needs a value", name);
  }
  return value;
}

bool gxds_args_flag(char *const *argv, int i, const char *name) {
  return strcmp(argv[i], name) == 0;
}

bool gxds_args_is_help(char *const *argv, int i) {
  return gxds_args_flag(argv, i, "--help") || gxds_args_flag(argv, i, "-h");
}

void gxds_args_seconds(const char *option, const char *text, gxds_duration *out, gxds_text *error) {
  static const double kMost = 86400; /* a day */
  char *end;
  double seconds = strtod(text, &end);
  if (end == text || *end || !(seconds >= 0.001) || seconds > kMost) {
    gxds_text_addf(error, "%s: expected 0.001 to 86400 seconds, found %s", option, text);
  } else {
    *out = (gxds_duration)(seconds * (double)GXDS_SECOND);
  }
}

/* gRPC silently takes 443 for an empty port, and 0 for a word. gRPC and getaddrinfo() silently use
 * the low 16 bits of a larger number. */
static bool is_port(const char *text) {
  if (strchr(text, '/')) return true; /* a target of gRPC without a port: unix:/path */
  return text[strspn(text, "0123456789")] == 0 && strtoul(text, NULL, 10) <= UINT16_MAX;
}

bool gxds_args_check_address(const char *of, const char *text, gxds_text *error) {
  const char *colon = strrchr(text, ':');
  if (!colon) {
    gxds_text_addf(error, "%s: expected ADDRESS:PORT, found %s", of, text);
  } else if (!colon[1]) {
    gxds_text_addf(error, "%s: expected a port after the colon, found %s", of, text);
  } else if (!is_port(colon + 1)) {
    gxds_text_addf(error, "%s: expected a port from 0 to 65535, found %s", of, colon + 1);
  }
  return error->size == 0;
}
