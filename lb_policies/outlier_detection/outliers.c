#include "lb_policies/outlier_detection/outliers.h"

#include <math.h>

#include <utlist.h>

#include "base/check.h"
#include "base/hash_table.h"
#include "base/memory.h"
#include "base/random.h"

/* One address. */
typedef struct host {
  uint64_t token;
  gxds_str address; /* owned */
  size_t subchannels;
  gxds_call_results *results;
  bool ejected;
  gxds_time ejected_at;
  uint32_t multiplier;
  bool reported_ejected; /* whether its subchannels were last notified of an ejection */
  /* The RPCs in the interval that ended last. */
  uint64_t volume;
  uint64_t successes;
  UT_hash_handle by_address;
  UT_hash_handle by_token;
  bool changed; /* the address is in the list gxds_outliers.changed */
  struct host *next_changed;
} host;

struct gxds_outliers {
  gxds_outlier_detection settings;
  gxds_random random;
  size_t addresses;
  gxds_time started; /* when the timer was started; GXDS_TIME_NEVER: no timer runs */
  host *by_address;
  host *by_token;
  size_t ejected; /* how many addresses that have subchannels are ejected */
  uint64_t last_token;
  host *changed;
  gxds_outliers_found found;
};

gxds_outliers *gxds_outliers_create(uint64_t seed) {
  gxds_outliers *o = GXDS_NEW(gxds_outliers);
  o->random.state = seed;
  o->started = GXDS_TIME_NEVER;
  return o;
}

/* ---- addresses ---- */

static void forget(gxds_outliers *o, host *h) {
  if (h->changed) LL_DELETE2(o->changed, h, next_changed);
  HASH_DELETE(by_address, o->by_address, h);
  HASH_DELETE(by_token, o->by_token, h);
  gxds_call_results_unref(h->results);
  gxds_str_free(&h->address);
  gxds_free(h);
}

void gxds_outliers_destroy(gxds_outliers *o) {
  if (!o) return;
  host *h;
  host *next;
  HASH_ITER(by_address, o->by_address, h, next) forget(o, h);
  gxds_free(o);
}

static void forget_if_clean(gxds_outliers *o, host *h) {
  if (h->subchannels == 0 && !h->ejected && h->multiplier == 0) forget(o, h);
}

/* "The percentage of ejected addresses" refers to the addresses in the config, if it has any. More
 * addresses may be known, because a priority that is not needed any more keeps its subchannels for
 * a while. An ejected address without subchannels does not count: the config hardly ever has it. */
static bool enough_are_ejected(const gxds_outliers *o) {
  const size_t addresses = o->addresses > 0 ? o->addresses : HASH_CNT(by_address, o->by_address);
  return (double)o->ejected * 100 >= (double)o->settings.max_ejection_percent * (double)addresses;
}

/* The first subchannel of an address was made. If others were ejected while it had none, it may be
 * one too many. */
static void on_return(gxds_outliers *o, host *h) {
  if (h->ejected && enough_are_ejected(o)) h->ejected = false;
  if (h->ejected) o->ejected++;
  /* The new subchannel reports an ejection from the start. */
  h->reported_ejected = h->ejected;
}

uint64_t gxds_outliers_add(gxds_outliers *o, gxds_str address) {
  host *h;
  HASH_FIND(by_address, o->by_address, address.data, address.size, h);
  if (!h) {
    h = GXDS_NEW(host);
    h->token = ++o->last_token;
    h->address = gxds_str_dup(address);
    h->results = gxds_call_results_create();
    HASH_ADD_KEYPTR(by_address, o->by_address, h->address.data, h->address.size, h);
    HASH_ADD(by_token, o->by_token, token, sizeof h->token, h);
  }
  if (h->subchannels == 0) on_return(o, h);
  h->subchannels++;
  return h->token;
}

static host *find(const gxds_outliers *o, uint64_t token) {
  host *h;
  HASH_FIND(by_token, o->by_token, &token, sizeof token, h);
  GXDS_CHECK(h != NULL);
  return h;
}

