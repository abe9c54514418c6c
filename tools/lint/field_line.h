/* The line of a file on which a field stands that an error names. Pure. */
#ifndef GRPC_XDS_TOOLS_LINT_FIELD_LINE_H_
#define GRPC_XDS_TOOLS_LINT_FIELD_LINE_H_

#include "files/node.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The line of the field ("a.b[3].c", base/errors.h) in the node, or of the nearest thing around it
 * that is there. The names of fields may be written in both of proto3 JSON's ways; "value[type]" is
 * what an Any holds. */
uint32_t gxds_field_line(const gxds_file_node *node, gxds_str field);

#ifdef __cplusplus
}
#endif

#endif
