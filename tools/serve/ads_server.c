#include "tools/serve/ads_internal.h"

#include <envoy/config/core/v3/base.upb.h>
#include <envoy/service/discovery/v3/discovery.upb.h>
#include <google/rpc/status.upb.h>

#include "base/memory.h"
#include "base/upb.h"
#include "files/make_before_break.h"
#include "files/response_writer.h"
#include "tools/serve/warming.h"
#include "tools/serve/wire_input.h"

struct gxds_ads_server {
  const gxds_file_set *set;
  gxds_ads_stream *streams; /* in the table by id, in the order in which they were opened */
  uint64_t last_id;
  gxds_deadlines deadlines; /* the times at which something is due on streams without an event */
  gxds_serve_queue queue;
};

/* Resources that others refer to are removed last. */
static const gxds_file_type removal_order[] = {GXDS_FILE_LISTENER, GXDS_FILE_ROUTE_CONFIG,
                                               GXDS_FILE_CLUSTER, GXDS_FILE_ENDPOINTS};

static const char *const service_names[GXDS_ADS_SERVICE_COUNT] = {
    "ads",       "delta ads", "lds",       "delta lds", "rds",
    "delta rds", "cds",       "delta cds", "eds",       "delta eds",
};

bool gxds_ads_service_is_delta(gxds_ads_service service) { return service & 1; }

gxds_file_type gxds_ads_service_type(gxds_ads_service service) {
  static const gxds_file_type types[] = {GXDS_FILE_TYPE_COUNT, GXDS_FILE_LISTENER,
                                         GXDS_FILE_ROUTE_CONFIG, GXDS_FILE_CLUSTER,
                                         GXDS_FILE_ENDPOINTS};
  return types[service / 2];
}

gxds_ads_server *gxds_ads_server_create(void) { return GXDS_NEW(gxds_ads_server); }

static void end_stream(gxds_ads_server *s, gxds_ads_stream *st) {
  HASH_DELETE(by_id, s->streams, st);
  gxds_deadlines_cancel(&s->deadlines, &st->due_later);
  gxds_str_free(&st->node);
  gxds_str_free(&st->peer);
  for (int t = 0; t < GXDS_FILE_TYPE_COUNT; t++) {
    gxds_ads_subscription_fini(&st->types[t].subscription);
  }
  gxds_free(st);
}

void gxds_ads_server_destroy(gxds_ads_server *s) {
  while (s->streams) end_stream(s, s->streams);
  gxds_deadlines_fini(&s->deadlines);
  gxds_serve_queue_fini(&s->queue);
  gxds_file_set_unref(s->set);
  gxds_free(s);
}

/* NULL if the stream has ended. */
static gxds_ads_stream *find(const gxds_ads_server *s, uint64_t id) {
  gxds_ads_stream *st = NULL;
  HASH_FIND(by_id, s->streams, &id, sizeof id, st);
  return st;
}

static gxds_ads_stream *next_of(const gxds_ads_stream *st) { return st->by_id.next; }

gxds_serve_event gxds_ads_event(const gxds_ads_stream *st, gxds_serve_event_kind kind,
                                gxds_file_type type) {
  return (gxds_serve_event){.kind = kind,
                            .node = gxds_str_dup(st->node),
                            .peer = gxds_str_dup(st->peer),
                            .service = service_names[st->service],
                            .type = type == GXDS_FILE_TYPE_COUNT ? NULL : &gxds_file_types[type]};
}

void gxds_ads_keep_node(gxds_ads_stream *st, const envoy_config_core_v3_Node *node) {
  if (node) gxds_str_set(&st->node, gxds_pb_str(envoy_config_core_v3_Node_id(node)));
}

void gxds_ads_emit_unknown_type(gxds_serve_queue *q, const gxds_ads_stream *st, gxds_str url) {
  gxds_serve_event event = gxds_ads_event(st, GXDS_SERVE_UNKNOWN_TYPE, GXDS_FILE_TYPE_COUNT);
  event.detail = gxds_str_dup(url);
  gxds_serve_queue_event(q, &event);
}

void gxds_ads_emit_names(gxds_serve_queue *q, gxds_ads_type_state *t, gxds_serve_event *added,
                         gxds_serve_event *dropped) {
  if (added->name_count) t->dirty = t->subscribed = true;
  if (added->name_count) gxds_serve_queue_event(q, added);
  if (dropped->name_count) gxds_serve_queue_event(q, dropped);
  gxds_serve_event_fini(added);
  gxds_serve_event_fini(dropped);
}

