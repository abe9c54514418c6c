#include "lb_policies/slow_start/newcomers.h"

#include <uthash.h>

#include "base/memory.h"
#include "base/ref.h"

#define FROM_THE_BEGINNING INT64_MIN

/* When an endpoint was first READY. Counted by reference, because picks may still use it after the
 * endpoint has left the list. */
typedef struct gxds_beginning {
  gxds_ref refs;
  gxds_time since; /* GXDS_TIME_NEVER: not READY yet */
} beginning;

typedef struct gxds_newcomer {
  gxds_str address; /* owned */
  beginning *beginning;
  bool listed;
  UT_hash_handle hh;
} newcomer;

static beginning *ref(beginning *b) {
  if (b) gxds_ref_inc(&b->refs);
  return b;
}

static void unref(beginning *b) {
  if (b && gxds_ref_dec(&b->refs)) gxds_free(b);
}

static void forget(gxds_newcomers *n, newcomer *c) {
  HASH_DEL(n->by_address, c);
  unref(c->beginning);
  gxds_str_free(&c->address);
  gxds_free(c);
}

static void forget_unlisted(gxds_newcomers *n) {
  newcomer *c;
  newcomer *next;
  HASH_ITER(hh, n->by_address, c, next) {
    if (!c->listed) forget(n, c);
  }
}

static void unlist_all(gxds_newcomers *n) {
  for (newcomer *c = n->by_address; c; c = c->hh.next) c->listed = false;
}

static void forget_members(gxds_newcomers *n) {
  for (size_t i = 0; i < n->member_count; i++) unref(n->members[i]);
  gxds_free(n->members);
  n->members = NULL;
  n->member_count = 0;
}

static void forget_slots(gxds_newcomers *n) {
  for (uint32_t i = 0; i < n->slot_count; i++) unref(n->by_slot[i]);
  gxds_free(n->by_slot);
  n->by_slot = NULL;
  n->slot_count = 0;
}

void gxds_newcomers_fini(gxds_newcomers *n) {
  unlist_all(n);
  forget_unlisted(n);
  forget_members(n);
  forget_slots(n);
}

static newcomer *find_or_add(gxds_newcomers *n, gxds_str address) {
  newcomer *c;
  HASH_FIND(hh, n->by_address, address.data, address.size, c);
  if (c) return c;
  c = GXDS_NEW(newcomer);
  c->address = gxds_str_dup(address);
  c->beginning = GXDS_NEW(beginning);
  gxds_ref_init(&c->beginning->refs);
  c->beginning->since = n->all_new ? FROM_THE_BEGINNING : GXDS_TIME_NEVER;
  HASH_ADD_KEYPTR(hh, n->by_address, c->address.data, c->address.size, c);
  return c;
}

gxds_status gxds_newcomers_update(gxds_newcomers *n, const gxds_slow_start *config,
                                  gxds_address_list *list, gxds_endpoints_policy *e,
                                  const gxds_lb_update *update) {
  if (!update->addresses) return gxds_address_list_update(list, e, update);
  if (!gxds_slow_start_equal(config, &n->config)) gxds_endpoints_policy_renew_picker(e);
  if (config->window == 0) forget_slots(n);
  n->config = *config;
  n->all_new = n->by_address == NULL;
  unlist_all(n);
  gxds_status status = gxds_address_list_update(list, e, update);
  for (uint32_t i = 0; n->config.window > 0 && i < list->count; i++) {
    find_or_add(n, gxds_address_list_key_at(list, i))->listed = true;
  }
  forget_unlisted(n);
  return status;
}

void gxds_newcomers_created(gxds_newcomers *n, uint32_t slot, gxds_str address) {
  if (n->config.window == 0) return;
  if (slot >= n->slot_count) GXDS_EXTEND(n->by_slot, n->slot_count, 2 * slot + 1);
  unref(n->by_slot[slot]);
  n->by_slot[slot] = ref(find_or_add(n, address)->beginning);
}

void gxds_newcomers_picked(gxds_newcomers *n, const uint64_t *tokens, size_t count, gxds_time now) {
  forget_members(n);
  if (count == 0) return;
  n->members = gxds_calloc(count, sizeof(beginning *));
  n->member_count = count;
  for (size_t i = 0; i < count; i++) {
    const uint32_t slot = (uint32_t)tokens[i];
    beginning *b = slot < n->slot_count ? n->by_slot[slot] : NULL;
    if (b && b->since == GXDS_TIME_NEVER) b->since = now;
    n->members[i] = ref(b);
  }
}

gxds_time gxds_newcomers_shares(const gxds_newcomers *n, gxds_time now, double *shares) {
  bool grows = false;
  for (size_t i = 0; i < n->member_count; i++) {
    const beginning *b = n->members[i];
    const bool is_old = !b || b->since == FROM_THE_BEGINNING || n->config.window == 0;
    shares[i] = is_old ? 1 : gxds_slow_start_share(&n->config, now - b->since);
    grows |= shares[i] < 1;
  }
  return grows ? gxds_time_after(now, gxds_slow_start_period(&n->config)) : GXDS_TIME_NEVER;
}
