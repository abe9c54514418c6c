#include "lb_policies/override_host/override_host_policy.h"

#include <string.h>
#include <utlist.h>

#include "base/memory.h"
#include "host/only_child.h"
#include "lb_policies/cluster_child_config.h"
#include "lb_policies/kept_update.h"
#include "lb_policies/override_host/override_host_picker.h"
#include "lb_policies/override_host/session_update.h"
#include "xds_resolver/config.h"

typedef struct policy {
  gxds_only_child only; /* first member; publish() publishes its picker and state */
  uint64_t seed;
  bool busy;                 /* an update is in progress, and publishes when it ends */
  bool changed;              /* the published picker or state is out of date */
  gxds_session_table *table; /* the table for entry's endpoints; NULL before the first update */
  gxds_held_endpoint *held;  /* a list: the endpoints that sessions use */
  gxds_lb_update last;       /* the config, args and entry of the last update; kept */
} policy;

static void publish(policy *p) {
  if (p->busy || !p->changed || !p->only.picker || gxds_policy_ended(p->only.base)) return;
  p->changed = false;
  gxds_status status = gxds_status_copy(&p->only.status);
  gxds_policy_publish(
      p->only.base, p->only.state, &status,
      gxds_override_host_picker_create(p->table, p->only.picker, gxds_policy_poker(p->only.base)));
  gxds_status_fini(&status);
}

/* Publishes a new picker, so that waiting RPCs are picked again. */
static void publish_anew(void *self) {
  policy *p = self;
  p->changed = true;
  publish(p);
}

/* --- Endpoints that sessions use --- */

static void let_go(void *self, gxds_held_endpoint *h) {
  policy *p = self;
  DL_DELETE(p->held, h);
  gxds_held_endpoint_let_go(h);
}

static void let_go_of_all(policy *p) {
  while (p->held) let_go(p, p->held);
}

static const gxds_cluster *cluster_of(const policy *p) { return p->last.entry->cluster; }

static void set_table(policy *p, gxds_session_table *take_table) {
  gxds_session_table_unref(p->table);
  p->table = take_table;
  p->changed = true;
}

/* Makes a new table of the current endpoints. keeps: endpoints that are reached in the same way as
 * before stay held. */
static void renew_table(policy *p, bool keeps) {
  const gxds_session_source of = {p->last.entry->endpoints, cluster_of(p)->session_health,
                                  cluster_of(p)->http_connect};
  if (!keeps) let_go_of_all(p);
  set_table(p, gxds_session_table_update(keeps ? p->table : NULL, &of, p->seed,
                                         (gxds_session_let_go){let_go, p}));
}

/* A75: sets when to look next for endpoints that no session uses. */
static void set_next_sweep(policy *p) {
  const gxds_duration timeout = cluster_of(p)->session_idle_timeout;
  gxds_time at = GXDS_TIME_NEVER;
  if (timeout > 0 && p->held) {
    gxds_duration interval = timeout / 8;
    if (interval < GXDS_OVERRIDE_HOST_SWEEP_MIN) interval = GXDS_OVERRIDE_HOST_SWEEP_MIN;
    at = gxds_time_after(gxds_policy_now(p->only.base), interval);
  }
  gxds_policy_set_deadline(p->only.base, at);
}

static bool is_connecting(const gxds_held_endpoint *h) {
  return atomic_load_explicit(&h->state, memory_order_relaxed) == GRPC_CHANNEL_CONNECTING;
}

static void sweep(void *self) {
  policy *p = self;
  const gxds_time now = gxds_policy_now(p->only.base);
  const gxds_duration timeout = cluster_of(p)->session_idle_timeout;
  gxds_session_table *table = NULL;
  gxds_held_endpoint *h;
  gxds_held_endpoint *next;
  DL_FOREACH_SAFE(p->held, h, next) {
    if (atomic_exchange_explicit(&h->used, false, memory_order_relaxed)) h->last_used = now;
    /* RPCs may wait for an endpoint that connects. If the policy dropped it, these RPCs would make
     * the policy hold it again. The endpoint would begin to connect once more, and the RPCs would
     * never learn that it cannot be reached. */
    if (now - h->last_used < timeout || is_connecting(h)) continue;
    if (!table) table = gxds_session_table_copy(p->table, gxds_session_table_source(p->table));
    gxds_session_table_forget(table, &h->key);
    let_go(p, h);
  }
  if (table) set_table(p, table);
  set_next_sweep(p);
  publish(p);
}

static void hold(policy *p, gxds_session_endpoint *endpoint, const gxds_address *address) {
  const gxds_locality *locality;
  uint32_t index;
  gxds_held_endpoint *h = NULL;
  if (gxds_session_table_locate(p->table, endpoint, address, &locality, &index)) {
    h = gxds_held_endpoint_create(p->only.base, p->last.args, locality, index,
                                  cluster_of(p)->http_connect, publish_anew, p);
  }
  if (!h) {
    atomic_store_explicit(&endpoint->refused, true, memory_order_relaxed);
    publish_anew(p);
    return;
  }
  h->last_used = gxds_policy_now(p->only.base);
  const bool first = !p->held;
  DL_APPEND(p->held, h);
  gxds_session_endpoint_hold(endpoint, h);
  if (first) set_next_sweep(p);
}

