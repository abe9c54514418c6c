/* A program's own load-balancing policy. A header of the RPC has the number of an endpoint, which
 * is its place in the list, from 0. The RPC goes to this endpoint, and waits while the endpoint
 * connects. If there is no such endpoint, or if it fails, the RPC goes to the first connected one.
 * The config names the header: {"example.by_number": {"header": "x-endpoint"}}. */
#include "by_number.h"

#include <grpc_xds/policy.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

typedef struct endpoint {
  grpc_xds_subchannel *subchannel; /* NULL: gRPC could not create one */
  grpc_xds_state state;
} endpoint;

typedef struct policy {
  grpc_xds_policy *base;
  const char *header;   /* from the config */
  endpoint **endpoints; /* by number */
  size_t count;
} policy;

typedef struct picker {
  char *header;
  size_t count;
  endpoint endpoints[]; /* by number; with a reference to the subchannel if it is READY */
} picker;

/* The config is the header's name. */
static void *parse(const char *json, grpc_xds_config_errors *errors) {
  json_t *root = json_loads(json, 0, NULL);
  const char *header = json_string_value(json_object_get(root, "header"));
  if (!header) grpc_xds_config_error(errors, "header", "must name a header");
  char *config = header ? strdup(header) : NULL;
  json_decref(root);
  return config;
}

static void pick(void *arg, const grpc_xds_call *call, grpc_xds_picked *out) {
  const picker *p = arg;
  grpc_xds_bytes value;
  size_t number = p->count;
  if (grpc_xds_call_header(call, p->header, &value) && value.size == 1) {
    number = (size_t)(value.data[0] - '0');
  }
  if (number >= p->count || p->endpoints[number].state == GRPC_XDS_TRANSIENT_FAILURE) {
    for (number = 0; number < p->count && !p->endpoints[number].subchannel;) number++;
  }
  if (number == p->count || !p->endpoints[number].subchannel) return; /* the RPC waits */
  out->kind = GRPC_XDS_PICKED_COMPLETE;
  out->subchannel = p->endpoints[number].subchannel;
}

static void picker_destroy(void *arg) {
  picker *p = arg;
  for (size_t i = 0; i < p->count; i++) grpc_xds_subchannel_unref(p->endpoints[i].subchannel);
  free(p->header);
  free(p);
}

static picker *make_picker(const policy *p) {
  picker *out = calloc(1, sizeof *out + p->count * sizeof(endpoint));
  out->header = strdup(p->header);
  out->count = p->count;
  for (size_t i = 0; i < p->count; i++) {
    const endpoint *e = p->endpoints[i];
    out->endpoints[i].state = e->state;
    if (e->state != GRPC_XDS_READY) continue;
    out->endpoints[i].subchannel = grpc_xds_subchannel_ref(e->subchannel);
  }
  return out;
}

static void publish(policy *p) {
  static const grpc_xds_status failing = {14, "no endpoint can be reached"}; /* UNAVAILABLE */
  size_t in[GRPC_XDS_TRANSIENT_FAILURE + 1] = {0};
  for (size_t i = 0; i < p->count; i++) in[p->endpoints[i]->state]++;
  if (in[GRPC_XDS_TRANSIENT_FAILURE] == p->count) {
    grpc_xds_policy_publish(p->base, GRPC_XDS_TRANSIENT_FAILURE, &failing, NULL);
  } else {
    grpc_xds_policy_publish(p->base, in[GRPC_XDS_READY] ? GRPC_XDS_READY : GRPC_XDS_CONNECTING,
                            NULL, make_picker(p));
  }
}

static void subchannel_state(void *self, void *tag, grpc_xds_state state,
                             const grpc_xds_status *status) {
  (void)status;
  policy *p = self;
  endpoint *e = tag;
  if (state == GRPC_XDS_TRANSIENT_FAILURE) grpc_xds_policy_reresolve(p->base);
  if (state == GRPC_XDS_IDLE) grpc_xds_subchannel_connect(e->subchannel);
  /* A failed endpoint stays in TRANSIENT_FAILURE until it is connected. */
  if (e->state != GRPC_XDS_TRANSIENT_FAILURE || state == GRPC_XDS_READY) e->state = state;
  publish(p);
}

static void end_endpoint(endpoint *e) {
  if (e) grpc_xds_subchannel_destroy(e->subchannel);
  free(e);
}

/* Takes the endpoint with this address out of `before`, or makes a new one. */
static endpoint *endpoint_for(policy *p, const grpc_xds_address *address, endpoint **before,
                              size_t count) {
  for (size_t i = 0; i < count; i++) {
    endpoint *e = before[i];
    if (!e || !e->subchannel || !grpc_xds_subchannel_fits(e->subchannel, address)) continue;
    before[i] = NULL;
    return e;
  }
  endpoint *e = calloc(1, sizeof *e);
  e->subchannel = grpc_xds_subchannel_create(p->base, address, e);
  e->state = e->subchannel ? GRPC_XDS_IDLE : GRPC_XDS_TRANSIENT_FAILURE;
  return e;
}

static grpc_xds_status update(void *self, const grpc_xds_update *u) {
  policy *p = self;
  endpoint **before = p->endpoints;
  const size_t count_before = p->count;
  p->header = u->config;
  p->count = u->address_count;
  p->endpoints = calloc(p->count + 1, sizeof(endpoint *));
  for (size_t i = 0; i < p->count; i++) {
    p->endpoints[i] = endpoint_for(p, u->addresses[i], before, count_before);
  }
  for (size_t i = 0; i < count_before; i++) end_endpoint(before[i]);
  free(before);
  const grpc_xds_status ok = {0, NULL};
  const grpc_xds_status empty = {14, "there is no endpoint"};
  const grpc_xds_status status = p->count > 0 ? ok : empty;
  publish(p);
  return status;
}

static void *create(grpc_xds_policy *base) {
  policy *p = calloc(1, sizeof *p);
  p->base = base;
  return p;
}

static void destroy(void *self) {
  policy *p = self;
  for (size_t i = 0; i < p->count; i++) end_endpoint(p->endpoints[i]);
  free(p->endpoints);
  free(p);
}

grpc_xds_result by_number_register(void) {
  const grpc_xds_policy_type type = {
      .version = GRPC_XDS_POLICY_VERSION,
      .name = "example.by_number",
      .parse = parse,
      .config_destroy = free,
      .create = create,
      .update = update,
      .subchannel_state = subchannel_state,
      .destroy = destroy,
      .pick = pick,
      .picker_destroy = picker_destroy,
  };
  return grpc_xds_register_policy(&type);
}
