/* A client with a few watches, and events from the input. The first byte selects the servers that
 * support delta. Every op is one byte, followed by its arguments. The invariants are checked after
 * each op. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "xds_client/client.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void destroy(gxds_resource *resource) { gxds_free(resource); }

static gxds_status decode(const gxds_resource_type *type, gxds_str bytes, gxds_decoded *out) {
  size_t size = 0;
  while (size < bytes.size && bytes.data[size] != '=') size++;
  out->name = gxds_str_dup(gxds_str_of(bytes.data, size));
  if (size + 1 < bytes.size && bytes.data[size + 1] == 'b') {
    return gxds_status_make(GXDS_INVALID_ARGUMENT, "bad: %.*s", GXDS_STR_ARG(bytes));
  }
  gxds_resource *resource = GXDS_NEW(gxds_resource);
  gxds_ref_init(&resource->refs);
  resource->type = type;
  out->resource = resource;
  return gxds_status_ok();
}

static gxds_status decode_foo(const gxds_decode_context *context, gxds_str bytes,
                              gxds_decoded *out);
static gxds_status decode_bar(const gxds_decode_context *context, gxds_str bytes,
                              gxds_decoded *out);

static const gxds_resource_type foo = {"type.googleapis.com/test.v3.Foo",
                                       "type.googleapis.com/test.v2.Foo",
                                       "Foo",
                                       true,
                                       decode_foo,
                                       destroy};
static const gxds_resource_type bar = {
    "type.googleapis.com/test.v3.Bar", NULL, "Bar", false, decode_bar, destroy};
static const gxds_resource_type *const types[] = {&foo, &bar};

static gxds_status decode_foo(const gxds_decode_context *context, gxds_str bytes,
                              gxds_decoded *out) {
  (void)context;
  return decode(&foo, bytes, out);
}
static gxds_status decode_bar(const gxds_decode_context *context, gxds_str bytes,
                              gxds_decoded *out) {
  (void)context;
  return decode(&bar, bytes, out);
}

typedef struct owner {
  gxds_client *client;
  gxds_stream_id streams[2]; /* by server */
  gxds_server_id servers[2];
  bool sending[2];
  bool reading[2];
  gxds_watch_id watches[8];
  gxds_time now;
} owner;

static void carry(owner *o, const gxds_action *a, const gxds_bootstrap_server *second) {
  int i = a->server == second;
  switch (a->kind) {
    case GXDS_ACTION_CONNECT:
      o->servers[i] = a->server_id;
      break;
    case GXDS_ACTION_DISCONNECT:
      GXDS_CHECK(o->servers[i] == a->server_id && o->streams[i] == 0);
      o->servers[i] = 0;
      break;
    case GXDS_ACTION_OPEN_STREAM:
      GXDS_CHECK(o->streams[i] == 0);
      o->streams[i] = a->stream;
      break;
    case GXDS_ACTION_CLOSE_STREAM:
      GXDS_CHECK(o->streams[i] == a->stream);
      o->streams[i] = 0;
      o->sending[i] = o->reading[i] = false;
      break;
    case GXDS_ACTION_SEND:
      GXDS_CHECK(o->streams[i] == a->stream && !o->sending[i]);
      o->sending[i] = true;
      break;
    case GXDS_ACTION_READ:
      GXDS_CHECK(o->streams[i] == a->stream && !o->reading[i]);
      o->reading[i] = true;
      break;
    case GXDS_ACTION_LOG:
      for (size_t k = 0; k < a->bytes.size; k++) GXDS_CHECK((uint8_t)a->bytes.data[k] >= 0x20);
      break;
    default:
      break;
  }
}

static uint8_t take(const uint8_t **data, size_t *size) {
  if (*size == 0) return 0;
  --*size;
  return *(*data)++;
}

static void step(owner *o, uint8_t op, const uint8_t **data, size_t *size) {
  static const char *const names[] = {"a", "b", "xdstp://x/test.v3.Foo/a", ""};
  int i = op >> 7;
  uint8_t argument = (op >> 3) & 0xf;
  gxds_watcher nobody = {NULL, 0, 0};
  gxds_watch_id *slot = &o->watches[argument & 7];
  gxds_code code = argument == 15 ? GXDS_UNIMPLEMENTED : GXDS_UNAVAILABLE;
  gxds_status status = gxds_status_make(code, "gone\n%d", argument & 1);
  switch (op & 7) {
    case 0: {
      size_t length = (size_t)take(data, size) << 8;
      length |= take(data, size);
      if (length > *size) length = *size;
      if (o->reading[i]) {
        o->reading[i] = false;
        gxds_client_on_message(o->client, o->streams[i], *data, length, o->now);
      }
      *data += length;
      *size -= length;
      break;
    }
    case 1:
      gxds_client_unwatch(o->client, *slot, o->now);
      *slot = gxds_client_watch(o->client, types[argument & 1], gxds_str_z(names[argument >> 2]),
                                nobody, o->now);
      break;
    case 2:
      gxds_client_unwatch(o->client, *slot, o->now);
      break;
    case 3:
      if (o->sending[i]) gxds_client_on_sent(o->client, o->streams[i], o->now);
      o->sending[i] = false;
      break;
    case 4:
      gxds_client_on_stream_closed(o->client, o->streams[i], &status, o->now);
      o->streams[i] = 0;
      o->sending[i] = o->reading[i] = false;
      break;
    case 5:
      gxds_client_on_channel_failed(o->client, o->servers[i], &status, o->now);
      break;
    case 6:
      o->now += argument * GXDS_SECOND;
      gxds_client_on_deadline(o->client, o->now);
      break;
    default:
      gxds_client_reset_backoff(o->client, o->now);
      break;
  }
  gxds_status_fini(&status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint8_t delta = take(&data, &size);
  gxds_bootstrap_server first = {
      .uri = gxds_str_z("one"), .creds_type = gxds_str_z("insecure"), .delta = delta & 1};
  gxds_bootstrap_server second = {.uri = gxds_str_z("two"),
                                  .creds_type = gxds_str_z("insecure"),
                                  .delta = delta & 2,
                                  .fail_on_data_errors = true};
  const gxds_bootstrap_server *servers[] = {&first, &second};
  gxds_bootstrap_authority authority = {
      .name = gxds_str_z("x"), .servers = servers + 1, .server_count = 1};
  gxds_bootstrap bootstrap = {.servers = servers,
                              .server_count = 2,
                              .node_id = gxds_str_z("n"),
                              .authorities = &authority,
                              .authority_count = 1};
  gxds_ref_init(&bootstrap.refs);
  gxds_client_options options = {
      .bootstrap = &bootstrap, .types = types, .type_count = 2, .seed = size};
  owner o = {.client = gxds_client_create(&options)};
  gxds_watcher nobody = {NULL, 0, 0};
  o.watches[0] = gxds_client_watch(o.client, &foo, gxds_str_z("a"), nobody, 0);
  o.watches[1] = gxds_client_watch(o.client, &bar, gxds_str_z("b"), nobody, 0);
  do {
    const gxds_action *a;
    while ((a = gxds_client_next_action(o.client)) != NULL) carry(&o, a, &second);
    gxds_client_validate(o.client);
    if (size == 0) break;
    uint8_t op = take(&data, &size);
    step(&o, op, &data, &size);
    gxds_client_validate(o.client);
  } while (true);
  gxds_client_destroy(o.client);
  return 0;
}
