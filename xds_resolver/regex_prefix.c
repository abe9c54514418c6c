#include "xds_resolver/regex_prefix.h"

gxds_str gxds_regex_prefix(const void *regex, const gxds_host *host) {
  /* A longer prefix is cut, because the beginning of a prefix is a prefix too. */
  enum { kLongest = 128 };
  gxds_str least;
  gxds_str most;
  if (!host->regex_range(regex, kLongest, &least, &most)) return gxds_str_of(NULL, 0);
  size_t same = 0;
  while (same < least.size && same < most.size && least.data[same] == most.data[same]) same++;
  gxds_str prefix = gxds_str_dup(gxds_str_of(least.data, same));
  gxds_str_free(&least);
  gxds_str_free(&most);
  return prefix;
}
