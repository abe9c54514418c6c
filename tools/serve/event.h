/* gxds_serve_event: an event that `xds serve` prints for its operator: a subscription, a push, a
 * NACK, a load report, an error in a file. It is rendered as a line for people, or as a JSON object
 * for machines (described in gxds_serve_help). It owns all its contents. Confined. */
#ifndef GRPC_XDS_TOOLS_SERVE_EVENT_H_
#define GRPC_XDS_TOOLS_SERVE_EVENT_H_

#include <stdint.h>

#include "files/file_set.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_serve_event_kind {
  GXDS_SERVE_LISTENING,    /* detail: the address */
  GXDS_SERVE_RESOURCES,    /* a new state of the directory is being served; detail: counts */
  GXDS_SERVE_ERROR,        /* a file has an error: file, line, field, detail; the last good state
                              stays */
  GXDS_SERVE_WARNING,      /* clients will refuse a resource: file, line, type, names, detail. Or a
                              notice about how changes of the directory are detected: detail */
  GXDS_SERVE_STREAM_OPEN,  /* service */
  GXDS_SERVE_STREAM_CLOSE, /* service; detail: why */
  GXDS_SERVE_SUBSCRIBED,   /* names were added to a type's subscription; "*": all resources */
  GXDS_SERVE_UNSUBSCRIBED,
  GXDS_SERVE_PUSH,         /* a response was sent: names, version, nonce; removed */
  GXDS_SERVE_ACK,          /* version, nonce */
  GXDS_SERVE_NACK,         /* version (the last accepted), nonce, detail: the client's message */
  GXDS_SERVE_STALE,        /* a request with an old nonce was ignored */
  GXDS_SERVE_UNKNOWN_TYPE, /* a request for a type that is not served; detail: its URL */
  GXDS_SERVE_LOAD,         /* load */
} gxds_serve_event_kind;

typedef struct gxds_serve_drop {
  gxds_str category;
  uint64_t count;
} gxds_serve_drop;

/* A metric that the backends of a locality reported (A64). */
typedef struct gxds_serve_metric {
  gxds_str name;     /* "cpu_utilization", "named_metrics.queue" */
  uint64_t requests; /* how many requests reported the metric since the last report */
  double sum;
} gxds_serve_metric;

/* A cluster's locality in a load report, or its drops (has_locality false). */
typedef struct gxds_serve_load {
  gxds_str cluster;
  gxds_str eds_service;
  bool has_locality;
  gxds_str region;
  gxds_str zone;
  gxds_str sub_zone;
  uint64_t successful; /* RPCs since the last report */
  uint64_t error;
  uint64_t in_progress; /* RPCs in progress at the end of the reported time */
  uint64_t issued;
  uint64_t total_successful; /* this and the next two: the sums of all reports of this client */
  uint64_t total_error;
  uint64_t total_issued;
  gxds_serve_metric *metrics;
  size_t metric_count;
  uint64_t total_dropped; /* drops, with or without a category, since the last report */
  gxds_serve_drop *drops;
  size_t drop_count;
} gxds_serve_load;

typedef struct gxds_serve_event {
  gxds_serve_event_kind kind;
  gxds_str node;                   /* the client's node id; empty: not known (yet) */
  gxds_str peer;                   /* the client's address */
  const char *service;             /* "ads" or "lrs"; static; NULL: none */
  const gxds_file_type_info *type; /* NULL: none */
  gxds_str *names;
  size_t name_count;
  gxds_str *removed; /* PUSH: names that this response no longer has */
  size_t removed_count;
  gxds_str version;
  gxds_str nonce;
  gxds_str file;
  uint32_t line;
  gxds_str field;
  gxds_str detail;
  gxds_serve_load *loads;
  size_t load_count;
} gxds_serve_event;

void gxds_serve_event_fini(gxds_serve_event *e);
/* Copies the string. */
void gxds_serve_event_add_name(gxds_serve_event *e, gxds_str name);
/* Adds a zeroed load to the event. The caller fills it, and the event then owns its strings.
 * Borrowed: valid until the next load is added. */
gxds_serve_load *gxds_serve_event_add_load(gxds_serve_event *e);
void gxds_serve_load_add_drop(gxds_serve_load *l, gxds_str category, uint64_t count);
void gxds_serve_load_add_metric(gxds_serve_load *l, gxds_str name, uint64_t requests, double sum);
/* Frees what the load owns. */
void gxds_serve_load_fini(gxds_serve_load *l);
/* A key of the client, the cluster, and the locality or the drops that the load is of. Owned by the
 * caller. */
gxds_str gxds_serve_load_key(gxds_str client, const gxds_serve_load *l);

/* Adds one line for people, without a newline. Long lists of names are cut. */
void gxds_serve_event_render_text(const gxds_serve_event *e, gxds_text *out);
/* Adds one JSON object on one line, without a newline. It has all names. */
void gxds_serve_event_render_json(const gxds_serve_event *e, gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
