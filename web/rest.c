/* xDS over REST-JSON. Each type is polled separately. A request is a whole DiscoveryRequest with
 * the node and all names. The HTTP response is a DiscoveryResponse, or 304 if the request's version
 * is still the newest.
 *
 * A server may be stateless: it sees the version in a request, but does not notice if the names
 * differ from those of an earlier request. So a request has a version only if the version was
 * received for exactly its names. With other names, and on a new stream, a request has none. */
#include <stdlib.h>
#include <xxhash.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/upb.h"
#include "envoy/config/core/v3/base.upb.h"
#include "envoy/service/discovery/v3/discovery.upb.h"
#include "files/file_reader.h"
#include "files/make_before_break.h"
#include "files/request_names.h"
#include "files/response_writer.h"
#include "google/rpc/status.upb.h"
#include "upb/upb.h"
#include "web/json.h"
#include "web/paths.h"
#include "web/server_internal.h"

const char *const gxds_web_rest_paths[GXDS_FILE_TYPE_COUNT] = {
    [GXDS_FILE_LISTENER] = "/v3/discovery:listeners",
    [GXDS_FILE_ROUTE_CONFIG] = "/v3/discovery:routes",
    [GXDS_FILE_CLUSTER] = "/v3/discovery:clusters",
    [GXDS_FILE_ENDPOINTS] = "/v3/discovery:endpoints",
};

/* The subscription of one type, on this stream. */
typedef struct subscription {
  gxds_request_names names; /* the names that the engine requests */
  gxds_str version;         /* the version that the engine has accepted; empty: none */
  bool version_fits;        /* `version` was received for exactly these names */
  gxds_str error;     /* why the engine refused the last response, a google.rpc.Status; or empty */
  uint64_t fetch;     /* the id of the request on its way; 0: none */
  gxds_time due;      /* when the next request is due */
  bool hurries;       /* the next request is sent early, to report a NACK */
  bool hurried;       /* the last request was sent early, to report a NACK */
  uint64_t nonce;     /* our own nonce of the last response; 0: none yet */
  bool outstanding;   /* the engine got the last response, but sent no ACK or NACK yet */
  gxds_str its_nonce; /* the web server's nonce; empty: it gave none */
  bool hash_fits;     /* `hash` is of a response for exactly these names */
  uint64_t hash;      /* a hash of the last response that the engine was given */
  gxds_str response;  /* the next response for the engine; empty: none */
} subscription;

typedef struct rest {
  gxds_str node; /* the serialized Node from the first request of the stream */
  uint64_t nonce;
  gxds_file_type sending; /* the type of the request that is not sent yet; GXDS_FILE_TYPE_COUNT:
                             none */
  subscription types[GXDS_FILE_TYPE_COUNT];
} rest;

/* ---- the engine's requests ---- */

static void clear_subscription(subscription *t) {
  gxds_request_names_fini(&t->names);
  gxds_str_free(&t->version);
  gxds_str_free(&t->error);
  gxds_str_free(&t->its_nonce);
  gxds_str_free(&t->response);
  *t = (subscription){.due = GXDS_TIME_NEVER};
}

static void clear(rest *r) {
  gxds_str_free(&r->node);
  r->sending = GXDS_FILE_TYPE_COUNT;
  for (size_t i = 0; i < GXDS_FILE_TYPE_COUNT; i++) clear_subscription(&r->types[i]);
}

static void open_stream(gxds_web_server *s, gxds_time now) {
  (void)now;
  if (!s->state) s->state = GXDS_NEW(rest);
  clear(s->state);
}

static void destroy(gxds_web_server *s) {
  if (!s->state) return;
  clear(s->state);
  gxds_free(s->state);
}

static void request_again(subscription *t, gxds_time now) {
  t->version_fits = t->hash_fits = false;
  t->hurries = t->outstanding = false;
  t->fetch = 0;
  gxds_str_free(&t->response);
  t->due = t->names.count ? now : GXDS_TIME_NEVER;
}

/* Takes the engine's ACK or NACK. An ACK waits for the next poll. A NACK is sent at once, unless it
 * refuses the response to a NACK: otherwise a server whose responses always differ, for example by
 * a nonce, would get an endless series of requests. */
