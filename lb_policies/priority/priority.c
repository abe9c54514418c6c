#include "lb_policies/priority/priority.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/search.h"

#define NOT_NAMED SIZE_MAX

typedef struct child {
  uint64_t token;
  gxds_str name; /* owned */
  size_t slot;   /* the child's index in the list of priorities, or NOT_NAMED */
  grpc_connectivity_state state;
  uint64_t reports;     /* how often the child reported a state with a picker */
  bool recovered;       /* the child has reported READY or IDLE since its last TRANSIENT_FAILURE */
  bool update_due;      /* the child has not received the last update yet */
  bool retain_due;      /* the child is no longer named, and its RETAIN was not returned yet */
  gxds_time failover;   /* when the failover timer fires; NEVER: no timer runs */
  gxds_time retirement; /* when the child is removed; NEVER: it is active */
} child;

typedef struct slot {
  gxds_str name;   /* owned */
  size_t position; /* the index in the update's names */
  child *child;    /* NULL: the child was not needed yet, or was removed */
} slot;

typedef struct removal {
  uint64_t token;
  bool crowded;
} removal;

struct gxds_priority_lb {
  gxds_duration failover;
  uint64_t last_token;

  child **children; /* all, in order of creation */
  size_t child_count;
  size_t child_capacity;

  slot *slots; /* the slots, in order of priority */
  size_t slot_count;

  size_t update_next; /* no slot before this index has a child whose update is due */
  bool choice_due;
  uint64_t current; /* token; 0: none */

  /* What was published last: it is published again only if it changed. */
  uint64_t published; /* token; 0: nothing yet, or the empty list */
  uint64_t published_reports;

  size_t retain_count; /* how many children have retain_due set */
  removal *removals;   /* children that the owner has yet to end */
  size_t removal_count;
  size_t removal_capacity;
};

gxds_priority_lb *gxds_priority_lb_create(gxds_duration failover) {
  GXDS_CHECK(failover >= 0);
  gxds_priority_lb *lb = GXDS_NEW(gxds_priority_lb);
  lb->failover = failover;
  return lb;
}

static void free_child(child *c) {
  gxds_str_free(&c->name);
  gxds_free(c);
}

static void free_slots(slot *slots, size_t count) {
  for (size_t i = 0; i < count; i++) gxds_str_free(&slots[i].name);
  gxds_free(slots);
}

void gxds_priority_lb_destroy(gxds_priority_lb *lb) {
  if (!lb) return;
  for (size_t i = 0; i < lb->child_count; i++) free_child(lb->children[i]);
  gxds_free(lb->children);
  free_slots(lb->slots, lb->slot_count);
  gxds_free(lb->removals);
  gxds_free(lb);
}

/* --- Lists of children --- */

static child *add_child(gxds_priority_lb *lb, size_t slot_index, gxds_time now) {
  GXDS_MAKE_ROOM(lb->children, lb->child_count, lb->child_capacity, 4);
  child *c = GXDS_NEW(child);
  c->token = ++lb->last_token;
  c->name = gxds_str_dup(lb->slots[slot_index].name);
  c->slot = slot_index;
  c->state = GRPC_CHANNEL_CONNECTING;
  c->failover = gxds_time_after(now, lb->failover); /* A56: started when the child is created */
  c->retirement = GXDS_TIME_NEVER;
  lb->children[lb->child_count++] = c;
  lb->slots[slot_index].child = c;
  return c;
}

/* Queues the child's removal and frees it. The caller takes it out of lb->children. */
static void retire(gxds_priority_lb *lb, child *c, bool crowded) {
  GXDS_MAKE_ROOM(lb->removals, lb->removal_count, lb->removal_capacity, 4);
  lb->removals[lb->removal_count++] = (removal){c->token, crowded};
  if (lb->current == c->token) lb->current = 0;
  if (c->retain_due) lb->retain_count--;
  free_child(c);
}

static child *find_child(const gxds_priority_lb *lb, uint64_t token) {
  for (size_t i = 0; i < lb->child_count; i++) {
    if (lb->children[i]->token == token) return lb->children[i];
  }
  return NULL;
}

/* --- Updates --- */

typedef struct named {
  gxds_str name;
  size_t index; /* the index of the name: in the update while slots are made, later in the slots */
} named;

static int compare_named(const void *a, const void *b) {
  const named *left = a;
  const named *right = b;
  int order = gxds_str_compare(left->name, right->name);
  return order ? order : (left->index > right->index) - (left->index < right->index);
}

static int compare_index(const void *a, const void *b) {
  const named *left = a;
  const named *right = b;
  return (left->index > right->index) - (left->index < right->index);
}

