#include "host/policy.h"

#include <inttypes.h>

#include "base/memory.h"
#include "host/policy_internal.h"

/* A timer holds a reference to the poker, not to the policy, because the policy may be gone when
 * the timer fires. */
typedef struct gxds_policy_timer {
  gxds_poker *poker;
  uint64_t number;
  gxds_lb_timer handle;
} gxds_policy_timer;

gxds_policy *gxds_policy_create_below(const gxds_policy_type *type, gxds_lb_parent *parent,
                                      gxds_lb_root *root, const gxds_args *args) {
  gxds_policy *p = gxds_calloc(1, sizeof *p);
  p->type = type;
  p->parent = parent;
  p->root = root;
  p->channel = gxds_lb_channel_ref(root->channel);
  p->deadline = GXDS_TIME_NEVER;
  p->poker = gxds_poker_create(p);
  p->self = type->create(p, args);
  return p;
}

gxds_policy *gxds_policy_create(const gxds_policy_type *type, gxds_lb_root *root,
                                const gxds_args *args) {
  return gxds_policy_create_below(type, &root->above, root, args);
}

static void free_policy(void *arg) {
  gxds_policy *p = arg;
  p->type->destroy(p->self);
  gxds_poker_unref(p->poker);
  gxds_lb_channel_unref(p->channel);
  gxds_free(p);
}

void gxds_policy_end(gxds_policy *p) {
  if (!p) return;
  GXDS_CHECK(!p->ended);
  gxds_policy_set_deadline(p, GXDS_TIME_NEVER);
  p->ended = true;
  p->type->end(p->self);
  gxds_poker_close(p->poker);
  p->channel->ops->run_later(p->channel, free_policy, p);
}

gxds_status gxds_policy_update(gxds_policy *p, const gxds_lb_update *update) {
  return p->type->update(p->self, update);
}

void gxds_policy_exit_idle(gxds_policy *p) {
  if (p->type->exit_idle) p->type->exit_idle(p->self);
}

void gxds_policy_reset_backoff(gxds_policy *p) {
  if (p->type->reset_backoff) p->type->reset_backoff(p->self);
}

void gxds_policy_publish(gxds_policy *p, grpc_connectivity_state state, const gxds_status *status,
                         gxds_picker *take_picker) {
  static const gxds_status ok = {0};
  if (p->ended) {
    gxds_picker_unref(take_picker);
    return;
  }
  p->parent->ops->publish(p->parent, state, status ? status : &ok, take_picker);
}

void gxds_policy_publish_failure(gxds_policy *p, const gxds_status *status) {
  gxds_policy_publish(p, GRPC_CHANNEL_TRANSIENT_FAILURE, status, gxds_picker_fail(status));
}

void gxds_policy_publish_empty(gxds_policy *p, const gxds_status *status) {
  gxds_policy_publish(p, GRPC_CHANNEL_TRANSIENT_FAILURE, status,
                      gxds_picker_fail_with_note(status));
}

gxds_status gxds_policy_empty_status(gxds_str note) {
  return gxds_status_make(GXDS_UNAVAILABLE, "empty address list: %.*s", GXDS_STR_ARG(note));
}

void gxds_policy_fail(gxds_policy *p, gxds_status take_status) {
  gxds_policy_publish_failure(p, &take_status);
  gxds_status_fini(&take_status);
}

void gxds_policy_publish_queue(gxds_policy *p, grpc_connectivity_state state) {
  gxds_policy_publish(p, state, NULL, gxds_picker_queue(p->poker));
}

void gxds_policy_reresolve(gxds_policy *p) {
  if (!p->ended) p->parent->ops->reresolve(p->parent);
}

gxds_subchannel *gxds_policy_subchannel(gxds_policy *p, const gxds_lb_address *address,
                                        const gxds_args *args) {
  return p->ended ? NULL : p->parent->ops->subchannel(p->parent, address, args);
}

gxds_policy_counts *gxds_policy_counts_for(const gxds_policy *p, gxds_counting kind) {
  gxds_metric_labels labels = {0};
  p->parent->ops->label(p->parent, &labels);
  return gxds_policy_counts_of(kind, &labels);
}

gxds_policy_counts *gxds_policy_counts_in(const gxds_policy *p, gxds_counting kind,
                                          gxds_str locality) {
  gxds_metric_labels labels = {0};
  p->parent->ops->label(p->parent, &labels);
  labels.locality = locality;
  return gxds_policy_counts_of(kind, &labels);
}

