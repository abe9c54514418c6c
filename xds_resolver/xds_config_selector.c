#include "xds_resolver/xds_config_selector.h"

#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "resources/http_filters.h"

_Static_assert(GXDS_NO_METHOD_CONFIG == GXDS_CALL_NO_METHOD_CONFIG,
               "numbers of method configs go to the host as they are");

typedef struct xds_config_selector {
  gxds_config_selector base;
  const gxds_selector *selector;
  gxds_route_channel channel; /* owns a copy of the authority */
  bool has_faults;            /* the listener has a fault filter */
  bool has_sessions;          /* the listener has a filter for stateful sessions (A55) */
  gxds_str *refused; /* for each method config, the error with which its RPCs fail; NULL if the host
                        could read all method configs */
} xds_config_selector;

/* The part of a routed RPC that lives in the RPC's own memory. */
typedef struct held_call {
  gxds_call_hold base;
  _Atomic(gxds_cluster_ref *) cluster; /* NULL once the RPC is committed */
  gxds_routed_call routed;             /* the last member, because the cluster's name follows */
} held_call;

static xds_config_selector *of(gxds_config_selector *s) { return (xds_config_selector *)s; }

/* The host may call this more than once. */
static void commit(gxds_call_hold *h) {
  held_call *held = (held_call *)h;
  gxds_cluster_ref *cluster = atomic_exchange_explicit(&held->cluster, NULL, memory_order_acq_rel);
  if (cluster) gxds_cluster_ref_release(cluster);
}

static bool header_of(void *arg, gxds_str name, gxds_str *value) {
  gxds_call *call = arg;
  return call->ops->header(call, name, value);
}

/* A33: this library and the host have different names for the header with the percentage of aborts.
 * The fault filter reads only this library's header. So a value under the host's name is copied to
 * it, because programs that use the host's name must keep working. */
static void take_hosts_name_of_abort_percentage(gxds_call *call) {
  const gxds_str name = gxds_str_z(GXDS_ABORT_PERCENTAGE_HEADER);
  gxds_str value;
  if (call->ops->header(call, name, &value)) return;
  if (!call->ops->header(call, gxds_str_z("x-envoy-fault-abort-percentage"), &value)) return;
  call->ops->add_header(call, name, value);
}

/* A33: the host's fault filter reads only a gRPC code. So an HTTP status is added as the gRPC code
 * that it is mapped to, unless the RPC has a code too. As in Envoy, a value that is no status from
 * 200 to 599 is ignored. */
static void take_http_status_of_abort(gxds_call *call) {
  gxds_str value;
  uint64_t status;
  if (!call->ops->header(call, gxds_str_z(GXDS_ABORT_HTTP_STATUS_HEADER), &value)) return;
  if (!gxds_str_to_uint64(value, 10, &status) || status < 200 || status > 599) return;
  const gxds_str name = gxds_str_z(GXDS_ABORT_CODE_HEADER);
  if (call->ops->header(call, name, &value)) return;
  gxds_str code = gxds_str_format("%d", (int)gxds_http_fault_code((uint32_t)status));
  call->ops->add_header(call, name, code);
  gxds_str_free(&code);
}

static __attribute__((noinline)) void take_headers_of_abort(gxds_call *call) {
  take_http_status_of_abort(call);
  take_hosts_name_of_abort_percentage(call);
}

/* A81: sets a literal authority, unless the program has set its own, which takes precedence. The
 * name of an endpoint is known only when the endpoint is picked: then this returns true, and the
 * host does the rest. */
static __attribute__((noinline, cold)) bool rewrite_host(gxds_call *call,
                                                         const gxds_host_rewrite *rewrite) {
  if (rewrite->kind == GXDS_HOST_REWRITE_AUTO) return true;
  const gxds_str name = gxds_str_z(":authority");
  gxds_str own;
  if (!call->ops->header(call, name, &own)) call->ops->add_header(call, name, rewrite->literal);
  return false;
}

static size_t aligned(size_t size) {
  return (size + _Alignof(held_call) - 1) / _Alignof(held_call) * _Alignof(held_call);
}

/* E5: copies the match into room, with its text, because the RPC may outlive the routes. */
static const gxds_metadata_match *copy_match(const gxds_metadata_match *match, void *room) {
  gxds_metadata_match *copy = room;
  char *text = (char *)(copy + 1);
  memcpy(text, match->text.data, match->text.size);
  *copy = (gxds_metadata_match){gxds_str_of(text, match->text.size), match->hash};
  return copy;
}

static size_t session_size(const gxds_session_cookie *cookie, const gxds_session_text *text) {
  return cookie ? gxds_session_size(cookie, text) : 0;
}

/* An RPC with a session (A55) or a match (E5) has them at the front of its memory. These two
 * functions are not inlined, because most RPCs have neither. */
static __attribute__((noinline)) size_t front_size(const gxds_session_cookie *cookie,
                                                   const gxds_metadata_match *match,
                                                   const gxds_session_text *text) {
  return session_size(cookie, text) + (match ? aligned(sizeof *match + match->text.size) : 0);
}

static __attribute__((noinline)) void make_front(void *memory, const gxds_session_cookie *cookie,
                                                 const gxds_metadata_match *match,
                                                 const gxds_session_text *text, gxds_str cluster,
                                                 gxds_routed_call *routed) {
  if (match) routed->match = copy_match(match, (char *)memory + session_size(cookie, text));
  if (cookie) routed->session = gxds_session_init(memory, cookie, text, cluster);
}