/* Makes a new array with the slots of an update. Each name has one slot. */
static slot *make_slots(const gxds_str *names, size_t count, size_t *slot_count) {
  named *sorted = gxds_calloc(count, sizeof *sorted);
  for (size_t i = 0; i < count; i++) sorted[i] = (named){names[i], i};
  if (count) qsort(sorted, count, sizeof *sorted, compare_named);
  size_t unique = 0;
  for (size_t i = 0; i < count; i++) {
    if (i && gxds_str_equal(sorted[i].name, sorted[i - 1].name)) continue;
    sorted[unique++] = sorted[i];
  }
  if (unique) qsort(sorted, unique, sizeof *sorted, compare_index);
  slot *slots = gxds_calloc(unique, sizeof *slots);
  for (size_t i = 0; i < unique; i++) {
    slots[i] = (slot){gxds_str_dup(sorted[i].name), sorted[i].index, NULL};
  }
  gxds_free(sorted);
  *slot_count = unique;
  return slots;
}

/* A56: if the child is deactivated already, its time does not start again. */
static void deactivate(child *c, gxds_time now) {
  if (c->retirement == GXDS_TIME_NEVER) {
    c->retirement = gxds_time_after(now, GXDS_PRIORITY_RETENTION);
  }
}

static void set_retain_due(gxds_priority_lb *lb, child *c, bool due) {
  if (c->retain_due == due) return;
  c->retain_due = due;
  lb->retain_count += due ? 1 : (size_t)-1;
}

/* Puts each child that is named into its slot, and deactivates the others. */
static void place_children(gxds_priority_lb *lb, gxds_time now) {
  named *sorted = gxds_calloc(lb->slot_count, sizeof *sorted);
  for (size_t i = 0; i < lb->slot_count; i++) sorted[i] = (named){lb->slots[i].name, i};
  if (lb->slot_count) qsort(sorted, lb->slot_count, sizeof *sorted, compare_named);
  for (size_t i = 0; i < lb->child_count; i++) {
    child *c = lb->children[i];
    const size_t at =
        GXDS_LOWER_BOUND(k, 0, lb->slot_count, gxds_str_compare(sorted[k].name, c->name) < 0);
    if (at < lb->slot_count && gxds_str_equal(sorted[at].name, c->name)) {
      /* A56: a child that is named again is reactivated only when its turn comes. */
      c->slot = sorted[at].index;
      c->update_due = true;
      set_retain_due(lb, c, false);
      lb->slots[c->slot].child = c;
    } else if (c->slot != NOT_NAMED) {
      c->slot = NOT_NAMED;
      c->update_due = false;
      set_retain_due(lb, c, true);
      deactivate(c, now);
    }
  }
  gxds_free(sorted);
}

/* Ends retained children, if there are more than the limit. Those whose time ends first are ended
 * first. Of children with the same time, those that were made last are ended first. */
static void limit_retained(gxds_priority_lb *lb) {
  size_t retained = 0;
  for (size_t i = 0; i < lb->child_count; i++) retained += lb->children[i]->slot == NOT_NAMED;
  for (; retained > GXDS_PRIORITY_RETAINED_MAX; retained--) {
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < lb->child_count; i++) {
      if (lb->children[i]->slot != NOT_NAMED) continue;
      if (first == SIZE_MAX || lb->children[i]->retirement <= lb->children[first]->retirement) {
        first = i;
      }
    }
    retire(lb, lb->children[first], /*crowded=*/true);
    lb->child_count--;
    memmove(lb->children + first, lb->children + first + 1,
            (lb->child_count - first) * sizeof *lb->children);
  }
}

void gxds_priority_lb_on_update(gxds_priority_lb *lb, const gxds_str *names, size_t count,
                                gxds_time now) {
  slot *old = lb->slots;
  size_t old_count = lb->slot_count;
  lb->slots = make_slots(names, count, &lb->slot_count);
  free_slots(old, old_count);
  place_children(lb, now);
  limit_retained(lb);
  lb->update_next = 0;
  lb->choice_due = true;
}

/* --- Other events --- */

