#include "base/error.h"

#include "base/memory.h"

/* Copies s to *at, and moves *at behind the copy. */
static gxds_str copy_to(char **at, gxds_str s) {
  char *start = *at;
  if (s.size) memcpy(start, s.data, s.size);
  *at += s.size + 1;
  return gxds_str_of(start, s.size);
}

static const gxds_error *create(gxds_code code, gxds_str message, gxds_str server,
                                gxds_str node_id) {
  gxds_error *e = gxds_calloc(1, sizeof *e + message.size + server.size + node_id.size + 3);
  char *at = (char *)(e + 1);
  gxds_ref_init(&e->refs);
  e->code = code;
  e->message = copy_to(&at, message);
  e->server = copy_to(&at, server);
  e->node_id = copy_to(&at, node_id);
  return e;
}

const gxds_error *gxds_error_create(gxds_code code, gxds_text *take_message, gxds_str server,
                                    gxds_str node_id) {
  const gxds_error *e = create(code, gxds_text_str(take_message), server, node_id);
  gxds_text_fini(take_message);
  return e;
}

const gxds_error *gxds_error_of_status(const gxds_status *status, gxds_str server,
                                       gxds_str node_id) {
  return create(status->code, status->message, server, node_id);
}

const gxds_error *gxds_error_ref(const gxds_error *e) {
  gxds_ref_inc(&e->refs);
  return e;
}

void gxds_error_unref(const gxds_error *e) {
  if (e && gxds_ref_dec(&e->refs)) gxds_free((gxds_error *)e);
}

void gxds_error_assign(const gxds_error **slot, const gxds_error *e) {
  if (e) gxds_error_ref(e);
  gxds_error_unref(*slot);
  *slot = e;
}

const gxds_error *gxds_error_renew(const gxds_error *known, const gxds_error *take) {
  if (!gxds_error_equal(known, take)) return take;
  gxds_error_unref(take);
  return gxds_error_ref(known);
}

bool gxds_error_same_text(const gxds_error *a, const gxds_error *b) {
  if (a == b) return true;
  return a && b && gxds_str_equal(a->message, b->message) && gxds_str_equal(a->server, b->server) &&
         gxds_str_equal(a->node_id, b->node_id);
}

bool gxds_error_equal(const gxds_error *a, const gxds_error *b) {
  return gxds_error_same_text(a, b) && (a == b || a->code == b->code);
}

/* Adds a part without printf(), because every update of a cluster makes such texts. */
static bool add_part(gxds_text *t, bool spaced, const char *before, gxds_str what) {
  if (what.size == 0) return spaced;
  if (spaced) gxds_text_add_z(t, " ");
  gxds_text_add_z(t, before);
  gxds_text_add(t, what);
  gxds_text_add_z(t, ")");
  return true;
}

static void add_origin(gxds_text *t, bool spaced, gxds_str server, gxds_str node_id) {
  add_part(t, add_part(t, spaced, "(xDS server ", server), "(node ID:", node_id);
}

void gxds_error_render(const gxds_error *e, gxds_text *out) {
  if (!e) return;
  gxds_text_add(out, e->message);
  add_origin(out, e->message.size > 0, e->server, e->node_id);
}

gxds_str gxds_error_text(const gxds_error *e) {
  gxds_text text = {0};
  gxds_error_render(e, &text);
  return gxds_text_take(&text);
}

void gxds_text_add_origin(gxds_text *t, gxds_str server, gxds_str node_id) {
  add_origin(t, true, server, node_id);
}
