#include "xds_resolver/resolver.h"

#include <stdatomic.h>

#include "base/memory.h"
#include "bootstrap/share.h"
#include "bootstrap/source.h"
#include "transport/reactor.h"
#include "xds_resolver/dependency_manager.h"
#include "xds_resolver/dns_names.h"

/* The owner of the mailbox, whose callbacks the mailbox calls. It may outlive the resolver, and has
 * a use of the reactor. */
typedef struct box {
  gxds_mailbox *mailbox;   /* borrowed: the mailbox owns this box */
  gxds_resolver *resolver; /* only on the reactor's thread; NULL if the resolver is closed */
} box;

struct gxds_resolver {
  /* Set before the resolver starts. */
  gxds_resolver_options options; /* with its own strings; bootstrap_json is NULL, and is in
                                    `bootstrap` */
  unsigned opened_in;            /* the generation of the reactor in which it started */
  box *box;
  /* NULL if the bootstrap is this channel's own; so is the client then. It ends with the close, and
   * the reactor only compares it with NULL. */
  gxds_bootstrap_share *share;

  /* The slot between the two sides. */
  _Atomic(gxds_resolver_update *) slot;

  /* Only on the reactor's thread. */
  const gxds_bootstrap *bootstrap;
  gxds_prepared *prepared; /* set until the client is acquired */
  /* NULL before begin(), which may never run: a fork drops in the child what was posted before. */
  gxds_client_handle *handle;
  gxds_dependency_manager *manager; /* NULL if the listener's name can't be made */
  gxds_dns_names *dns_names;        /* NULL if the listener's name can't be made */
  gxds_cluster_refs *cluster_refs;
  const gxds_cluster_set *clusters; /* holds on the clusters of the last update's routes; NULL if
                                       that update was a failure */
};

/* ---- updates ---- */

void gxds_resolver_update_destroy(gxds_resolver_update *u) {
  if (!u) return;
  gxds_status_fini(&u->failure);
  gxds_config_unref(u->config);
  gxds_cluster_set_unref(u->clusters);
  gxds_free(u);
}

static void put_update(gxds_resolver *r, gxds_resolver_update *take_update) {
  gxds_resolver_update *missed =
      atomic_exchange_explicit(&r->slot, take_update, memory_order_acq_rel);
  if (missed) {
    gxds_resolver_update_destroy(missed); /* the drain that is already scheduled takes the new
                                             update */
  } else {
    r->options.schedule(r->options.arg);
  }
}

static void put_failure(gxds_resolver *r, const gxds_status *status) {
  gxds_resolver_update *u = GXDS_NEW(gxds_resolver_update);
  u->failure = gxds_status_copy(status);
  gxds_cluster_set_unref(r->clusters);
  r->clusters = NULL;
  put_update(r, u);
}

static void hold_new(void *arg, gxds_str name) {
  gxds_resolver *r = arg;
  gxds_dependency_manager_hold(r->manager, name, true);
}

static void put_config(gxds_resolver *r, const gxds_config *config,
                       const gxds_names *route_targets) {
  if (!r->clusters || !gxds_names_equal(gxds_cluster_set_names(r->clusters), route_targets)) {
    const gxds_cluster_set *before = r->clusters;
    r->clusters = gxds_cluster_refs_hold(r->cluster_refs, route_targets, hold_new, r);
    gxds_cluster_set_unref(before);
  }
  gxds_resolver_update *u = GXDS_NEW(gxds_resolver_update);
  u->config = gxds_config_ref(config);
  u->clusters = gxds_cluster_set_ref(r->clusters);
  put_update(r, u);
}

/* ---- the dependency manager's actions ---- */

/* Carries out an action. Returns true if this reported an event to the manager, so that the manager
 * must settle again. */
static bool carry_out(gxds_resolver *r, const gxds_dependency_action *a) {
  switch (a->kind) {
    case GXDS_DEPENDENCY_WATCH:
      gxds_client_handle_watch(r->handle, a->type, a->name, a->token);
      return false;
    case GXDS_DEPENDENCY_UNWATCH:
      gxds_client_handle_unwatch(r->handle, a->token);
      return false;
    case GXDS_DEPENDENCY_PUBLISH: {
      /* The code below calls the manager, after which a->config is no longer valid. */
      const gxds_config *config = gxds_config_ref(a->config);
      const gxds_names *names = gxds_names_ref(a->route_targets);
      put_config(r, config, names);
      gxds_config_unref(config);
      gxds_names_unref(names);
      return true;
    }
    case GXDS_DEPENDENCY_FAIL:
      put_failure(r, &a->status);
      return false;
    case GXDS_DEPENDENCY_DNS_START: {
      gxds_status status = gxds_dns_names_start(r->dns_names, a->token, a->name);
      if (gxds_status_is_ok(&status)) return false;
      gxds_dependency_manager_on_dns(r->manager, a->token, NULL, &status);
      gxds_status_fini(&status);
      return true;
    }
    case GXDS_DEPENDENCY_DNS_STOP:
      gxds_dns_names_stop(r->dns_names, a->token);
      return false;
    case GXDS_DEPENDENCY_DNS_RERESOLVE:
      gxds_dns_names_reresolve(r->dns_names, a->token);
      return false;
  }
  return false;
}

