#include "bootstrap/reader_internal.h"

/* Checks the URL of an http: or https: server (our own, docs/web.md). Allows the URLs of RFC 3986,
 * but without their dangerous or useless parts. Returns NULL, or a static text that says what is
 * wrong. */
static const char *check_url(gxds_str rest) {
  size_t host = 0;
  while (host < rest.size && rest.data[host] != '/') host++;
  if (host == 0) return "must name a host, as http://HOST:PORT/PATH";
  for (size_t i = 0; i < rest.size; i++) {
    unsigned char c = (unsigned char)rest.data[i];
    if (c <= ' ' || c >= 0x7f || strchr("\"<>\\^`{|}", c)) {
      return "has a byte that no URL has: it is to be percent-encoded";
    }
    if (c == '?' || c == '#') return "may have no query or fragment";
    if (c == '@' && i < host) {
      return "may have no user or password: whoever reads the bootstrap, or a log, would have it";
    }
  }
  return NULL;
}

static void check_features(gxds_reader *r, const gxds_path *at, const gxds_web_features *features,
                           gxds_bootstrap_server *server) {
  const gxds_path *here = GXDS_FIELD(at, "server_features");
  if (features->rest == features->files) {
    gxds_reader_error(r, here,
                      "must have one of \"rest\" and \"files\" for an http: or https: URI");
  }
  if (server->delta) {
    gxds_reader_error(r, here, "may not have \"delta\" for an http: or https: URI");
  }
  server->web_form = features->rest ? GXDS_WEB_REST : GXDS_WEB_FILES;
}

/* The URL and the credentials must agree. Otherwise somebody might believe that the server's
 * certificate is verified, although it is not. */
static void check_creds(gxds_reader *r, const gxds_path *at, bool tls,
                        const gxds_bootstrap_server *server) {
  const char *wanted = tls ? "tls" : "insecure";
  if (server->creds_type.size && !gxds_str_equal(server->creds_type, gxds_str_z(wanted))) {
    gxds_reader_error(r, GXDS_FIELD(at, "channel_creds"), "must be \"%s\" for an %s URI", wanted,
                      tls ? "https:" : "http:");
  }
  if (server->jwt_token_file_count > 0) {
    gxds_reader_error(r, GXDS_FIELD(at, "call_creds"),
                      "are not sent to an http: or https: URI: leave them out");
  }
}

static gxds_duration read_refresh_delay(gxds_reader *r, const json_t *object, const gxds_path *at) {
  static const char name[] = "refresh_delay";
  gxds_duration delay = GXDS_WEB_REFRESH_DEFAULT;
  size_t before = r->errors.count;
  gxds_json_duration(object, name, GXDS_JSON_OPTIONAL, at, &r->errors, &delay);
  if (r->errors.count != before) {
    gxds_reader_note_line(r, GXDS_FIELD(at, name));
  } else if (delay < GXDS_WEB_REFRESH_MIN || delay > GXDS_WEB_REFRESH_MAX) {
    gxds_reader_error(r, GXDS_FIELD(at, name), "must be from 0.1s to 86400s");
  }
  return delay;
}

void gxds_reader_web_server(gxds_reader *r, const json_t *object, const gxds_path *at,
                            const gxds_web_features *features, gxds_bootstrap_server *server) {
  const gxds_str https = gxds_str_z("https://");
  const gxds_str http = gxds_str_z("http://");
  const bool tls = gxds_str_starts_with(server->uri, https);
  if (!tls && !gxds_str_starts_with(server->uri, http)) {
    if (features->rest || features->files) {
      gxds_reader_error(r, GXDS_FIELD(at, "server_features"),
                        "may have \"rest\" or \"files\" for an http: or https: URI only");
    }
    return;
  }
  const size_t scheme = tls ? https.size : http.size;
  const char *why = check_url(gxds_str_of(server->uri.data + scheme, server->uri.size - scheme));
  if (why) gxds_reader_error(r, GXDS_FIELD(at, "server_uri"), "%s", why);
  while (server->uri.data[server->uri.size - 1] == '/') server->uri.size--;
  server->uri = gxds_reader_copy(r, server->uri); /* the copy is zero-terminated at its new end */
  check_creds(r, at, tls, server);
  check_features(r, at, features, server);
  server->refresh_delay = read_refresh_delay(r, object, at);
}