void gxds_outliers_remove(gxds_outliers *o, uint64_t token) {
  host *h = find(o, token);
  GXDS_CHECK(h->subchannels > 0);
  h->subchannels--;
  if (h->subchannels == 0 && h->ejected) o->ejected--;
  forget_if_clean(o, h);
}

bool gxds_outliers_ejected(const gxds_outliers *o, uint64_t token) {
  return find(o, token)->ejected;
}

gxds_call_results *gxds_outliers_results(const gxds_outliers *o, uint64_t token) {
  return find(o, token)->results;
}

/* ---- ejections ---- */

static void set_ejected(gxds_outliers *o, host *h, bool ejected) {
  h->ejected = ejected;
  if (h->subchannels > 0) o->ejected += ejected ? 1 : (size_t)-1;
  if (h->changed) return;
  h->changed = true;
  LL_APPEND2(o->changed, h, next_changed);
}

static void eject(gxds_outliers *o, host *h, gxds_time now) {
  h->ejected_at = now;
  if (h->multiplier < UINT32_MAX) h->multiplier++;
  set_ejected(o, h, true);
}

gxds_outliers_found gxds_outliers_take_found(gxds_outliers *o) {
  const gxds_outliers_found found = o->found;
  o->found = (gxds_outliers_found){{0}};
  return found;
}

bool gxds_outliers_next(gxds_outliers *o, uint64_t *token) {
  while (o->changed) {
    host *h = o->changed;
    LL_DELETE2(o->changed, h, next_changed);
    h->changed = false;
    if (h->subchannels == 0 || h->reported_ejected == h->ejected) continue;
    h->reported_ejected = h->ejected;
    *token = h->token;
    return true;
  }
  return false;
}

/* ---- config ---- */

static bool is_on(const gxds_ejection *e) { return e->enforcement_percentage > 0; }

bool gxds_outliers_counting(const gxds_outliers *o) {
  return is_on(&o->settings.success_rate) || is_on(&o->settings.failure_percentage);
}

static void reset_counts(gxds_outliers *o) {
  host *h;
  host *next;
  uint64_t successes;
  uint64_t failures;
  HASH_ITER(by_address, o->by_address, h, next) {
    gxds_call_results_turn(h->results, &successes, &failures);
  }
}

static void switch_off(gxds_outliers *o) {
  o->started = GXDS_TIME_NEVER;
  host *h;
  host *next;
  HASH_ITER(by_address, o->by_address, h, next) {
    if (h->ejected) set_ejected(o, h, false);
    h->multiplier = 0;
    forget_if_clean(o, h);
  }
}

void gxds_outliers_on_config(gxds_outliers *o, const gxds_outlier_detection *settings,
                             size_t addresses, gxds_time now) {
  o->settings = *settings;
  if (o->settings.interval < GXDS_OUTLIERS_INTERVAL_MIN) {
    o->settings.interval = GXDS_OUTLIERS_INTERVAL_MIN;
  }
  o->addresses = addresses;
  if (!gxds_outliers_counting(o)) {
    /* Not at each update: it looks at every address. */
    if (o->started != GXDS_TIME_NEVER) switch_off(o);
  } else if (o->started == GXDS_TIME_NEVER) {
    o->started = now;
    reset_counts(o);
  }
}

gxds_time gxds_outliers_deadline(const gxds_outliers *o) {
  if (o->started == GXDS_TIME_NEVER) return GXDS_TIME_NEVER;
  return gxds_time_after(o->started, o->settings.interval);
}

/* ---- the end of an interval ---- */

static bool takes_part(const host *h, const gxds_ejection *e) {
  return h->volume > 0 && h->volume >= e->request_volume;
}

static size_t count_participants(const gxds_outliers *o, const gxds_ejection *e) {
  size_t count = 0;
  for (const host *h = o->by_address; h; h = h->by_address.next) count += takes_part(h, e);
  return count;
}

static double success_rate(const host *h) { return (double)h->successes / (double)h->volume; }

