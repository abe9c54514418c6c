#include "xds_resolver/route_table.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/search.h"
#include "xds_resolver/path_index.h"
#include "xds_resolver/regex_prefix.h"
#include "xds_resolver/request_hash.h"
#include "xds_resolver/route_match.h"

/* One cluster of a route. It is chosen if the drawn number is below the end of this share, but not
 * below the end of the previous share. */
typedef struct share {
  uint64_t end;
  gxds_route_target
      target; /* its pointers are borrowed from the route configuration and listener */
} share;

typedef struct compiled_route {
  gxds_route_matcher matcher;
  gxds_request_hasher hasher;
  const share *shares; /* points into the table's own array */
  size_t share_count;  /* 0 if a client can't carry out the route's action */
} compiled_route;

struct gxds_route_table {
  const gxds_route_config *route_config;
  const gxds_listener *listener;
  const gxds_host *host;
  compiled_route *routes;
  size_t route_count;
  share *shares;
  gxds_method_configs *method_configs;
  gxds_str *regex_prefixes; /* for each route, its fixed prefix */
  gxds_path_index paths;
};

/* ---- make ---- */

const gxds_names *gxds_route_cluster_names(const gxds_virtual_host *virtual_host) {
  size_t count = 0;
  for (size_t i = 0; i < virtual_host->route_count; i++) {
    count += virtual_host->routes[i].cluster_count;
  }
  gxds_str *names = gxds_calloc(count, sizeof *names);
  size_t filled = 0;
  for (size_t i = 0; i < virtual_host->route_count; i++) {
    const gxds_route *r = &virtual_host->routes[i];
    for (size_t j = 0; j < r->cluster_count; j++) names[filled++] = r->clusters[j].name;
  }
  const gxds_names *result = gxds_names_create(names, count);
  gxds_free(names);
  return result;
}

/* The state while the routes of a table are compiled, one after the other. */
typedef struct compiler {
  gxds_route_table *table;
  const gxds_names *clusters;
  gxds_duration max_stream_duration; /* the listener's max_stream_duration */
  share *next_share;
  gxds_method_config last; /* the contents of number last_number */
  size_t last_number;
} compiler;

/* A31: the route's own limit, or else the listener's; zero means none. */
static gxds_duration timeout_of(const compiler *c, const gxds_route *r) {
  gxds_duration limit =
      r->max_stream_duration >= 0 ? r->max_stream_duration : c->max_stream_duration;
  return limit > 0 ? limit : 0;
}

static bool has_none(const gxds_method_config *c) {
  return c->overrides[0]->count == 0 && c->overrides[1]->count == 0;
}

/* Most routes have the same method config as the previous route. This is checked first, without
 * making the text. */
static size_t method_config_of(compiler *c, const gxds_route *r, const gxds_route_cluster *target) {
  gxds_method_config wanted = c->last;
  wanted.timeout = timeout_of(c, r);
  wanted.retry_policy = r->retry_policy;
  wanted.overrides[0] = &target->rare->filter_overrides;
  wanted.overrides[1] = &r->rare->filter_overrides;
  bool same = c->last.overrides[0] && has_none(&wanted) && has_none(&c->last) &&
              wanted.timeout == c->last.timeout && wanted.retry_policy == c->last.retry_policy;
  if (!same) c->last_number = gxds_method_configs_add(c->table->method_configs, &wanted);
  c->last = wanted;
  return c->last_number;
}

/* A55 */
static const gxds_session_cookie *cookie_of(const compiler *c, const gxds_route *r,
                                            const gxds_route_cluster *target) {
  const gxds_http_filter_overrides *overrides[] = {
      &target->rare->filter_overrides, &r->rare->filter_overrides, c->last.overrides[2]};
  return gxds_http_filters_cookie(c->last.filters, c->last.filter_count, overrides, 3);
}

static size_t find_target(const compiler *c, gxds_str name) {
  size_t place = gxds_names_find(c->clusters, name);
  GXDS_CHECK(place != SIZE_MAX);
  return place;
}

/* As in Envoy, the rewrite of a weighted cluster takes precedence over the route's. */
static const gxds_host_rewrite *rewrite_of(const gxds_route *r, const gxds_route_cluster *target) {
  return target->rare->host_rewrite ? target->rare->host_rewrite : r->rare->host_rewrite;
}

/* E5: the match of a weighted cluster already includes the route's. */
static const gxds_metadata_match *match_of(const gxds_route *r, const gxds_route_cluster *target) {
  return target->rare->metadata_match ? target->rare->metadata_match : r->rare->metadata_match;
}