/* The version of a response, which is that of all resources of the type. While N removed resources
 * are still in it, "+N" follows the version. So the later response without them has another
 * version. */
static gxds_str version_text(const gxds_ads_server *s, gxds_file_type type, size_t kept) {
  gxds_text text = {0};
  gxds_file_version_render(s->set->types[type].version, &text);
  if (kept) gxds_text_addf(&text, "+%zu", kept);
  return gxds_text_take(&text);
}

static gxds_str encode(gxds_file_type type, const gxds_ads_response *response, gxds_str version,
                       gxds_str nonce) {
  gxds_response_writer w;
  gxds_response_writer_init(&w, type, version, nonce);
  envoy_config_core_v3_ControlPlane_set_identifier(
      envoy_service_discovery_v3_DiscoveryResponse_mutable_control_plane(w.response, w.arena),
      upb_StringView_FromString("xds serve"));
  for (size_t i = 0; i < response->count; i++) {
    gxds_response_writer_add(&w, response->resources[i]);
  }
  return gxds_response_writer_finish(&w);
}

/* Sends the resources of a type that are due. False if there are none. */
static bool send_type(gxds_ads_server *s, gxds_ads_stream *st, gxds_file_type type, bool removals,
                      gxds_time now) {
  gxds_ads_type_state *t = &st->types[type];
  const bool delta = gxds_ads_service_is_delta(st->service);
  gxds_ads_response response;
  if (delta && type == GXDS_FILE_ENDPOINTS && t->subscription.requested && !st->warmed) {
    gxds_ads_warm_initial(st, s->set);
  }
  if (!gxds_ads_subscription_take(&t->subscription, s->set, removals, &response)) return false;
  t->nonce = ++st->last_nonce;
  t->outstanding = true;
  t->ack_by = gxds_time_after(now, GXDS_ADS_ACK_MAX);
  st->sending = true;
  gxds_serve_event event = gxds_ads_event(st, GXDS_SERVE_PUSH, type);
  event.version = version_text(s, type, response.kept);
  event.nonce = gxds_nonce_text(t->nonce);
  for (size_t i = 0; i < response.count; i++) {
    gxds_serve_event_add_name(&event, response.resources[i]->name);
  }
  for (size_t i = 0; type == GXDS_FILE_CLUSTER && i < response.changed_count; i++) {
    gxds_ads_warm(st, s->set, response.changed[i]);
  }
  gxds_serve_queue_send(&s->queue, st->id,
                        delta ? gxds_ads_delta_encode(type, &response, event.nonce)
                              : encode(type, &response, event.version, event.nonce));
  event.removed = response.removed;
  event.removed_count = response.removed_count;
  response.removed = NULL;
  response.removed_count = 0;
  if (delta) event.detail = gxds_str_format("the client has %zu now", t->subscription.held);
  gxds_serve_queue_event(&s->queue, &event);
  gxds_ads_response_fini(&response);
  return true;
}

/* An update waits for the ACK or NACK of the last response of its type. So a slow client gets one
 * update with all changes since then, instead of every single update, late. */
static bool must_wait(const gxds_ads_type_state *t, gxds_time now) {
  return t->outstanding && now < t->ack_by && !t->subscribed;
}

static void pump_at(gxds_ads_server *s, gxds_ads_stream *st, gxds_time at) {
  const bool earlier = gxds_deadline_is_set(&st->due_later) &&
                       gxds_deadlines_at(&s->deadlines, &st->due_later) <= at;
  if (!earlier) gxds_deadlines_set(&s->deadlines, &st->due_later, at);
}

/* True if a response was sent, or an update waits for an ACK or NACK. While an update waits,
 * listeners and routes wait too, because they may refer to it. Endpoints do not wait: Envoy ACKs
 * clusters only when it has their endpoints. */