static void settle(gxds_resolver *r) {
  for (bool again = true; again;) {
    again = false;
    gxds_dependency_manager_settle(r->manager);
    const gxds_dependency_action *a;
    while ((a = gxds_dependency_manager_next_action(r->manager))) again |= carry_out(r, a);
  }
}

/* ---- events of the XdsClient ---- */

static void on_resource(void *owner, uint64_t token, const gxds_resource *resource,
                        const gxds_error *error) {
  gxds_resolver *r = owner;
  if (resource) {
    gxds_dependency_manager_on_source(r->manager, token,
                                      gxds_client_handle_source(r->handle, token));
  }
  gxds_dependency_manager_on_resource(r->manager, token, resource, error);
}

static void on_ambient_error(void *owner, uint64_t token, const gxds_error *error) {
  gxds_resolver *r = owner;
  gxds_dependency_manager_on_ambient_error(r->manager, token, error);
}

static void on_drained(void *owner) { settle(owner); }

/* ---- results of DNS ---- */

static void on_dns(void *arg, uint64_t token, const gxds_endpoints *endpoints,
                   const gxds_status *status) {
  gxds_resolver *r = arg;
  gxds_dependency_manager_on_dns(r->manager, token, endpoints, status);
  settle(r);
}

/* ---- mail ---- */

static void read_mail(void *arg) {
  box *b = arg;
  gxds_resolver *r = b->resolver;
  gxds_mailbox *mailbox = b->mailbox;
  gxds_mail *mail = gxds_mailbox_take(mailbox);
  bool any = mail != NULL;
  while (mail) {
    gxds_mail *next = gxds_mail_next(mail);
    if (r && r->manager) {
      if (mail->kind == GXDS_MAIL_SUBSCRIBE) {
        gxds_dependency_manager_subscribe(r->manager, mail->cluster);
      } else if (mail->kind == GXDS_MAIL_UNSUBSCRIBE) {
        gxds_dependency_manager_unsubscribe(r->manager, mail->cluster);
      } else if (gxds_cluster_refs_forget_unused(r->cluster_refs, mail->cluster)) {
        gxds_dependency_manager_hold(r->manager, mail->cluster, false);
      }
    }
    gxds_mail_destroy(mail);
    mail = next;
  }
  if (any && r && r->manager) settle(r);
  gxds_mailbox_unref(mailbox);
}

static void wake(void *arg, gxds_mailbox *mailbox) {
  gxds_mailbox_ref(mailbox);
  gxds_reactor_post(read_mail, arg);
}

static void box_gone(void *arg) {
  gxds_free(arg);
  gxds_reactor_release();
}

static box *box_create(gxds_resolver *r) {
  gxds_reactor_acquire();
  box *b = GXDS_NEW(box);
  b->resolver = r;
  b->mailbox = gxds_mailbox_create((gxds_mailbox_owner){wake, box_gone, b});
  return b;
}

/* ---- start and end on the reactor ---- */

static void begin(void *arg) {
  static const gxds_watch_events events = {on_resource, on_ambient_error, on_drained};
  gxds_resolver *r = arg;
  gxds_client_key key = {r->options.target, NULL};
  if (!r->share) key = (gxds_client_key){gxds_str_of(NULL, 0), r};
  r->handle = gxds_clients_acquire(key, r->bootstrap, r->prepared, r->options.host,
                                   r->options.resource_timeout, r->options.args, &events, r);
  r->prepared = NULL;
  /* The client's bootstrap, not this channel's: another channel may have made the client. */
  const gxds_bootstrap *bootstrap = gxds_client_handle_bootstrap(r->handle);
  gxds_str listener_name;
  gxds_status status = gxds_bootstrap_listener_name(bootstrap, r->options.uri_authority,
                                                    r->options.uri_path, &listener_name);
  if (!gxds_status_is_ok(&status)) {
    put_failure(r, &status);
    gxds_status_fini(&status);
    return;
  }
  const gxds_dependency_manager_options options = {
      .listener_name = listener_name,
      .data_plane_authority = r->options.data_plane_authority,
      .node_id = bootstrap->node_id,
      .load_store = gxds_client_handle_load_store(r->handle),
  };
  r->manager = gxds_dependency_manager_create(&options);
  r->dns_names = gxds_dns_names_create(r->options.host, r->options.channel_args, on_dns, r);
  gxds_str_free(&listener_name);
  settle(r);
}

/* Frees the resolver, and everything that was set before its start. */
static void destroy(gxds_resolver *r) {
  gxds_str_free(&r->options.target);
  gxds_str_free(&r->options.uri_authority);
  gxds_str_free(&r->options.uri_path);
  gxds_str_free(&r->options.data_plane_authority);
  gxds_bootstrap_unref(r->bootstrap);
  gxds_free(r);
}

