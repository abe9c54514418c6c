#include "lb_policies/cluster_manager/cluster_manager.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/search.h"
#include "lb_policies/cluster_manager/children.h"

typedef struct queued_op {
  gxds_cluster_manager_op_kind kind;
  uint64_t child;
} queued_op;

struct gxds_cluster_manager {
  gxds_children children;
  size_t in_state[GRPC_CHANNEL_SHUTDOWN]; /* how many children count as being in each state */
  const gxds_picker_map *pickers;
  bool publish_wanted;
  const gxds_config *config; /* the current snapshot; NULL: none yet */
  gxds_str *others;          /* the names of the other children; sorted copies */
  size_t other_count;
  queued_op *ops;
  size_t op_next;
  size_t op_count;
  size_t op_capacity;

  size_t eager;      /* see gxds_cluster_manager_create() */
  size_t endpoints;  /* how many endpoints the created children have in all */
  size_t allowance;  /* how many more children may be made in this turn */
  uint64_t *waiting; /* tokens of the children that wait to be created, in order; some of them were
                        created or removed in the meantime */
  size_t waiting_next;
  size_t waiting_count;
  size_t waiting_capacity;
};

gxds_cluster_manager *gxds_cluster_manager_create(size_t eager) {
  gxds_cluster_manager *m = GXDS_NEW(gxds_cluster_manager);
  m->eager = eager;
  m->publish_wanted = true; /* the host waits for the first picker */
  return m;
}

void gxds_cluster_manager_destroy(gxds_cluster_manager *m) {
  if (!m) return;
  gxds_children_fini(&m->children);
  gxds_name_map_unref(m->pickers);
  gxds_config_unref(m->config);
  gxds_strs_free(m->others, m->other_count);
  gxds_free(m->ops);
  gxds_free(m->waiting);
  gxds_free(m);
}

/* The place of the next operation in the queue. Drops the operations that were carried out. */
static size_t queue_end(gxds_cluster_manager *m) {
  if (m->op_next == m->op_count) m->op_next = m->op_count = 0;
  return m->op_count;
}

static void queue_op(gxds_cluster_manager *m, gxds_cluster_manager_op_kind kind, uint64_t child) {
  GXDS_MAKE_ROOM(m->ops, m->op_count, m->op_capacity, 8);
  m->ops[m->op_count++] = (queued_op){kind, child};
}

/* --- Adding and removing children --- */

/* How many endpoints the first priority of the cluster has, or for an aggregate the first priority
 * of its first leaf cluster. The other priorities are for failover. */
static size_t endpoints_of(const gxds_config *config, gxds_str name) {
  const gxds_cluster_entry *e = config ? gxds_config_cluster(config, name) : NULL;
  if (e && e->kind == GXDS_ENTRY_AGGREGATE && e->leaf_cluster_count > 0) {
    e = gxds_config_cluster(config, e->leaf_clusters[0]);
  }
  const gxds_priority *first = e ? gxds_cluster_entry_priority(e, 0) : NULL;
  size_t count = 0;
  for (size_t i = 0; first && i < first->locality_count; i++) {
    count += first->localities[i]->endpoint_count;
  }
  return count;
}

static bool is_eager(const gxds_cluster_manager *m) { return m->endpoints < m->eager; }

static void set_state(gxds_cluster_manager *m, gxds_child *child, grpc_connectivity_state state) {
  m->in_state[child->state]--;
  child->state = state;
  m->in_state[state]++;
}

/* config is the snapshot that the child will get. */
static void create_child(gxds_cluster_manager *m, gxds_child *child, const gxds_config *config) {
  child->created = true;
  child->endpoints = endpoints_of(config, child->name);
  m->endpoints += child->endpoints;
  queue_op(m, GXDS_CLUSTER_MANAGER_CREATE, child->token);
}

static void let_wait(gxds_cluster_manager *m, const gxds_child *child) {
  if (m->waiting_next == m->waiting_count) m->waiting_next = m->waiting_count = 0;
  GXDS_MAKE_ROOM(m->waiting, m->waiting_count, m->waiting_capacity, 8);
  m->waiting[m->waiting_count++] = child->token;
}

