#include "lb_policies/cluster_impl/cluster_impl.h"

#include "base/memory.h"
#include "base/random.h"

struct gxds_cluster_impl {
  gxds_random random;
  const gxds_cluster_entry *entry; /* the current entry; NULL: none yet */
  const gxds_tls *tls;             /* the current TLS configuration, which is part of entry's
                                      cluster; NULL: none */
  const void *child_config;        /* only compared, never dereferenced; the owner keeps it alive */
  gxds_load_store *store;
  gxds_call_counter *counter;
  gxds_drop_load *drops; /* NULL if load is not reported */
  gxds_drop_picker *picker;
  gxds_locality_slot **slots; /* one for each locality that has subchannels; others end at the next
                                 change of the entry or the store */
  size_t slot_count;
  size_t last_slot; /* where a search begins, since addresses come locality by locality */
  bool child_reported;
  grpc_connectivity_state child_state;
  bool failed; /* the owner reported a failure instead of the current picker */
};

gxds_cluster_impl *gxds_cluster_impl_create(uint64_t seed) {
  gxds_cluster_impl *c = GXDS_NEW(gxds_cluster_impl);
  c->random.state = seed;
  return c;
}

void gxds_cluster_impl_destroy(gxds_cluster_impl *c) {
  if (!c) return;
  for (size_t i = 0; i < c->slot_count; i++) gxds_locality_slot_unref(c->slots[i]);
  gxds_free(c->slots);
  gxds_drop_picker_unref(c->picker);
  gxds_drop_load_unref(c->drops);
  gxds_call_counter_unref(c->counter);
  gxds_load_store_unref(c->store);
  gxds_cluster_entry_unref(c->entry);
  gxds_free(c);
}

static bool drops_everything(const gxds_cluster_entry *e) {
  return e && e->endpoints && e->endpoints->drop_all;
}

static bool same_drops(const gxds_endpoints *a, const gxds_endpoints *b) {
  size_t count = a ? a->drop_count : 0;
  if (count != (b ? b->drop_count : 0)) return false;
  for (size_t i = 0; i < count; i++) {
    if (a->drops[i].per_million != b->drops[i].per_million) return false;
    if (!gxds_str_equal(a->drops[i].name, b->drops[i].name)) return false;
  }
  return true;
}

static bool same_server(const gxds_bootstrap_server *a, const gxds_bootstrap_server *b) {
  if (a == b) return true;
  return a && b && gxds_bootstrap_server_equal(a, b);
}

/* A101 */
static bool same_server_names(const gxds_tls *a, const gxds_tls *b) {
  return gxds_str_equal(a->sni, b->sni) && a->auto_host_sni == b->auto_host_sni &&
         a->auto_sni_san_validation == b->auto_sni_san_validation;
}

/* Compares the applied configuration with the new one; NULL means no TLS. */
static gxds_tls_change compare_tls(const gxds_tls *was, const gxds_tls *is) {
  if (was == is) return GXDS_TLS_KEEP;
  if (!is) return GXDS_TLS_NONE;
  /* Three things are fixed when a subchannel is made: whether it presents a certificate, whether it
   * trusts the system's root certificates (A82), and which server names it uses (A101). Which
   * certificate it presents, and which provider's roots it trusts, is read at each handshake. */
  bool had_identity = was && was->identity.provider;
  bool has_identity = is->identity.provider != NULL;
  return was && had_identity == has_identity && was->system_roots == is->system_roots &&
                 same_server_names(was, is)
             ? GXDS_TLS_UPDATE
             : GXDS_TLS_RENEW;
}

static void set_slot(gxds_cluster_impl *c, gxds_locality_slot *slot) {
  const gxds_cluster *cluster = c->entry ? c->entry->cluster : NULL;
  const gxds_str none = {NULL, 0};
  gxds_locality_slot_set(slot, c->store, cluster ? cluster->lrs_server : NULL,
                         c->entry ? c->entry->name : none,
                         cluster ? cluster->eds_service_name : none);
}

/* Ends the slots that no subchannel uses any more. */
static void prune_slots(gxds_cluster_impl *c) {
  size_t kept = 0;
  for (size_t i = 0; i < c->slot_count; i++) {
    if (gxds_locality_slot_is_unused(c->slots[i])) {
      gxds_locality_slot_unref(c->slots[i]);
    } else {
      c->slots[kept++] = c->slots[i];
    }
  }
  c->slot_count = kept;
  c->last_slot = 0;
}

/* Gets the counters of the current cluster for requests in flight, drops and load. */
static void adopt_counters(gxds_cluster_impl *c, bool service_changed) {
  const gxds_cluster *cluster = c->entry->cluster;
  if (service_changed) {
    gxds_call_counter_unref(c->counter);
    c->counter = gxds_call_counter_get(c->entry->name, cluster->eds_service_name);
  }
  gxds_drop_load_unref(c->drops);
  c->drops = c->store && cluster->lrs_server
                 ? gxds_load_store_drops(c->store, cluster->lrs_server, c->entry->name,
                                         cluster->eds_service_name)
                 : NULL;
  for (size_t i = 0; i < c->slot_count; i++) set_slot(c, c->slots[i]);
}

/* Makes entry the current entry. Returns true if the published picker is out of date, because it
 * drops or counts in another way, or explains failures with another note. */