static bool send_update(gxds_ads_server *s, gxds_ads_stream *st, gxds_time now) {
  bool waits = false;
  for (size_t i = 0; i < GXDS_FILE_TYPE_COUNT; i++) {
    const gxds_file_type type = gxds_file_update_order[i];
    gxds_ads_type_state *t = &st->types[type];
    if (!t->dirty || (waits && type != GXDS_FILE_ENDPOINTS)) continue;
    if (must_wait(t, now)) {
      pump_at(s, st, t->ack_by);
      waits = true;
      continue;
    }
    const bool sent = send_type(s, st, type, false, now);
    t->dirty = !gxds_due_is_empty(&t->subscription.due); /* a further response may be due */
    t->subscribed = t->subscribed && t->dirty;
    if (sent) return true;
  }
  return waits;
}

/* When a stream's removals may be sent. The client's silence counts from last_sign. */
static gxds_time removal_time(const gxds_ads_stream *st) {
  bool outstanding = false;
  for (int t = 0; t < GXDS_FILE_TYPE_COUNT; t++) outstanding |= st->types[t].outstanding;
  return gxds_time_after(st->last_sign,
                         outstanding ? GXDS_ADS_REMOVAL_MAX : GXDS_FILE_REMOVAL_GRACE);
}

static void send_removal(gxds_ads_server *s, gxds_ads_stream *st, gxds_time now) {
  for (size_t i = 0; i < sizeof removal_order / sizeof *removal_order; i++) {
    gxds_ads_subscription *sub = &st->types[removal_order[i]].subscription;
    if (!gxds_ads_subscription_removal_due(sub, s->set)) continue;
    gxds_time due = removal_time(st);
    if (now < due) {
      pump_at(s, st, due);
    } else {
      send_type(s, st, removal_order[i], true, now);
    }
    return;
  }
}

/* Sends the first response that is due, if the stream is not sending. */
static void pump(gxds_ads_server *s, gxds_ads_stream *st, gxds_time now) {
  gxds_deadlines_cancel(&s->deadlines, &st->due_later);
  if (st->sending || !s->set) return;
  if (!send_update(s, st, now)) send_removal(s, st, now);
  if (st->sending) gxds_deadlines_cancel(&s->deadlines, &st->due_later); /* on_sent sets it again */
}

void gxds_ads_server_set_resources(gxds_ads_server *s, const gxds_file_set *set, gxds_time now) {
  const gxds_file_set *old = s->set;
  s->set = gxds_file_set_ref(set);
  gxds_set_changes changes[GXDS_FILE_TYPE_COUNT];
  for (int t = 0; t < GXDS_FILE_TYPE_COUNT; t++) {
    gxds_set_changes_init(&changes[t], old, set, (gxds_file_type)t);
  }
  for (gxds_ads_stream *st = s->streams; st; st = next_of(st)) {
    for (int t = 0; t < GXDS_FILE_TYPE_COUNT; t++) {
      gxds_ads_type_state *ts = &st->types[t];
      if (gxds_ads_subscription_on_changes(&ts->subscription, &changes[t])) ts->dirty = true;
    }
    pump(s, st, now);
  }
  for (int t = 0; t < GXDS_FILE_TYPE_COUNT; t++) gxds_set_changes_fini(&changes[t]);
  gxds_file_set_unref(old);
}

uint64_t gxds_ads_server_open(gxds_ads_server *s, gxds_ads_service service, gxds_str peer,
                              gxds_time now) {
  gxds_ads_stream *st = GXDS_NEW(gxds_ads_stream);
  st->id = ++s->last_id;
  st->service = service;
  st->peer = gxds_str_dup(peer);
  st->last_sign = now;
  for (int t = 0; t < GXDS_FILE_TYPE_COUNT; t++) {
    st->types[t].subscription.type = (gxds_file_type)t;
    st->types[t].subscription.delta = gxds_ads_service_is_delta(service);
  }
  HASH_ADD(by_id, s->streams, id, sizeof st->id, st);
  gxds_serve_event event = gxds_ads_event(st, GXDS_SERVE_STREAM_OPEN, GXDS_FILE_TYPE_COUNT);
  gxds_serve_queue_event(&s->queue, &event);
  return st->id;
}

static void forget(gxds_ads_server *s, gxds_ads_stream *st, gxds_str why) {
  gxds_serve_event event = gxds_ads_event(st, GXDS_SERVE_STREAM_CLOSE, GXDS_FILE_TYPE_COUNT);
  event.detail = gxds_str_dup(why);
  gxds_serve_queue_event(&s->queue, &event);
  end_stream(s, st);
}

void gxds_ads_server_on_closed(gxds_ads_server *s, uint64_t id, gxds_str why) {
  gxds_ads_stream *st = find(s, id);
  if (st) forget(s, st, why);
}

