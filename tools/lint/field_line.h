/* Finds fields of messages, and the lines of their errors, in a file. Pure. */
#ifndef GRPC_XDS_TOOLS_LINT_FIELD_LINE_H_
#define GRPC_XDS_TOOLS_LINT_FIELD_LINE_H_

#include "files/node.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The entry of a field in the node of a message, by any of proto3 JSON's forms of its name. NULL if
 * it is not set, or if the node is NULL or no object. */
const gxds_file_node_entry *gxds_field_entry(const gxds_file_node *node, gxds_str name);

/* The line of the field ("a.b[3].c", base/errors.h) in the node. If the field is missing, the line
 * of the innermost parent that exists. Both of proto3 JSON's forms of field names are found;
 * "value[type]" stands for the contents of an Any. */
uint32_t gxds_field_line(const gxds_file_node *node, gxds_str field);

#ifdef __cplusplus
}
#endif

#endif
