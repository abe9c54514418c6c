/* gxds_view: a tree whose nodes have names, attributes and errors. It can be shown to people, to
 * programs, as a graph, and as a list of changes. A node belongs to its root. Confined. */
#ifndef GRPC_XDS_TOOLS_RESOLVE_VIEW_H_
#define GRPC_XDS_TOOLS_RESOLVE_VIEW_H_

#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_view gxds_view;

/* Adds a node as the last one below parent; NULL makes a root. kind is static; name is copied. */
gxds_view *gxds_view_add(gxds_view *parent, const char *kind, gxds_str name);
/* key is static; an empty value adds nothing. */
__attribute__((format(printf, 3, 4))) void gxds_view_attribute(gxds_view *v, const char *key,
                                                               const char *format, ...);
/* Sets the node's error; empty: none. */
void gxds_view_error(gxds_view *v, gxds_str error);
void gxds_view_destroy(gxds_view *root); /* NULL is allowed */

/* One line per node, errors on lines of their own. */
void gxds_view_render_text(const gxds_view *root, bool colours, gxds_text *out);
/* {"kind":…,"name":…,attributes…,"error":…,"children":[…]}; what is empty is left out. One line. */
void gxds_view_render_json(const gxds_view *root, gxds_text *out);
/* A graph for graphviz's `dot`. */
void gxds_view_render_dot(const gxds_view *root, gxds_text *out);
/* Adds lines with "- " for what was removed and "+ " for what was added, by path; nothing if both
 * are equal. */
void gxds_view_render_diff(const gxds_view *before, const gxds_view *after, bool colours,
                           gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
