/* Finds the line of a field in JSON text. jansson does not keep lines after parsing. Only for text
 * that jansson accepted. Pure: any thread. */
#ifndef GRPC_XDS_BOOTSTRAP_LINES_INTERNAL_H_
#define GRPC_XDS_BOOTSTRAP_LINES_INTERNAL_H_

#include "base/errors.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The line, counted from 1, of the value at that path. If the value is missing, the line of its
 * innermost parent that exists. Takes time in proportion to the text, so it is for errors, not for
 * parsing. */
size_t gxds_json_line(gxds_str json, const gxds_path *at);

#ifdef __cplusplus
}
#endif

#endif