static void compile_plugin(compiler *c, compiled_route *out, const gxds_route *r) {
  static const gxds_route_cluster no_overrides = {.weight = 1, .rare = &gxds_route_rare_none};
  gxds_text name = {NULL, 0, 0};
  gxds_plugin_add_child_name(&name, r);
  *c->next_share++ = (share){
      1,
      {find_target(c, gxds_text_str(&name)), method_config_of(c, r, &no_overrides),
       rewrite_of(r, &no_overrides), r->rare->metadata_match, cookie_of(c, r, &no_overrides)}};
  out->share_count = 1;
  gxds_text_fini(&name);
}

static void compile_route(compiler *c, compiled_route *out, const gxds_route *r) {
  const gxds_route_matcher *before = out == c->table->routes ? NULL : &out[-1].matcher;
  gxds_route_matcher_init(&out->matcher, r, c->table->host, before);
  gxds_request_hasher_init(&out->hasher, r, c->table->host);
  out->shares = c->next_share;
  if (r->action == GXDS_ROUTE_PLUGIN) {
    compile_plugin(c, out, r);
    return;
  }
  if (r->action != GXDS_ROUTE_CLUSTERS) return;
  uint64_t end = 0;
  for (size_t i = 0; i < r->cluster_count; i++) {
    const gxds_route_cluster *target = &r->clusters[i];
    end += target->weight;
    *c->next_share++ =
        (share){end,
                {find_target(c, target->name), method_config_of(c, r, target),
                 rewrite_of(r, target), match_of(r, target), cookie_of(c, r, target)}};
  }
  out->share_count = r->cluster_count;
}

const gxds_route_table *gxds_route_table_create(const gxds_route_config *route_config,
                                                const gxds_virtual_host *virtual_host,
                                                const gxds_listener *listener,
                                                const gxds_names *clusters, const gxds_host *host) {
  gxds_route_table *t = GXDS_NEW(gxds_route_table);
  gxds_resource_ref(&route_config->base);
  t->route_config = route_config;
  gxds_resource_ref(&listener->base);
  t->listener = listener;
  t->host = host;
  t->route_count = virtual_host->route_count;
  t->routes = gxds_calloc(t->route_count, sizeof *t->routes);
  size_t share_count = 0;
  for (size_t i = 0; i < t->route_count; i++) {
    const gxds_route *r = &virtual_host->routes[i];
    share_count += r->action == GXDS_ROUTE_PLUGIN ? 1 : r->cluster_count;
  }
  t->shares = gxds_calloc(share_count, sizeof *t->shares);
  t->method_configs = gxds_method_configs_create();
  compiler c = {.table = t,
                .clusters = clusters,
                .max_stream_duration = listener->max_stream_duration,
                .next_share = t->shares,
                .last = {.filters = listener->filters,
                         .filter_count = listener->filter_count,
                         .overrides = {NULL, NULL, &virtual_host->filter_overrides}}};
  for (size_t i = 0; i < t->route_count; i++) {
    compile_route(&c, &t->routes[i], &virtual_host->routes[i]);
  }
  t->regex_prefixes = gxds_calloc(t->route_count, sizeof *t->regex_prefixes);
  for (size_t i = 0; i < t->route_count; i++) {
    const void *regex = t->routes[i].matcher.path_regex;
    if (regex) t->regex_prefixes[i] = gxds_regex_prefix(regex, host);
  }
  gxds_path_index_init(&t->paths, virtual_host->routes, t->regex_prefixes, t->route_count);
  return t;
}

void gxds_route_table_destroy(const gxds_route_table *shared) {
  if (!shared) return;
  gxds_route_table *t = (gxds_route_table *)shared;
  for (size_t i = 0; i < t->route_count; i++) {
    gxds_route_matcher_fini(&t->routes[i].matcher, t->host);
    gxds_request_hasher_fini(&t->routes[i].hasher, t->host);
    gxds_str_free(&t->regex_prefixes[i]);
  }
  gxds_free(t->regex_prefixes);
  gxds_free(t->routes);
  gxds_free(t->shares);
  gxds_method_configs_destroy(t->method_configs);
  gxds_path_index_fini(&t->paths);
  gxds_resource_unref(&t->route_config->base);
  gxds_resource_unref(&t->listener->base);
  gxds_free(t);
}

const gxds_method_configs *gxds_route_table_method_configs(const gxds_route_table *t) {
  return t->method_configs;
}

/* ---- ask ---- */

