/* A child: the policy that its config names, or two policies while the newer one connects. */
#include <inttypes.h>

#include "base/memory.h"
#include "host/policy_internal.h"

/* One of the child's policies: a policy in C, or one of the host's. */
typedef struct slot {
  gxds_lb_parent above; /* the policy's parent; first, so that a pointer to it is a pointer to the
                           slot */
  gxds_lb_child *child;
  gxds_str name;            /* the name of the policy; owned */
  gxds_policy *policy;      /* a policy in C; NULL: the policy is the host's, or is still being
                               made */
  gxds_hosts_policy *hosts; /* a policy of the host; NULL: the policy is in C, or is still being
                               made */
} slot;

struct gxds_lb_child {
  gxds_policy *owner;
  uint64_t token;
  bool ended;
  slot *current; /* NULL: there was no update yet */
  slot *pending; /* replaces current when it reports any state but CONNECTING; NULL: none */
};

static void free_slot(void *arg) {
  slot *s = arg;
  gxds_str_free(&s->name);
  gxds_free(s);
}

/* Ends the policy. The slot is freed later, because a function of its policy may be running. */
static void end_slot(slot *s) {
  if (!s) return;
  gxds_policy_end(s->policy);
  if (s->hosts) s->hosts->ops->end(s->hosts);
  s->policy = NULL;
  s->hosts = NULL;
  gxds_lb_channel *channel = s->child->owner->channel;
  channel->ops->run_later(channel, free_slot, s);
}

/* Whether the reports of the slot's policy still go to the parent. */
static bool is_heard(const slot *s) {
  const gxds_lb_child *c = s->child;
  return (s == c->current || s == c->pending) && !c->ended && !c->owner->ended;
}

static void slot_publish(gxds_lb_parent *above, grpc_connectivity_state state,
                         const gxds_status *status, gxds_picker *take_picker) {
  slot *s = (slot *)above;
  gxds_lb_child *c = s->child;
  if (!is_heard(s) || (s == c->pending && state == GRPC_CHANNEL_CONNECTING)) {
    gxds_picker_unref(take_picker);
    return;
  }
  if (s == c->pending) {
    slot *before = c->current;
    c->current = s;
    c->pending = NULL;
    end_slot(before);
  }
  c->owner->type->child_state(c->owner->self, c->token, state, status, take_picker);
}

static gxds_subchannel *slot_subchannel(gxds_lb_parent *above, const gxds_lb_address *address,
                                        const gxds_args *args) {
  slot *s = (slot *)above;
  if (!is_heard(s)) return NULL;
  gxds_policy *owner = s->child->owner;
  if (!owner->type->child_subchannel) return gxds_policy_subchannel(owner, address, args);
  return owner->type->child_subchannel(owner->self, s->child->token, address, args);
}

/* Only the newest policy has the present addresses, so only its requests are passed on. */
static void slot_reresolve(gxds_lb_parent *above) {
  slot *s = (slot *)above;
  const gxds_lb_child *c = s->child;
  if (!is_heard(s) || (c->pending && s != c->pending)) return;
  const gxds_policy_type *type = c->owner->type;
  if (type->child_reresolve && !type->child_reresolve(c->owner->self, c->token)) return;
  gxds_policy_reresolve(c->owner);
}

static void slot_add_event(gxds_lb_parent *above, gxds_lb_severity severity, gxds_str line) {
  slot *s = (slot *)above;
  if (!is_heard(s)) return;
  gxds_lb_parent *up = s->child->owner->parent;
  up->ops->add_event(up, severity, line);
}

/* If several policies above set a label, the nearest one decides. */
static void slot_label(gxds_lb_parent *above, gxds_metric_labels *out) {
  const gxds_lb_child *c = ((slot *)above)->child;
  gxds_lb_parent *up = c->owner->parent;
  up->ops->label(up, out);
  if (c->owner->type->child_label) c->owner->type->child_label(c->owner->self, c->token, out);
}

static const gxds_lb_parent_ops slot_ops = {slot_publish, slot_subchannel, slot_reresolve,
                                            slot_add_event, slot_label};

