#include "transport/http.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utlist.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/text.h"

/* ---- the library ---- */

#define FUNCTIONS(X)     \
  X(global_init)         \
  X(version_info)        \
  X(easy_init)           \
  X(easy_setopt)         \
  X(easy_getinfo)        \
  X(easy_cleanup)        \
  X(easy_strerror)       \
  X(multi_init)          \
  X(multi_setopt)        \
  X(multi_add_handle)    \
  X(multi_remove_handle) \
  X(multi_perform)       \
  X(multi_poll)          \
  X(multi_info_read)     \
  X(multi_cleanup)       \
  X(slist_append)        \
  X(slist_free_all)

#define DECLARE(name) __typeof__(curl_##name) *(name);
static struct { FUNCTIONS(DECLARE) } curl;

enum { kOldest = 0x075500 }; /* 7.85: CURLOPT_PROTOCOLS_STR */

/* CURLMOPT_QUICK_EXIT, since 8.20. The libcurl that is loaded may be newer than the headers. */
static const CURLMoption kQuickExit = (CURLMoption)21;

/* Loads libcurl. Returns false on errors. Even then the library stays open, because the program may
 * use it too. */
static bool load(gxds_text *error) {
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    gxds_text_addf(error, "an http: or https: server needs libcurl (Debian: libcurl4): %s",
                   dlerror());
    return false;
  }
#define FIND(name) *(void **)&curl.name = dlsym(library, "curl_" #name);
  FUNCTIONS(FIND)
#define MISSING(name) || !curl.name
  if (false FUNCTIONS(MISSING) || curl.version_info(CURLVERSION_NOW)->version_num < kOldest) {
    gxds_text_addf(error, "an http: or https: server needs libcurl 7.85 or newer, found %s",
                   curl.version_info ? curl.version_info(CURLVERSION_NOW)->version : "another");
    return false;
  }
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    gxds_text_add_z(error, "libcurl can't be started");
    return false;
  }
  return true;
}

static bool ensure_loaded(gxds_text *error) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static bool loaded;
  pthread_mutex_lock(&lock);
  loaded = loaded || load(error);
  const bool ok = loaded;
  pthread_mutex_unlock(&lock);
  return ok;
}

/* ---- transfers ---- */

typedef struct transfer {
  CURL *easy;
  struct curl_slist *headers;
  gxds_web_request request; /* owned */
  gxds_text body;
  bool too_long;
  gxds_str etag;
  gxds_text directives; /* of all Cache-Control lines, which mean the same as one line (RFC 9110) */
  gxds_duration max_age;
  gxds_duration age; /* how long a cache has had the response */
  char error[CURL_ERROR_SIZE];
  struct transfer *next;
} transfer;

struct gxds_http {
  gxds_str uri;
  bool has_tls;
  gxds_tls_creds tls; /* the strings in it are copies */
  gxds_http_options options;
  const char *proxy; /* the proxy from the environment; "": none */
  const char *no_proxy;
  CURLM *multi;
  transfer *transfers;
};

static const char *first_variable(const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const char *value = secure_getenv(names[i]);
    if (value && *value) return value;
  }
  return "";
}

static void read_proxy(gxds_http *h) {
  static const char *const proxies[] = {"grpc_proxy", "https_proxy", "http_proxy"};
  static const char *const exceptions[] = {"no_grpc_proxy", "no_proxy"};
  h->proxy = first_variable(proxies, sizeof proxies / sizeof *proxies);
  if (!gxds_str_starts_with(gxds_str_z(h->proxy), gxds_str_z("http://"))) h->proxy = "";
  h->no_proxy = first_variable(exceptions, sizeof exceptions / sizeof *exceptions);
}

gxds_http *gxds_http_create(const gxds_http_options *options, gxds_text *error) {
  if (!ensure_loaded(error)) return NULL;
  CURLM *multi = curl.multi_init();
  if (!multi) {
    gxds_text_add_z(error, "libcurl has no memory, or no descriptors, left");
    return NULL;
  }
  /* The threads that look up names belong to the CURLM in newer versions, and to the request in
   * older ones, which refuse this option: see set_options(). */
  (void)curl.multi_setopt(multi, kQuickExit, 1L);
  gxds_http *h = GXDS_NEW(gxds_http);
  h->options = *options;
  h->uri = gxds_str_dup(options->uri);
  h->has_tls = options->tls != NULL;
  if (options->tls) {
    h->tls = (gxds_tls_creds){
        .ca_certificate_file = gxds_str_dup(options->tls->ca_certificate_file),
        .certificate_file = gxds_str_dup(options->tls->certificate_file),
        .private_key_file = gxds_str_dup(options->tls->private_key_file),
        .refresh_interval = options->tls->refresh_interval,
    };
  }
  h->multi = multi;
  read_proxy(h);
  return h;
}

