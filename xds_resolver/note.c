#include "xds_resolver/note.h"

static bool has_origin(const gxds_error *e) { return e->server.size > 0 || e->node_id.size > 0; }

/* Adds the server and node of an error, unless the next error has the same ones. */
static void add_origin_before(gxds_text *t, const gxds_error *e, const gxds_error *next) {
  gxds_str server = e->server;
  gxds_str node_id = e->node_id;
  if (has_origin(next) && gxds_str_equal(node_id, next->node_id)) {
    bool same_server = server.size == 0 || gxds_str_equal(server, next->server);
    if (same_server || next->server.size == 0) node_id = gxds_str_of(NULL, 0);
    if (same_server) server = gxds_str_of(NULL, 0);
  }
  gxds_text_add_origin(t, server, node_id);
}

void gxds_note_add(gxds_note *n, const char *kind, gxds_str name, const gxds_error *why) {
  if (!why || why->message.size == 0 || ++n->count > GXDS_NOTE_ERRORS_MAX) return;
  gxds_text *t = &n->text;
  if (n->last && gxds_error_same_text(n->last, why)) {
    t->size = n->last_at - strlen(": ");
    gxds_text_add_z(t, ", ");
  } else if (n->last) {
    add_origin_before(t, n->last, why);
    gxds_text_add_z(t, "; ");
  }
  gxds_text_addf(t, "%s ", kind);
  gxds_text_add_escaped(t, name);
  gxds_text_add_z(t, ": ");
  n->last = why;
  n->last_at = t->size;
  gxds_text_add(t, why->message);
}

const gxds_error *gxds_note_take(gxds_note *n, const gxds_error *origin) {
  if (n->count == 0) return gxds_error_ref(origin);
  if (has_origin(n->last)) origin = n->last;
  const gxds_error *note;
  if (n->count > GXDS_NOTE_ERRORS_MAX) {
    gxds_text_add_origin(&n->text, origin->server, origin->node_id);
    gxds_text_addf(&n->text, " and %zu more", n->count - GXDS_NOTE_ERRORS_MAX);
    gxds_str nobody = {NULL, 0};
    note = gxds_error_create(GXDS_UNAVAILABLE, &n->text, nobody, nobody);
  } else {
    note = gxds_error_create(GXDS_UNAVAILABLE, &n->text, origin->server, origin->node_id);
  }
  *n = (gxds_note){{NULL, 0, 0}, NULL, 0, 0};
  return note;
}