static void refuse(gxds_ads_server *s, gxds_ads_stream *st, const char *why) {
  gxds_serve_queue_close(&s->queue, st->id, gxds_status_make(GXDS_INVALID_ARGUMENT, "%s", why));
  forget(s, st, gxds_str_z(why));
}

void gxds_ads_server_on_sent(gxds_ads_server *s, uint64_t id, gxds_time now) {
  gxds_ads_stream *st = find(s, id);
  if (!st) return;
  st->sending = false;
  st->last_sign = now;
  pump(s, st, now);
}

typedef const envoy_service_discovery_v3_DiscoveryRequest request;

static const char no_request[] = "the message is no DiscoveryRequest";

static void emit_request(gxds_ads_server *s, const gxds_ads_stream *st, gxds_file_type type,
                         gxds_serve_event_kind kind, request *msg) {
  gxds_serve_event event = gxds_ads_event(st, kind, type);
  event.version =
      gxds_str_dup(gxds_pb_str(envoy_service_discovery_v3_DiscoveryRequest_version_info(msg)));
  event.nonce =
      gxds_str_dup(gxds_pb_str(envoy_service_discovery_v3_DiscoveryRequest_response_nonce(msg)));
  const google_rpc_Status *error = envoy_service_discovery_v3_DiscoveryRequest_error_detail(msg);
  if (error) event.detail = gxds_str_dup(gxds_pb_str(google_rpc_Status_message(error)));
  gxds_serve_queue_event(&s->queue, &event);
}

/* False if the nonce is stale; then the request is ignored. */
static bool take_nonce(gxds_ads_server *s, gxds_ads_stream *st, gxds_file_type type, request *msg) {
  gxds_ads_type_state *t = &st->types[type];
  gxds_str nonce = gxds_pb_str(envoy_service_discovery_v3_DiscoveryRequest_response_nonce(msg));
  if (nonce.size > 0 && !gxds_nonce_is(t->nonce, nonce)) {
    emit_request(s, st, type, GXDS_SERVE_STALE, msg);
    return false;
  }
  bool is_nack = envoy_service_discovery_v3_DiscoveryRequest_has_error_detail(msg);
  if (is_nack || (nonce.size > 0 && t->outstanding)) {
    emit_request(s, st, type, is_nack ? GXDS_SERVE_NACK : GXDS_SERVE_ACK, msg);
  }
  if (nonce.size > 0) t->outstanding = false;
  return true;
}

static void take_names(gxds_ads_server *s, gxds_ads_stream *st, gxds_file_type type, request *msg) {
  size_t count;
  upb_StringView const *names =
      envoy_service_discovery_v3_DiscoveryRequest_resource_names(msg, &count);
  gxds_str *copy = gxds_calloc(count, sizeof *copy);
  for (size_t i = 0; i < count; i++) copy[i] = gxds_pb_str(names[i]);
  gxds_serve_event added = gxds_ads_event(st, GXDS_SERVE_SUBSCRIBED, type);
  gxds_serve_event dropped = gxds_ads_event(st, GXDS_SERVE_UNSUBSCRIBED, type);
  gxds_ads_subscription_replace(&st->types[type].subscription, copy, count, &added, &dropped);
  gxds_free(copy);
  gxds_ads_emit_names(&s->queue, &st->types[type], &added, &dropped);
}

static bool repeats_names(const gxds_ads_type_state *t, uint64_t names) {
  return t->subscription.requested && t->names == names;
}

/* Takes a request of a type that is served. Its names are parsed only if they differ from those of
 * the request before it. */
static const char *take_typed(gxds_ads_server *s, gxds_ads_stream *st, gxds_file_type type,
                              gxds_str bytes, request *without_names, uint64_t names,
                              upb_Arena *arena) {
  gxds_ads_type_state *t = &st->types[type];
  request *msg = repeats_names(t, names)
                     ? without_names
                     : GXDS_SERVE_PARSE(envoy_service_discovery_v3_DiscoveryRequest, bytes, arena);
  if (!msg) return no_request;
  gxds_ads_keep_node(st, envoy_service_discovery_v3_DiscoveryRequest_node(msg));
  if (!take_nonce(s, st, type, msg) || msg == without_names) return NULL;
  take_names(s, st, type, msg);
  t->names = names;
  return NULL;
}

