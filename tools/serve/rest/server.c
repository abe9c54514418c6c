#include "tools/serve/rest/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>

#include "base/memory.h"
#include "tools/serve/http.h"
#include "tools/serve/rest/responses.h"
#include "web/index.h"
#include "web/paths.h"

struct gxds_rest_server {
  gxds_serve_http *http;
  gxds_schema *schema; /* the thread's */

  /* Any thread, under the lock. */
  pthread_mutex_t lock;
  const gxds_file_set *served;
  gxds_dir_files files; /* the files of that set */
  gxds_str index;
  gxds_str etag;
  void (*emit)(void *arg, gxds_serve_event *take_event);
  void *arg;
};

typedef gxds_serve_http_request http_request;

static enum MHD_Result respond(const http_request *r, unsigned code, const char *type,
                               gxds_str body, const char *etag) {
  struct MHD_Response *response =
      MHD_create_response_from_buffer(body.size, (void *)body.data, MHD_RESPMEM_MUST_COPY);
  if (!response) return MHD_NO;
  if (body.size) MHD_add_response_header(response, "Content-Type", type);
  if (etag) MHD_add_response_header(response, "ETag", etag);
  MHD_add_response_header(response, "Cache-Control", "no-cache");
  /* Otherwise clients would keep their connections for the next poll, up to six each, and leave
   * none of the 64 for others. */
  MHD_add_response_header(response, "Connection", "close");
  enum MHD_Result result = MHD_queue_response(r->connection, code, response);
  MHD_destroy_response(response);
  return result;
}

static enum MHD_Result respond_with_text(const http_request *r, unsigned code, const char *text) {
  return respond(r, code, "text/plain; charset=utf-8", gxds_str_z(text), NULL);
}

/* The client's address in the form of gRPC's peers. */
static gxds_str peer_of(const http_request *r) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  gxds_text text = {0};
  char address[INET6_ADDRSTRLEN] = "";
  if (info && info->client_addr->sa_family == AF_INET) {
    const struct sockaddr_in *in = (const struct sockaddr_in *)info->client_addr;
    inet_ntop(AF_INET, &in->sin_addr, address, sizeof address);
    gxds_text_addf(&text, "ipv4:%s:%u", address, ntohs(in->sin_port));
  } else if (info && info->client_addr->sa_family == AF_INET6) {
    const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)info->client_addr;
    inet_ntop(AF_INET6, &in->sin6_addr, address, sizeof address);
    gxds_text_addf(&text, "ipv6:[%s]:%u", address, ntohs(in->sin6_port));
  }
  return gxds_text_take(&text);
}

static void emit(gxds_rest_server *s, const http_request *r, gxds_rest_response *a) {
  if (!a->has_event) return;
  a->event.peer = peer_of(r);
  a->event.service = "rest";
  pthread_mutex_lock(&s->lock);
  if (s->emit) s->emit(s->arg, &a->event);
  pthread_mutex_unlock(&s->lock);
}

static enum MHD_Result respond_to_discovery(gxds_rest_server *s, const http_request *r,
                                            gxds_file_type type) {
  if (r->too_long)
    return respond_with_text(r, MHD_HTTP_CONTENT_TOO_LARGE, "the request is too long");
  pthread_mutex_lock(&s->lock);
  const gxds_file_set *set = s->served ? gxds_file_set_ref(s->served) : NULL;
  pthread_mutex_unlock(&s->lock);
  gxds_rest_response a = gxds_rest_respond(s->schema, set, type, gxds_text_str(&r->body));
  gxds_file_set_unref(set);
  emit(s, r, &a);
  enum MHD_Result result =
      respond(r, a.code, a.code == MHD_HTTP_OK ? "application/json" : "text/plain; charset=utf-8",
              a.body, NULL);
  gxds_rest_response_fini(&a);
  return result;
}

/* Under the lock. */
static const gxds_file_input *find_file(const gxds_rest_server *s, const char *url) {
  for (size_t i = 0; url[0] == '/' && i < s->files.count; i++) {
    if (gxds_str_equal(s->files.items[i].name, gxds_str_z(url + 1))) return &s->files.items[i];
  }
  return NULL;
}

