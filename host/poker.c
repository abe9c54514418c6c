#include "base/memory.h"
#include "host/policy_internal.h"

struct gxds_poker {
  gxds_ref refs;
  gxds_lb_channel *channel;
  gxds_policy *policy; /* under the serializer; NULL: the policy has ended */
};

/* A poke on its way to the serializer. */
typedef struct poke {
  gxds_poker *poker;
  bool exit_idle; /* else: poked() */
  uint64_t number;
  gxds_str text; /* owned */
} poke;

gxds_poker *gxds_poker_create(gxds_policy *p) {
  gxds_poker *k = gxds_calloc(1, sizeof *k);
  gxds_ref_init(&k->refs);
  k->channel = gxds_lb_channel_ref(p->channel);
  k->policy = p;
  return k;
}

gxds_poker *gxds_poker_ref(gxds_poker *k) {
  gxds_ref_inc(&k->refs);
  return k;
}

void gxds_poker_unref(gxds_poker *k) {
  if (!k || !gxds_ref_dec(&k->refs)) return;
  gxds_lb_channel_unref(k->channel);
  gxds_free(k);
}

void gxds_poker_close(gxds_poker *k) { k->policy = NULL; }
gxds_policy *gxds_poker_policy(const gxds_poker *k) { return k->policy; }

static void deliver(void *arg) {
  poke *what = arg;
  gxds_policy *p = what->poker->policy;
  if (p && !p->ended) {
    if (what->exit_idle) {
      gxds_policy_exit_idle(p);
    } else {
      p->type->poked(p->self, what->number, what->text);
    }
  }
  gxds_poker_unref(what->poker);
  gxds_str_free(&what->text);
  gxds_free(what);
}

static void send(gxds_poker *k, bool exit_idle, uint64_t number, gxds_str text) {
  poke *what = gxds_calloc(1, sizeof *what);
  what->poker = gxds_poker_ref(k);
  what->exit_idle = exit_idle;
  what->number = number;
  what->text = gxds_str_dup(text);
  k->channel->ops->post(k->channel, deliver, what);
}

void gxds_poker_poke(gxds_poker *k, uint64_t number, gxds_str text) {
  send(k, false, number, text);
}
void gxds_poker_exit_idle(gxds_poker *k) { send(k, true, 0, gxds_str_of(NULL, 0)); }
