#include "lrs/lrs_stream.h"

#include "base/backoff.h"
#include "base/check.h"
#include "base/memory.h"
#include "lrs/lrs_codec.h"

#define METHOD "/envoy.service.load_stats.v3.LoadReportingService/StreamLoadStats"

/* Enough for OPEN, SEND, READ of one stream, CLOSE, and OPEN, SEND, READ of the next one. */
#define ACTIONS_MAX 8

typedef enum send_state {
  SEND_NONE,  /* nothing is on its way */
  SEND_FIRST, /* the first request */
  SEND_REPORT,
} send_state;

struct gxds_lrs_stream {
  const gxds_bootstrap *bootstrap;
  const gxds_bootstrap_server *server;
  gxds_load_store *store;
  gxds_random random;
  gxds_backoff backoff;
  uint64_t last_id;

  uint64_t id;    /* the id of the open stream; 0 if there is none, and then deadline is the time of
                     the next attempt */
  gxds_time sent; /* when its first request was sent; 0 means not yet */
  send_state sending;         /* SEND_NONE if there is no stream */
  gxds_load_report *report;   /* the report that SEND_REPORT sends, in one request or more */
  gxds_load_place sent_to;    /* everything in report before this place is in a request already */
  bool has_response;          /* a response came on this stream */
  gxds_lrs_response response; /* the latest response on this stream */
  bool last_was_zero;         /* the last report had no counts; false before the first
                                 report that follows the response */
  gxds_time deadline;
  gxds_time drop_at; /* when unreported counts are dropped, if no counter has a holder; otherwise
                        GXDS_TIME_NEVER */

  gxds_lrs_action actions[ACTIONS_MAX];
  size_t action_first;
  size_t action_count;
  gxds_lrs_action current; /* the action that the owner got last; its bytes are owned */
};

static void push(gxds_lrs_stream *s, gxds_lrs_action_kind kind, gxds_str take_bytes) {
  GXDS_CHECK(s->action_count < ACTIONS_MAX);
  s->actions[(s->action_first + s->action_count++) % ACTIONS_MAX] =
      (gxds_lrs_action){.kind = kind,
                        .id = s->id,
                        .method = kind == GXDS_LRS_OPEN ? METHOD : NULL,
                        .bytes = take_bytes};
}

/* Drops actions that were not drained, because their stream is over. */
static void forget_actions(gxds_lrs_stream *s) {
  for (size_t i = 0; i < s->action_count; i++) {
    gxds_str_free(&s->actions[(s->action_first + i) % ACTIONS_MAX].bytes);
  }
  s->action_count = 0;
}

static void open_stream(gxds_lrs_stream *s) {
  const gxds_str none = {NULL, 0};
  s->id = ++s->last_id;
  s->sent = 0;
  s->sending = SEND_FIRST;
  s->has_response = false;
  s->last_was_zero = false;
  s->deadline = GXDS_TIME_NEVER;
  push(s, GXDS_LRS_OPEN, none);
  push(s, GXDS_LRS_SEND, gxds_lrs_encode_first_request(s->bootstrap->node));
  push(s, GXDS_LRS_READ, none);
}

/* The stream is over. Counts that it has not sent go out on the next one. */
static void end_stream(gxds_lrs_stream *s, bool responded, gxds_time now) {
  gxds_load_report_lost(s->report);
  s->report = NULL;
  gxds_lrs_response_fini(&s->response);
  s->sending = SEND_NONE;
  s->id = 0;
  gxds_duration lived = s->sent ? now - s->sent : 0;
  s->deadline =
      gxds_time_after(now, gxds_backoff_after_stream(&s->backoff, responded, lived, &s->random));
}

gxds_lrs_stream *gxds_lrs_stream_create(const gxds_bootstrap *bootstrap,
                                        const gxds_bootstrap_server *server, gxds_load_store *store,
                                        uint64_t seed, gxds_time now) {
  gxds_lrs_stream *s = GXDS_NEW(gxds_lrs_stream);
  s->bootstrap = bootstrap;
  s->server = server;
  s->store = store;
  s->random.state = seed;
  s->drop_at = GXDS_TIME_NEVER;
  gxds_backoff_init_xds(&s->backoff);
  gxds_load_report_begin(store, server, now);
  open_stream(s);
  return s;
}

void gxds_lrs_stream_destroy(gxds_lrs_stream *s) {
  if (!s) return;
  forget_actions(s);
  gxds_str_free(&s->current.bytes);
  gxds_load_report_lost(s->report);
  gxds_lrs_response_fini(&s->response);
  gxds_free(s);
}

void gxds_lrs_stream_set_left(gxds_lrs_stream *s, bool left, gxds_time now) {
  if (left == (s->drop_at != GXDS_TIME_NEVER)) return;
  s->drop_at = left ? gxds_time_after(now, GXDS_LRS_LEFT_MAX) : GXDS_TIME_NEVER;
}

