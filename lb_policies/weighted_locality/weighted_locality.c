#include "lb_policies/weighted_locality/weighted_locality.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/search.h"

typedef enum due {
  DUE_NOTHING,
  DUE_UPDATE,
  DUE_CREATE,
} due;

typedef struct child {
  uint64_t token;
  const gxds_locality *locality; /* the locality in the last update that had it; a reference */
  due due;
  bool exit_idle_due;
  uint64_t leaf_version;         /* w->leaf_version at the child's last update */
  uint64_t note_version;         /* w->note_version at the child's last update */
  grpc_connectivity_state state; /* the state that it counts as: after a failure, TRANSIENT_FAILURE
                                    until it is READY */
  uint64_t failed_at;            /* the serial number of its last failure, among the failures of all
                                    children; 0: it never failed */
  gxds_time retirement;          /* when the child is removed; NEVER: it is in use */
} child;

struct gxds_weighted_locality {
  uint64_t last_token;
  uint64_t leaf_version;
  uint64_t note_version;
  uint64_t failures;

  child **children; /* in order of their names */
  child **tokens;   /* the same children, in order of their tokens */
  size_t child_count;

  size_t due_next; /* the children before this index have nothing due */
  size_t exit_idle_count;

  /* Whether a new picker may be due, and what was published last. ready_version and failed_version
   * count the changes of the children that are READY, and of those that failed. */
  bool publish_due;
  uint64_t ready_version;
  uint64_t failed_version;
  enum { PUBLISHED_NOTHING, PUBLISHED_EMPTY, PUBLISHED_STATE } published;
  grpc_connectivity_state published_state;
  uint64_t published_version;
  uint64_t *members; /* the members of the last PUBLISH */
  uint32_t *weights;

  uint64_t *removals; /* tokens that the owner has yet to end */
  size_t removal_count;
};

gxds_weighted_locality *gxds_weighted_locality_create(void) {
  return GXDS_NEW(gxds_weighted_locality);
}

static void free_child(child *c) {
  gxds_locality_unref(c->locality);
  gxds_free(c);
}

void gxds_weighted_locality_destroy(gxds_weighted_locality *w) {
  if (!w) return;
  for (size_t i = 0; i < w->child_count; i++) free_child(w->children[i]);
  gxds_free(w->children);
  gxds_free(w->tokens);
  gxds_free(w->members);
  gxds_free(w->weights);
  gxds_free(w->removals);
  gxds_free(w);
}

static child *find_child(const gxds_weighted_locality *w, uint64_t token) {
  const size_t at = GXDS_LOWER_BOUND(i, 0, w->child_count, w->tokens[i]->token < token);
  return at < w->child_count && w->tokens[at]->token == token ? w->tokens[at] : NULL;
}

/* The children in use, or their weights, have changed. */
static void touch_members(gxds_weighted_locality *w) {
  w->ready_version++;
  w->failed_version++;
  w->publish_due = true;
}

/* --- Updates --- */

static child *make_child(gxds_weighted_locality *w, const gxds_locality *locality) {
  child *c = GXDS_NEW(child);
  c->token = ++w->last_token;
  c->locality = gxds_locality_ref(locality);
  c->due = DUE_CREATE;
  c->state = GRPC_CHANNEL_CONNECTING;
  c->retirement = GXDS_TIME_NEVER;
  touch_members(w);
  return c;
}

static void update_child(gxds_weighted_locality *w, child *c, const gxds_locality *locality) {
  bool endpoints_changed = false;
  if (c->retirement != GXDS_TIME_NEVER) {
    c->retirement = GXDS_TIME_NEVER;
    touch_members(w);
  }
  if (c->locality != locality) {
    endpoints_changed = !gxds_locality_endpoints_equal(c->locality, locality);
    if (c->locality->weight != locality->weight) touch_members(w);
    gxds_locality_unref(c->locality);
    c->locality = gxds_locality_ref(locality);
  }
  if (c->due != DUE_NOTHING) return;
  if (endpoints_changed || c->leaf_version != w->leaf_version ||
      (locality->endpoint_count == 0 && c->note_version != w->note_version)) {
    c->due = DUE_UPDATE;
  }
}