static void free_transfer(gxds_http *h, transfer *t) {
  curl.multi_remove_handle(h->multi, t->easy);
  curl.easy_cleanup(t->easy);
  curl.slist_free_all(t->headers);
  gxds_web_request_fini(&t->request);
  gxds_text_fini(&t->body);
  gxds_text_fini(&t->directives);
  gxds_str_free(&t->etag);
  gxds_free(t);
}

void gxds_http_cancel_all(gxds_http *h) {
  while (h->transfers) {
    transfer *t = h->transfers;
    h->transfers = t->next;
    free_transfer(h, t);
  }
}

void gxds_http_destroy(gxds_http *h) {
  if (!h) return;
  gxds_http_cancel_all(h);
  curl.multi_cleanup(h->multi);
  gxds_str_free(&h->uri);
  gxds_tls_creds_fini(&h->tls);
  gxds_free(h);
}

/* ---- what comes in ---- */

static size_t on_body(char *data, size_t one, size_t size, void *arg) {
  (void)one;
  transfer *t = arg;
  t->too_long = t->body.size + size > t->request.size_max;
  if (t->too_long) return 0; /* a short count ends the transfer */
  gxds_text_add(&t->body, gxds_str_of(data, size));
  return size;
}

/* The value, if the line is the header of that name (in lower case, with its colon); else empty. */
static gxds_str value_of(gxds_str line, const char *name) {
  const size_t size = strlen(name);
  if (line.size < size || !gxds_str_equal_nocase(gxds_str_of(line.data, size), gxds_str_z(name))) {
    return gxds_str_of(NULL, 0);
  }
  return gxds_str_trim(gxds_str_from(line, size));
}

/* RFC 9111 section 1.2.2: reads the digits at the beginning. A number above 2^31 counts as 2^31. */
static gxds_duration delta_seconds(const char *digits, size_t size) {
  const gxds_duration most = (gxds_duration)1 << 31;
  gxds_duration count = 0;
  for (size_t i = 0; i < size && digits[i] >= '0' && digits[i] <= '9' && count < most; i++) {
    count = count * 10 + (digits[i] - '0');
  }
  return (count < most ? count : most) * GXDS_SECOND;
}

/* RFC 9111: the number in "public, max-age=60". 0 if the server must be asked before each use. */
static gxds_duration max_age_of(gxds_str directives) {
  static const char name[] = "max-age=";
  gxds_str text = gxds_str_dup(directives); /* a copy has a terminating zero */
  const char *found = strcasestr(text.data, name);
  const bool fresh =
      found && !strcasestr(text.data, "no-cache") && !strcasestr(text.data, "no-store");
  const char *digits = fresh ? found + sizeof name - 1 : "";
  const gxds_duration max_age = delta_seconds(digits, strlen(digits));
  gxds_str_free(&text);
  return max_age;
}

static size_t on_header(char *data, size_t one, size_t size, void *arg) {
  (void)one;
  transfer *t = arg;
  const gxds_str line = gxds_str_of(data, size);
  if (gxds_str_starts_with(line, gxds_str_z("HTTP/"))) { /* the head of another response begins, for
                                                            example after a "100 Continue" */
    gxds_str_free(&t->etag);
    gxds_text_clear(&t->directives);
    t->max_age = t->age = 0;
  }
  const gxds_str age = value_of(line, "age:");
  const gxds_str etag = value_of(line, "etag:");
  const gxds_str cache = value_of(line, "cache-control:");
  if (etag.size) gxds_str_set(&t->etag, etag);
  if (cache.size) {
    gxds_text_addf(&t->directives, "%.*s,", GXDS_STR_ARG(cache));
    t->max_age = max_age_of(gxds_text_str(&t->directives));
  }
  if (age.size) t->age = delta_seconds(age.data, age.size);
  return size;
}