void gxds_priority_lb_on_child_state(gxds_priority_lb *lb, uint64_t token,
                                     grpc_connectivity_state state, gxds_time now) {
  child *c = find_child(lb, token);
  if (!c) return;
  switch (state) {
    case GRPC_CHANNEL_CONNECTING:
      /* A56: the timer starts when the child goes from another state to CONNECTING, if it was READY
       * or IDLE since it failed last. A repeated CONNECTING does not extend its time. */
      if (c->state != GRPC_CHANNEL_CONNECTING && c->recovered && c->failover == GXDS_TIME_NEVER) {
        c->failover = gxds_time_after(now, lb->failover);
      }
      break;
    case GRPC_CHANNEL_READY:
    case GRPC_CHANNEL_IDLE:
      c->recovered = true;
      c->failover = GXDS_TIME_NEVER;
      break;
    case GRPC_CHANNEL_TRANSIENT_FAILURE:
      c->recovered = false;
      c->failover = GXDS_TIME_NEVER;
      break;
    default:
      return;
  }
  c->state = state;
  c->reports++;
  lb->choice_due = true;
}

void gxds_priority_lb_on_deadline(gxds_priority_lb *lb, gxds_time now) {
  size_t kept = 0;
  for (size_t i = 0; i < lb->child_count; i++) {
    child *c = lb->children[i];
    if (c->retirement <= now) {
      if (c->slot != NOT_NAMED) lb->slots[c->slot].child = NULL;
      retire(lb, c, /*crowded=*/false);
      continue;
    }
    if (c->failover <= now) {
      c->failover = GXDS_TIME_NEVER;
      lb->choice_due = true;
    }
    lb->children[kept++] = c;
  }
  lb->child_count = kept;
}

/* --- The choice --- */

/* A56 ChoosePriority: the slot to use. If it has no child, the caller makes one, and chooses again.
 * SIZE_MAX if the list is empty. */
static size_t choose(const gxds_priority_lb *lb, bool *deactivate_lower) {
  *deactivate_lower = false;
  for (size_t i = 0; i < lb->slot_count; i++) {
    child *c = lb->slots[i].child;
    if (!c) return i;
    c->retirement = GXDS_TIME_NEVER; /* A56: its turn has come, so it is reactivated */
    if (c->state == GRPC_CHANNEL_READY || c->state == GRPC_CHANNEL_IDLE) {
      *deactivate_lower = true;
      return i;
    }
    if (c->failover != GXDS_TIME_NEVER) return i;
  }
  for (size_t i = 0; i < lb->slot_count; i++) {
    if (lb->slots[i].child->state == GRPC_CHANNEL_CONNECTING) return i;
  }
  return lb->slot_count ? lb->slot_count - 1 : SIZE_MAX;
}

static void deactivate_below(gxds_priority_lb *lb, size_t slot_index, gxds_time now) {
  for (size_t i = slot_index + 1; i < lb->slot_count; i++) {
    child *c = lb->slots[i].child;
    if (c) deactivate(c, now);
  }
}

static bool next_update(gxds_priority_lb *lb, gxds_priority_op *op) {
  for (; lb->update_next < lb->slot_count; lb->update_next++) {
    const slot *s = &lb->slots[lb->update_next];
    if (!s->child || !s->child->update_due) continue;
    s->child->update_due = false;
    *op = (gxds_priority_op){
        .kind = GXDS_PRIORITY_UPDATE, .child = s->child->token, .position = s->position};
    return true;
  }
  return false;
}

/* False if the choice was already published. */
static bool next_choice(gxds_priority_lb *lb, gxds_time now, gxds_priority_op *op) {
  bool deactivate_lower;
  size_t chosen = choose(lb, &deactivate_lower);
  if (chosen == SIZE_MAX) {
    lb->choice_due = false;
    lb->current = 0;
    lb->published = 0;
    *op = (gxds_priority_op){.kind = GXDS_PRIORITY_PUBLISH_EMPTY};
    return true;
  }
  slot *s = &lb->slots[chosen];
  if (!s->child) {
    /* The choice stays due, because the child may report its state while it is being made. */
    *op = (gxds_priority_op){.kind = GXDS_PRIORITY_CREATE,
                             .child = add_child(lb, chosen, now)->token,
                             .position = s->position};
    return true;
  }
  lb->choice_due = false;
  lb->current = s->child->token;
  if (deactivate_lower) deactivate_below(lb, chosen, now);
  if (lb->published == s->child->token && lb->published_reports == s->child->reports) return false;
  lb->published = s->child->token;
  lb->published_reports = s->child->reports;
  *op = (gxds_priority_op){.kind = GXDS_PRIORITY_PUBLISH,
                           .child = s->child->token,
                           .position = s->position,
                           .state = s->child->state};
  return true;
}

static bool next_retain(gxds_priority_lb *lb, gxds_priority_op *op) {
  if (lb->retain_count == 0) return false;
  size_t i = 0;
  while (!lb->children[i]->retain_due) i++;
  set_retain_due(lb, lb->children[i], false);
  *op = (gxds_priority_op){.kind = GXDS_PRIORITY_RETAIN, .child = lb->children[i]->token};
  return true;
}

