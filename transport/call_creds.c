#include "transport/call_creds.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/string_util.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/random.h"
#include "transport/clock.h"
#include "transport/jwt_file.h"
#include "transport/reactor.h"

struct gxds_call_creds {
  bool in_the_clear; /* the channel does not encrypt, so no token is sent, and `files` is empty */
  gxds_jwt_file **files;
  size_t count;
};

gxds_call_creds *gxds_call_creds_create(const gxds_bootstrap_server *server) {
  if (server->jwt_token_file_count == 0) return NULL;
  gxds_call_creds *c = GXDS_NEW(gxds_call_creds);
  c->in_the_clear = gxds_str_equal(server->creds_type, gxds_str_z("insecure"));
  if (c->in_the_clear) return c;
  c->count = server->jwt_token_file_count;
  c->files = gxds_calloc(c->count, sizeof(gxds_jwt_file *));
  for (size_t i = 0; i < c->count; i++) {
    c->files[i] = gxds_jwt_file_create(server->jwt_token_files[i], gxds_random_seed());
  }
  return c;
}

void gxds_call_creds_destroy(gxds_call_creds *c) {
  if (!c) return;
  for (size_t i = 0; i < c->count; i++) gxds_jwt_file_destroy(c->files[i]);
  gxds_free(c->files);
  gxds_free(c);
}

void gxds_call_creds_reset_backoff(gxds_call_creds *c) {
  for (size_t i = 0; c && i < c->count; i++) gxds_jwt_file_reset_backoff(c->files[i]);
}

/* ---- calls: they have numbers, because gRPC may name a call that has ended ---- */

static gxds_call_token *tokens; /* only on the reactor's thread */
static uintptr_t last_number;

static gxds_call_token **find(uintptr_t number) {
  gxds_call_token **at = &tokens;
  while (*at && (*at)->number != number) at = &(*at)->next;
  return at;
}

static grpc_metadata header_of(gxds_str token) {
  gxds_text value = {0};
  gxds_text_add_z(&value, "Bearer ");
  gxds_text_add(&value, token);
  grpc_metadata header = {0};
  header.key = grpc_slice_from_static_string("authorization");
  header.value = grpc_slice_from_copied_buffer(value.data, value.size);
  gxds_text_fini(&value);
  return header;
}

/* A97: each file gives a header. Sets *count to the number of headers that were made; on failure
 * some may be missing. */
static gxds_status get_headers(const gxds_call_creds *c, grpc_metadata *headers, size_t *count) {
  if (c->in_the_clear) {
    return gxds_status_make(GXDS_UNAUTHENTICATED,
                            "call_creds are not sent over \"insecure\" channel_creds: a token "
                            "needs \"tls\", or others that encrypt");
  }
  for (size_t i = 0; i < c->count; i++) {
    gxds_str token;
    gxds_status status =
        gxds_jwt_file_get(c->files[i], gxds_reactor_now(), gxds_clock_wall_now(), &token);
    if (!gxds_status_is_ok(&status)) return status;
    headers[(*count)++] = header_of(token);
    gxds_str_free(&token);
  }
  return gxds_status_ok();
}

/* ---- requests of gRPC ---- */

typedef struct request {
  uintptr_t number;
  grpc_credentials_plugin_metadata_cb respond;
  void *arg;
} request;

static void respond(const request *r, gxds_call_token *t) {
  grpc_metadata *headers = gxds_calloc(t->creds->count, sizeof *headers);
  size_t count = 0;
  gxds_status_set(&t->failure, get_headers(t->creds, headers, &count));
  gxds_status status = gxds_status_copy(&t->failure); /* the response may end the call */
  if (gxds_status_is_ok(&status)) {
    r->respond(r->arg, headers, count, GRPC_STATUS_OK, NULL);
  } else {
    r->respond(r->arg, NULL, 0, (grpc_status_code)status.code, status.message.data);
  }
  gxds_status_fini(&status);
  for (size_t i = 0; i < count; i++) grpc_slice_unref(headers[i].value);
  gxds_free(headers);
}

static void on_request_posted(void *arg) {
  request *r = arg;
  gxds_call_token *t = *find(r->number);
  if (t) {
    respond(r, t);
  } else {
    r->respond(r->arg, NULL, 0, GRPC_STATUS_CANCELLED, "the call is over");
  }
  gxds_free(r);
  gxds_reactor_release();
}

/* gRPC calls this on its own thread, to get the headers of a call. state is the number of the call.
 * The credentials have a use of the reactor, so this may acquire another one. */
static int on_request(void *state, grpc_auth_metadata_context context,
                      grpc_credentials_plugin_metadata_cb cb, void *arg,
                      grpc_metadata headers[GRPC_METADATA_CREDENTIALS_PLUGIN_SYNC_MAX],
                      size_t *count, grpc_status_code *status, const char **details) {
  (void)context;
  (void)headers;
  (void)count;
  (void)status;
  (void)details;
  request *r = GXDS_NEW(request);
  *r = (request){(uintptr_t)state, cb, arg};
  gxds_reactor_acquire_more();
  gxds_reactor_post(on_request_posted, r);
  return 0; /* the headers are returned later */
}

static char *describe(void *state) {
  (void)state;
  return gpr_strdup("jwt_token_file");
}

/* gRPC has given up its last reference to the credentials. Any thread. */
static void on_unused(void *state) {
  (void)state;
  gxds_reactor_release();
}

void gxds_call_token_init(gxds_call_token *t, gxds_call_creds *creds, grpc_call *call) {
  *t = (gxds_call_token){.failure = gxds_status_ok(), .creds = creds};
  if (!creds) return;
  t->number = ++last_number;
  t->next = tokens;
  tokens = t;
  gxds_reactor_acquire_more();
  void *state = (void *)t->number; /* NOLINT(performance-no-int-to-ptr): it is only a number */
  const grpc_metadata_credentials_plugin plugin = {.get_metadata = on_request,
                                                   .debug_string = describe,
                                                   .destroy = on_unused,
                                                   .state = state,
                                                   .type = "jwt_token_file"};
  /* If no token may be sent, on_request() must run on every connection, also one that is not
   * encrypted, so that the stream gets the reason. */
  grpc_call_credentials *of_call = grpc_metadata_credentials_create_from_plugin(
      plugin, creds->in_the_clear ? GRPC_SECURITY_NONE : GRPC_PRIVACY_AND_INTEGRITY, NULL);
  GXDS_CHECK(grpc_call_set_credentials(call, of_call) == GRPC_CALL_OK);
  grpc_call_credentials_release(of_call);
}

void gxds_call_token_fini(gxds_call_token *t) {
  gxds_status_fini(&t->failure);
  if (!t->creds) return;
  *find(t->number) = t->next;
  t->creds = NULL;
}