/* Stores with the call everything that pickers need, and holds its cluster. The RPC's memory has,
 * in this order: the front, the held_call, and the cluster's name. */
static void hold(gxds_call *call, const gxds_selection *selection, const gxds_session_text *text,
                 gxds_call_route *out) {
  const gxds_str cluster = gxds_cluster_ref_name(selection->cluster);
  const gxds_metadata_match *match = selection->target->match;
  const gxds_host_rewrite *rewrite = selection->target->host_rewrite;
  const bool has_front = selection->cookie || match;
  const size_t front = has_front ? front_size(selection->cookie, match, text) : 0;
  char *memory = call->ops->alloc(call, front + sizeof(held_call) + cluster.size);
  held_call *held = (held_call *)(void *)(memory + front);
  held->base.commit = commit;
  atomic_init(&held->cluster, selection->cluster);
  held->routed = (gxds_routed_call){.cluster_id = gxds_cluster_ref_id(selection->cluster),
                                    .has_hash = selection->has_hash,
                                    .auto_host_rewrite = rewrite && rewrite_host(call, rewrite),
                                    .hash = selection->hash};
  char *name = (char *)(&held->routed + 1);
  memcpy(name, cluster.data, cluster.size);
  out->cluster = gxds_str_of(name, cluster.size);
  out->hold = &held->base;
  if (has_front) make_front(memory, selection->cookie, match, text, out->cluster, &held->routed);
}

static void route(const gxds_config_selector *shared, gxds_call *call, gxds_call_route *out) {
  const xds_config_selector *s = (const xds_config_selector *)shared;
  gxds_session_text session; /* large, but only used for an RPC with a session */
  const gxds_route_request request = {call->path,  header_of,
                                      call,        gxds_random_of_thread,
                                      &s->channel, s->has_sessions ? &session : NULL};
  gxds_selection selection;
  if (!gxds_selector_select(s->selector, &request, &selection, &out->error)) return;
  out->error = gxds_str_of(NULL, 0);
  out->method_config = selection.target->method_config;
  if (s->refused && out->method_config != GXDS_NO_METHOD_CONFIG) {
    out->error = s->refused[out->method_config];
    if (out->error.size > 0) {
      gxds_cluster_ref_release(selection.cluster);
      return;
    }
  }
  if (s->has_faults) take_headers_of_abort(call);
  out->timeout = selection.timeout;
  hold(call, &selection, &session, out);
}

static size_t find(const gxds_config_selector *shared, gxds_str text) {
  const xds_config_selector *s = (const xds_config_selector *)shared;
  return gxds_method_configs_find(gxds_selector_method_configs(s->selector), text);
}

static void refuse(gxds_config_selector *shared, size_t number, gxds_str why) {
  xds_config_selector *s = of(shared);
  if (!s->refused) s->refused = gxds_calloc(s->base.method_config_count, sizeof *s->refused);
  gxds_str reason = gxds_str_format("the route's method config: %.*s", GXDS_STR_ARG(why));
  gxds_str_free(&s->refused[number]);
  s->refused[number] = reason;
}

static void destroy(gxds_config_selector *shared) {
  xds_config_selector *s = of(shared);
  for (size_t i = 0; s->refused && i < s->base.method_config_count; i++) {
    gxds_str_free(&s->refused[i]);
  }
  gxds_free(s->refused);
  gxds_selector_destroy(s->selector);
  gxds_str_free(&s->channel.authority);
  gxds_free((void *)s->base.method_configs);
  gxds_free((void *)s->base.filters);
  gxds_free(s);
}

static void name_filters(xds_config_selector *s) {
  size_t count = 0;
  const gxds_http_filter *configured = gxds_selector_filters(s->selector, &count);
  gxds_call_filter *filters = gxds_calloc(count, sizeof *filters);
  for (size_t i = 0; i < count; i++) {
    if (configured[i].kind == GXDS_HTTP_FILTER_FAULT) {
      filters[s->base.filter_count++] = GXDS_CALL_FILTER_FAULT;
      s->has_faults = true;
    } else if (configured[i].kind == GXDS_HTTP_FILTER_STATEFUL_SESSION && !s->has_sessions) {
      filters[s->base.filter_count++] = GXDS_CALL_FILTER_RESPONSE;
      s->has_sessions = true;
    }
  }
  s->base.filters = filters;
}

gxds_config_selector *gxds_xds_config_selector_create(const gxds_config *config,
                                                      const gxds_cluster_set *clusters,
                                                      const gxds_route_channel *channel,
                                                      const gxds_host *services) {
  static const gxds_config_selector_ops ops = {destroy, route, find, refuse};
  xds_config_selector *s = GXDS_NEW(xds_config_selector);
  gxds_ref_init(&s->base.refs);
  s->base.ops = &ops;
  s->selector = gxds_selector_create(config, clusters, services);
  s->channel = (gxds_route_channel){channel->id, gxds_str_dup(channel->authority)};
  const gxds_method_configs *configs = gxds_selector_method_configs(s->selector);
  s->base.method_config_count = gxds_method_configs_count(configs);
  gxds_str *texts = gxds_calloc(s->base.method_config_count, sizeof *texts);
  for (size_t i = 0; i < s->base.method_config_count; i++) {
    texts[i] = gxds_method_configs_text(configs, i);
  }
  s->base.method_configs = texts;
  name_filters(s);
  return &s->base;
}

bool gxds_xds_config_selector_fits(const gxds_config_selector *s, const gxds_config *config,
                                   const gxds_cluster_set *clusters) {
  return gxds_selector_fits(((const xds_config_selector *)s)->selector, config, clusters);
}