/* If the address is not in the table any more, a picker with the new table has been published
 * since, and RPCs that waited have been picked again. */
static void poked(void *self, uint64_t number, gxds_str text) {
  policy *p = self;
  gxds_address address;
  memcpy(&address, text.data, sizeof address);
  gxds_session_endpoint *endpoint = gxds_session_table_find(p->table, &address);
  if (!endpoint) return;
  gxds_held_endpoint *h = endpoint->held;
  if (number == GXDS_OVERRIDE_HOST_CONNECT) {
    if (h) gxds_subchannel_connect(h->subchannel);
  } else if (!h) {
    hold(p, endpoint, &address);
  }
}

/* --- The policy --- */

static void child_state(void *self, uint64_t child, grpc_connectivity_state state,
                        const gxds_status *status, gxds_picker *take_picker) {
  (void)child;
  policy *p = self;
  gxds_only_child_keep(&p->only, state, status, take_picker);
  publish_anew(p);
}

static gxds_subchannel *child_subchannel(void *self, uint64_t child, const gxds_lb_address *address,
                                         const gxds_args *args) {
  (void)child;
  policy *p = self;
  gxds_subchannel *subchannel = gxds_policy_subchannel(p->only.base, address, args);
  if (!subchannel || !address->has_ip) return subchannel;
  return gxds_session_subchannel_create(subchannel, address);
}

static void take_update(policy *p, const gxds_lb_update *given, const gxds_cluster_entry *entry) {
  const bool other_args = !gxds_args_equal(p->last.args, given->args);
  const gxds_cluster_entry *before = p->last.entry ? gxds_cluster_entry_ref(p->last.entry) : NULL;
  const gxds_lb_update own = {.config = given->config, .args = given->args, .entry = entry};
  gxds_lb_update_keep(&p->last, &own);
  if (!before || other_args || before->endpoints != entry->endpoints ||
      before->cluster->session_health != entry->cluster->session_health ||
      before->cluster->http_connect != entry->cluster->http_connect) {
    renew_table(p, !other_args); /* with other args, endpoints need other subchannels */
  }
  if (before && before->cluster->session_idle_timeout != entry->cluster->session_idle_timeout) {
    set_next_sweep(p);
  }
  gxds_cluster_entry_unref(before);
}

static const gxds_cluster_entry *entry_in(const policy *p, const gxds_lb_update *given) {
  const gxds_cluster_child_config *config = (const gxds_cluster_child_config *)given->config;
  const gxds_cluster_entry *e =
      given->snapshot ? gxds_config_cluster(given->snapshot, config->cluster) : p->last.entry;
  return e && e->kind == GXDS_ENTRY_ENDPOINTS ? e : NULL;
}

static gxds_status update(void *self, const gxds_lb_update *given) {
  policy *p = self;
  const gxds_cluster_entry *entry = entry_in(p, given);
  if (!entry) { /* cds always gives an entry */
    gxds_status status =
        gxds_status_make(GXDS_UNAVAILABLE, "%s: no such cluster with endpoints in the snapshot",
                         gxds_override_host_policy.name);
    gxds_policy_publish_failure(p->only.base, &status);
    return status;
  }
  p->busy = true;
  take_update(p, given, entry);
  const gxds_cluster_child_config *config = (const gxds_cluster_child_config *)p->last.config;
  gxds_status status =
      gxds_only_child_update_with(&p->only, given, config->child, given->addresses);
  p->busy = false;
  publish(p);
  return status;
}

static void *create(gxds_policy *base, const gxds_args *args) {
  (void)args;
  policy *p = GXDS_NEW(policy);
  p->only.base = base;
  p->seed = gxds_policy_random_seed(base);
  return p;
}

static void reset_backoff(void *self) {
  policy *p = self;
  gxds_only_child_reset_backoff(self);
  for (gxds_held_endpoint *h = p->held; h; h = h->next) {
    gxds_subchannel_reset_backoff(h->subchannel);
  }
}

static void end(void *self) {
  policy *p = self;
  gxds_only_child_end(self);
  let_go_of_all(p);
  gxds_session_table_unref(p->table);
  p->table = NULL;
}

static void destroy(void *self) {
  policy *p = self;
  gxds_lb_update_forget(&p->last);
  gxds_only_child_fini(&p->only);
  gxds_free(p);
}

const gxds_policy_type gxds_override_host_policy = {
    .name = "xds_override_host_experimental",
    .trace = "xds_override_host_lb",
    .log_name = "xds_override_host_lb",
    .title = "xds_override_host",
    .needs_config = true,
    .unconfigurable =
        "it is what a cluster has above its priorities where the listener has a stateful_session "
        "filter",
    .create = create,
    .update = update,
    .exit_idle = gxds_only_child_exit_idle,
    .reset_backoff = reset_backoff,
    .end = end,
    .destroy = destroy,
    .on_deadline = sweep,
    .child_state = child_state,
    .child_subchannel = child_subchannel,
    .poked = poked,
};
