/* Where a field stands in JSON text: what jansson forgets once it has parsed. Only for text that
 * jansson accepted. Pure: any thread. */
#ifndef GRPC_XDS_BOOTSTRAP_LINES_INTERNAL_H_
#define GRPC_XDS_BOOTSTRAP_LINES_INTERNAL_H_

#include "base/errors.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The line, from 1, of the value at that path, or of the innermost parent that is there. Takes time
 * in proportion to the text: for errors, not for parsing. */
size_t gxds_json_line(gxds_str json, const gxds_path *at);

#ifdef __cplusplus
}
#endif

#endif
