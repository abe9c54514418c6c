#include "lb_policies/registered/registered_policy.h"

#include "base/check.h"
#include "base/memory.h"
#include "lb_policies/registered/registered_internal.h"

typedef gxds_registered_policy policy;

static gxds_code code_of(int number) {
  return number > 0 && number <= (int)GXDS_CODE_MAX ? (gxds_code)number : GXDS_UNKNOWN;
}

gxds_status gxds_registered_failure(const grpc_xds_status *status) {
  return gxds_status_make(code_of(status->code), "%s", status->message ? status->message : "");
}

static void *create(gxds_policy *inner, const gxds_args *args) {
  policy *p = GXDS_NEW(policy);
  p->base.api = &gxds_registered_api;
  p->program = &((const gxds_registered_type *)gxds_policy_type_of(inner))->program;
  p->inner = inner;
  p->args = gxds_args_ref(args);
  p->waker = gxds_registered_waker_create(gxds_policy_poker(inner));
  p->self = p->program->create(&p->base);
  p->created = true;
  return p;
}

/* The program's update() may cause a nested update. So everything that is passed to it is kept
 * until it returns. */
static gxds_status pass_on(policy *p, const gxds_lb_update *given) {
  const gxds_addresses *addresses = gxds_addresses_ref(p->addresses);
  gxds_registered_update u;
  gxds_registered_update_init(&u, addresses, given->config, given->note);
  const grpc_xds_status result = p->program->update(p->self, &u.base);
  gxds_status status = result.code == 0 ? gxds_status_ok() : gxds_registered_failure(&result);
  gxds_registered_update_fini(&u);
  gxds_addresses_unref(addresses);
  return status;
}

static gxds_status update(void *self, const gxds_lb_update *u) {
  policy *p = self;
  gxds_lb_config *config_before = p->config;
  p->config = gxds_lb_config_ref(u->config);
  const gxds_args *args_before = p->args;
  p->args = gxds_args_ref(u->args);
  gxds_args_unref(args_before);
  if (u->addresses) {
    const gxds_addresses *before = p->addresses;
    p->addresses = gxds_addresses_ref(u->addresses);
    gxds_addresses_unref(before);
  }
  gxds_status status = gxds_status_ok();
  if (p->addresses) {
    status = pass_on(p, u);
  } else {
    gxds_policy_publish_failure(p->inner, &u->addresses_status);
  }
  gxds_lb_config_unref(config_before);
  /* The last good addresses stay in use. */
  if (!u->addresses) gxds_status_set(&status, gxds_status_copy(&u->addresses_status));
  return status;
}

static void exit_idle(void *self) {
  policy *p = self;
  if (p->program->exit_idle) p->program->exit_idle(p->self);
}

static void reset_backoff(void *self) {
  policy *p = self;
  if (p->program->reset_backoff) p->program->reset_backoff(p->self);
}

static void on_deadline(void *self) {
  policy *p = self;
  if (p->program->on_deadline) p->program->on_deadline(p->self);
}

static void poked(void *self, uint64_t number, gxds_str text) {
  (void)text;
  policy *p = self;
  if (p->program->woken) p->program->woken(p->self, number);
}

static void end(void *self) { gxds_registered_subchannels_forget(self); }

static void destroy(void *self) {
  policy *p = self;
  p->program->destroy(p->self);
  gxds_registered_waker_unref(p->waker);
  gxds_lb_config_unref(p->config);
  gxds_addresses_unref(p->addresses);
  gxds_args_unref(p->args);
  gxds_free(p);
}

const gxds_policy_type *gxds_registered_policy_type(const grpc_xds_policy_type *type) {
  gxds_registered_type *t = GXDS_NEW(gxds_registered_type);
  const char *name = gxds_str_dup(gxds_str_z(type->name)).data;
  t->program = *type;
  t->program.name = name;
  t->base = (gxds_policy_type){
      .name = name,
      .parse_of = gxds_registered_parse,
      .create = create,
      .update = update,
      .exit_idle = exit_idle,
      .reset_backoff = reset_backoff,
      .end = end,
      .destroy = destroy,
      .on_deadline = on_deadline,
      .poked = poked,
  };
  return &t->base;
}

/* --- What the program calls --- */

static policy *policy_of(const grpc_xds_policy *p) { return (policy *)p; }

static void publish(grpc_xds_policy *base, grpc_xds_state state, const grpc_xds_status *status,
                    void *take_picker) {
  policy *p = policy_of(base);
  GXDS_CHECK(p->created && "grpc_xds_policy_publish() is not for create(): publish in update()");
  GXDS_CHECK((take_picker || state != GRPC_XDS_READY) && "a READY policy has a picker");
  gxds_status failure = gxds_status_ok();
  if (state == GRPC_XDS_TRANSIENT_FAILURE) {
    static const grpc_xds_status unknown = {0};
    gxds_status_set(&failure, gxds_registered_failure(status ? status : &unknown));
  }
  if (take_picker) {
    gxds_policy_publish(p->inner, (grpc_connectivity_state)state, &failure,
                        gxds_registered_picker_create(p->program, take_picker));
  } else if (state == GRPC_XDS_TRANSIENT_FAILURE) {
    gxds_policy_publish_failure(p->inner, &failure);
  } else {
    gxds_policy_publish_queue(p->inner, (grpc_connectivity_state)state);
  }
  gxds_status_fini(&failure);
}

static void reresolve(grpc_xds_policy *p) { gxds_policy_reresolve(policy_of(p)->inner); }
static int64_t now(const grpc_xds_policy *p) { return gxds_policy_now(policy_of(p)->inner); }
static void set_deadline(grpc_xds_policy *p, int64_t deadline) {
  gxds_policy_set_deadline(policy_of(p)->inner, deadline);
}

static void write_log(const grpc_xds_policy *p, bool is_error, const char *line) {
  const gxds_policy *inner = policy_of(p)->inner;
  if (is_error) {
    gxds_policy_log_error(inner, "%s", line);
  } else {
    gxds_policy_log(inner, "%s", line);
  }
}

static grpc_xds_waker *waker(grpc_xds_policy *p) {
  return gxds_registered_waker_ref(policy_of(p)->waker);
}

const grpc_xds_policy_api gxds_registered_api = {
    .version = GRPC_XDS_POLICY_VERSION,
    .publish = publish,
    .reresolve = reresolve,
    .now = now,
    .set_deadline = set_deadline,
    .log = write_log,
    .waker = waker,
    .waker_ref = gxds_registered_waker_ref,
    .waker_unref = gxds_registered_waker_unref,
    .waker_wake = gxds_registered_waker_wake,
    .subchannel_create = gxds_registered_subchannel_create,
    .subchannel_fits = gxds_registered_subchannel_fits,
    .subchannel_connect = gxds_registered_subchannel_connect,
    .subchannel_reset_backoff = gxds_registered_subchannel_reset_backoff,
    .subchannel_destroy = gxds_registered_subchannel_destroy,
    .subchannel_ref = gxds_registered_subchannel_ref,
    .subchannel_unref = gxds_registered_subchannel_unref,
    .call_path = gxds_registered_call_path,
    .call_header = gxds_registered_call_header,
    .call_alloc = gxds_registered_call_alloc,
    .finish_code = gxds_registered_finish_code,
    .finish_trailer = gxds_registered_finish_trailer,
    .config_error = gxds_registered_config_error,
};