static int64_t match_linear(const gxds_route_table *t, const gxds_route_request *request) {
  const gxds_str path = request->path;
  gxds_header_memo memo = {0};
  for (size_t i = 0; i < t->route_count; i++) {
    const gxds_route_matcher *m = &t->routes[i].matcher;
    if (gxds_route_matcher_path(m, t->host, path) &&
        gxds_route_matcher_rest(m, t->host, request, &memo)) {
      return (int64_t)i;
    }
  }
  return -1;
}

int64_t gxds_route_table_match_linear(const gxds_route_table *t,
                                      const gxds_route_request *request) {
  return match_linear(t, request);
}

/* Merges the chains that match the path: tries their routes in the order of the table. False if
 * there are too many chains. */
static __attribute__((noinline)) bool match_by_index(const gxds_route_table *t,
                                                     const gxds_route_request *request,
                                                     int64_t *found) {
  uint32_t heads[GXDS_PATH_CHAINS_MAX];
  size_t count = gxds_path_index_find(&t->paths, request->path, heads);
  if (count > GXDS_PATH_CHAINS_MAX) return false;
  gxds_header_memo memo = {0};
  *found = -1;
  while (count > 0) {
    size_t least = 0;
    for (size_t i = 1; i < count; i++) {
      if (heads[i] < heads[least]) least = i;
    }
    uint32_t number = heads[least];
    const gxds_route_matcher *m = &t->routes[number].matcher;
    bool path_known = m->route->path.kind != GXDS_PATH_REGEX;
    if ((path_known || gxds_route_matcher_path(m, t->host, request->path)) &&
        gxds_route_matcher_rest(m, t->host, request, &memo)) {
      *found = (int64_t)number;
      return true;
    }
    heads[least] = t->paths.next[number];
    if (heads[least] == GXDS_PATH_CHAIN_END) heads[least] = heads[--count];
  }
  return true;
}

/* Up to this many routes, comparisons cost less than the hash of the path. */
enum { kFewRoutes = 4 };

int64_t gxds_route_table_match(const gxds_route_table *t, const gxds_route_request *request) {
  int64_t found;
  if (t->route_count > kFewRoutes && match_by_index(t, request, &found)) return found;
  return match_linear(t, request);
}

/* A28: draws a cluster by weight. */
static const share *pick_share(const compiled_route *r, const gxds_route_request *request) {
  if (r->share_count == 1) return &r->shares[0];
  uint64_t total = r->shares[r->share_count - 1].end;
  uint64_t random = gxds_random_next(request->random());
  uint64_t drawn = (uint64_t)(((unsigned __int128)random * total) >> 64);
  const size_t at = GXDS_LOWER_BOUND(i, 0, r->share_count - 1, r->shares[i].end <= drawn);
  return &r->shares[at];
}

/* A60: a session stays in its cluster as long as the route has that cluster, whichever cluster was
 * drawn. Returns the share of the session's cluster, or else `drawn`. Leaves the decoded cookie in
 * request->session. */
static __attribute__((noinline)) const share *share_of_session(const compiled_route *r,
                                                               const share *drawn,
                                                               const gxds_route_request *request) {
  static const gxds_str cookies = {"cookie", 6};
  gxds_str header = {NULL, 0};
  (void)request->header(request->arg, cookies, &header);
  gxds_session_text_read(request->session, drawn->target.cookie->name, header);
  const gxds_route *route = r->matcher.route;
  if (request->session->addresses == 0 || route->action != GXDS_ROUTE_CLUSTERS) return drawn;
  for (size_t i = 0; i < r->share_count; i++) {
    if (gxds_session_text_is_of(request->session, route->clusters[i].name)) return &r->shares[i];
  }
  return drawn;
}

static bool has_session(const share *drawn, const gxds_route_request *request) {
  const gxds_session_cookie *cookie = drawn->target.cookie;
  return cookie && request->session && gxds_session_cookie_is_for(cookie, request->path);
}

gxds_route_result gxds_route_table_find(const gxds_route_table *t,
                                        const gxds_route_request *request) {
  int64_t number = gxds_route_table_match(t, request);
  if (number < 0) return (gxds_route_result){.kind = GXDS_ROUTED_NOWHERE};
  const compiled_route *r = &t->routes[number];
  if (r->share_count == 0) return (gxds_route_result){.kind = GXDS_ROUTED_IN_ERROR};
  const share *picked = pick_share(r, request);
  const gxds_session_cookie *cookie = NULL;
  if (has_session(picked, request)) {
    cookie = picked->target.cookie;
    picked = share_of_session(r, picked, request);
  }
  uint64_t hash = 0;
  const bool has_hash = gxds_request_hasher_hash(&r->hasher, t->host, request, &hash);
  return (gxds_route_result){GXDS_ROUTED, &picked->target, cookie, has_hash, hash};
}
