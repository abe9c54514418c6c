#include "lb_policies/happy_eyeballs/load_relay.h"

#include <pthread.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/time.h"

/* Passes reports on to the listener, from one inlet at a time. Shared by all inlets. */
typedef struct outlet {
  gxds_ref refs;
  pthread_mutex_t lock;     /* held while the listener is called */
  gxds_load_listener *to;   /* a reference; NULL until reports are requested */
  const struct inlet *open; /* the inlet whose reports are passed on; NULL: none */
} outlet;

/* Gets the reports of one subchannel. */
typedef struct inlet {
  gxds_load_listener base;
  outlet *out; /* a reference */
} inlet;

struct gxds_load_relay {
  outlet *out;
  inlet *in;                   /* the inlet of the chosen subchannel; a reference; NULL: no reports
                                  are requested */
  gxds_subchannel *subchannel; /* a reference; NULL: none is chosen */
  gxds_duration interval;
};

static void unref_outlet(outlet *o) {
  if (!gxds_ref_dec(&o->refs)) return;
  gxds_load_listener_unref(o->to);
  pthread_mutex_destroy(&o->lock);
  gxds_free(o);
}

/* Locks the outlet. If the reports of i are no longer passed on, returns false and leaves the
 * outlet unlocked. */
static bool lock(const inlet *i) {
  pthread_mutex_lock(&i->out->lock);
  if (i->out->open == i) return true;
  pthread_mutex_unlock(&i->out->lock);
  return false;
}

static void connection_changed(gxds_load_listener *l) {
  const inlet *i = (const inlet *)l;
  if (!lock(i)) return;
  i->out->to->ops->connection_changed(i->out->to);
  pthread_mutex_unlock(&i->out->lock);
}

static void reported(gxds_load_listener *l, const struct gxds_orca_report *report) {
  const inlet *i = (const inlet *)l;
  if (!lock(i)) return;
  i->out->to->ops->reported(i->out->to, report);
  pthread_mutex_unlock(&i->out->lock);
}

static void destroy_inlet(gxds_load_listener *l) {
  unref_outlet(((inlet *)l)->out);
  gxds_free(l);
}

static void open_inlet(outlet *o, const inlet *i, bool is_new) {
  pthread_mutex_lock(&o->lock);
  o->open = i;
  if (is_new) o->to->ops->connection_changed(o->to);
  pthread_mutex_unlock(&o->lock);
}

gxds_load_relay *gxds_load_relay_create(void) {
  gxds_load_relay *r = GXDS_NEW(gxds_load_relay);
  r->out = GXDS_NEW(outlet);
  gxds_ref_init(&r->out->refs);
  pthread_mutex_init(&r->out->lock, NULL);
  r->interval = GXDS_TIME_NEVER;
  return r;
}

/* is_new: as in gxds_load_relay_choose(). */
static void request(gxds_load_relay *r, bool is_new) {
  static const gxds_load_listener_ops ops = {connection_changed, reported, destroy_inlet};
  if (!r->subchannel || !r->out->to) return;
  if (!r->in) {
    if (r->interval == GXDS_TIME_NEVER) return;
    r->in = GXDS_NEW(inlet);
    gxds_ref_init(&r->in->base.refs);
    r->in->base.ops = &ops;
    gxds_ref_inc(&r->out->refs);
    r->in->out = r->out;
    open_inlet(r->out, r->in, is_new);
  }
  gxds_subchannel_report_load(r->subchannel, &r->in->base, r->interval);
}

void gxds_load_relay_want(gxds_load_relay *r, gxds_load_listener *l, gxds_duration interval) {
  if (!r->out->to) {
    if (interval == GXDS_TIME_NEVER) return;
    r->out->to = gxds_load_listener_ref(l);
  }
  GXDS_CHECK(r->out->to == l);
  r->interval = interval;
  request(r, false);
}

void gxds_load_relay_choose(gxds_load_relay *r, gxds_subchannel *subchannel, bool is_new) {
  if (subchannel == r->subchannel) return;
  if (r->in) {
    open_inlet(r->out, NULL, false);
    gxds_subchannel_report_load(r->subchannel, &r->in->base, GXDS_TIME_NEVER);
    gxds_load_listener_unref(&r->in->base);
    r->in = NULL;
  }
  gxds_subchannel_unref(r->subchannel);
  r->subchannel = subchannel ? gxds_subchannel_ref(subchannel) : NULL;
  request(r, is_new);
}

void gxds_load_relay_destroy(gxds_load_relay *r) {
  if (!r) return;
  gxds_load_relay_choose(r, NULL, false);
  unref_outlet(r->out);
  gxds_free(r);
}
