#include "lb_policies/orca/orca_stream.h"

#include <grpc/status.h>
#include <pthread.h>

#include "base/memory.h"
#include "lb_policies/orca/orca_report.h"

typedef struct member {
  gxds_load_listener *listener;
  gxds_duration interval;
} member;

struct gxds_orca_stream {
  gxds_ref refs;
  pthread_mutex_t mutex;
  /* Under the mutex. */
  member *members;
  size_t count;
  gxds_duration shortest;
  bool heard; /* the subchannel has already reported a state */
  bool connected;
  bool refused; /* the backend sends no reports: UNIMPLEMENTED */
};

gxds_orca_stream *gxds_orca_stream_create(void) {
  gxds_orca_stream *s = GXDS_NEW(gxds_orca_stream);
  gxds_ref_init(&s->refs);
  pthread_mutex_init(&s->mutex, NULL);
  s->shortest = GXDS_TIME_NEVER;
  return s;
}

gxds_orca_stream *gxds_orca_stream_ref(gxds_orca_stream *s) {
  gxds_ref_inc(&s->refs);
  return s;
}

void gxds_orca_stream_unref(gxds_orca_stream *s) {
  if (!gxds_ref_dec(&s->refs)) return;
  pthread_mutex_destroy(&s->mutex);
  gxds_free(s->members);
  gxds_free(s);
}

static void set_member(gxds_orca_stream *s, gxds_load_listener *listener, gxds_duration interval) {
  size_t i = 0;
  while (i < s->count && s->members[i].listener != listener) i++;
  if (interval == GXDS_TIME_NEVER) {
    if (i < s->count) s->members[i] = s->members[--s->count];
    return;
  }
  if (i == s->count) s->members = gxds_realloc(s->members, ++s->count, sizeof *s->members);
  s->members[i] = (member){listener, interval};
}

bool gxds_orca_stream_want(gxds_orca_stream *s, gxds_load_listener *listener,
                           gxds_duration interval) {
  pthread_mutex_lock(&s->mutex);
  set_member(s, listener, interval);
  gxds_duration before = s->shortest;
  s->shortest = GXDS_TIME_NEVER;
  for (size_t i = 0; i < s->count; i++) {
    if (s->members[i].interval < s->shortest) s->shortest = s->members[i].interval;
  }
  bool changed = s->shortest != before;
  pthread_mutex_unlock(&s->mutex);
  return changed;
}

void gxds_orca_stream_connectivity(gxds_orca_stream *s, grpc_connectivity_state state) {
  pthread_mutex_lock(&s->mutex);
  bool is_ready = state == GRPC_CHANNEL_READY;
  /* The first report is the state that the subchannel already had, so it is not a change. */
  bool change = s->connected || (is_ready && s->heard);
  s->heard = true;
  s->connected = is_ready;
  s->refused = false;
  for (size_t i = 0; change && i < s->count; i++) {
    gxds_load_listener *l = s->members[i].listener;
    l->ops->connection_changed(l);
  }
  pthread_mutex_unlock(&s->mutex);
}

gxds_duration gxds_orca_stream_interval(gxds_orca_stream *s) {
  pthread_mutex_lock(&s->mutex);
  gxds_duration interval = s->connected && !s->refused ? s->shortest : GXDS_TIME_NEVER;
  pthread_mutex_unlock(&s->mutex);
  return interval;
}

void gxds_orca_stream_message(gxds_orca_stream *s, gxds_str bytes) {
  gxds_orca_report report;
  if (!gxds_orca_report_decode(bytes, &report)) return;
  pthread_mutex_lock(&s->mutex);
  for (size_t i = 0; i < s->count; i++) {
    gxds_load_listener *l = s->members[i].listener;
    l->ops->reported(l, &report);
  }
  pthread_mutex_unlock(&s->mutex);
}

const char *gxds_orca_stream_ended(gxds_orca_stream *s, int status) {
  if (status != GRPC_STATUS_UNIMPLEMENTED) return NULL;
  pthread_mutex_lock(&s->mutex);
  s->refused = true;
  pthread_mutex_unlock(&s->mutex);
  return "Orca stream returned UNIMPLEMENTED; disabling";
}