static bool adopt(gxds_cluster_impl *c, const gxds_cluster_entry *entry, gxds_load_store *store) {
  const gxds_cluster_entry *old = c->entry;
  const gxds_cluster *was = old ? old->cluster : NULL;
  const gxds_cluster *is = entry->cluster;
  c->entry = gxds_cluster_entry_ref(entry);
  bool service_changed = !was || !gxds_str_equal(old->name, entry->name) ||
                         !gxds_str_equal(was->eds_service_name, is->eds_service_name);
  bool store_changed = c->store != store;
  if (store_changed) {
    gxds_load_store_unref(c->store);
    c->store = store ? gxds_load_store_ref(store) : NULL;
  }
  bool recount = service_changed || store_changed || !same_server(was->lrs_server, is->lrs_server);
  prune_slots(c);
  if (recount) adopt_counters(c, service_changed);
  bool repick =
      recount || was->max_concurrent_requests != is->max_concurrent_requests ||
      !gxds_lrs_metrics_equal(gxds_cluster_lrs_metrics(was), gxds_cluster_lrs_metrics(is)) ||
      !same_drops(old->endpoints, entry->endpoints);
  if (repick) {
    gxds_drop_picker_unref(c->picker);
    c->picker = gxds_drop_picker_create(entry->endpoints, c->counter, is->max_concurrent_requests,
                                        c->drops, gxds_cluster_lrs_metrics(is) ? is : NULL,
                                        gxds_random_next(&c->random));
  }
  bool renote = old && !gxds_error_equal(old->resolution_note, entry->resolution_note);
  gxds_cluster_entry_unref(old);
  return repick || renote;
}

gxds_cluster_impl_todo gxds_cluster_impl_on_update(gxds_cluster_impl *c,
                                                   const gxds_cluster_entry *entry,
                                                   gxds_load_store *store, const void *child_config,
                                                   bool xds_credentials) {
  gxds_cluster_impl_todo todo = {0};
  if (!entry || entry->kind != GXDS_ENTRY_ENDPOINTS) {
    c->child_config = NULL; /* the child has not been given this entry */
    todo.fail = c->entry == NULL;
    return todo;
  }
  bool same_entry = entry == c->entry;
  todo.tls = xds_credentials ? gxds_cluster_tls(entry->cluster) : NULL;
  todo.tls_change = compare_tls(c->tls, todo.tls);
  c->tls = todo.tls;
  todo.update_child =
      !same_entry || child_config != c->child_config || todo.tls_change != GXDS_TLS_KEEP;
  c->child_config = child_config;
  /* The child's states are not published while every RPC is dropped, so they would not replace a
   * failure. */
  todo.publish = c->failed && drops_everything(entry);
  c->failed = false;
  if (same_entry && store == c->store) return todo;
  bool dropped_all = drops_everything(c->entry);
  bool repick = adopt(c, entry, store);
  /* Before the child has reported a picker, something is published in two cases only: if every RPC
   * is dropped from now on, and if that ends, because the published picker still drops RPCs. */
  todo.publish |= repick && (c->child_reported || dropped_all || drops_everything(entry));
  return todo;
}

void gxds_cluster_impl_forget_tls(gxds_cluster_impl *c) {
  c->tls = NULL;
  c->child_reported = false;
  c->failed = true;
}

const gxds_tls *gxds_cluster_impl_tls(const gxds_cluster_impl *c) { return c->tls; }

bool gxds_cluster_impl_on_child_state(gxds_cluster_impl *c, grpc_connectivity_state state) {
  c->child_reported = true;
  c->child_state = state;
  return c->entry != NULL && !drops_everything(c->entry);
}

bool gxds_cluster_impl_state_is_childs(const gxds_cluster_impl *c) {
  return c->child_reported && !drops_everything(c->entry);
}

grpc_connectivity_state gxds_cluster_impl_state(const gxds_cluster_impl *c) {
  if (drops_everything(c->entry)) return GRPC_CHANNEL_READY;
  return c->child_reported ? c->child_state : GRPC_CHANNEL_CONNECTING;
}

gxds_drop_picker *gxds_cluster_impl_picker(const gxds_cluster_impl *c) { return c->picker; }

const gxds_cluster_entry *gxds_cluster_impl_entry(const gxds_cluster_impl *c) { return c->entry; }

/* The slot of a locality, made if there is none. */
static gxds_locality_slot *slot_of(gxds_cluster_impl *c, gxds_str region, gxds_str zone,
                                   gxds_str sub_zone) {
  for (size_t i = 0; i < c->slot_count; i++) {
    size_t at = (c->last_slot + i) % c->slot_count;
    if (gxds_locality_slot_is_of(c->slots[at], region, zone, sub_zone)) {
      c->last_slot = at;
      return c->slots[at];
    }
  }
  c->slots = gxds_realloc(c->slots, c->slot_count + 1, sizeof(gxds_locality_slot *));
  c->last_slot = c->slot_count;
  c->slots[c->slot_count++] = gxds_locality_slot_create(region, zone, sub_zone);
  return c->slots[c->last_slot];
}

gxds_locality_slot *gxds_cluster_impl_slot(gxds_cluster_impl *c, gxds_str region, gxds_str zone,
                                           gxds_str sub_zone) {
  gxds_locality_slot *slot = slot_of(c, region, zone, sub_zone);
  if (gxds_locality_slot_is_unused(slot)) set_slot(c, slot);
  return gxds_locality_slot_use(slot);
}
