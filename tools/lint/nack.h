/* The text of a NACK, "errors validating CDS resource: [field:a.b[0] error:must be set; …]", taken
 * apart again, and the line of a file on which each field stands. Pure. */
#ifndef GRPC_XDS_TOOLS_LINT_NACK_H_
#define GRPC_XDS_TOOLS_LINT_NACK_H_

#include "files/node.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls fn for each error in the text, in order; one whose field cannot be told has none, so that
 * nothing of the text is lost. */
void gxds_nack_each_error(gxds_str text, void (*fn)(void *arg, gxds_str field, gxds_str error),
                          void *arg);

/* The line of the field in the node, or of the nearest thing around it that is there. The names of
 * fields may be written in both of proto3 JSON's ways; "value[type]" is what an Any holds. */
uint32_t gxds_nack_line_of(const gxds_file_node *node, gxds_str field);

#ifdef __cplusplus
}
#endif

#endif
