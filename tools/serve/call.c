#include "tools/serve/call.h"

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/slice.h>
#include <grpc/support/alloc.h>

#include "base/check.h"
#include "base/memory.h"

static const char *const ads_methods[GXDS_ADS_SERVICE_COUNT] = {
    "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources",
    "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources",
    "/envoy.service.listener.v3.ListenerDiscoveryService/StreamListeners",
    "/envoy.service.listener.v3.ListenerDiscoveryService/DeltaListeners",
    "/envoy.service.route.v3.RouteDiscoveryService/StreamRoutes",
    "/envoy.service.route.v3.RouteDiscoveryService/DeltaRoutes",
    "/envoy.service.cluster.v3.ClusterDiscoveryService/StreamClusters",
    "/envoy.service.cluster.v3.ClusterDiscoveryService/DeltaClusters",
    "/envoy.service.endpoint.v3.EndpointDiscoveryService/StreamEndpoints",
    "/envoy.service.endpoint.v3.EndpointDiscoveryService/DeltaEndpoints",
};
static const char lrs_method[] =
    "/envoy.service.load_stats.v3.LoadReportingService/StreamLoadStats";

static void start(gxds_serve_call *c, const grpc_op *ops, size_t count, gxds_serve_tag *tag) {
  c->pending++;
  GXDS_CHECK(grpc_call_start_batch(c->call, ops, count, tag, NULL) == GRPC_CALL_OK);
}

/* Frees the call if no completion is pending. */
static void maybe_end(gxds_serve_call *c) {
  if (c->pending > 0) return;
  c->events->on_ended(c->owner, c);
  if (c->call) grpc_call_unref(c->call);
  grpc_call_details_destroy(&c->details);
  grpc_metadata_array_destroy(&c->metadata);
  gxds_free(c);
}

static void notify_closed(gxds_serve_call *c, const char *why) {
  if (c->notified_closed) return;
  c->notified_closed = true;
  c->events->on_closed(c->owner, c, why);
}

static void send_status(gxds_serve_call *c, grpc_status_code code, const char *message,
                        bool with_initial_metadata) {
  if (c->status_sent || c->finished) return;
  c->status_sent = true;
  grpc_slice details = grpc_slice_from_copied_string(message);
  grpc_op ops[2] = {{.op = GRPC_OP_SEND_INITIAL_METADATA}, {.op = GRPC_OP_SEND_STATUS_FROM_SERVER}};
  ops[1].data.send_status_from_server.status = code;
  ops[1].data.send_status_from_server.status_details = &details;
  start(c, with_initial_metadata ? ops : ops + 1, with_initial_metadata ? 2 : 1, &c->status);
  grpc_slice_unref(details);
}

static void read_next(gxds_serve_call *c) {
  grpc_op op = {.op = GRPC_OP_RECV_MESSAGE};
  op.data.recv_message.recv_message = &c->received;
  start(c, &op, 1, &c->read);
}

static bool take_received(gxds_serve_call *c, grpc_slice *out) {
  grpc_byte_buffer_reader reader;
  bool ok = grpc_byte_buffer_reader_init(&reader, c->received);
  if (ok) {
    *out = grpc_byte_buffer_reader_readall(&reader);
    grpc_byte_buffer_reader_destroy(&reader);
  }
  grpc_byte_buffer_destroy(c->received);
  c->received = NULL;
  return ok;
}

static void on_read(gxds_serve_tag *tag, bool ok) {
  gxds_serve_call *c = tag->owner;
  c->pending--;
  if (!ok || !c->received) { /* the client has half-closed the stream or is gone; on_closed()
                                reports that */
    if (!c->finished) notify_closed(c, "the client ended the stream");
    send_status(c, GRPC_STATUS_OK, "", false);
  } else {
    grpc_slice bytes;
    if (!take_received(c, &bytes)) {
      notify_closed(c, "a message cannot be decompressed");
      send_status(c, GRPC_STATUS_INTERNAL, "cannot decompress the message", false);
    } else {
      gxds_str view =
          gxds_str_of((const char *)GRPC_SLICE_START_PTR(bytes), GRPC_SLICE_LENGTH(bytes));
      if (!c->notified_closed) c->events->on_message(c->owner, c, view);
      grpc_slice_unref(bytes);
      if (!c->notified_closed) read_next(c);
    }
  }
  maybe_end(c);
}