/* Returns NULL, or the error of the request as a static text. */
static const char *take_request(gxds_ads_server *s, gxds_ads_stream *st, gxds_str bytes) {
  upb_Arena *arena = upb_Arena_New();
  gxds_str rest;
  uint64_t names;
  request *msg = NULL;
  if (gxds_serve_part_names(bytes, arena, &rest, &names)) {
    msg = envoy_service_discovery_v3_DiscoveryRequest_parse(rest.data, rest.size, arena);
  }
  const char *why = msg ? NULL : no_request;
  gxds_str url = gxds_str_of(NULL, 0);
  if (!why) {
    url = gxds_pb_str(envoy_service_discovery_v3_DiscoveryRequest_type_url(msg));
    why = gxds_ads_check_type(gxds_ads_service_type(st->service), &url);
  }
  gxds_file_type type = gxds_file_type_find(url);
  if (!why && type == GXDS_FILE_TYPE_COUNT) {
    gxds_ads_keep_node(st, envoy_service_discovery_v3_DiscoveryRequest_node(msg));
    gxds_ads_emit_unknown_type(&s->queue, st, url);
  } else if (!why) {
    why = take_typed(s, st, type, bytes, msg, names, arena);
  }
  upb_Arena_Free(arena);
  return why;
}

const char *gxds_ads_check_type(gxds_file_type only, gxds_str *url) {
  if (only == GXDS_FILE_TYPE_COUNT) {
    return url->size > 0 ? NULL : "a request on an ADS stream must have a type_url";
  }
  if (url->size == 0) *url = gxds_str_z(gxds_file_types[only].type_url);
  if (gxds_file_type_find(*url) == only) return NULL;
  return "a request on the stream of one type must be of that type";
}

void gxds_ads_server_on_message(gxds_ads_server *s, uint64_t id, gxds_str bytes, gxds_time now) {
  gxds_ads_stream *st = find(s, id);
  if (!st) return;
  bool delta = gxds_ads_service_is_delta(st->service);
  const char *why = delta ? gxds_ads_delta_take(&s->queue, st, bytes) : take_request(s, st, bytes);
  if (why) {
    refuse(s, st, why);
    return;
  }
  st->last_sign = now;
  pump(s, st, now);
}

gxds_time gxds_ads_server_deadline(const gxds_ads_server *s) {
  return gxds_deadlines_next(&s->deadlines);
}

void gxds_ads_server_on_deadline(gxds_ads_server *s, gxds_time now) {
  const gxds_deadline *due;
  while ((due = gxds_deadlines_take_due(&s->deadlines, now, UINT64_MAX))) {
    pump(s, (gxds_ads_stream *)((char *)due - offsetof(gxds_ads_stream, due_later)), now);
  }
}

bool gxds_ads_server_next_action(gxds_ads_server *s, gxds_serve_action *out) {
  return gxds_serve_queue_pop(&s->queue, out);
}

size_t gxds_ads_server_stream_count(const gxds_ads_server *s) {
  return HASH_CNT(by_id, s->streams);
}

void gxds_ads_server_validate(const gxds_ads_server *s) {
  uint64_t last = 0;
  gxds_deadlines_validate(&s->deadlines);
  for (const gxds_ads_stream *st = s->streams; st; st = next_of(st)) {
    GXDS_CHECK(st->id > last && st->id <= s->last_id);
    last = st->id;
    GXDS_CHECK(find(s, st->id) == st);
    GXDS_CHECK(!gxds_deadline_is_set(&st->due_later) || !st->sending);
    for (int t = 0; t < GXDS_FILE_TYPE_COUNT; t++) {
      const gxds_ads_type_state *ts = &st->types[t];
      gxds_ads_subscription_validate(&ts->subscription, s->set);
      GXDS_CHECK(ts->subscription.delta == gxds_ads_service_is_delta(st->service));
      GXDS_CHECK(ts->nonce <= st->last_nonce);
      GXDS_CHECK(!ts->outstanding || ts->nonce != 0);
      GXDS_CHECK(ts->nonce == 0 || ts->subscription.responded);
      /* On a stream that is not sending, an update that is due has a deadline. */
      const bool waits = gxds_deadline_is_set(&st->due_later);
      GXDS_CHECK(!s->set || st->sending || waits || !ts->dirty);
    }
    GXDS_CHECK(s->set || !st->sending);
  }
}
