/* Writes a view as a picture. */
#ifndef GRPC_XDS_TOOLS_RESOLVE_GRAPH_H_
#define GRPC_XDS_TOOLS_RESOLVE_GRAPH_H_

#include "tools/resolve/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a file ending in .dot or .gv as text for graphviz. Other files (.svg, .png, .pdf) are
 * drawn by graphviz's `dot`; if that is not installed, the text goes to PATH.dot. Problems are
 * printed on standard error. False if nothing was written. */
bool gxds_graph_write(const gxds_view *root, const char *path);

#ifdef __cplusplus
}
#endif

#endif