/* The success rate below which an address is an outlier. */
static double success_threshold(const gxds_outliers *o, const gxds_ejection *e, size_t count) {
  /* The mean is computed from differences to one of the rates. So if all rates are equal, it is
   * exactly that rate. If rounding made it greater, all addresses could be below the threshold. */
  double first = -1;
  double differences = 0;
  for (const host *h = o->by_address; h; h = h->by_address.next) {
    if (!takes_part(h, e)) continue;
    if (first < 0) first = success_rate(h);
    differences += success_rate(h) - first;
  }
  const double mean = first + differences / (double)count;
  double variance = 0;
  for (const host *h = o->by_address; h; h = h->by_address.next) {
    if (!takes_part(h, e)) continue;
    double off = success_rate(h) - mean;
    variance += off * off / (double)count;
  }
  return mean - sqrt(variance) * (e->threshold / 1000.0);
}

static bool fails_too_often(const host *h, const gxds_ejection *e) {
  double failures = (double)(h->volume - h->successes);
  return failures * 100 > (double)e->threshold * (double)h->volume;
}

/* A91: an outlier that is not ejected is counted too. */
static void on_outlier(gxds_outliers *o, host *h, bool by_success_rate, gxds_time now) {
  const gxds_ejection *e =
      by_success_rate ? &o->settings.success_rate : &o->settings.failure_percentage;
  uint64_t *counts = o->found.counts;
  if (enough_are_ejected(o)) {
    counts[by_success_rate ? GXDS_COUNT_OVERFLOW_SUCCESS_RATE
                           : GXDS_COUNT_OVERFLOW_FAILURE_PERCENTAGE]++;
  } else if (gxds_random_next(&o->random) % 100 < e->enforcement_percentage) {
    counts[by_success_rate ? GXDS_COUNT_ENFORCED_SUCCESS_RATE
                           : GXDS_COUNT_ENFORCED_FAILURE_PERCENTAGE]++;
    eject(o, h, now);
  } else {
    counts[by_success_rate ? GXDS_COUNT_CHANCE_SUCCESS_RATE
                           : GXDS_COUNT_CHANCE_FAILURE_PERCENTAGE]++;
  }
}

/* Runs one of the two algorithms. An ejected address is not ejected again, because the RPCs that
 * still end there began before the ejection. */
static void run_algorithm(gxds_outliers *o, bool by_success_rate, gxds_time now) {
  const gxds_ejection *e =
      by_success_rate ? &o->settings.success_rate : &o->settings.failure_percentage;
  if (!is_on(e)) return;
  size_t count = count_participants(o, e);
  if (count == 0 || count < e->minimum_hosts) return;
  double threshold = by_success_rate ? success_threshold(o, e, count) : 0;
  for (host *h = o->by_address; h; h = h->by_address.next) {
    if (h->ejected || !takes_part(h, e)) continue;
    bool is_outlier = by_success_rate ? success_rate(h) < threshold : fails_too_often(h, e);
    if (is_outlier) on_outlier(o, h, by_success_rate, now);
  }
}

static gxds_time end_of_ejection(const gxds_outliers *o, const host *h) {
  const gxds_outlier_detection *s = &o->settings;
  gxds_duration most =
      s->base_ejection_time > s->max_ejection_time ? s->base_ejection_time : s->max_ejection_time;
  gxds_duration time;
  if (__builtin_mul_overflow(s->base_ejection_time, (gxds_duration)h->multiplier, &time) ||
      time > most) {
    time = most;
  }
  return gxds_time_after(h->ejected_at, time);
}

static void let_time_pass(gxds_outliers *o, gxds_time now) {
  host *h;
  host *next;
  HASH_ITER(by_address, o->by_address, h, next) {
    if (!h->ejected) {
      if (h->multiplier > 0) h->multiplier--;
      forget_if_clean(o, h);
    } else if (now > end_of_ejection(o, h)) {
      set_ejected(o, h, false);
    }
  }
}

void gxds_outliers_on_deadline(gxds_outliers *o, gxds_time now) {
  if (now < gxds_outliers_deadline(o)) return;
  o->started = now;
  for (host *h = o->by_address; h; h = h->by_address.next) {
    uint64_t failures;
    gxds_call_results_turn(h->results, &h->successes, &failures);
    h->volume = h->successes + failures;
  }
  run_algorithm(o, true, now);
  run_algorithm(o, false, now);
  let_time_pass(o, now);
}
