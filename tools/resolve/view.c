#include "tools/resolve/view.h"

#include <stdlib.h>
#include <utlist.h>

#include "base/memory.h"
#include "base/utf8.h"

typedef struct attribute {
  const char *key;
  gxds_str value;
} attribute;

struct gxds_view {
  const char *kind;
  gxds_str name;
  attribute *attributes;
  size_t attribute_count;
  gxds_str error;
  gxds_view *first; /* the first child */
  gxds_view *prev;
  gxds_view *next;
};

static const char red[] = "\033[31m";
static const char green[] = "\033[32m";
static const char bold[] = "\033[1m";
static const char plain[] = "\033[0m";

gxds_view *gxds_view_add(gxds_view *parent, const char *kind, gxds_str name) {
  gxds_view *v = GXDS_NEW(gxds_view);
  v->kind = kind;
  v->name = gxds_str_dup(name);
  if (parent) DL_APPEND(parent->first, v);
  return v;
}

void gxds_view_attribute(gxds_view *v, const char *key, const char *format, ...) {
  gxds_text value = {0};
  GXDS_TEXT_ADD_ARGS(&value, format);
  if (value.size > 0) {
    v->attributes = gxds_realloc(v->attributes, v->attribute_count + 1, sizeof *v->attributes);
    v->attributes[v->attribute_count++] = (attribute){key, gxds_text_take(&value)};
  }
  gxds_text_fini(&value);
}

void gxds_view_error(gxds_view *v, gxds_str error) { gxds_str_set(&v->error, error); }

/* The recursion is as deep as a configuration at most. */
void gxds_view_destroy(gxds_view *root) {
  if (!root) return;
  for (gxds_view *v = root->first; v;) {
    gxds_view *next = v->next;
    gxds_view_destroy(v);
    v = next;
  }
  for (size_t i = 0; i < root->attribute_count; i++) gxds_str_free(&root->attributes[i].value);
  gxds_free(root->attributes);
  gxds_str_free(&root->name);
  gxds_str_free(&root->error);
  gxds_free(root);
}

/* ---- text ---- */

static void add_attributes(const gxds_view *v, gxds_text *out) {
  for (size_t i = 0; i < v->attribute_count; i++) {
    gxds_text_addf(out, "  %s ", v->attributes[i].key);
    gxds_text_add_escaped(out, v->attributes[i].value);
  }
}

static void add_node(const gxds_view *v, bool colours, const char *stem, const char *branch,
                     const char *below, gxds_text *out) {
  gxds_text_addf(out, "%s%s%s ", stem, branch, v->kind);
  if (colours) gxds_text_add_z(out, bold);
  gxds_text_add_escaped(out, v->name);
  if (colours) gxds_text_add_z(out, plain);
  add_attributes(v, out);
  gxds_text_add_z(out, "\n");
  gxds_str stem_below = gxds_str_format("%s%s", stem, below);
  if (v->error.size) {
    gxds_text_addf(out, "%s%s%s%serror: ", stem, below, v->first ? "│  " : "   ",
                   colours ? red : "");
    gxds_text_add_escaped(out, v->error);
    gxds_text_addf(out, "%s\n", colours ? plain : "");
  }
  for (const gxds_view *child = v->first; child; child = child->next) {
    add_node(child, colours, stem_below.data, child->next ? "├─ " : "└─ ",
             child->next ? "│  " : "   ", out);
  }
  gxds_str_free(&stem_below);
}

void gxds_view_render_text(const gxds_view *root, bool colours, gxds_text *out) {
  add_node(root, colours, "", "", "", out);
}

/* ---- JSON ---- */

void gxds_view_render_json(const gxds_view *root, gxds_text *out) {
  gxds_text_addf(out, "{\"kind\":\"%s\"", root->kind);
  gxds_utf8_add_member_if_any(out, "name", root->name);
  for (size_t i = 0; i < root->attribute_count; i++) {
    gxds_utf8_add_member_if_any(out, root->attributes[i].key, root->attributes[i].value);
  }
  gxds_utf8_add_member_if_any(out, "error", root->error);
  for (const gxds_view *v = root->first; v; v = v->next) {
    gxds_text_add_z(out, v == root->first ? ",\"children\":[" : ",");
    gxds_view_render_json(v, out);
    if (!v->next) gxds_text_add_z(out, "]");
  }
  gxds_text_add_z(out, "}");
}

