/* Metrics as text for Prometheus (exposition format 0.0.4), and gxds_histogram, which counts
 * durations by steps. They take no locks: if several threads use the same object, the caller needs
 * a lock. */
#ifndef GRPC_XDS_BASE_METRIC_H_
#define GRPC_XDS_BASE_METRIC_H_

#include "base/text.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds the head of a family of metrics; its values follow. All strings are static. */
void gxds_metric_family(gxds_text *out, const char *name, const char *kind, const char *help);
/* name="value", escaped. */
void gxds_metric_label(gxds_text *out, const char *name, gxds_str value);

/* The values of a family, by their labels. Zero-initialised, it is empty. Prometheus takes each set
 * of labels once only, but two clients may have the same labels. */
typedef struct gxds_metric_values {
  struct gxds_metric_value *all;
} gxds_metric_values;

/* What becomes of the values that have the same labels. */
typedef enum gxds_metric_merge { GXDS_METRIC_SUM, GXDS_METRIC_LEAST } gxds_metric_merge;

/* take_labels: a="b",c="d"; it is empty afterwards. */
void gxds_metric_values_add(gxds_metric_values *v, gxds_text *take_labels, gxds_metric_merge merge,
                            uint64_t value);
/* Adds the values to out, in the order in which their labels were added first, and empties v. */
void gxds_metric_values_render(gxds_metric_values *v, const char *name, gxds_text *out);

#define GXDS_HISTOGRAM_STEPS 16

/* Zero-initialised: nothing was counted. */
typedef struct gxds_histogram {
  uint64_t
      counts[GXDS_HISTOGRAM_STEPS + 1]; /* the last one counts durations longer than all steps */
  uint64_t count;
  gxds_duration sum;
} gxds_histogram;

/* In steps from 10 microseconds to 10 seconds. A negative time counts as 0. */
void gxds_histogram_add(gxds_histogram *h, gxds_duration took);
void gxds_histogram_add_all(gxds_histogram *h, const gxds_histogram *other);
/* The values of a family of kind histogram, in seconds. labels: a="b",c="d", as of
 * gxds_metric_label(); not empty. */
void gxds_histogram_render(const gxds_histogram *h, const char *name, gxds_str labels,
                           gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