static void retire_child(gxds_weighted_locality *w, child *c, gxds_time now) {
  if (c->retirement != GXDS_TIME_NEVER) return;
  c->retirement = gxds_time_after(now, GXDS_WEIGHTED_LOCALITY_RETENTION);
  touch_members(w);
}

static size_t keep_unretired(child **list, size_t count, gxds_time now) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (list[i]->retirement > now) list[kept++] = list[i];
  }
  return kept;
}

/* Ends the children whose time is over. */
static void end_retired(gxds_weighted_locality *w, gxds_time now) {
  w->removals = gxds_realloc(w->removals, w->removal_count + w->child_count, sizeof *w->removals);
  child **ended = gxds_calloc(w->child_count, sizeof(void *));
  size_t ended_count = 0;
  for (size_t i = 0; i < w->child_count; i++) {
    child *c = w->tokens[i];
    if (c->retirement > now) continue;
    if (c->exit_idle_due) w->exit_idle_count--;
    if (c->due != DUE_CREATE) w->removals[w->removal_count++] = c->token;
    ended[ended_count++] = c;
  }
  size_t kept = keep_unretired(w->children, w->child_count, now);
  keep_unretired(w->tokens, w->child_count, now);
  w->child_count = kept;
  w->due_next = 0;
  for (size_t i = 0; i < ended_count; i++) free_child(ended[i]);
  gxds_free(ended);
}

static int compare_retirement(const void *a, const void *b) {
  const child *left = *(child *const *)a;
  const child *right = *(child *const *)b;
  if (left->retirement != right->retirement) return left->retirement < right->retirement ? -1 : 1;
  return (left->token > right->token) - (left->token < right->token);
}

static void limit_retired(gxds_weighted_locality *w, gxds_time now) {
  child **retired = gxds_calloc(w->child_count, sizeof(void *));
  size_t count = 0;
  for (size_t i = 0; i < w->child_count; i++) {
    if (w->tokens[i]->retirement != GXDS_TIME_NEVER) retired[count++] = w->tokens[i];
  }
  if (count > GXDS_WEIGHTED_LOCALITY_RETAINED_MAX) {
    qsort(retired, count, sizeof(void *), compare_retirement);
    for (size_t i = 0; i < count - GXDS_WEIGHTED_LOCALITY_RETAINED_MAX; i++) {
      retired[i]->retirement = now;
    }
    end_retired(w, now);
  }
  gxds_free(retired);
}

void gxds_weighted_locality_on_update(gxds_weighted_locality *w,
                                      const gxds_weighted_locality_update *update, gxds_time now) {
  static const gxds_priority none = {NULL, 0};
  const gxds_priority *p = update->priority ? update->priority : &none;
  if (update->leaf_changed) w->leaf_version++;
  if (update->note_changed) w->note_version++;
  size_t room = w->child_count + p->locality_count;
  child **children = gxds_calloc(room, sizeof(void *));
  w->tokens = gxds_realloc(w->tokens, room ? room : 1, sizeof(child *));
  size_t token_count = w->child_count;
  size_t count = 0;
  size_t i = 0;
  size_t k = 0;
  while (i < w->child_count || k < p->locality_count) {
    int order = i == w->child_count ? 1
                : k == p->locality_count
                    ? -1
                    : gxds_locality_compare_name(w->children[i]->locality, p->localities[k]);
    child *c;
    if (order > 0) {
      c = make_child(w, p->localities[k++]);
      w->tokens[token_count++] = c;
    } else {
      c = w->children[i++];
      if (order == 0) {
        update_child(w, c, p->localities[k++]);
      } else {
        retire_child(w, c, now);
      }
    }
    children[count++] = c;
  }
  gxds_free(w->children);
  w->children = children;
  w->child_count = count;
  w->due_next = 0;
  limit_retired(w, now);
  if (p->locality_count == 0) w->publish_due = true; /* the note may have changed */
}