/* The next child that waits for its turn to be created. NULL if there is none. */
static gxds_child *first_waiting(gxds_cluster_manager *m) {
  for (; m->waiting_next < m->waiting_count; m->waiting_next++) {
    gxds_child *child = gxds_children_by_token(&m->children, m->waiting[m->waiting_next]);
    if (child && !child->created) return child;
  }
  return NULL;
}

static gxds_child *add_child(gxds_cluster_manager *m, const gxds_config *config, gxds_str name,
                             bool in_snapshot) {
  gxds_child *child = gxds_children_add(&m->children, name);
  child->in_snapshot = in_snapshot;
  child->update_wanted = true;
  child->state = is_eager(m) ? GRPC_CHANNEL_CONNECTING : GRPC_CHANNEL_IDLE;
  m->in_state[child->state]++;
  m->pickers = gxds_picker_map_put(m->pickers, child->hash, child->name, NULL);
  m->publish_wanted = true;
  if (!is_eager(m)) return child;
  if (m->allowance > 0) {
    m->allowance--;
    create_child(m, child, config);
  } else {
    let_wait(m, child);
  }
  return child;
}

static void remove_child(gxds_cluster_manager *m, gxds_child *child) {
  if (child->created) {
    m->endpoints -= child->endpoints;
    queue_op(m, GXDS_CLUSTER_MANAGER_REMOVE, child->token);
  }
  m->in_state[child->state]--;
  m->pickers = gxds_picker_map_remove(m->pickers, child->hash, child->name);
  m->publish_wanted = true;
  gxds_children_remove(&m->children, child);
}

/* Sets the entry of a child that is new, or has become a root, or is no longer a root. The
 * difference between the snapshots does not contain the entry if the cluster was already in the
 * last snapshot. */
static void adopt_entry(gxds_cluster_manager *m, gxds_child *child, const gxds_config *config) {
  if (!config) return;
  gxds_children_set_entry(&m->children, child,
                          child->in_snapshot ? gxds_config_cluster(config, child->name) : NULL);
}

/* Makes sure that there is a child of that name. If a root and one of the others have the same
 * name, the child is that other, because a config names it explicitly. */
static void want(gxds_cluster_manager *m, const gxds_config *config, gxds_str name,
                 bool in_snapshot) {
  gxds_child *child = gxds_children_by_name(&m->children, name);
  if (!child) {
    adopt_entry(m, add_child(m, config, name, in_snapshot), config);
  } else if (child->in_snapshot != in_snapshot) {
    child->in_snapshot = in_snapshot;
    child->update_wanted = true;
    if (child->created) queue_op(m, GXDS_CLUSTER_MANAGER_UPDATE, child->token);
    adopt_entry(m, child, config);
  }
}

typedef struct name_set {
  const gxds_str *names; /* sorted */
  size_t count;
} name_set;

static name_set roots_of(const gxds_config *config) {
  const gxds_names *roots = config ? config->roots : NULL;
  return roots ? (name_set){roots->names, roots->count} : (name_set){NULL, 0};
}

static bool contains(name_set s, gxds_str name) {
  const size_t at = GXDS_LOWER_BOUND(i, 0, s.count, gxds_str_compare(s.names[i], name) < 0);
  return at < s.count && gxds_str_equal(s.names[at], name);
}

static void drop_unless_in(gxds_cluster_manager *m, name_set old, name_set roots, name_set others) {
  for (size_t i = 0; i < old.count; i++) {
    if (contains(roots, old.names[i]) || contains(others, old.names[i])) continue;
    gxds_child *child = gxds_children_by_name(&m->children, old.names[i]);
    if (child) remove_child(m, child);
  }
}

static void change_members(gxds_cluster_manager *m, const gxds_config *config, name_set old_roots,
                           name_set others) {
  name_set roots = roots_of(config);
  name_set old_others = {m->others, m->other_count};
  drop_unless_in(m, old_roots, roots, others);
  drop_unless_in(m, old_others, roots, others);
  for (size_t i = 0; i < roots.count; i++) {
    if (!contains(others, roots.names[i])) want(m, config, roots.names[i], true);
  }
  for (size_t i = 0; i < others.count; i++) want(m, config, others.names[i], false);
}

/* --- Which children get an update --- */