static void on_sent(gxds_serve_tag *tag, bool ok) {
  gxds_serve_call *c = tag->owner;
  c->pending--;
  grpc_byte_buffer_destroy(c->sending);
  c->sending = NULL;
  /* After a failure the call ends, and on_closed() reports that. */
  if (ok && !c->notified_closed) c->events->on_sent(c->owner, c);
  maybe_end(c);
}

static void on_status(gxds_serve_tag *tag, bool ok) {
  (void)ok;
  gxds_serve_call *c = tag->owner;
  c->pending--;
  maybe_end(c);
}

static void on_closed(gxds_serve_tag *tag, bool ok) {
  (void)ok;
  gxds_serve_call *c = tag->owner;
  c->pending--;
  c->finished = true;
  notify_closed(c, c->cancelled ? "the client went away" : "ended");
  maybe_end(c);
}

static gxds_serve_call_kind kind_of(const grpc_slice *method, gxds_ads_service *service) {
  for (int i = 0; i < GXDS_ADS_SERVICE_COUNT; i++) {
    if (grpc_slice_str_cmp(*method, ads_methods[i]) != 0) continue;
    *service = (gxds_ads_service)i;
    return GXDS_SERVE_CALL_ADS;
  }
  if (grpc_slice_str_cmp(*method, lrs_method) == 0) return GXDS_SERVE_CALL_LRS;
  return GXDS_SERVE_CALL_OTHER;
}

static void on_requested(gxds_serve_tag *tag, bool ok) {
  gxds_serve_call *c = tag->owner;
  c->pending--;
  if (!ok) { /* the server shuts down */
    maybe_end(c);
    return;
  }
  c->kind = kind_of(&c->details.method, &c->service);
  grpc_op close = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER};
  close.data.recv_close_on_server.cancelled = &c->cancelled;
  start(c, &close, 1, &c->closed);
  if (c->kind == GXDS_SERVE_CALL_OTHER) {
    c->notified_closed = true;
    send_status(c, GRPC_STATUS_UNIMPLEMENTED, "xds serve has no such method", true);
  } else {
    grpc_op ops[2] = {{.op = GRPC_OP_SEND_INITIAL_METADATA}, {.op = GRPC_OP_RECV_MESSAGE}};
    ops[1].data.recv_message.recv_message = &c->received;
    start(c, ops, 2, &c->read);
  }
  c->started = true;
  c->events->on_started(c->owner, c);
}

void gxds_serve_call_request(grpc_server *server, grpc_completion_queue *cq,
                             const gxds_serve_call_events *events, void *owner) {
  gxds_serve_call *c = GXDS_NEW(gxds_serve_call);
  c->events = events;
  c->owner = owner;
  c->requested = (gxds_serve_tag){on_requested, c};
  c->read = (gxds_serve_tag){on_read, c};
  c->sent = (gxds_serve_tag){on_sent, c};
  c->status = (gxds_serve_tag){on_status, c};
  c->closed = (gxds_serve_tag){on_closed, c};
  grpc_call_details_init(&c->details);
  grpc_metadata_array_init(&c->metadata);
  c->pending = 1;
  GXDS_CHECK(grpc_server_request_call(server, &c->call, &c->details, &c->metadata, cq, cq,
                                      &c->requested) == GRPC_CALL_OK);
}

void gxds_serve_call_send(gxds_serve_call *c, gxds_str bytes) {
  if (c->status_sent || c->finished) return;
  GXDS_CHECK(c->sending == NULL);
  grpc_slice slice = grpc_slice_from_copied_buffer(bytes.data, bytes.size);
  c->sending = grpc_raw_byte_buffer_create(&slice, 1);
  grpc_slice_unref(slice);
  grpc_op op = {.op = GRPC_OP_SEND_MESSAGE};
  op.data.send_message.send_message = c->sending;
  start(c, &op, 1, &c->sent);
}

void gxds_serve_call_close(gxds_serve_call *c, const gxds_status *status) {
  c->notified_closed = true;
  send_status(c, (grpc_status_code)status->code, status->message.data ? status->message.data : "",
              false);
}

void gxds_serve_call_cancel(gxds_serve_call *c) {
  GXDS_CHECK(grpc_call_cancel(c->call, NULL) == GRPC_CALL_OK);
}

gxds_str gxds_serve_call_peer(const gxds_serve_call *c) {
  char *peer = grpc_call_get_peer(c->call);
  gxds_str copy = gxds_str_dup(gxds_str_z(peer));
  gpr_free(peer);
  return copy;
}
