#include "xds_resolver/xds_resolver.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "bootstrap/bootstrap.h"
#include "xds_resolver/config_change.h"
#include "xds_resolver/resolver.h"
#include "xds_resolver/xds_config_selector.h"

typedef struct xds_resolver {
  gxds_resolver_channel *channel;
  gxds_resolver_target target;
  gxds_route_channel routes; /* owns a copy of the authority */

  gxds_resolver *resolver;        /* NULL before the start and after the shutdown */
  const gxds_config *config;      /* the last good snapshot; NULL if there was none */
  uint64_t config_count;          /* the number of good snapshots so far */
  gxds_str failure;               /* why the last good snapshot is not in use; empty if it is in
                                     use */
  gxds_config_selector *selector; /* NULL if there is none */
} xds_resolver;

/* ---- the URI ---- */

static gxds_str without_slash(gxds_str path) {
  bool has_one = path.size > 0 && path.data[0] == '/';
  return has_one ? gxds_str_from(path, 1) : path;
}

static const char *check(gxds_str path) {
  if (path.size > 0 && path.data[path.size - 1] != '/') return NULL;
  return "URI path does not contain valid data plane authority";
}

static gxds_str default_authority(gxds_str path) {
  return gxds_data_plane_authority(without_slash(path));
}

/* ---- what others are notified of ---- */

static bool traces(const xds_resolver *r) { return r->channel->ops->traces(); }

/* Logs a line, if the trace is on. */
__attribute__((format(printf, 2, 3))) static void trace(const xds_resolver *r, const char *format,
                                                        ...) {
  if (!traces(r)) return;
  gxds_text line = {0};
  gxds_text_addf(&line, "[xds_resolver %p] ", r->channel->resolver_id);
  GXDS_TEXT_ADD_ARGS(&line, format);
  r->channel->ops->log(GXDS_RESOLVER_INFO, gxds_text_str(&line));
  gxds_text_fini(&line);
}

static void trace_snapshot(const xds_resolver *r, const gxds_config *after) {
  if (!traces(r)) return; /* checked first, because the description of the change costs time */
  gxds_text change = {0};
  gxds_config_describe_change(r->config, after, &change);
  trace(r, "snapshot %" PRIu64 " (%p): %s", r->config_count, (const void *)after, change.data);
  gxds_text_fini(&change);
}

static void add_event(const xds_resolver *r, gxds_resolver_severity severity, gxds_str text) {
  gxds_str line =
      gxds_str_format("xDS: %.*s", (int)gxds_fault_size(text, GXDS_FAULTS_BYTES_MAX), text.data);
  r->channel->ops->add_event(r->channel, severity, line);
  gxds_str_free(&line);
}

/* Adds channelz events for new faults of the snapshot, and for faults that are over. */
static void add_fault_events(xds_resolver *r, const gxds_config *after) {
  if (!r->channel->ops->has_trace(r->channel)) return;
  if (r->failure.size > 0) {
    add_event(r, GXDS_RESOLVER_INFO, gxds_str_z("listener and routes are well again"));
    gxds_str_free(&r->failure);
  }
  gxds_text faults = {0};
  const gxds_fault worst = gxds_config_describe_faults(r->config, after, &faults);
  static const gxds_resolver_severity severities[] = {
      [GXDS_FAULT_OVER] = GXDS_RESOLVER_INFO,
      [GXDS_FAULT_AMBIENT] = GXDS_RESOLVER_WARNING,
      [GXDS_FAULT_UNUSABLE] = GXDS_RESOLVER_ERROR,
  };
  if (worst != GXDS_FAULT_NONE) add_event(r, severities[worst], gxds_text_str(&faults));
  gxds_text_fini(&faults);
}

static void log_failure(const xds_resolver *r, const gxds_status *failure) {
  gxds_text status = {0};
  gxds_status_render(failure, &status);
  gxds_text line = {0};
  gxds_text_addf(&line, "grpc_xds: [channel %.*s] ", GXDS_STR_ARG(r->target.uri));
  gxds_text_add_printable(&line, gxds_text_str(&status));
  r->channel->ops->log(GXDS_RESOLVER_ERROR, gxds_text_str(&line));
  gxds_text_fini(&line);
  gxds_text_fini(&status);
}

/* ---- results ---- */

static void drop_selector(xds_resolver *r) {
  gxds_config_selector_unref(r->selector);
  r->selector = NULL;
}

static void renew_selector(xds_resolver *r, const gxds_resolver_update *update) {
  if (r->selector && gxds_xds_config_selector_fits(r->selector, update->config, update->clusters)) {
    return;
  }
  drop_selector(r);
  r->selector = gxds_xds_config_selector_create(update->config, update->clusters, &r->routes,
                                                r->target.services);
  trace(r, "config selector %p: made of snapshot %" PRIu64, (const void *)r->selector,
        r->config_count);
}

