#include "tools/serve/page/server.h"

#include <arpa/inet.h>
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/check.h"
#include "base/memory.h"
#include "tools/serve/http.h"
#include "tools/serve/page/html.h"
#include "tools/serve/page/localities.h"
#include "tools/serve/page/state.h"

struct gxds_page_server {
  gxds_serve_http *http;
  int changed; /* an eventfd */

  /* Any thread, under the lock. */
  pthread_mutex_t lock;
  gxds_page_state *state;
  const gxds_file_set *served;
  const gxds_file_set *wanted; /* NULL: no change waits */
};

typedef struct MHD_Connection connection;

static enum MHD_Result respond(connection *c, unsigned code, const char *type, gxds_str body) {
  struct MHD_Response *r =
      MHD_create_response_from_buffer(body.size, (void *)body.data, MHD_RESPMEM_MUST_COPY);
  if (!r) return MHD_NO;
  MHD_add_response_header(r, "Content-Type", type);
  MHD_add_response_header(r, "Cache-Control", "no-store");
  MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(r, "Content-Security-Policy",
                          "default-src 'none'; script-src 'unsafe-inline'; style-src "
                          "'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'");
  enum MHD_Result result = MHD_queue_response(c, code, r);
  MHD_destroy_response(r);
  return result;
}

static enum MHD_Result respond_with_text(connection *c, unsigned code, const char *text) {
  return respond(c, code, "text/plain; charset=utf-8", gxds_str_z(text));
}

/* A page from another site may let its own host name resolve to this machine (DNS rebinding). Its
 * requests have that name. So only requests with an address or "localhost" get a response. */
static bool is_ours(const char *host) {
  if (!host) return true;
  char name[256];
  size_t size = strcspn(host, "]");
  if (host[0] == '[' && host[size] == ']') {
    host++;
    size--;
  } else {
    size = strcspn(host, ":");
  }
  if (size >= sizeof name) return false;
  memcpy(name, host, size);
  name[size] = 0;
  unsigned char address[sizeof(struct in6_addr)];
  return strcmp(name, "localhost") == 0 || inet_pton(AF_INET, name, address) == 1 ||
         inet_pton(AF_INET6, name, address) == 1;
}

static enum MHD_Result give_state(gxds_page_server *s, connection *c) {
  const char *after = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "after");
  gxds_text text = {0};
  pthread_mutex_lock(&s->lock);
  if (!after || strtoull(after, NULL, 10) != gxds_page_state_number(s->state)) {
    gxds_page_state_render(s->state, &text);
  }
  pthread_mutex_unlock(&s->lock);
  enum MHD_Result result = respond(c, text.size ? MHD_HTTP_OK : MHD_HTTP_NOT_MODIFIED,
                                   "application/json", gxds_text_str(&text));
  gxds_text_fini(&text);
  return result;
}

/* Under the lock. */
static bool want(gxds_page_server *s, const gxds_page_weight *weight, gxds_status *status) {
  const gxds_file_set *base = s->wanted ? s->wanted : s->served;
  if (!base) {
    *status = gxds_status_make(GXDS_NOT_FOUND, "nothing is being served");
    return false;
  }
  const gxds_file_set *set = gxds_page_localities_reweigh(base, weight, status);
  if (!set) return false;
  gxds_file_set_unref(s->wanted);
  s->wanted = set;
  GXDS_CHECK(eventfd_write(s->changed, 1) == 0);
  return true;
}

