#include "base/backoff.h"

void gxds_backoff_init_xds(gxds_backoff *b) {
  *b = (gxds_backoff){.initial = GXDS_SECOND,
                      .max = 120 * GXDS_SECOND,
                      .multiplier = 1.6,
                      .jitter = 0.2,
                      .current = 0};
}

gxds_duration gxds_backoff_next(gxds_backoff *b, gxds_random *random) {
  if (b->current == 0) {
    b->current = b->initial;
  } else {
    double grown = (double)b->current * b->multiplier;
    b->current = grown < (double)b->max ? (gxds_duration)grown : b->max;
  }
  double factor = 1 + b->jitter * (2 * gxds_random_unit(random) - 1);
  return (gxds_duration)((double)b->current * factor);
}

void gxds_backoff_reset(gxds_backoff *b) { b->current = 0; }

gxds_duration gxds_backoff_after_stream(gxds_backoff *b, bool responded, gxds_duration lived,
                                        gxds_random *random) {
  gxds_duration step = gxds_backoff_next(b, random);
  if (!responded) return step;
  if (lived < step) return step - lived;
  gxds_backoff_reset(b);
  return (gxds_duration)((double)GXDS_REOPEN_WITHIN * gxds_random_unit(random));
}