/* A file, or an error if the URL is unknown or the method is not GET. */
static enum MHD_Result respond_with_file(gxds_rest_server *s, const http_request *r) {
  const char *known =
      MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_NONE_MATCH);
  enum MHD_Result result;
  pthread_mutex_lock(&s->lock);
  const gxds_file_input *file = find_file(s, r->url);
  const bool is_index = strcmp(r->url, GXDS_WEB_INDEX_PATH) == 0;
  if ((file || is_index) && strcmp(r->method, "GET") != 0) {
    result = respond_with_text(r, MHD_HTTP_METHOD_NOT_ALLOWED, "expected a GET");
  } else if (file) {
    result = respond(r, MHD_HTTP_OK, "application/octet-stream", file->bytes, NULL);
  } else if (!is_index) {
    result = respond_with_text(r, MHD_HTTP_NOT_FOUND,
                               "POST /v3/discovery:{listeners,routes,clusters,endpoints}, GET "
                               "/" GXDS_DIR_INDEX_NAME " and of its files are what there is");
  } else if (!s->served) {
    result = respond_with_text(r, MHD_HTTP_SERVICE_UNAVAILABLE,
                               "no good state of the files is there yet");
  } else if (known && strcmp(known, s->etag.data) == 0) {
    result = respond(r, MHD_HTTP_NOT_MODIFIED, "", gxds_str_of(NULL, 0), s->etag.data);
  } else {
    result = respond(r, MHD_HTTP_OK, "application/json", s->index, s->etag.data);
  }
  pthread_mutex_unlock(&s->lock);
  return result;
}

static enum MHD_Result on_request(void *arg, const http_request *r) {
  gxds_rest_server *s = arg;
  const gxds_file_type type = gxds_rest_type_of(r->url);
  if (type < GXDS_FILE_TYPE_COUNT) {
    if (strcmp(r->method, "POST") == 0) return respond_to_discovery(s, r, type);
    return respond_with_text(r, MHD_HTTP_METHOD_NOT_ALLOWED, "expected a POST");
  }
  return respond_with_file(s, r);
}

static void clear_files(gxds_rest_server *s) {
  gxds_dir_files_fini(&s->files);
  gxds_str_free(&s->index);
  gxds_str_free(&s->etag);
}

static void free_server(gxds_rest_server *s) {
  clear_files(s);
  gxds_file_set_unref(s->served);
  gxds_schema_destroy(s->schema);
  pthread_mutex_destroy(&s->lock);
  gxds_free(s);
}

gxds_rest_server *gxds_rest_server_start(const char *listen, int *port, gxds_status *status) {
  gxds_rest_server *s = GXDS_NEW(gxds_rest_server);
  pthread_mutex_init(&s->lock, NULL);
  s->schema = gxds_schema_create();
  const gxds_serve_http_options options = {.option = "--rest",
                                           .listen = listen,
                                           .body_max = GXDS_REST_BODY_MAX,
                                           .on_request = on_request,
                                           .arg = s};
  s->http = gxds_serve_http_start(&options, port, status);
  if (s->http) return s;
  free_server(s);
  return NULL;
}

void gxds_rest_server_stop(gxds_rest_server *s) {
  if (!s) return;
  gxds_serve_http_stop(s->http);
  free_server(s);
}

void gxds_rest_server_emit_to(gxds_rest_server *s,
                              void (*emit_event)(void *arg, gxds_serve_event *take_event),
                              void *arg) {
  pthread_mutex_lock(&s->lock);
  s->emit = emit_event;
  s->arg = arg;
  pthread_mutex_unlock(&s->lock);
}

void gxds_rest_server_set_resources(gxds_rest_server *s, const gxds_file_set *set) {
  gxds_dir_files files = gxds_rest_files_of(set);
  gxds_text index = {0};
  gxds_text etag = {0};
  unsigned char digest[GXDS_SHA256_SIZE];
  gxds_web_index_write(&files, &index);
  gxds_sha256(gxds_text_str(&index), digest);
  gxds_text_add_z(&etag, "\"");
  for (int i = 0; i < 8; i++) gxds_text_addf(&etag, "%02x", digest[i]);
  gxds_text_add_z(&etag, "\"");
  pthread_mutex_lock(&s->lock);
  clear_files(s);
  gxds_file_set_unref(s->served);
  s->served = gxds_file_set_ref(set);
  s->files = files;
  s->index = gxds_text_take(&index);
  s->etag = gxds_text_take(&etag);
  pthread_mutex_unlock(&s->lock);
}
