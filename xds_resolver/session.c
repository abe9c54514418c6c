#include "xds_resolver/session.h"

#include <inttypes.h>
#include <string.h>

#include "base/base64.h"

/* --- The request --- */

/* Reads the next "name=value" of a header. Several headers are joined by commas, which no cookie
 * may contain. */
static bool next_cookie(gxds_str *rest, gxds_str *name, gxds_str *value) {
  while (rest->size > 0 && strchr(" ;,", rest->data[0])) {
    *rest = gxds_str_from(*rest, 1);
  }
  if (rest->size == 0) return false;
  size_t end = 0;
  while (end < rest->size && rest->data[end] != ';' && rest->data[end] != ',') end++;
  const char *equals = memchr(rest->data, '=', end);
  const size_t name_size = equals ? (size_t)(equals - rest->data) : end;
  *name = gxds_str_of(rest->data, name_size);
  *value = equals ? gxds_str_of(equals + 1, end - name_size - 1) : gxds_str_of(NULL, 0);
  *rest = gxds_str_from(*rest, end);
  return true;
}

/* RFC 6265 allows quotes around a value; some libraries add them to every value that is not a plain
 * word. */
static gxds_str without_quotes(gxds_str value) {
  while (value.size > 0 && value.data[value.size - 1] == ' ') value.size--;
  if (value.size < 2 || value.data[0] != '"' || value.data[value.size - 1] != '"') return value;
  return gxds_str_of(value.data + 1, value.size - 2);
}

void gxds_session_text_read(gxds_session_text *out, gxds_str cookie_name, gxds_str header) {
  out->size = 0;
  out->addresses = 0;
  gxds_str name;
  gxds_str value;
  do {
    if (!next_cookie(&header, &name, &value)) return;
  } while (!gxds_str_equal(name, cookie_name));
  value = without_quotes(value);
  if (value.size > sizeof out->text ||
      !gxds_base64_decode(GXDS_BASE64, value, out->text, &out->size)) {
    out->size = 0;
    return;
  }
  const char *semicolon = memchr(out->text, ';', out->size);
  out->addresses = semicolon ? (size_t)(semicolon - out->text) : out->size;
}

/* A60's prefix before the cluster's name. */
static const gxds_str cluster_prefix = {"cluster:", 8};

bool gxds_session_text_is_of(const gxds_session_text *t, gxds_str cluster) {
  if (t->size <= t->addresses) return false;
  gxds_str named = gxds_str_of(t->text + t->addresses + 1, t->size - t->addresses - 1);
  if (gxds_str_starts_with(named, cluster_prefix)) {
    named = gxds_str_from(named, cluster_prefix.size);
  }
  return gxds_str_equal(named, cluster);
}

/* --- The response --- */

typedef struct session {
  gxds_session base;
  gxds_session_cookie cookie;
  gxds_str had; /* the decoded cookie of the request; empty if the request had none */
  gxds_str cluster;
  char texts[];
} session;

/* Adds the header that sets the cookie. The cookie is HttpOnly, so only the program's RPCs of that
 * session can read it. */
static void set_cookie(const session *s, gxds_str value, gxds_response *response) {
  gxds_text header = {0};
  gxds_text_add(&header, s->cookie.name);
  gxds_text_add_z(&header, "=");
  gxds_base64_add(&header, value);
  gxds_text_add_z(&header, "; HttpOnly");
  if (s->cookie.path.size > 0) {
    gxds_text_addf(&header, "; Path=%.*s", GXDS_STR_ARG(s->cookie.path));
  }
  if (s->cookie.ttl > 0) {
    /* Rounded up, because an age of 0 would delete the cookie. */
    const int64_t seconds = s->cookie.ttl / GXDS_SECOND + (s->cookie.ttl % GXDS_SECOND > 0);
    gxds_text_addf(&header, "; Max-Age=%" PRId64, seconds);
  }
  response->add_header(response, gxds_str_z("set-cookie"), gxds_text_str(&header));
  gxds_text_fini(&header);
}

static void responded(gxds_session *base, gxds_response *response) {
  const session *s = (const session *)base;
  if (base->used.size == 0) return; /* the endpoint of the response is not known */
  gxds_text value = {0};
  gxds_text_add(&value, base->used); /* copied as bytes, because a name may have any byte */
  gxds_text_add_z(&value, ";");
  if (gxds_str_starts_with(s->cluster, cluster_prefix)) gxds_text_add(&value, cluster_prefix);
  gxds_text_add(&value, s->cluster);
  if (!gxds_str_equal(gxds_text_str(&value), s->had)) {
    set_cookie(s, gxds_text_str(&value), response);
  }
  gxds_text_fini(&value);
}

static size_t text_size(const gxds_session_cookie *cookie, const gxds_session_text *text) {
  return cookie->name.size + cookie->path.size + text->size;
}

size_t gxds_session_size(const gxds_session_cookie *cookie, const gxds_session_text *text) {
  return (sizeof(session) + text_size(cookie, text) + 15) / 16 * 16;
}

static gxds_str put(char **at, const char *data, size_t size) {
  if (size > 0) memcpy(*at, data, size);
  const gxds_str copy = gxds_str_of(*at, size);
  *at += size;
  return copy;
}

gxds_session *gxds_session_init(void *memory, const gxds_session_cookie *cookie,
                                const gxds_session_text *text, gxds_str cluster) {
  session *s = memory;
  char *at = s->texts;
  s->cookie.name = put(&at, cookie->name.data, cookie->name.size);
  s->cookie.path = put(&at, cookie->path.data, cookie->path.size);
  s->cookie.ttl = cookie->ttl;
  s->had = put(&at, text->text, text->size);
  s->cluster = cluster;
  s->base = (gxds_session){gxds_str_of(s->had.data, text->addresses), {NULL, 0}, responded};
  return &s->base;
}
