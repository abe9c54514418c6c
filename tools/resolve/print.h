/* Prints trees and their changes to stdout, in colours on a terminal. Any thread, one at a time.
 * Each function returns false if its output was lost. */
#ifndef GRPC_XDS_TOOLS_RESOLVE_PRINT_H_
#define GRPC_XDS_TOOLS_RESOLVE_PRINT_H_

#include "tools/resolve/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Prints a tree as JSON, or as text with the summary below it, which is a line with its newline. */
bool gxds_view_print(const gxds_view *v, bool json, const char *summary);
/* Nothing if both are equal. Otherwise prints `now` as JSON, or the time, the summary and the
 * changes. */
bool gxds_view_print_change(const gxds_view *before, const gxds_view *now, bool json,
                            const char *summary);

#ifdef __cplusplus
}
#endif

#endif