/* ---- graph ---- */

static void add_label(gxds_str s, gxds_text *out) {
  gxds_text escaped = {0};
  gxds_text_add_escaped(&escaped, s);
  for (size_t i = 0; i < escaped.size; i++) {
    char c = escaped.data[i];
    if (c == '"' || c == '\\') gxds_text_add_z(out, "\\");
    gxds_text_add(out, gxds_str_of(&c, 1));
  }
  gxds_text_fini(&escaped);
}

/* Returns the number of the next node. */
static int add_graph_node(const gxds_view *v, int number, gxds_text *out) {
  gxds_text_addf(out, "  n%d [label=\"%s\\n", number, v->kind);
  add_label(v->name, out);
  for (size_t i = 0; i < v->attribute_count; i++) {
    gxds_text_addf(out, "\\n%s ", v->attributes[i].key);
    add_label(v->attributes[i].value, out);
  }
  if (v->error.size) {
    gxds_text_add_z(out, "\\n");
    add_label(v->error, out);
  }
  gxds_text_addf(out, "\"%s];\n", v->error.size ? ",color=red,fontcolor=red" : "");
  int next = number + 1;
  for (const gxds_view *child = v->first; child; child = child->next) {
    gxds_text_addf(out, "  n%d -> n%d;\n", number, next);
    next = add_graph_node(child, next, out);
  }
  return next;
}

void gxds_view_render_dot(const gxds_view *root, gxds_text *out) {
  gxds_text_add_z(out,
                  "digraph xds {\n  rankdir=LR;\n"
                  "  node [shape=box,style=rounded,fontname=\"sans-serif\",fontsize=10];\n");
  add_graph_node(root, 0, out);
  gxds_text_add_z(out, "}\n");
}

/* ---- what changed ---- */

typedef struct lines {
  gxds_str *items;
  size_t count;
} lines;

/* Adds a line for the node and for each node below it: the path, the attributes and the error. */
static void flatten(const gxds_view *v, gxds_str above, lines *out) {
  gxds_text text = {0};
  if (above.size) gxds_text_addf(&text, "%.*s > ", GXDS_STR_ARG(above));
  gxds_text_addf(&text, "%s ", v->kind);
  gxds_text_add_escaped(&text, v->name);
  gxds_str path = gxds_str_dup(gxds_text_str(&text));
  add_attributes(v, &text);
  if (v->error.size) {
    gxds_text_add_z(&text, "  error: ");
    gxds_text_add_escaped(&text, v->error);
  }
  out->items = gxds_realloc(out->items, out->count + 1, sizeof *out->items);
  out->items[out->count++] = gxds_text_take(&text);
  for (const gxds_view *child = v->first; child; child = child->next) flatten(child, path, out);
  gxds_str_free(&path);
}

static void add_line(const char *sign, const char *colour, gxds_str line, bool colours,
                     gxds_text *out) {
  gxds_text_addf(out, "%s%s %.*s%s\n", colours ? colour : "", sign, GXDS_STR_ARG(line),
                 colours ? plain : "");
}

void gxds_view_render_diff(const gxds_view *before, const gxds_view *after, bool colours,
                           gxds_text *out) {
  lines was = {0};
  lines is = {0};
  flatten(before, gxds_str_of(NULL, 0), &was);
  flatten(after, gxds_str_of(NULL, 0), &is);
  qsort(was.items, was.count, sizeof *was.items, gxds_str_compare_items);
  qsort(is.items, is.count, sizeof *is.items, gxds_str_compare_items);
  size_t i = 0;
  size_t j = 0;
  while (i < was.count || j < is.count) {
    int order = i == was.count  ? 1
                : j == is.count ? -1
                                : gxds_str_compare(was.items[i], is.items[j]);
    if (order < 0) add_line("-", red, was.items[i], colours, out);
    if (order > 0) add_line("+", green, is.items[j], colours, out);
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
  gxds_strs_free(was.items, was.count);
  gxds_strs_free(is.items, is.count);
}
