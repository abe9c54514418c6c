/* Finds the fixed prefix of all texts that match a regular expression. */
#ifndef GRPC_XDS_XDS_RESOLVER_REGEX_PREFIX_H_
#define GRPC_XDS_XDS_RESOLVER_REGEX_PREFIX_H_

#include "base/host.h"

#ifdef __cplusplus
extern "C" {
#endif

/* regex is from host->regex_create(). Empty if no prefix is known. The caller frees it with
 * gxds_str_free(). Any thread. */
gxds_str gxds_regex_prefix(const void *regex, const gxds_host *host);

#ifdef __cplusplus
}
#endif

#endif