/* --- Other events --- */

void gxds_weighted_locality_on_child_state(gxds_weighted_locality *w, uint64_t token,
                                           grpc_connectivity_state state) {
  child *c = find_child(w, token);
  if (!c || state == GRPC_CHANNEL_SHUTDOWN) return;
  if (state == GRPC_CHANNEL_IDLE && !c->exit_idle_due) {
    c->exit_idle_due = true;
    w->exit_idle_count++;
  }
  if (state == GRPC_CHANNEL_TRANSIENT_FAILURE) c->failed_at = ++w->failures;
  grpc_connectivity_state before = c->state;
  if (before != GRPC_CHANNEL_TRANSIENT_FAILURE || state == GRPC_CHANNEL_READY) c->state = state;
  if (c->retirement != GXDS_TIME_NEVER) return;
  if (before == GRPC_CHANNEL_READY || c->state == GRPC_CHANNEL_READY) w->ready_version++;
  if (before == GRPC_CHANNEL_TRANSIENT_FAILURE || c->state == GRPC_CHANNEL_TRANSIENT_FAILURE) {
    w->failed_version++;
  }
  w->publish_due = true;
}

void gxds_weighted_locality_on_deadline(gxds_weighted_locality *w, gxds_time now) {
  if (gxds_weighted_locality_deadline(w) <= now) end_retired(w, now);
}

/* --- Operations --- */

static bool next_due(gxds_weighted_locality *w, gxds_weighted_locality_op *op) {
  for (; w->due_next < w->child_count; w->due_next++) {
    child *c = w->children[w->due_next];
    if (c->due == DUE_NOTHING) continue;
    *op = (gxds_weighted_locality_op){.kind = c->due == DUE_CREATE ? GXDS_WEIGHTED_LOCALITY_CREATE
                                                                   : GXDS_WEIGHTED_LOCALITY_UPDATE,
                                      .child = c->token,
                                      .locality = c->locality};
    c->due = DUE_NOTHING;
    c->leaf_version = w->leaf_version;
    c->note_version = w->note_version;
    return true;
  }
  return false;
}

static bool next_exit_idle(gxds_weighted_locality *w, gxds_weighted_locality_op *op) {
  if (w->exit_idle_count == 0) return false;
  size_t i = 0;
  while (!w->children[i]->exit_idle_due) i++;
  w->children[i]->exit_idle_due = false;
  w->exit_idle_count--;
  *op = (gxds_weighted_locality_op){.kind = GXDS_WEIGHTED_LOCALITY_EXIT_IDLE,
                                    .child = w->children[i]->token};
  return true;
}

/* Returns how many children are in use. Adds to counts how many of them are in each state. */
static size_t count_states(const gxds_weighted_locality *w, size_t counts[4]) {
  size_t in_use = 0;
  for (size_t i = 0; i < w->child_count; i++) {
    if (w->children[i]->retirement != GXDS_TIME_NEVER) continue;
    counts[w->children[i]->state]++;
    in_use++;
  }
  return in_use;
}

static grpc_connectivity_state add_up(const size_t counts[4]) {
  static const grpc_connectivity_state order[] = {GRPC_CHANNEL_READY, GRPC_CHANNEL_CONNECTING,
                                                  GRPC_CHANNEL_IDLE};
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
    if (counts[order[i]]) return order[i];
  }
  return GRPC_CHANNEL_TRANSIENT_FAILURE;
}

