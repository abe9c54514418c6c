#include "xds_resolver/cluster_ref.h"

#include <stdatomic.h>

#include "base/check.h"
#include "base/hash_table.h"
#include "base/memory.h"

struct gxds_cluster_ref {
  _Atomic uint64_t holds;
  gxds_ref refs; /* references to the memory: one for the table, and one for all holds together */
  gxds_str name;
  uint64_t id;
  gxds_mailbox *mailbox;
  UT_hash_handle by_name; /* only on the reactor's thread */
};

struct gxds_cluster_refs {
  gxds_mailbox *mailbox;
  gxds_cluster_ref *by_name;
};

struct gxds_cluster_set {
  gxds_ref refs;
  const gxds_names *names;
  gxds_cluster_ref **items; /* in the order of the names */
};

static void memory_unref(gxds_cluster_ref *c) {
  if (!gxds_ref_dec(&c->refs)) return;
  gxds_mailbox_unref(c->mailbox);
  gxds_str_free(&c->name);
  gxds_free(c);
}

/* ---- the channel's ---- */

gxds_cluster_refs *gxds_cluster_refs_create(gxds_mailbox *mailbox) {
  gxds_cluster_refs *r = GXDS_NEW(gxds_cluster_refs);
  r->mailbox = gxds_mailbox_ref(mailbox);
  return r;
}

void gxds_cluster_refs_destroy(gxds_cluster_refs *r) {
  gxds_cluster_ref *c = r->by_name;
  HASH_CLEAR(by_name, r->by_name);
  while (c) {
    gxds_cluster_ref *next = c->by_name.next;
    memory_unref(c);
    c = next;
  }
  gxds_mailbox_unref(r->mailbox);
  gxds_free(r);
}

static gxds_cluster_ref *find(gxds_cluster_refs *r, gxds_str name) {
  gxds_cluster_ref *c = NULL;
  HASH_FIND(by_name, r->by_name, name.data, name.size, c);
  return c;
}

static gxds_cluster_ref *add(gxds_cluster_refs *r, gxds_str name) {
  static _Atomic uint64_t last_id;
  gxds_cluster_ref *c = GXDS_NEW(gxds_cluster_ref);
  c->id = 1 + atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed);
  gxds_ref_init(&c->refs);
  c->name = gxds_str_dup(name);
  c->mailbox = gxds_mailbox_ref(r->mailbox);
  HASH_ADD_KEYPTR(by_name, r->by_name, c->name.data, c->name.size, c);
  return c;
}

const gxds_cluster_set *gxds_cluster_refs_hold(gxds_cluster_refs *r, const gxds_names *names,
                                               void (*on_new)(void *arg, gxds_str name),
                                               void *arg) {
  gxds_cluster_set *s = GXDS_NEW(gxds_cluster_set);
  gxds_ref_init(&s->refs);
  s->names = gxds_names_ref(names);
  s->items = gxds_calloc(names->count, sizeof(gxds_cluster_ref *));
  for (size_t i = 0; i < names->count; i++) {
    gxds_cluster_ref *c = find(r, names->names[i]);
    if (!c) {
      c = add(r, names->names[i]);
      on_new(arg, c->name);
    }
    /* If another thread has just ended the last hold, it still has the reference of the earlier
     * holds, and is about to release it. So the new holds need their own reference. */
    if (atomic_fetch_add_explicit(&c->holds, 1, memory_order_relaxed) == 0) gxds_ref_inc(&c->refs);
    s->items[i] = c;
  }
  return s;
}

bool gxds_cluster_refs_forget_unused(gxds_cluster_refs *r, gxds_str name) {
  gxds_cluster_ref *c = find(r, name);
  if (!c || atomic_load_explicit(&c->holds, memory_order_acquire) > 0) return false;
  HASH_DELETE(by_name, r->by_name, c);
  memory_unref(c);
  return true;
}

/* ---- sets ---- */

const gxds_cluster_set *gxds_cluster_set_ref(const gxds_cluster_set *s) {
  gxds_ref_inc(&s->refs);
  return s;
}

void gxds_cluster_set_unref(const gxds_cluster_set *s) {
  if (!s || !gxds_ref_dec(&s->refs)) return;
  for (size_t i = 0; i < s->names->count; i++) gxds_cluster_ref_release(s->items[i]);
  gxds_names_unref(s->names);
  gxds_free(s->items);
  gxds_free((gxds_cluster_set *)s);
}

const gxds_names *gxds_cluster_set_names(const gxds_cluster_set *s) { return s->names; }

/* ---- holds ---- */

gxds_cluster_ref *gxds_cluster_set_hold(const gxds_cluster_set *s, size_t index) {
  gxds_cluster_ref *c = s->items[index];
  uint64_t before = atomic_fetch_add_explicit(&c->holds, 1, memory_order_relaxed);
  GXDS_CHECK(before > 0);
  return c;
}

void gxds_cluster_ref_release(gxds_cluster_ref *c) {
  uint64_t before = atomic_fetch_sub_explicit(&c->holds, 1, memory_order_acq_rel);
  GXDS_CHECK(before > 0);
  if (before > 1) return;
  gxds_mailbox_post(c->mailbox, GXDS_MAIL_CLUSTER_UNUSED, c->name);
  memory_unref(c);
}

gxds_str gxds_cluster_ref_name(const gxds_cluster_ref *c) { return c->name; }

uint64_t gxds_cluster_ref_id(const gxds_cluster_ref *c) { return c->id; }
