/* gxds_view: a tree whose nodes have names, attributes and errors. It can be written as text for
 * people, as JSON for programs, as a graph, and as a list of changes. The root owns all nodes.
 * Confined. */
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
/* The same for a text; an empty one adds nothing. */
static inline void gxds_view_text(gxds_view *v, const char *key, gxds_str value) {
  gxds_view_attribute(v, key, "%.*s", GXDS_STR_ARG(value));
}
/* Sets the node's error; empty: none. */
void gxds_view_error(gxds_view *v, gxds_str error);
void gxds_view_destroy(gxds_view *root); /* NULL is allowed */

/* Adds one line for each node. An error has its own line. */
void gxds_view_render_text(const gxds_view *root, bool colours, gxds_text *out);
/* Adds one line: {"kind":…,"name":…,attributes…,"error":…,"children":[…]}. Empty parts are left
 * out. */
void gxds_view_render_json(const gxds_view *root, gxds_text *out);
/* A graph for graphviz's `dot`. */
void gxds_view_render_dot(const gxds_view *root, gxds_text *out);
/* Adds lines that begin with "- " for nodes and attributes that were removed, and with "+ " for
 * those that were added, by path. Adds nothing if both views are equal. */
void gxds_view_render_diff(const gxds_view *before, const gxds_view *after, bool colours,
                           gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