static void end(void *arg) {
  gxds_resolver *r = arg;
  gxds_mailbox *mailbox = r->box->mailbox;
  r->box->resolver = NULL;
  gxds_mailbox_close(mailbox);
  gxds_resolver_update_destroy(gxds_resolver_take(r));
  gxds_cluster_set_unref(r->clusters);
  gxds_cluster_refs_destroy(r->cluster_refs);
  gxds_dns_names_destroy(r->dns_names);
  if (r->manager) gxds_dependency_manager_destroy(r->manager);
  gxds_prepared_destroy(r->prepared);
  if (r->handle) gxds_client_handle_release(r->handle);
  r->options.gone(r->options.arg);
  destroy(r);
  gxds_mailbox_unref(mailbox); /* the last release may end the reactor */
}

/* ---- the owner's side ---- */

/* Reads the bootstrap for this channel. A failure says where the bootstrap was expected. */
static gxds_status read_bootstrap(const gxds_resolver_options *o, const gxds_bootstrap **out) {
  gxds_str json;
  gxds_str where;
  gxds_status status = gxds_status_ok();
  if (o->bootstrap_json) {
    json = gxds_str_dup(gxds_str_z(o->bootstrap_json));
    where = gxds_str_dup(gxds_str_z("channel argument"));
  } else {
    status = gxds_bootstrap_find(o->host, o->target, &json, &where);
  }
  if (gxds_status_is_ok(&status)) status = gxds_bootstrap_parse(json, o->host, out, NULL);
  if (!gxds_status_is_ok(&status)) {
    gxds_status failure = gxds_status_make(
        GXDS_UNAVAILABLE, "Failed to create XdsClient: xDS bootstrap%s%.*s: %.*s",
        where.size ? " from " : "", GXDS_STR_ARG(where), GXDS_STR_ARG(status.message));
    gxds_status_fini(&status);
    status = failure;
  }
  gxds_str_free(&json);
  gxds_str_free(&where);
  return status;
}

/* Gets the bootstrap that other channels of the target use, or reads it. Sets *share to a use of
 * the shared bootstrap; it stays NULL if the bootstrap is the channel's own. */
static gxds_status get_bootstrap(const gxds_resolver_options *o, const gxds_bootstrap **out,
                                 gxds_bootstrap_share **share) {
  if (o->bootstrap_json) return read_bootstrap(o, out);
  *share = gxds_bootstrap_share_find(o->target);
  if (!*share) {
    gxds_status status = read_bootstrap(o, out);
    if (!gxds_status_is_ok(&status)) return status;
    *share = gxds_bootstrap_share_add(o->target, *out);
  }
  *out = gxds_bootstrap_ref(gxds_bootstrap_share_get(*share));
  return gxds_status_ok();
}

gxds_status gxds_resolver_start(const gxds_resolver_options *options, gxds_resolver **out) {
  const gxds_bootstrap *bootstrap = NULL;
  gxds_bootstrap_share *share = NULL;
  gxds_status status = get_bootstrap(options, &bootstrap, &share);
  if (!gxds_status_is_ok(&status)) return status;
  gxds_resolver *r = GXDS_NEW(gxds_resolver);
  r->options = *options;
  r->options.target = gxds_str_dup(options->target);
  r->options.uri_authority = gxds_str_dup(options->uri_authority);
  r->options.uri_path = gxds_str_dup(options->uri_path);
  r->options.data_plane_authority = gxds_str_dup(options->data_plane_authority);
  r->options.bootstrap_json = NULL;
  r->bootstrap = bootstrap;
  r->share = share;
  r->prepared = gxds_clients_prepare(bootstrap, options->host);
  r->box = box_create(r);
  r->cluster_refs = gxds_cluster_refs_create(r->box->mailbox);
  atomic_init(&r->slot, NULL);
  *out = r;
  r->opened_in = gxds_reactor_channel_opened();
  gxds_reactor_post(begin, r);
  return status;
}

gxds_resolver_update *gxds_resolver_take(gxds_resolver *r) {
  return atomic_exchange_explicit(&r->slot, NULL, memory_order_acq_rel);
}

gxds_mailbox *gxds_resolver_mailbox(gxds_resolver *r) { return r->box->mailbox; }

static void reresolve(void *arg) {
  gxds_resolver *r = arg;
  if (!r->manager) return;
  gxds_dependency_manager_reresolve(r->manager);
  settle(r);
}

void gxds_resolver_reresolve(gxds_resolver *r) { gxds_reactor_post(reresolve, r); }

static void reset_backoff(void *arg) {
  gxds_resolver *r = arg;
  if (!r->handle) return;
  gxds_client_handle_reset_backoff(r->handle);
  if (r->dns_names) gxds_dns_names_reset_backoff(r->dns_names);
}

void gxds_resolver_reset_backoff(gxds_resolver *r) { gxds_reactor_post(reset_backoff, r); }

/* The use of the bootstrap ends here, so that a channel that starts after this reads the bootstrap
 * again. It ends after the post, so that the client of such a channel starts after end(). */
void gxds_resolver_close(gxds_resolver *r) {
  gxds_bootstrap_share *share = r->share;
  gxds_reactor_channel_closed(r->opened_in);
  gxds_reactor_post(end, r);
  gxds_bootstrap_share_end(share);
}