/* A child of a fork may have a copy of the socket, which would keep the connection open. */
static int close_socket(void *arg, curl_socket_t fd) {
  (void)arg;
  shutdown(fd, SHUT_RDWR);
  return close(fd);
}

/* ---- requests ---- */

static long milliseconds(gxds_duration d) { return (long)(d / GXDS_MILLISECOND); }
static long seconds(gxds_duration d) { return (long)(d / GXDS_SECOND) + (d % GXDS_SECOND > 0); }

static void set_text(CURL *easy, CURLoption option, const char *value) {
  GXDS_CHECK(curl.easy_setopt(easy, option, value) == CURLE_OK);
}

static void set_number(CURL *easy, CURLoption option, long value) {
  GXDS_CHECK(curl.easy_setopt(easy, option, value) == CURLE_OK);
}

static void set_tls(const gxds_http *h, CURL *easy) {
  const gxds_tls_creds *tls = &h->tls;
  const long age =
      tls->refresh_interval > 86400 * GXDS_SECOND ? 86400 : seconds(tls->refresh_interval);
  set_number(easy, CURLOPT_SSL_VERIFYPEER, 1);
  set_number(easy, CURLOPT_SSL_VERIFYHOST, 2);
  set_number(easy, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
  if (tls->ca_certificate_file.size) {
    set_text(easy, CURLOPT_CAINFO, tls->ca_certificate_file.data);
    set_text(easy, CURLOPT_CAPATH, NULL);
  }
  if (tls->certificate_file.size) {
    set_text(easy, CURLOPT_SSLCERT, tls->certificate_file.data);
    set_text(easy, CURLOPT_SSLKEY, tls->private_key_file.data);
  }
  /* A65: a connection is not used longer than this, so that the files are read again. */
  set_number(easy, CURLOPT_MAXLIFETIME_CONN, age);
#if LIBCURL_VERSION_NUM >= 0x075700
  curl.easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, age); /* an older libcurl does not cache CA
                                                            certificates */
#endif
}

static void add_header(transfer *t, const char *name, gxds_str value) {
  gxds_str line = gxds_str_format("%s:%s%.*s", name, value.size ? " " : "", GXDS_STR_ARG(value));
  struct curl_slist *more = curl.slist_append(t->headers, line.data);
  GXDS_CHECK(more != NULL);
  t->headers = more;
  gxds_str_free(&line);
}

static void set_request(transfer *t) {
  const gxds_web_request *r = &t->request;
  if (r->body.size) {
    GXDS_CHECK(curl.easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.size) ==
               CURLE_OK);
    set_text(t->easy, CURLOPT_POSTFIELDS, r->body.data); /* libcurl does not copy the body */
    add_header(t, "Content-Type", gxds_str_z("application/json"));
    add_header(t, "Accept", gxds_str_z("application/json"));
    add_header(t, "Expect", gxds_str_z("")); /* avoids the round trip for "100 Continue" */
  }
  if (r->etag.size) add_header(t, "If-None-Match", r->etag);
  GXDS_CHECK(curl.easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers) == CURLE_OK);
}