typedef struct changes {
  gxds_cluster_manager *manager;
  size_t first_op; /* the index in the queue where the updates begin */
} changes;

static void want_update(void *arg, gxds_child *child) {
  changes *c = arg;
  if (child->update_wanted) return;
  child->update_wanted = true;
  queue_op(c->manager, GXDS_CLUSTER_MANAGER_UPDATE, child->token);
}

static void on_difference(void *arg, const gxds_cluster_entry *before,
                          const gxds_cluster_entry *after) {
  changes *c = arg;
  gxds_children *children = &c->manager->children;
  gxds_str name = after ? after->name : before->name;
  gxds_child *child = gxds_children_by_name(children, name);
  if (child && child->in_snapshot) {
    gxds_children_set_entry(children, child, after);
    want_update(c, child);
  }
  gxds_children_each_user(children, name, want_update, c);
}

/* Whether something changed that concerns every cluster, and is not in an entry. */
static bool all_differ(const gxds_config *before, const gxds_config *after) {
  return before && gxds_config_has_sessions(before) != gxds_config_has_sessions(after);
}

static int by_token(const void *a, const void *b) {
  const queued_op *x = a;
  const queued_op *y = b;
  return (x->child > y->child) - (x->child < y->child);
}

static void take_others(gxds_cluster_manager *m, const gxds_str *others, size_t count) {
  gxds_str *copies = gxds_strs_dup(others, count);
  gxds_strs_free(m->others, m->other_count);
  m->others = copies;
  m->other_count = count;
}

void gxds_cluster_manager_on_update(gxds_cluster_manager *m, const gxds_config *config,
                                    const gxds_str *others, size_t other_count) {
  const gxds_config *old = m->config;
  if (!config) config = old;
  queue_end(m);
  m->allowance = GXDS_CLUSTER_MANAGER_BATCH;
  bool new_roots = !old || !config || old->roots != config->roots;
  if (new_roots || !gxds_strs_equal(m->others, m->other_count, others, other_count)) {
    change_members(m, config, roots_of(old), (name_set){others, other_count});
    take_others(m, others, other_count);
  }
  changes c = {m, m->op_count};
  if (config && config != old) {
    gxds_cluster_map_diff(old ? old->clusters : NULL, config->clusters, on_difference, &c);
    if (all_differ(old, config)) gxds_children_each(&m->children, want_update, &c);
  }
  for (size_t i = 0; i < other_count; i++) {
    want_update(&c, gxds_children_by_name(&m->children, others[i]));
  }
  /* The difference has no particular order. Children are updated in the order of their creation. */
  if (m->op_count > c.first_op) {
    qsort(m->ops + c.first_op, m->op_count - c.first_op, sizeof *m->ops, by_token);
  }
  if (config != old) {
    m->config = gxds_config_ref(config);
    gxds_config_unref(old);
  }
}

/* --- Children that are not created yet --- */

void gxds_cluster_manager_on_turn(gxds_cluster_manager *m) {
  queue_end(m);
  for (size_t i = 0; i < GXDS_CLUSTER_MANAGER_BATCH; i++) {
    gxds_child *child = first_waiting(m);
    if (!child) return;
    if (!is_eager(m)) break;
    m->waiting_next++;
    create_child(m, child, m->config);
  }
  if (is_eager(m)) return;
  for (gxds_child *child; (child = first_waiting(m)); m->waiting_next++) {
    set_state(m, child, GRPC_CHANNEL_IDLE);
    m->publish_wanted = true;
  }
}

bool gxds_cluster_manager_wants_turn(gxds_cluster_manager *m) { return first_waiting(m) != NULL; }

void gxds_cluster_manager_on_pick(gxds_cluster_manager *m, gxds_str name) {
  gxds_child *child = gxds_children_by_name(&m->children, name);
  if (!child || child->created) return;
  queue_end(m);
  create_child(m, child, m->config);
  set_state(m, child, GRPC_CHANNEL_CONNECTING);
  m->publish_wanted = true;
}

static bool waits_to_be_picked_by(const gxds_cluster_manager *m, gxds_str name) {
  const gxds_child *child = gxds_children_by_name(&m->children, name);
  return child && !child->created && child->state == GRPC_CHANNEL_IDLE;
}