static void report_config(xds_resolver *r, const gxds_resolver_update *update) {
  r->config_count++;
  trace_snapshot(r, update->config);
  add_fault_events(r, update->config);
  gxds_config_unref(r->config);
  r->config = gxds_config_ref(update->config);
  renew_selector(r, update);
  const gxds_resolution resolution = {
      /* The policies take everything else from the snapshot. */
      .service_config = "{\"loadBalancingConfig\":[{\"xds_cluster_manager_experimental\":{}}]}",
      .snapshot = r->config,
      .mailbox = gxds_resolver_mailbox(r->resolver),
      .selector = r->selector,
  };
  r->channel->ops->report(r->channel, &resolution);
}

static void report_failure(xds_resolver *r, const gxds_status *failure) {
  log_failure(r, failure);
  drop_selector(r);
  gxds_resolution resolution = {.failure = *failure};
  if (r->config) {
    /* Before the first good snapshot, the host itself reports the error to channelz. */
    gxds_str_set(&r->failure, failure->message);
    if (r->channel->ops->has_trace(r->channel)) {
      add_event(r, GXDS_RESOLVER_ERROR, r->failure);
    }
    /* If this were reported to the channel as an error, the channel would keep its last
     * configuration. So an empty config without addresses is reported instead: its default policy
     * fails all RPCs, with the note as the error. */
    resolution = (gxds_resolution){.service_config = "{}", .note = failure->message};
  }
  r->channel->ops->report(r->channel, &resolution);
}

static void drain(void *self) {
  xds_resolver *r = self;
  if (!r->resolver) return; /* shut down */
  gxds_resolver_update *update = gxds_resolver_take(r->resolver);
  if (!update) return;
  if (gxds_status_is_ok(&update->failure)) {
    report_config(r, update);
  } else {
    report_failure(r, &update->failure);
  }
  gxds_resolver_update_destroy(update);
}

/* ---- its life ---- */

static void *create(gxds_resolver_channel *channel, const gxds_resolver_target *target) {
  xds_resolver *r = GXDS_NEW(xds_resolver);
  r->channel = channel;
  r->target = *target;
  r->routes.id = gxds_random_seed();
  r->routes.authority = target->data_plane_authority
                            ? gxds_str_dup(gxds_str_z(target->data_plane_authority))
                            : default_authority(target->path);
  return r;
}

static void schedule(void *arg) {
  gxds_resolver_link *link = arg;
  link->schedule(link);
}

static void gone(void *arg) {
  gxds_resolver_link *link = arg;
  link->gone(link);
}

/* The does-not-exist timeout from the channel's arguments; 0 means the default. An argument of 0 or
 * less gives the shortest timeout, 1 ns. */
static gxds_duration resource_timeout(const grpc_channel_args *client_args) {
  static const char name[] = "grpc.xds_resource_does_not_exist_timeout_ms";
  for (size_t i = 0; client_args && i < client_args->num_args; i++) {
    const grpc_arg *arg = &client_args->args[i];
    if (arg->type != GRPC_ARG_INTEGER || strcmp(arg->key, name) != 0) continue;
    return arg->value.integer > 0 ? arg->value.integer * GXDS_MILLISECOND : 1;
  }
  return 0;
}

static bool start(void *self, gxds_resolver_link *link) {
  xds_resolver *r = self;
  const gxds_str path = without_slash(r->target.path);
  gxds_str canonical =
      gxds_str_format("xds://%.*s/%.*s", GXDS_STR_ARG(r->target.authority), GXDS_STR_ARG(path));
  trace(r, "started for %s, data plane authority %.*s", canonical.data,
        GXDS_STR_ARG(r->routes.authority));
  const gxds_resolver_options options = {
      .target = canonical,
      .uri_authority = r->target.authority,
      .uri_path = path,
      .data_plane_authority = r->routes.authority,
      .bootstrap_json = r->target.bootstrap_json,
      .args = link->client_args,
      .resource_timeout = resource_timeout(link->client_args),
      .host = r->target.services,
      .channel_args = r->target.args,
      .schedule = schedule,
      .gone = gone,
      .arg = link,
  };
  gxds_status status = gxds_resolver_start(&options, &r->resolver);
  const bool started = gxds_status_is_ok(&status);
  if (!started) report_failure(r, &status);
  gxds_status_fini(&status);
  gxds_str_free(&canonical);
  return started;
}

static void reresolve(void *self) {
  xds_resolver *r = self;
  if (r->resolver) gxds_resolver_reresolve(r->resolver);
}

static void reset_backoff(void *self) {
  xds_resolver *r = self;
  if (r->resolver) gxds_resolver_reset_backoff(r->resolver);
}

static void shut_down(void *self) {
  xds_resolver *r = self;
  trace(r, "shut down");
  if (r->resolver) gxds_resolver_close(r->resolver);
  r->resolver = NULL;
  drop_selector(r);
}

static void destroy(void *self) {
  xds_resolver *r = self;
  gxds_config_unref(r->config);
  gxds_config_selector_unref(r->selector);
  gxds_str_free(&r->failure);
  gxds_str_free(&r->routes.authority);
  gxds_free(r);
}

const gxds_resolver_type gxds_xds_resolver = {
    .scheme = "xds",
    .check = check,
    .default_authority = default_authority,
    .create = create,
    .start = start,
    .drain = drain,
    .reresolve = reresolve,
    .reset_backoff = reset_backoff,
    .shutdown = shut_down,
    .destroy = destroy,
};