/* Plans the next report for one interval after the last one was sent. */
static void plan_report(gxds_lrs_stream *s, gxds_time now) {
  if (!s->has_response || s->sending != SEND_NONE) return;
  s->deadline = gxds_time_after(now, s->response.interval);
}

static void send_part(gxds_lrs_stream *s) {
  push(s, GXDS_LRS_SEND,
       gxds_lrs_encode_report(s->report, GXDS_LRS_REQUEST_BYTES_MAX, &s->sent_to));
}

void gxds_lrs_stream_on_sent(gxds_lrs_stream *s, uint64_t id, gxds_time now) {
  if (id != s->id || s->sending == SEND_NONE) return;
  if (s->sent == 0) s->sent = now;
  if (s->sending == SEND_REPORT) {
    if (s->sent_to.cluster < s->report->cluster_count) {
      s->report->sent = s->sent_to;
      send_part(s);
      return;
    }
    gxds_load_report_sent(s->report);
    s->report = NULL;
  }
  s->sending = SEND_NONE;
  plan_report(s, now);
}

void gxds_lrs_stream_on_message(gxds_lrs_stream *s, uint64_t id, const void *data, size_t size,
                                gxds_time now) {
  if (id != s->id || id == 0) return;
  gxds_lrs_response response;
  gxds_status status = gxds_lrs_decode_response(data, size, &response);
  if (!gxds_status_is_ok(&status)) {
    /* A server that sent an invalid response is tried again later, since it may recover. */
    gxds_status_fini(&status);
    forget_actions(s);
    push(s, GXDS_LRS_CLOSE, gxds_str_of(NULL, 0));
    end_stream(s, false, now);
    return;
  }
  push(s, GXDS_LRS_READ, gxds_str_of(NULL, 0));
  gxds_load_store_set_taken(s->store, s->server, true);
  if (s->has_response && gxds_lrs_response_equal(&s->response, &response)) {
    gxds_lrs_response_fini(&response); /* nothing changed, so the deadline stays */
    return;
  }
  /* Other clusters alone do not postpone the next report. */
  bool restart = !s->has_response || s->response.interval != response.interval;
  gxds_lrs_response_fini(&s->response);
  s->response = response;
  s->has_response = true;
  s->last_was_zero = false;
  if (!restart) return;
  s->deadline = GXDS_TIME_NEVER;
  plan_report(s, now);
}

void gxds_lrs_stream_on_closed(gxds_lrs_stream *s, uint64_t id, const gxds_status *status,
                               gxds_time now) {
  if (id != s->id || id == 0) return;
  bool responded = s->has_response;
  forget_actions(s);
  end_stream(s, responded, now);
  if (!responded && status->code == GXDS_UNIMPLEMENTED) {
    gxds_load_store_set_taken(s->store, s->server, false);
  }
}

gxds_time gxds_lrs_stream_deadline(const gxds_lrs_stream *s) {
  return s->deadline < s->drop_at ? s->deadline : s->drop_at;
}

static void send_report(gxds_lrs_stream *s, gxds_time now) {
  gxds_load_filter filter = {s->response.all_clusters, s->response.clusters,
                             s->response.cluster_count};
  gxds_load_report *report = gxds_load_report_build(s->store, s->server, filter, now);
  bool skip = report->is_zero && s->last_was_zero;
  s->last_was_zero = report->is_zero;
  if (skip) {
    gxds_load_report_sent(report); /* a report without counts is not sent, but its interval counts
                                      as reported */
    plan_report(s, now);
    return;
  }
  s->report = report;
  s->sending = SEND_REPORT;
  s->deadline = GXDS_TIME_NEVER;
  s->sent_to = report->sent;
  send_part(s);
}

void gxds_lrs_stream_on_deadline(gxds_lrs_stream *s, gxds_time now) {
  if (now >= s->drop_at && s->drop_at != GXDS_TIME_NEVER) {
    s->drop_at = gxds_time_after(now, GXDS_LRS_LEFT_MAX);
    if (!s->has_response) gxds_load_store_drop_left(s->store, s->server);
  }
  if (now < s->deadline || s->deadline == GXDS_TIME_NEVER) return;
  if (s->id == 0) {
    open_stream(s);
  } else {
    send_report(s, now);
  }
}

const gxds_lrs_action *gxds_lrs_stream_next_action(gxds_lrs_stream *s) {
  gxds_str_free(&s->current.bytes);
  if (s->action_count == 0) return NULL;
  s->current = s->actions[s->action_first];
  s->action_first = (s->action_first + 1) % ACTIONS_MAX;
  s->action_count--;
  return &s->current;
}
