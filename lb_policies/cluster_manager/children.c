#include "lb_policies/cluster_manager/children.h"

#include "base/memory.h"

static gxds_child **name_bucket(const gxds_children *c, uint64_t hash) {
  return &c->by_name[hash & (c->bucket_count - 1)];
}

/* Tokens are consecutive numbers, so their low bits are as good as a hash. */
static gxds_child **token_bucket(const gxds_children *c, uint64_t token) {
  return &c->by_token[token & (c->bucket_count - 1)];
}

static gxds_leaf_use **leaf_bucket(const gxds_children *c, uint64_t hash) {
  return &c->by_leaf[hash & (c->leaf_bucket_count - 1)];
}

static void link_child(gxds_children *c, gxds_child *child) {
  gxds_child **name = name_bucket(c, child->hash);
  child->name_next = *name;
  *name = child;
  gxds_child **token = token_bucket(c, child->token);
  child->token_next = *token;
  *token = child;
}

static void grow(gxds_children *c) {
  if (c->count < c->bucket_count) return;
  gxds_child **old = c->by_name;
  size_t old_count = c->bucket_count;
  gxds_free(c->by_token);
  c->bucket_count = old_count ? 2 * old_count : 16;
  c->by_name = gxds_calloc(c->bucket_count, sizeof(gxds_child *));
  c->by_token = gxds_calloc(c->bucket_count, sizeof(gxds_child *));
  for (size_t i = 0; i < old_count; i++) {
    for (gxds_child *child = old[i], *next; child; child = next) {
      next = child->name_next;
      link_child(c, child);
    }
  }
  gxds_free(old);
}

gxds_child *gxds_children_add(gxds_children *c, gxds_str name) {
  grow(c);
  gxds_child *child = GXDS_NEW(gxds_child);
  child->name = gxds_str_dup(name);
  child->hash = gxds_name_map_hash(name);
  child->token = ++c->last_token;
  link_child(c, child);
  c->count++;
  return child;
}

static void free_child(gxds_child *child) {
  gxds_str_free(&child->name);
  gxds_cluster_entry_unref(child->entry);
  gxds_free(child->uses);
  gxds_free(child);
}

void gxds_children_remove(gxds_children *c, gxds_child *child) {
  gxds_children_set_entry(c, child, NULL);
  gxds_child **place = name_bucket(c, child->hash);
  while (*place != child) place = &(*place)->name_next;
  *place = child->name_next;
  place = token_bucket(c, child->token);
  while (*place != child) place = &(*place)->token_next;
  *place = child->token_next;
  c->count--;
  free_child(child);
}

gxds_child *gxds_children_by_name(const gxds_children *c, gxds_str name) {
  if (c->count == 0) return NULL;
  uint64_t hash = gxds_name_map_hash(name);
  gxds_child *child = *name_bucket(c, hash);
  while (child && !(child->hash == hash && gxds_str_equal(child->name, name))) {
    child = child->name_next;
  }
  return child;
}

gxds_child *gxds_children_by_token(const gxds_children *c, uint64_t token) {
  if (c->count == 0) return NULL;
  gxds_child *child = *token_bucket(c, token);
  while (child && child->token != token) child = child->token_next;
  return child;
}

static void link_use(gxds_children *c, gxds_leaf_use *use) {
  gxds_leaf_use **bucket = leaf_bucket(c, use->hash);
  use->next = *bucket;
  *bucket = use;
}

static void grow_leaves(gxds_children *c, size_t more) {
  if (c->leaf_count + more <= c->leaf_bucket_count) return;
  gxds_leaf_use **old = c->by_leaf;
  size_t old_count = c->leaf_bucket_count;
  size_t count = old_count ? old_count : 16;
  while (count < c->leaf_count + more) count *= 2;
  c->by_leaf = gxds_calloc(count, sizeof(gxds_leaf_use *));
  c->leaf_bucket_count = count;
  for (size_t i = 0; i < old_count; i++) {
    for (gxds_leaf_use *use = old[i], *next; use; use = next) {
      next = use->next;
      link_use(c, use);
    }
  }
  gxds_free(old);
}

static void drop_uses(gxds_children *c, gxds_child *child) {
  if (!child->entry) return;
  for (size_t i = 0; i < child->entry->leaf_cluster_count; i++) {
    gxds_leaf_use *use = &child->uses[i];
    gxds_leaf_use **place = leaf_bucket(c, use->hash);
    while (*place != use) place = &(*place)->next;
    *place = use->next;
  }
  c->leaf_count -= child->entry->leaf_cluster_count;
  gxds_free(child->uses);
  child->uses = NULL;
  gxds_cluster_entry_unref(child->entry);
  child->entry = NULL;
}

void gxds_children_set_entry(gxds_children *c, gxds_child *child, const gxds_cluster_entry *entry) {
  if (entry && entry->kind != GXDS_ENTRY_AGGREGATE) entry = NULL;
  if (entry == child->entry) return;
  drop_uses(c, child);
  if (!entry) return;
  size_t count = entry->leaf_cluster_count;
  grow_leaves(c, count);
  child->entry = gxds_cluster_entry_ref(entry);
  child->uses = gxds_calloc(count, sizeof *child->uses);
  for (size_t i = 0; i < count; i++) {
    const gxds_str *leaf = &entry->leaf_clusters[i];
    child->uses[i] = (gxds_leaf_use){child, leaf, gxds_name_map_hash(*leaf), NULL};
    link_use(c, &child->uses[i]);
  }
  c->leaf_count += count;
}

void gxds_children_each(const gxds_children *c, void (*fn)(void *arg, gxds_child *child),
                        void *arg) {
  for (size_t i = 0; i < c->bucket_count; i++) {
    for (gxds_child *child = c->by_name[i]; child; child = child->name_next) fn(arg, child);
  }
}

void gxds_children_each_user(const gxds_children *c, gxds_str leaf,
                             void (*fn)(void *arg, gxds_child *child), void *arg) {
  if (c->leaf_count == 0) return;
  uint64_t hash = gxds_name_map_hash(leaf);
  for (const gxds_leaf_use *use = *leaf_bucket(c, hash); use; use = use->next) {
    if (use->hash == hash && gxds_str_equal(*use->leaf, leaf)) fn(arg, use->child);
  }
}

void gxds_children_fini(gxds_children *c) {
  for (size_t i = 0; i < c->bucket_count; i++) {
    for (gxds_child *child = c->by_name[i], *next; child; child = next) {
      next = child->name_next;
      free_child(child);
    }
  }
  gxds_free(c->by_name);
  gxds_free(c->by_token);
  gxds_free(c->by_leaf);
  *c = (gxds_children){0};
}