/* Makes the slot's policy. The child has the slot already, because the policy may report at once.
 */
static gxds_status fill_slot(slot *s, const gxds_lb_update *update) {
  gxds_lb_root *root = s->child->owner->root;
  if (update->config->type) {
    s->policy = gxds_policy_create_below(update->config->type, &s->above, root, update->args);
    return gxds_status_ok();
  }
  s->hosts = root->ops->policy_create(root, s->name, &s->above, update->args);
  if (s->hosts) return gxds_status_ok();
  return gxds_status_make(GXDS_UNAVAILABLE, "there is no load-balancing policy \"%.*s\"",
                          GXDS_STR_ARG(s->name));
}

/* Adds an event to the channel's trace, with gRPC's text. */
static void trace_creation(const slot *s) {
  gxds_lb_parent *up = s->child->owner->parent;
  gxds_str text = gxds_str_format("Created new LB policy \"%.*s\"", GXDS_STR_ARG(s->name));
  up->ops->add_event(up, GXDS_LB_INFO, text);
  gxds_str_free(&text);
}

static gxds_status add_slot(gxds_lb_child *c, const gxds_lb_update *update) {
  slot *s = gxds_calloc(1, sizeof *s);
  s->above.ops = &slot_ops;
  s->child = c;
  s->name = gxds_str_dup(update->config->policy);
  gxds_policy_trace(c->owner, "child %" PRIu64 ": making a %.*s%s", c->token, GXDS_STR_ARG(s->name),
                    c->current ? " beside the one before" : "");
  if (c->current) {
    end_slot(c->pending);
    c->pending = s;
  } else {
    c->current = s;
  }
  gxds_status status = fill_slot(s, update);
  if (gxds_status_is_ok(&status)) {
    if (is_heard(s)) trace_creation(s);
    return status;
  }
  *(c->current == s ? &c->current : &c->pending) = NULL;
  end_slot(s);
  return status;
}

gxds_lb_child *gxds_lb_child_create(gxds_policy *parent, uint64_t token) {
  gxds_lb_child *c = gxds_calloc(1, sizeof *c);
  c->owner = parent;
  c->token = token;
  return c;
}

void gxds_lb_child_end(gxds_lb_child *c) {
  if (!c) return;
  GXDS_CHECK(!c->ended);
  c->ended = true;
  slot *current = c->current;
  slot *pending = c->pending;
  c->current = NULL;
  c->pending = NULL;
  end_slot(pending);
  end_slot(current);
  c->owner->channel->ops->run_later(c->owner->channel, gxds_free, c);
}

gxds_status gxds_lb_child_update(gxds_lb_child *c, const gxds_lb_update *update) {
  slot *s = c->pending ? c->pending : c->current;
  if (!s || !gxds_str_equal(s->name, update->config->policy)) {
    gxds_status status = add_slot(c, update);
    if (!gxds_status_is_ok(&status)) return status;
    s = c->pending ? c->pending : c->current;
    if (!s) return gxds_status_ok(); /* the child ended while the policy was being made */
  }
  if (s->policy) return gxds_policy_update(s->policy, update);
  return s->hosts->ops->update(s->hosts, update);
}

static void slot_exit_idle(slot *s) {
  if (s && s->policy) gxds_policy_exit_idle(s->policy);
  if (s && s->hosts) s->hosts->ops->exit_idle(s->hosts);
}

/* The call of current may end the child, or let pending replace current. */
void gxds_lb_child_exit_idle(gxds_lb_child *c) {
  slot *pending = c->pending;
  slot_exit_idle(c->current);
  if (pending && (pending == c->pending || pending == c->current)) slot_exit_idle(pending);
}

static void slot_reset_backoff(slot *s) {
  if (s && s->policy) gxds_policy_reset_backoff(s->policy);
  if (s && s->hosts) s->hosts->ops->reset_backoff(s->hosts);
}

void gxds_lb_child_reset_backoff(gxds_lb_child *c) {
  slot *pending = c->pending;
  slot_reset_backoff(c->current);
  if (pending && (pending == c->pending || pending == c->current)) slot_reset_backoff(pending);
}