bool gxds_priority_lb_next(gxds_priority_lb *lb, gxds_time now, gxds_priority_op *op) {
  /* A56: no choice before all children have seen the update. */
  if (next_update(lb, op)) return true;
  if (lb->choice_due && next_choice(lb, now, op)) return true;
  if (next_retain(lb, op)) return true;
  /* Removals come last. So a child that replaces a removed child can share its connections, and the
   * removed child's picker is replaced before the child ends. */
  if (lb->removal_count == 0) return false;
  *op = (gxds_priority_op){.kind = GXDS_PRIORITY_REMOVE,
                           .child = lb->removals[0].token,
                           .crowded = lb->removals[0].crowded};
  lb->removal_count--;
  memmove(lb->removals, lb->removals + 1, lb->removal_count * sizeof *lb->removals);
  return true;
}

gxds_time gxds_priority_lb_deadline(const gxds_priority_lb *lb) {
  gxds_time earliest = GXDS_TIME_NEVER;
  for (size_t i = 0; i < lb->child_count; i++) {
    const child *c = lb->children[i];
    if (c->failover < earliest) earliest = c->failover;
    if (c->retirement < earliest) earliest = c->retirement;
  }
  return earliest;
}

uint64_t gxds_priority_lb_current(const gxds_priority_lb *lb) { return lb->current; }

void gxds_priority_lb_validate(const gxds_priority_lb *lb) {
  size_t placed = 0;
  for (size_t i = 0; i < lb->slot_count; i++) {
    const child *c = lb->slots[i].child;
    if (!c) continue;
    placed++;
    GXDS_CHECK(c->slot == i);
    GXDS_CHECK(gxds_str_equal(c->name, lb->slots[i].name));
    if (c->update_due) GXDS_CHECK(i >= lb->update_next);
  }
  size_t retained = 0;
  size_t retain_count = 0;
  for (size_t i = 0; i < lb->child_count; i++) {
    const child *c = lb->children[i];
    if (c->retain_due) retain_count++;
    if (c->slot == NOT_NAMED) {
      retained++;
      GXDS_CHECK(c->retirement != GXDS_TIME_NEVER && !c->update_due);
    } else {
      GXDS_CHECK(!c->retain_due);
    }
    GXDS_CHECK(c->token != 0 && c->token <= lb->last_token);
    if (i) GXDS_CHECK(lb->children[i - 1]->token < c->token);
    if (c->state != GRPC_CHANNEL_CONNECTING) GXDS_CHECK(c->failover == GXDS_TIME_NEVER);
    /* Once the choice is made, the child in use is active. */
    if (!lb->choice_due && c->token == lb->current) {
      GXDS_CHECK(c->retirement == GXDS_TIME_NEVER);
    }
  }
  GXDS_CHECK(placed + retained == lb->child_count && retained <= GXDS_PRIORITY_RETAINED_MAX);
  GXDS_CHECK(retain_count == lb->retain_count);
  if (lb->current) GXDS_CHECK(find_child(lb, lb->current) != NULL);
}

/* --- What concerns a child --- */

static bool every_locality_has_endpoints(const gxds_priority *p) {
  for (size_t i = 0; p && i < p->locality_count; i++) {
    if (p->localities[i]->endpoint_count == 0) return false;
  }
  return p && p->locality_count > 0;
}

static bool same_localities(const gxds_priority *a, const gxds_priority *b) {
  size_t a_count = a ? a->locality_count : 0;
  size_t b_count = b ? b->locality_count : 0;
  if (a_count != b_count) return false;
  for (size_t i = 0; i < a_count; i++) {
    if (a->localities[i] != b->localities[i]) return false;
  }
  return true;
}

bool gxds_priority_share_same(const gxds_priority_share *given, const gxds_priority_share *now) {
  if (!given->from_slice || !now->from_slice) return false;
  if (given->config != now->config) return false;
  if (!same_localities(given->localities, now->localities)) return false;
  return gxds_str_equal(given->note, now->note) || every_locality_has_endpoints(now->localities);
}

gxds_status gxds_priority_empty_status(gxds_str cluster, gxds_str note) {
  return gxds_status_make(GXDS_UNAVAILABLE, "priority policy has empty priority list%s%.*s%s%.*s",
                          cluster.size ? ": cluster " : "", GXDS_STR_ARG(cluster),
                          note.size ? ": " : "", GXDS_STR_ARG(note));
}
