#include "base/check.h"
#include "base/memory.h"
#include "lb_policies/registered/registered_internal.h"

typedef struct registered_picker {
  gxds_picker base; /* first */
  const grpc_xds_policy_type *program;
  void *picker; /* the program's */
} registered_picker;

typedef struct registered_call {
  grpc_xds_call base; /* first */
  const gxds_pick *pick;
} registered_call;

/* The tracker of one attempt. It is in the memory of the call. */
typedef struct registered_tracker {
  gxds_tracker base; /* first */
  const grpc_xds_policy_type *program;
  void *attempt;
} registered_tracker;

typedef struct registered_finish {
  grpc_xds_finish base; /* first */
  const gxds_finish *finish;
} registered_finish;

static void started(gxds_tracker *base) {
  const registered_tracker *t = (const registered_tracker *)base;
  if (t->program->attempt_started) t->program->attempt_started(t->attempt);
}

static void finished(gxds_tracker *base, const gxds_finish *finish) {
  const registered_tracker *t = (const registered_tracker *)base;
  if (!t->program->attempt_finished) return;
  const registered_finish f = {{&gxds_registered_api}, finish};
  t->program->attempt_finished(t->attempt, &f.base);
}

static void destroy_tracker(gxds_tracker *base) {
  const registered_tracker *t = (const registered_tracker *)base;
  if (t->program->attempt_destroy) t->program->attempt_destroy(t->attempt);
}

static gxds_tracker *tracker_of(const grpc_xds_policy_type *program, void *attempt,
                                const gxds_pick *call) {
  static const gxds_tracker_ops ops = {started, finished, destroy_tracker};
  if (!attempt) return NULL;
  registered_tracker *t = gxds_pick_alloc(call, sizeof *t);
  *t = (registered_tracker){{.ops = &ops}, program, attempt};
  return &t->base;
}

static void complete(const grpc_xds_policy_type *program, const grpc_xds_picked *picked,
                     const gxds_pick *call, gxds_picked *out) {
  GXDS_CHECK(picked->subchannel);
  gxds_subchannel *inner = gxds_registered_subchannel_inner(picked->subchannel);
  gxds_picked_complete(out, gxds_subchannel_ref(inner), tracker_of(program, picked->attempt, call));
}

static void pick(gxds_picker *base, const gxds_pick *call, gxds_picked *out) {
  const registered_picker *p = (const registered_picker *)base;
  const registered_call c = {{&gxds_registered_api}, call};
  grpc_xds_picked picked = {0};
  p->program->pick(p->picker, &c.base, &picked);
  switch (picked.kind) {
    case GRPC_XDS_PICKED_COMPLETE:
      complete(p->program, &picked, call, out);
      return;
    case GRPC_XDS_PICKED_FAIL:
      gxds_picked_fail(out, gxds_registered_failure(&picked.status));
      return;
    case GRPC_XDS_PICKED_DROP:
      gxds_picked_drop(out, gxds_registered_failure(&picked.status));
      return;
    case GRPC_XDS_PICKED_QUEUE:
      break;
  }
  gxds_picked_queue(out);
}

static void destroy(gxds_picker *base) {
  registered_picker *p = (registered_picker *)base;
  if (p->program->picker_destroy) p->program->picker_destroy(p->picker);
  gxds_free(p);
}

gxds_picker *gxds_registered_picker_create(const grpc_xds_policy_type *program, void *take_picker) {
  static const gxds_picker_ops ops = {pick, destroy};
  registered_picker *p = GXDS_NEW(registered_picker);
  gxds_picker_init(&p->base, &ops);
  p->program = program;
  p->picker = take_picker;
  return &p->base;
}

static grpc_xds_bytes bytes_of(gxds_str s) { return (grpc_xds_bytes){s.data, s.size}; }

grpc_xds_bytes gxds_registered_call_path(const grpc_xds_call *c) {
  return bytes_of(gxds_pick_path(((const registered_call *)c)->pick));
}

bool gxds_registered_call_header(const grpc_xds_call *c, const char *name, grpc_xds_bytes *value) {
  gxds_str found;
  if (!gxds_pick_header(((const registered_call *)c)->pick, gxds_str_z(name), &found)) return false;
  *value = bytes_of(found);
  return true;
}

void *gxds_registered_call_alloc(const grpc_xds_call *c, size_t size) {
  return gxds_pick_alloc(((const registered_call *)c)->pick, size);
}

int gxds_registered_finish_code(const grpc_xds_finish *f) {
  return (int)((const registered_finish *)f)->finish->code;
}

bool gxds_registered_finish_trailer(const grpc_xds_finish *f, const char *name,
                                    grpc_xds_bytes *value) {
  gxds_str found;
  if (!gxds_finish_trailer(((const registered_finish *)f)->finish, gxds_str_z(name), &found)) {
    return false;
  }
  *value = bytes_of(found);
  return true;
}