static void collect_members(gxds_weighted_locality *w, grpc_connectivity_state state, size_t room,
                            gxds_weighted_locality_op *op) {
  w->members = gxds_realloc(w->members, room, sizeof *w->members);
  w->weights = gxds_realloc(w->weights, room, sizeof *w->weights);
  uint64_t failed_at = 0;
  for (size_t i = 0; i < w->child_count; i++) {
    const child *c = w->children[i];
    if (c->retirement != GXDS_TIME_NEVER || c->state != state) continue;
    w->members[op->member_count] = c->token;
    w->weights[op->member_count] = c->locality->weight;
    op->member_count++;
    if (state == GRPC_CHANNEL_TRANSIENT_FAILURE && c->failed_at > failed_at) {
      failed_at = c->failed_at;
      op->failed = c->token;
    }
  }
  op->members = w->members;
  op->weights = w->weights;
}

/* False if what was published is still right. */
static bool next_publish(gxds_weighted_locality *w, gxds_weighted_locality_op *op) {
  if (!w->publish_due) return false;
  w->publish_due = false;
  size_t counts[4] = {0};
  size_t in_use = count_states(w, counts);
  if (in_use == 0) {
    w->published = PUBLISHED_EMPTY;
    *op = (gxds_weighted_locality_op){.kind = GXDS_WEIGHTED_LOCALITY_PUBLISH_EMPTY};
    return true;
  }
  grpc_connectivity_state state = add_up(counts);
  uint64_t version = state == GRPC_CHANNEL_READY               ? w->ready_version
                     : state == GRPC_CHANNEL_TRANSIENT_FAILURE ? w->failed_version
                                                               : 0; /* all pickers that queue are
                                                                       equal */
  if (w->published == PUBLISHED_STATE && w->published_state == state &&
      w->published_version == version) {
    return false;
  }
  w->published = PUBLISHED_STATE;
  w->published_state = state;
  w->published_version = version;
  *op = (gxds_weighted_locality_op){.kind = GXDS_WEIGHTED_LOCALITY_PUBLISH, .state = state};
  if (state == GRPC_CHANNEL_READY || state == GRPC_CHANNEL_TRANSIENT_FAILURE) {
    collect_members(w, state, in_use, op);
  }
  return true;
}

bool gxds_weighted_locality_next(gxds_weighted_locality *w, gxds_weighted_locality_op *op) {
  if (next_due(w, op) || next_exit_idle(w, op) || next_publish(w, op)) return true;
  if (w->removal_count == 0) return false;
  *op = (gxds_weighted_locality_op){.kind = GXDS_WEIGHTED_LOCALITY_REMOVE,
                                    .child = w->removals[--w->removal_count]};
  return true;
}

gxds_time gxds_weighted_locality_deadline(const gxds_weighted_locality *w) {
  gxds_time earliest = GXDS_TIME_NEVER;
  for (size_t i = 0; i < w->child_count; i++) {
    if (w->children[i]->retirement < earliest) earliest = w->children[i]->retirement;
  }
  return earliest;
}

gxds_status gxds_weighted_locality_empty_status(gxds_str cluster, gxds_str note) {
  return gxds_status_make(GXDS_UNAVAILABLE, "no localities in xds_wrr_locality policy%s%.*s%s%.*s",
                          cluster.size ? ": cluster " : "", GXDS_STR_ARG(cluster),
                          note.size ? ": " : "", GXDS_STR_ARG(note));
}

void gxds_weighted_locality_validate(const gxds_weighted_locality *w) {
  size_t exit_idle_count = 0;
  for (size_t i = 0; i < w->child_count; i++) {
    const child *c = w->children[i];
    GXDS_CHECK(find_child(w, c->token) == c);
    if (i) {
      GXDS_CHECK(w->tokens[i - 1]->token < w->tokens[i]->token);
      GXDS_CHECK(gxds_locality_compare_name(w->children[i - 1]->locality, c->locality) < 0);
    }
    if (c->due != DUE_NOTHING) GXDS_CHECK(i >= w->due_next);
    if (c->state == GRPC_CHANNEL_TRANSIENT_FAILURE) GXDS_CHECK(c->failed_at > 0);
    if (c->exit_idle_due) exit_idle_count++;
  }
  GXDS_CHECK(exit_idle_count == w->exit_idle_count);
}