gxds_time gxds_policy_now(const gxds_policy *p) { return p->channel->ops->now(p->channel); }

gxds_lb_config *gxds_policy_parse_list(const gxds_policy *p, gxds_str json, gxds_status *why) {
  return p->channel->ops->parse_list(json, why);
}

uint64_t gxds_policy_random_seed(const gxds_policy *p) {
  return p->channel->ops->random_seed(p->channel);
}

static void free_timer(gxds_policy_timer *t) {
  gxds_poker_unref(t->poker);
  gxds_free(t);
}

static void on_timer(void *arg) {
  gxds_policy_timer *t = arg;
  gxds_policy *p = gxds_poker_policy(t->poker);
  if (p && !p->ended && t->number == p->timer_number) {
    p->timer = NULL;
    p->deadline = GXDS_TIME_NEVER;
    p->type->on_deadline(p->self);
  }
  free_timer(t);
}

void gxds_policy_set_deadline(gxds_policy *p, gxds_time deadline) {
  if (p->ended || deadline == p->deadline) return;
  p->deadline = deadline;
  p->timer_number++;
  gxds_policy_timer *before = p->timer;
  p->timer = NULL;
  if (before && p->channel->ops->timer_cancel(p->channel, before->handle)) free_timer(before);
  if (deadline == GXDS_TIME_NEVER) return;
  gxds_policy_timer *t = gxds_calloc(1, sizeof *t);
  t->poker = gxds_poker_ref(p->poker);
  t->number = p->timer_number;
  const gxds_time now = gxds_policy_now(p);
  p->timer = t;
  t->handle =
      p->channel->ops->timer_start(p->channel, deadline > now ? deadline - now : 0, on_timer, t);
}

bool gxds_policy_ended(const gxds_policy *p) { return p->ended; }
const gxds_policy_type *gxds_policy_type_of(const gxds_policy *p) { return p->type; }
gxds_lb_channel *gxds_policy_channel(const gxds_policy *p) { return p->channel; }
gxds_lb_root *gxds_policy_root(const gxds_policy *p) { return p->root; }
gxds_poker *gxds_policy_poker(gxds_policy *p) { return p->poker; }

const char *gxds_lb_state_name(grpc_connectivity_state state) {
  static const char *const names[] = {"IDLE", "CONNECTING", "READY", "TRANSIENT_FAILURE",
                                      "SHUTDOWN"};
  return names[state];
}

bool gxds_policy_traces(const gxds_policy *p) {
  return p->type->trace && p->channel->ops->traces(p->type->trace);
}

static void write_line(const gxds_policy *p, gxds_lb_severity severity, const char *prefix,
                       gxds_text *take_text) {
  gxds_text line = {0};
  const char *name = p->type->log_name ? p->type->log_name : p->type->name;
  gxds_text_addf(&line, "%s[%s %p] ", prefix, name, p->self);
  gxds_text_add_printable(&line, gxds_text_str(take_text));
  p->channel->ops->log(severity, gxds_text_str(&line));
  gxds_text_fini(&line);
  gxds_text_fini(take_text);
}

void gxds_policy_trace(const gxds_policy *p, const char *format, ...) {
  if (!gxds_policy_traces(p)) return;
  gxds_text text = {0};
  GXDS_TEXT_ADD_ARGS(&text, format);
  write_line(p, GXDS_LB_INFO, "", &text);
}

void gxds_policy_trace_child(const gxds_policy *p, uint64_t token, grpc_connectivity_state state,
                             const gxds_status *status) {
  if (!gxds_policy_traces(p)) return;
  gxds_text text = {0};
  gxds_status_render(status, &text);
  gxds_policy_trace(p, "child %" PRIu64 ": %s (%.*s)", token, gxds_lb_state_name(state),
                    GXDS_STR_ARG(gxds_text_str(&text)));
  gxds_text_fini(&text);
}

void gxds_policy_log(const gxds_policy *p, const char *format, ...) {
  gxds_text text = {0};
  GXDS_TEXT_ADD_ARGS(&text, format);
  write_line(p, GXDS_LB_INFO, "", &text);
}

void gxds_policy_log_error(const gxds_policy *p, const char *format, ...) {
  gxds_text text = {0};
  GXDS_TEXT_ADD_ARGS(&text, format);
  write_line(p, GXDS_LB_ERROR, "grpc_xds: ", &text);
}