static enum MHD_Result take_weight(gxds_page_server *s, connection *c,
                                   const gxds_serve_http_request *r) {
  const char *type = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Content-Type");
  if (!type || strcmp(type, "application/json") != 0) {
    return respond_with_text(c, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, "expected application/json");
  }
  if (r->too_long)
    return respond_with_text(c, MHD_HTTP_CONTENT_TOO_LARGE, "the request is too long");
  json_error_t error;
  const char *resource;
  const char *region = "";
  const char *zone = "";
  const char *sub_zone = "";
  json_int_t weight;
  json_int_t priority = 0;
  json_t *root = json_loadb(r->body.data ? r->body.data : "", r->body.size, 0, &error);
  if (!root || json_unpack_ex(root, &error, 0, "{s:s, s?s, s?s, s?s, s:I, s?I}", "resource",
                              &resource, "region", &region, "zone", &zone, "sub_zone", &sub_zone,
                              "weight", &weight, "priority", &priority) != 0) {
    json_decref(root);
    return respond_with_text(c, MHD_HTTP_BAD_REQUEST, error.text);
  }
  if (weight < 0 || weight > UINT32_MAX || priority < 0 || priority > UINT32_MAX) {
    json_decref(root);
    return respond_with_text(c, MHD_HTTP_BAD_REQUEST,
                             "weight and priority: expected 0 to 4294967295");
  }
  gxds_page_weight wanted = {.resource = gxds_str_z(resource),
                             .priority = (uint32_t)priority,
                             .region = gxds_str_z(region),
                             .zone = gxds_str_z(zone),
                             .sub_zone = gxds_str_z(sub_zone),
                             .weight = (uint32_t)weight};
  gxds_status status;
  pthread_mutex_lock(&s->lock);
  bool ok = want(s, &wanted, &status);
  pthread_mutex_unlock(&s->lock);
  json_decref(root);
  enum MHD_Result result = ok ? respond_with_text(c, MHD_HTTP_ACCEPTED, "accepted")
                              : respond_with_text(c, MHD_HTTP_NOT_FOUND, status.message.data);
  gxds_status_fini(&status);
  return result;
}

static enum MHD_Result on_request(void *arg, const gxds_serve_http_request *r) {
  gxds_page_server *s = arg;
  connection *c = r->connection;
  if (!is_ours(MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host"))) {
    return respond_with_text(c, MHD_HTTP_FORBIDDEN, "use an address, or localhost");
  }
  bool get = strcmp(r->method, "GET") == 0;
  if (get && strcmp(r->url, "/") == 0) {
    return respond(c, MHD_HTTP_OK, "text/html; charset=utf-8",
                   gxds_str_of((const char *)gxds_page_html, gxds_page_html_size));
  }
  if (get && strcmp(r->url, "/state") == 0) return give_state(s, c);
  if (strcmp(r->method, "POST") == 0 && strcmp(r->url, "/weight") == 0) return take_weight(s, c, r);
  return respond_with_text(c, MHD_HTTP_NOT_FOUND,
                           "GET /, GET /state and POST /weight are what there is");
}

static void free_server(gxds_page_server *s) {
  close(s->changed);
  gxds_page_state_destroy(s->state);
  gxds_file_set_unref(s->served);
  gxds_file_set_unref(s->wanted);
  pthread_mutex_destroy(&s->lock);
  gxds_free(s);
}

gxds_page_server *gxds_page_server_start(const char *listen, int *port, gxds_status *status) {
  gxds_page_server *s = GXDS_NEW(gxds_page_server);
  pthread_mutex_init(&s->lock, NULL);
  s->state = gxds_page_state_create();
  s->changed = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  GXDS_CHECK(s->changed >= 0);
  const gxds_serve_http_options options = {.option = "--http",
                                           .listen = listen,
                                           .body_max = GXDS_PAGE_BODY_MAX,
                                           .on_request = on_request,
                                           .arg = s};
  s->http = gxds_serve_http_start(&options, port, status);
  if (s->http) return s;
  free_server(s);
  return NULL;
}

void gxds_page_server_stop(gxds_page_server *s) {
  if (!s) return;
  gxds_serve_http_stop(s->http);
  free_server(s);
}

void gxds_page_server_on_event(gxds_page_server *s, const gxds_serve_event *event) {
  pthread_mutex_lock(&s->lock);
  gxds_page_state_on_event(s->state, event);
  pthread_mutex_unlock(&s->lock);
}

void gxds_page_server_set_resources(gxds_page_server *s, const gxds_file_set *set) {
  pthread_mutex_lock(&s->lock);
  gxds_page_state_set_resources(s->state, set);
  gxds_file_set_unref(s->served);
  s->served = gxds_file_set_ref(set);
  gxds_file_set_unref(s->wanted); /* the change was made from a set that is not served any more */
  s->wanted = NULL;
  pthread_mutex_unlock(&s->lock);
}

int gxds_page_server_fd(const gxds_page_server *s) { return s->changed; }

const gxds_file_set *gxds_page_server_take_change(gxds_page_server *s) {
  pthread_mutex_lock(&s->lock);
  eventfd_t count;
  (void)eventfd_read(s->changed, &count); /* nothing was there: nothing waits */
  const gxds_file_set *set = s->wanted;
  s->wanted = NULL;
  pthread_mutex_unlock(&s->lock);
  return set;
}
