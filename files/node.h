/* gxds_file_node: one value of a JSON or YAML resource file, with its line.
 *
 * A document is a tree, or with YAML's aliases a graph without cycles: an alias is the anchored
 * node itself. Nodes live in a upb_Arena, with their strings, and never change once built. Confined
 * to one thread. */
#ifndef GRPC_XDS_FILES_NODE_H_
#define GRPC_XDS_FILES_NODE_H_

#include <stdint.h>

#include "base/str.h"
#include "files/file_errors.h"

#ifdef __cplusplus
extern "C" {
#endif

struct upb_Arena;

/* How deep a document may be nested. No resource is nested deeper, and upb's JSON decoder has the
 * same limit. */
#define GXDS_FILE_NODE_DEPTH_MAX 64
/* The most nodes of one file with its aliases expanded, so that a few nested aliases ("a billion
 * laughs") can't fill the memory. A file of 100,000 clusters has 2 million. */
#define GXDS_FILE_NODE_COUNT_MAX 4000000u
/* The most anchors of one YAML document, because they are searched one by one. */
#define GXDS_FILE_NODE_ANCHORS_MAX 1000u

typedef enum gxds_file_node_kind {
  GXDS_FILE_NODE_NULL,
  GXDS_FILE_NODE_BOOL,
  GXDS_FILE_NODE_NUMBER,
  GXDS_FILE_NODE_STRING,
  GXDS_FILE_NODE_LIST,
  GXDS_FILE_NODE_MAP,
} gxds_file_node_kind;

typedef struct gxds_file_node gxds_file_node;

typedef struct gxds_file_node_entry {
  gxds_str key;
  uint32_t line; /* the line of the key */
  const gxds_file_node *value;
} gxds_file_node_entry;

struct gxds_file_node {
  gxds_file_node_kind kind;
  uint32_t line;     /* the line, counted from 1 */
  uint32_t height;   /* how many levels of containers the node has, itself included: 0 for a scalar,
                        1 for an empty list */
  uint32_t expanded; /* how many nodes it contains, itself included, with aliases expanded */
  size_t count;      /* LIST, MAP */
  union {
    /* STRING: its contents, UTF-8. NUMBER: in JSON's syntax, or "NaN", "Infinity", "-Infinity".
     * BOOL: "true" or "false". */
    gxds_str text;
    const gxds_file_node *const *items;  /* LIST */
    const gxds_file_node_entry *entries; /* MAP; in the order of the file */
  };
};

/* A copy of a text or key in the arena. Its data is never NULL. */
gxds_str gxds_file_node_dup(struct upb_Arena *arena, gxds_str s);
/* The value of a key, or NULL. If the map has duplicates of the key, the last one. Borrowed: valid
 * as long as the arena. */
const gxds_file_node *gxds_file_node_get(const gxds_file_node *map, const char *key);
/* Adds a description for an error: "the string \"x\"", "the number 1", "a list", "an object",
 * "null". */
void gxds_file_node_describe(const gxds_file_node *n, gxds_text *out);
/* Adds an error that says what is expected in place of the node. */
void gxds_file_node_refuse(const gxds_file_node *n, const gxds_path *at, const char *expected,
                           gxds_file_errors *errors);

/* gxds_file_node_builder: makes the nodes of one document from a parser's events, keeps the limits
 * and finds duplicate keys. Lives in the caller's struct.
 *
 * Functions that return bool return false when a limit is passed or the input makes no sense; the
 * error is then in errors, and the caller stops parsing the file. */
typedef struct gxds_file_node_builder {
  struct upb_Arena *arena;         /* borrowed: valid as long as the nodes */
  gxds_file_errors *errors;        /* borrow */
  struct gxds_file_node_open *top; /* private: the open containers */
  size_t depth;
  uint64_t expanded;    /* how many nodes the whole file has so far */
  gxds_file_node *root; /* the finished document; NULL if it is not finished */
} gxds_file_node_builder;

void gxds_file_node_builder_init(gxds_file_node_builder *b, struct upb_Arena *arena,
                                 gxds_file_errors *errors);
/* Drops unfinished containers; finished nodes stay in the arena. */
void gxds_file_node_builder_fini(gxds_file_node_builder *b);

/* text is copied. */
bool gxds_file_node_builder_scalar(gxds_file_node_builder *b, gxds_file_node_kind kind,
                                   gxds_str text, uint32_t line);
/* Opens a container of kind LIST or MAP, and returns its node, which may get an anchor. The node is
 * unfinished until it is closed. NULL after an error. */
gxds_file_node *gxds_file_node_builder_open(gxds_file_node_builder *b, gxds_file_node_kind kind,
                                            uint32_t line);
/* Whether the next event must be a key, because the open container is a map without a pending key.
 */
bool gxds_file_node_builder_wants_key(const gxds_file_node_builder *b);
void gxds_file_node_builder_key(gxds_file_node_builder *b, gxds_str key, uint32_t line);
bool gxds_file_node_builder_close(gxds_file_node_builder *b);
/* Adds a finished node in one more place. */
bool gxds_file_node_builder_alias(gxds_file_node_builder *b, gxds_file_node *target, uint32_t line);
/* The scalar that was added last, for an anchor; NULL if there is none. */
gxds_file_node *gxds_file_node_builder_last(const gxds_file_node_builder *b);
/* Returns the finished document, and starts the next one; NULL if the document was empty. */
const gxds_file_node *gxds_file_node_builder_take(gxds_file_node_builder *b);

#ifdef __cplusplus
}
#endif

#endif
