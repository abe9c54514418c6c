/* Writing a view as a picture. */
#ifndef GRPC_XDS_TOOLS_RESOLVE_GRAPH_H_
#define GRPC_XDS_TOOLS_RESOLVE_GRAPH_H_

#include "tools/resolve/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Into a file whose name ends in .dot or .gv as text for graphviz, else (.svg, .png, .pdf) drawn by
 * graphviz's `dot`; if that is not there, the text is left in PATH.dot. What was not as asked for
 * is said on standard error; false: nothing was written. */
bool gxds_graph_write(const gxds_view *root, const char *path);

#ifdef __cplusplus
}
#endif

#endif
