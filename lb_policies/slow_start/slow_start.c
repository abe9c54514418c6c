#include "lb_policies/slow_start/slow_start.h"

#include <math.h>

#include "json/json.h"

/* Envoy's defaults. */
static const gxds_slow_start defaults = {.window = 0, .aggression = 1, .min_weight_percent = 10};

bool gxds_slow_start_parse(const json_t *config, gxds_errors *errors, gxds_slow_start *out) {
  *out = defaults;
  const size_t before = errors->count;
  const json_t *in = NULL;
  if (!gxds_json_object(config, "slowStart", GXDS_JSON_OPTIONAL, NULL, errors, &in)) {
    return errors->count == before;
  }
  const gxds_path *at = GXDS_FIELD(NULL, "slowStart");
  gxds_json_duration(in, "window", GXDS_JSON_OPTIONAL, at, errors, &out->window);
  if (gxds_json_double(in, "aggression", GXDS_JSON_OPTIONAL, at, errors, &out->aggression) &&
      !(out->aggression > 0)) {
    gxds_errors_add(errors, GXDS_FIELD(at, "aggression"), "must be greater than 0");
  }
  if (gxds_json_double(in, "minWeightPercent", GXDS_JSON_OPTIONAL, at, errors,
                       &out->min_weight_percent) &&
      !(out->min_weight_percent >= 0 && out->min_weight_percent <= 100)) {
    gxds_errors_add(errors, GXDS_FIELD(at, "minWeightPercent"), "must be in the range [0, 100]");
  }
  return errors->count == before;
}

bool gxds_slow_start_equal(const gxds_slow_start *a, const gxds_slow_start *b) {
  if (a->window == 0 && b->window == 0) return true;
  return a->window == b->window && a->aggression == b->aggression &&
         a->min_weight_percent == b->min_weight_percent;
}

double gxds_slow_start_share(const gxds_slow_start *s, gxds_duration age) {
  const gxds_duration counted = age < GXDS_SECOND ? GXDS_SECOND : age;
  if (counted >= s->window) return 1;
  const double grown = pow((double)counted / (double)s->window, 1 / s->aggression);
  const double least = fmax(s->min_weight_percent / 100, GXDS_SLOW_START_SHARE_MIN);
  return fmin(fmax(grown, least), 1);
}

/* A window has a hundred steps, but there are at most ten steps in a second, and at least one. */
gxds_duration gxds_slow_start_period(const gxds_slow_start *s) {
  const gxds_duration shortest = 100 * GXDS_MILLISECOND;
  const gxds_duration step = s->window / 100;
  if (step < shortest) return shortest;
  return step < GXDS_SECOND ? step : GXDS_SECOND;
}