static void take_verdict(subscription *t,
                         const envoy_service_discovery_v3_DiscoveryRequest *request,
                         upb_Arena *arena, gxds_time now) {
  const google_rpc_Status *error =
      envoy_service_discovery_v3_DiscoveryRequest_error_detail(request);
  gxds_str_free(&t->error);
  t->outstanding = false;
  if (!error) {
    gxds_str_set(&t->version,
                 gxds_pb_str(envoy_service_discovery_v3_DiscoveryRequest_version_info(request)));
    t->version_fits = t->hash_fits;
    return;
  }
  size_t size;
  const char *bytes = google_rpc_Status_serialize(error, arena, &size);
  GXDS_CHECK(bytes != NULL);
  t->error = gxds_str_dup(gxds_str_of(bytes, size));
  if (t->fetch || t->hurried) return;
  t->hurries = true;
  t->due = now;
}

static void keep_node(rest *r, const envoy_service_discovery_v3_DiscoveryRequest *request,
                      upb_Arena *arena) {
  const envoy_config_core_v3_Node *node = envoy_service_discovery_v3_DiscoveryRequest_node(request);
  if (!node) return;
  size_t size;
  const char *bytes = envoy_config_core_v3_Node_serialize(node, arena, &size);
  GXDS_CHECK(bytes != NULL);
  gxds_str_set(&r->node, gxds_str_of(bytes, size));
}

static void on_request(gxds_web_server *s, gxds_str bytes, gxds_time now) {
  rest *r = s->state;
  upb_Arena *arena = gxds_arena_create();
  const envoy_service_discovery_v3_DiscoveryRequest *request =
      envoy_service_discovery_v3_DiscoveryRequest_parse(bytes.data, bytes.size, arena);
  GXDS_CHECK(request != NULL); /* our own engine made the request */
  keep_node(r, request, arena);
  const gxds_file_type type = gxds_file_type_find(
      gxds_pb_str(envoy_service_discovery_v3_DiscoveryRequest_type_url(request)));
  GXDS_CHECK(r->sending == GXDS_FILE_TYPE_COUNT && type < GXDS_FILE_TYPE_COUNT);
  subscription *t = &r->types[type];
  const gxds_str nonce =
      gxds_pb_str(envoy_service_discovery_v3_DiscoveryRequest_response_nonce(request));
  if (t->outstanding && gxds_nonce_is(t->nonce, nonce)) take_verdict(t, request, arena, now);
  if (gxds_request_names_take(&t->names, request)) request_again(t, now);
  r->sending = type;
  upb_Arena_Free(arena);
}

/* The engine's request counts as sent at once, unless it makes an HTTP request due. Then it counts
 * as sent when the fetch begins. */
static bool was_sent(gxds_web_server *s) {
  rest *r = s->state;
  if (r->sending == GXDS_FILE_TYPE_COUNT) return false;
  const subscription *t = &r->types[r->sending];
  if (t->names.count && !t->version_fits && !t->hash_fits && !t->fetch) return false;
  r->sending = GXDS_FILE_TYPE_COUNT;
  return true;
}

/* ---- requests to the web server ---- */

static gxds_str make_body(const gxds_web_server *s, gxds_file_type type) {
  const rest *r = s->state;
  const subscription *t = &r->types[type];
  upb_Arena *arena = gxds_arena_create();
  envoy_service_discovery_v3_DiscoveryRequest *request =
      envoy_service_discovery_v3_DiscoveryRequest_new(arena);
  if (t->version_fits) {
    envoy_service_discovery_v3_DiscoveryRequest_set_version_info(request, gxds_pb_view(t->version));
  }
  if (r->node.size) {
    envoy_service_discovery_v3_DiscoveryRequest_set_node(
        request, envoy_config_core_v3_Node_parse(r->node.data, r->node.size, arena));
  }
  upb_StringView *names = envoy_service_discovery_v3_DiscoveryRequest_resize_resource_names(
      request, t->names.count, arena);
  GXDS_CHECK(names != NULL);
  for (size_t i = 0; i < t->names.count; i++) names[i] = gxds_pb_view(t->names.items[i]);
  envoy_service_discovery_v3_DiscoveryRequest_set_type_url(
      request, upb_StringView_FromString(gxds_file_types[type].type_url));
  if (t->its_nonce.size) {
    envoy_service_discovery_v3_DiscoveryRequest_set_response_nonce(request,
                                                                   gxds_pb_view(t->its_nonce));
  }
  if (t->error.size) {
    envoy_service_discovery_v3_DiscoveryRequest_set_error_detail(
        request, google_rpc_Status_parse(t->error.data, t->error.size, arena));
  }
  size_t size;
  const char *bytes = envoy_service_discovery_v3_DiscoveryRequest_serialize(request, arena, &size);
  GXDS_CHECK(bytes != NULL);
  gxds_text json = {0};
  gxds_text error = {0};
  const bool ok = gxds_web_json_write(s->schema, "envoy.service.discovery.v3.DiscoveryRequest",
                                      gxds_str_of(bytes, size), &json, &error);
  GXDS_CHECK(ok); /* the node was read from JSON, or is made of strings */
  gxds_text_fini(&error);
  upb_Arena_Free(arena);
  return gxds_text_take(&json);
}

