#include "base/origin.h"

#include <string.h>

static const char before_server[] = " (xDS server ";
static const char before_node[] = " (node ID:";

/* Every update of a cluster makes one, so without a format. */
static void add_part(gxds_text *t, const char *before, gxds_str what) {
  if (what.size == 0) return;
  gxds_text_add_z(t, before);
  gxds_text_add(t, what);
  gxds_text_add_z(t, ")");
}

void gxds_text_add_origin(gxds_text *t, gxds_str server, gxds_str node_id) {
  add_part(t, before_server, server);
  add_part(t, before_node, node_id);
}

/* The message from the last place of what on; empty: it is nowhere. */
static gxds_str from_last(gxds_str message, const char *what) {
  size_t size = strlen(what);
  for (size_t at = message.size; at > 0; at--) {
    size_t start = at - 1;
    if (message.size - start < size || memcmp(message.data + start, what, size) != 0) continue;
    return gxds_str_of(message.data + start, message.size - start);
  }
  return gxds_str_of(NULL, 0);
}

gxds_str gxds_origin_of(gxds_str message) {
  bool closed = message.size > 0 && message.data[message.size - 1] == ')';
  if (!closed) return gxds_str_of(NULL, 0);
  gxds_str server = from_last(message, before_server);
  return server.size ? server : from_last(message, before_node);
}

void gxds_text_cut_origin(gxds_text *t, gxds_str next) {
  gxds_str theirs = gxds_origin_of(next);
  gxds_str ours = gxds_origin_of(gxds_text_str(t));
  if (theirs.size == 0 || ours.size == 0) return;
  if (gxds_str_ends_with(ours, theirs)) {
    t->size -= theirs.size;
  } else if (gxds_str_ends_with(theirs, ours)) {
    t->size -= ours.size;
  } else {
    return;
  }
  t->data[t->size] = '\0';
}