static void set_options(const gxds_http *h, transfer *t) {
  CURL *easy = t->easy;
  gxds_str url = gxds_str_format("%.*s%.*s", GXDS_STR_ARG(h->uri), GXDS_STR_ARG(t->request.path));
  set_text(easy, CURLOPT_URL, url.data);
  gxds_str_free(&url);
  set_text(easy, CURLOPT_PROTOCOLS_STR, h->has_tls ? "https" : "http");
  set_number(easy, CURLOPT_NOSIGNAL, 1);
#if LIBCURL_VERSION_NUM >= 0x075700
  /* The lookup of a name, in a thread of libcurl, may take half a minute if no DNS server responds.
   * The end of a request must not wait for that, because a fork, and the end of the process, wait
   * for this thread. An older libcurl always waits. */
  curl.easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
  set_number(easy, CURLOPT_FOLLOWLOCATION, 0);
  set_text(easy, CURLOPT_ACCEPT_ENCODING, ""); /* empty: every encoding that libcurl can decode */
  set_text(easy, CURLOPT_USERAGENT, "grpc_xds");
  set_text(easy, CURLOPT_PROXY, h->proxy);
  set_text(easy, CURLOPT_NOPROXY, h->no_proxy);
  set_number(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(h->options.connect));
  set_number(easy, CURLOPT_TIMEOUT_MS, milliseconds(h->options.whole));
  set_number(easy, CURLOPT_LOW_SPEED_LIMIT, 1000);
  set_number(easy, CURLOPT_LOW_SPEED_TIME, seconds(h->options.slow));
  if (h->has_tls) set_tls(h, easy);
  GXDS_CHECK(curl.easy_setopt(easy, CURLOPT_PRIVATE, t) == CURLE_OK);
  GXDS_CHECK(curl.easy_setopt(easy, CURLOPT_ERRORBUFFER, t->error) == CURLE_OK);
  GXDS_CHECK(curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK);
  GXDS_CHECK(curl.easy_setopt(easy, CURLOPT_WRITEDATA, t) == CURLE_OK);
  GXDS_CHECK(curl.easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header) == CURLE_OK);
  GXDS_CHECK(curl.easy_setopt(easy, CURLOPT_HEADERDATA, t) == CURLE_OK);
  GXDS_CHECK(curl.easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket) == CURLE_OK);
  set_request(t);
}

void gxds_http_start(gxds_http *h, gxds_web_request take_request) {
  transfer *t = GXDS_NEW(transfer);
  t->request = take_request;
  t->easy = curl.easy_init();
  GXDS_CHECK(t->easy != NULL); /* NULL would mean out of memory */
  set_options(h, t);
  GXDS_CHECK(curl.multi_add_handle(h->multi, t->easy) == CURLM_OK);
  LL_PREPEND(h->transfers, t);
}

/* ---- turns ---- */

void gxds_http_wait(gxds_http *h, int wake_fd, int milliseconds) {
  struct curl_waitfd wake = {.fd = wake_fd, .events = CURL_WAIT_POLLIN};
  /* libcurl can't wait for ever. If this is too short, the caller waits again. */
  const int at_most = milliseconds < 0 || milliseconds > 60000 ? 60000 : milliseconds;
  curl.multi_poll(h->multi, &wake, wake_fd < 0 ? 0 : 1, at_most, NULL);
}

static void deliver(const transfer *t, CURLcode result,
                    void (*on_fetched)(void *arg, const gxds_web_response *response), void *arg) {
  gxds_web_response response = {.id = t->request.id,
                                .max_age = t->max_age > t->age ? t->max_age - t->age : 0};
  gxds_text error = {0};
  if (result == CURLE_OK) {
    long code = 0;
    const char *content_type = NULL;
    curl_off_t retry_after = 0;
    curl.easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &code);
    curl.easy_getinfo(t->easy, CURLINFO_CONTENT_TYPE, &content_type);
    curl.easy_getinfo(t->easy, CURLINFO_RETRY_AFTER, &retry_after);
    response.code = (int)code;
    response.content_type = gxds_str_z(content_type);
    response.etag = t->etag;
    response.body = gxds_text_str(&t->body);
    response.retry_after = (retry_after < 86400 ? retry_after : 86400) * GXDS_SECOND;
  } else if (t->too_long) {
    response.too_long = true;
    gxds_text_addf(&error, "the response has more than %zu bytes", t->request.size_max);
  } else {
    gxds_text_add_z(&error, t->error[0] ? t->error : curl.easy_strerror(result));
  }
  response.error = gxds_text_str(&error);
  on_fetched(arg, &response);
  gxds_text_fini(&error);
}

void gxds_http_turn(gxds_http *h, void (*on_fetched)(void *arg, const gxds_web_response *response),
                    void *arg) {
  int left;
  curl.multi_perform(h->multi, &left);
  CURLMsg *message;
  while ((message = curl.multi_info_read(h->multi, &left)) != NULL) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode result = message->data.result;
    transfer *t = NULL;
    curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &t);
    /* Each handle belongs to a transfer in the list. */
    GXDS_CHECK(h->transfers != NULL && t != NULL);
    LL_DELETE(h->transfers, t);
    deliver(t, result, on_fetched, arg);
    free_transfer(h, t);
  }
}