/* Nothing is due while a response waits for the engine, or for the engine's ACK or NACK. A request
 * would then have a version that the engine may no longer hold when the response comes, and a 304
 * would refer to that version. */
static gxds_time due_of(const subscription *t) {
  return t->fetch || t->response.size || t->outstanding ? GXDS_TIME_NEVER : t->due;
}

static bool next_fetch(gxds_web_server *s, gxds_time now, gxds_web_request *out) {
  rest *r = s->state;
  for (size_t i = 0; i < GXDS_FILE_TYPE_COUNT; i++) {
    const gxds_file_type type = gxds_file_update_order[i];
    subscription *t = &r->types[type];
    if (now < due_of(t)) continue;
    *out = gxds_web_server_new_fetch(s, gxds_web_rest_paths[type]);
    out->body = make_body(s, type);
    t->fetch = out->id;
    t->hurried = t->hurries;
    t->hurries = false;
    return true;
  }
  return false;
}

/* ---- responses of the web server ---- */

/* The resources of an HTTP response. */
typedef struct reading {
  gxds_file_type type;
  gxds_file_found found;
  gxds_file_errors errors;
} reading;

static void on_found(void *arg, gxds_file_resource *take, const gxds_file_node *node) {
  reading *r = arg;
  if (take->type != r->type) {
    gxds_file_errors_add(&r->errors, node->line, NULL, "a %s is not of the requested type",
                         gxds_file_types[take->type].message);
    gxds_file_resource_unref(take);
    return;
  }
  r->found.entries = gxds_realloc(r->found.entries, r->found.count + 1, sizeof *r->found.entries);
  r->found.entries[r->found.count++] = (gxds_file_entry){.resource = take, .line = node->line};
}

static int by_name(const void *a, const void *b) {
  return gxds_str_compare(((const gxds_file_entry *)a)->resource->name,
                          ((const gxds_file_entry *)b)->resource->name);
}

static bool is_found(const gxds_file_found *sorted, gxds_str name) {
  const gxds_file_resource key = {.name = name};
  const gxds_file_entry wanted = {.resource = &key};
  return sorted->count && bsearch(&wanted, sorted->entries, sorted->count, sizeof wanted, by_name);
}

/* Makes a response for the engine from an HTTP response. Unlike a response of ADS, an HTTP response
 * always has all resources. So a requested resource that is missing in it does not exist. */
static gxds_str make_response(gxds_web_server *s, subscription *t, reading *in,
                              const gxds_file_response *head) {
  rest *r = s->state;
  t->nonce = ++r->nonce;
  gxds_str nonce = gxds_nonce_text(t->nonce);
  gxds_str missing =
      gxds_str_format("the response of %.*s%s has no %s of that name", GXDS_STR_ARG(s->server->uri),
                      gxds_web_rest_paths[in->type], gxds_file_types[in->type].message);
  gxds_response_writer w;
  gxds_response_writer_init(&w, in->type, head->version, nonce);
  for (size_t i = 0; i < in->found.count; i++) {
    gxds_response_writer_add(&w, in->found.entries[i].resource);
  }
  if (in->found.count) {
    qsort(in->found.entries, in->found.count, sizeof *in->found.entries, by_name);
  }
  for (size_t i = 0; i < t->names.count; i++) {
    if (is_found(&in->found, t->names.items[i])) continue;
    gxds_response_writer_add_missing(&w, t->names.items[i], missing);
  }
  gxds_str_free(&missing);
  gxds_str bytes = gxds_response_writer_finish(&w);
  gxds_str_free(&nonce);
  return bytes;
}

