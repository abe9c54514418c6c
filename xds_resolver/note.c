#include "xds_resolver/note.h"

#include "base/origin.h"

void gxds_note_add(gxds_note *n, const char *kind, gxds_str name, gxds_str why) {
  if (why.size == 0 || ++n->count > GXDS_NOTE_TROUBLES_MAX) return;
  gxds_text *t = &n->text;
  bool same =
      t->size > 0 && gxds_str_equal(gxds_str_of(t->data + n->why_at, t->size - n->why_at), why);
  if (same) {
    t->size = n->why_at - strlen(": ");
    gxds_text_add_z(t, ", ");
  } else if (t->size) {
    gxds_text_cut_origin(t, why);
    gxds_text_add_z(t, "; ");
  }
  gxds_text_addf(t, "%s ", kind);
  gxds_text_add_escaped(t, name);
  gxds_text_add_z(t, ": ");
  n->why_at = t->size;
  gxds_text_add(t, why);
}

gxds_str gxds_note_take(gxds_note *n, gxds_str server, gxds_str node_id) {
  if (gxds_origin_of(gxds_text_str(&n->text)).size == 0) {
    gxds_text origin = {NULL, 0, 0};
    gxds_text_add_origin(&origin, server, node_id);
    gxds_str s = gxds_text_str(&origin);
    bool alone = s.size > 0 && n->text.size == 0;
    gxds_text_add(&n->text, alone ? gxds_str_of(s.data + 1, s.size - 1) : s);
    gxds_text_fini(&origin);
  }
  if (n->count > GXDS_NOTE_TROUBLES_MAX) {
    gxds_text_addf(&n->text, " and %zu more", n->count - GXDS_NOTE_TROUBLES_MAX);
  }
  gxds_str note = gxds_text_take(&n->text);
  *n = (gxds_note){{NULL, 0, 0}, 0, 0};
  return note;
}

bool gxds_note_tells_trouble(gxds_str note) {
  /* A trouble begins with its kind, an origin with a bracket. */
  return note.size > 0 && note.data[0] != '(';
}