void gxds_cluster_manager_on_exit_idle(gxds_cluster_manager *m) {
  if (m->in_state[GRPC_CHANNEL_READY] > 0 || m->in_state[GRPC_CHANNEL_CONNECTING] > 0) return;
  const name_set names[] = {roots_of(m->config), {m->others, m->other_count}};
  for (size_t i = 0; i < 2; i++) {
    for (size_t j = 0; j < names[i].count; j++) {
      if (!waits_to_be_picked_by(m, names[i].names[j])) continue;
      gxds_cluster_manager_on_pick(m, names[i].names[j]);
      return;
    }
  }
}

/* --- What children report --- */

void gxds_cluster_manager_on_child_state(gxds_cluster_manager *m, uint64_t token,
                                         grpc_connectivity_state state, gxds_picker *take_picker) {
  gxds_child *child = gxds_children_by_token(&m->children, token);
  if (!child || state == GRPC_CHANNEL_SHUTDOWN) {
    gxds_picker_unref(take_picker);
    return;
  }
  m->pickers = gxds_picker_map_put(m->pickers, child->hash, child->name, take_picker);
  m->publish_wanted = true;
  /* A child that failed counts as failed until it is READY. Otherwise a cluster that only retries
   * would look as if it might become READY soon. */
  if (child->state == GRPC_CHANNEL_TRANSIENT_FAILURE && state != GRPC_CHANNEL_READY) return;
  set_state(m, child, state);
}

bool gxds_cluster_manager_next(gxds_cluster_manager *m, gxds_cluster_manager_op *op) {
  while (m->op_next < m->op_count) {
    queued_op next = m->ops[m->op_next++];
    *op = (gxds_cluster_manager_op){.kind = next.kind, .child = next.child};
    if (next.kind == GXDS_CLUSTER_MANAGER_REMOVE) return true;
    gxds_child *child = gxds_children_by_token(&m->children, next.child);
    if (!child) continue; /* a later update has removed the child */
    child->update_wanted = false;
    op->name = child->name;
    return true;
  }
  if (!m->publish_wanted) return false;
  m->publish_wanted = false;
  *op = (gxds_cluster_manager_op){.kind = GXDS_CLUSTER_MANAGER_PUBLISH};
  return true;
}

grpc_connectivity_state gxds_cluster_manager_state(const gxds_cluster_manager *m) {
  if (m->in_state[GRPC_CHANNEL_READY] > 0) return GRPC_CHANNEL_READY;
  if (m->in_state[GRPC_CHANNEL_CONNECTING] > 0) return GRPC_CHANNEL_CONNECTING;
  if (m->in_state[GRPC_CHANNEL_IDLE] > 0) return GRPC_CHANNEL_IDLE;
  return GRPC_CHANNEL_TRANSIENT_FAILURE;
}

const gxds_picker_map *gxds_cluster_manager_pickers(const gxds_cluster_manager *m) {
  return m->pickers;
}

void gxds_cluster_manager_validate(const gxds_cluster_manager *m) {
  size_t in_state[GRPC_CHANNEL_SHUTDOWN] = {0};
  size_t count = 0;
  size_t endpoints = 0;
  for (size_t i = 0; i < m->children.bucket_count; i++) {
    for (const gxds_child *c = m->children.by_name[i]; c; c = c->name_next, count++) {
      in_state[c->state]++;
      endpoints += c->endpoints;
      gxds_picker *picker;
      GXDS_CHECK(gxds_picker_map_get(m->pickers, c->hash, c->name, &picker));
      GXDS_CHECK(gxds_children_by_token(&m->children, c->token) == c);
      const gxds_cluster_entry *entry = m->config ? gxds_config_cluster(m->config, c->name) : NULL;
      GXDS_CHECK(c->created || c->update_wanted);
      bool is_aggregate = c->in_snapshot && entry && entry->kind == GXDS_ENTRY_AGGREGATE;
      GXDS_CHECK(c->entry == (is_aggregate ? entry : NULL));
    }
  }
  GXDS_CHECK(count == m->children.count);
  GXDS_CHECK(endpoints == m->endpoints);
  GXDS_CHECK(memcmp(in_state, m->in_state, sizeof in_state) == 0);
}