static void read_response(gxds_web_server *s, gxds_file_type type, gxds_str body) {
  rest *r = s->state;
  subscription *t = &r->types[type];
  reading in = {.type = type, .errors.file = gxds_str_z("body")};
  gxds_file_response head;
  gxds_file_read_response(s->schema, body, &head, on_found, &in, &in.errors);
  if (in.errors.count == 0 && head.type_url.size && gxds_file_type_find(head.type_url) != type) {
    gxds_file_errors_add(&in.errors, 0, GXDS_FIELD(NULL, "type_url"), "expected %s, found %.*s",
                         gxds_file_types[type].type_url, GXDS_STR_ARG(head.type_url));
  }
  if (in.errors.count) {
    gxds_text text = {0};
    gxds_file_errors_render_line(&in.errors, &text);
    gxds_web_server_end(s, gxds_str_z(gxds_web_rest_paths[type]), "is no DiscoveryResponse: %s",
                        text.data);
    gxds_text_fini(&text);
  } else {
    t->response = make_response(s, t, &in, &head);
    gxds_str_set(&t->its_nonce, head.nonce);
  }
  gxds_file_response_fini(&head);
  gxds_file_found_fini(&in.found);
  gxds_file_errors_fini(&in.errors);
}

/* Refuses other pages, because a page that asks for a password has the status 200 too. The types
 * besides JSON are those of servers that set no content type, or guess it. */
static bool may_be_json(gxds_str content_type) {
  gxds_str type = content_type;
  for (size_t i = 0; i < type.size; i++) {
    if (type.data[i] == ';' || type.data[i] == ' ') type.size = i;
  }
  return type.size == 0 || gxds_str_equal_nocase(type, gxds_str_z("application/json")) ||
         gxds_str_equal_nocase(type, gxds_str_z("application/octet-stream")) ||
         gxds_str_equal_nocase(type, gxds_str_z("text/plain")) ||
         gxds_str_ends_with(type, gxds_str_z("+json"));
}

static void on_fetched(gxds_web_server *s, const gxds_web_response *response, gxds_time now) {
  rest *r = s->state;
  gxds_file_type type = 0;
  while (type < GXDS_FILE_TYPE_COUNT && r->types[type].fetch != response->id) type++;
  /* The subscription has changed, and no longer awaits this response. */
  if (type == GXDS_FILE_TYPE_COUNT) return;
  subscription *t = &r->types[type];
  const gxds_str path = gxds_str_z(gxds_web_rest_paths[type]);
  t->fetch = 0;
  /* A 304 may also come for a request without a version: go-control-plane has the version "" for a
   * type of which it has no resources, and so nothing new. The resources may still arrive before
   * A57's timer ends. */
  if (!gxds_web_server_is_good(s, path, response, true)) return;
  t->due = gxds_web_server_next_poll(s, response, now);
  if (response->code == 304) return;
  if (!may_be_json(response->content_type)) {
    gxds_web_server_end(s, path, "expected the Content-Type application/json, found %.*s",
                        GXDS_STR_ARG(response->content_type));
    return;
  }
  /* The hash finds a response that is the same as the last one. A server sends the same again if it
   * ignores versions, or after a NACK. */
  const uint64_t hash = XXH3_64bits(response->body.data, response->body.size);
  if (t->hash_fits && hash == t->hash) return;
  t->hash = hash;
  t->hash_fits = true;
  read_response(s, type, response->body);
}

static bool next_response(gxds_web_server *s, gxds_time now, gxds_str *out) {
  (void)now;
  rest *r = s->state;
  for (size_t i = 0; i < GXDS_FILE_TYPE_COUNT; i++) {
    subscription *t = &r->types[gxds_file_update_order[i]];
    if (t->response.size == 0) continue;
    *out = t->response;
    t->response = gxds_str_of(NULL, 0);
    t->outstanding = true;
    return true;
  }
  return false;
}

static gxds_time fetch_deadline(const gxds_web_server *s) {
  const rest *r = s->state;
  gxds_time deadline = GXDS_TIME_NEVER;
  for (size_t i = 0; i < GXDS_FILE_TYPE_COUNT; i++) {
    const gxds_time due = due_of(&r->types[i]);
    if (due < deadline) deadline = due;
  }
  return deadline;
}

const gxds_web_form_functions gxds_web_rest = {
    .open = open_stream,
    .on_request = on_request,
    .was_sent = was_sent,
    .next_fetch = next_fetch,
    .on_fetched = on_fetched,
    .next_response = next_response,
    .fetch_deadline = fetch_deadline,
    .destroy = destroy,
};
