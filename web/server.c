#include "base/check.h"
#include "base/memory.h"
#include "web/server_internal.h"

void gxds_web_request_fini(gxds_web_request *r) {
  gxds_str_free(&r->path);
  gxds_str_free(&r->body);
  gxds_str_free(&r->etag);
}

gxds_web_server *gxds_web_server_create(const gxds_bootstrap_server *server,
                                        const gxds_schema *schema, uint64_t seed) {
  GXDS_CHECK(server->web_form != GXDS_WEB_NONE);
  gxds_web_server *s = GXDS_NEW(gxds_web_server);
  s->form = server->web_form == GXDS_WEB_REST ? &gxds_web_rest : &gxds_web_files;
  s->server = server;
  s->schema = schema;
  s->random.state = seed;
  return s;
}

void gxds_web_server_destroy(gxds_web_server *s) {
  if (!s) return;
  s->form->destroy(s);
  gxds_str_free(&s->end);
  gxds_str_free(&s->log);
  gxds_free(s);
}

void gxds_web_server_open(gxds_web_server *s, gxds_time now) {
  gxds_str_free(&s->end);
  s->open = true;
  s->form->open(s, now);
}

void gxds_web_server_close(gxds_web_server *s) { s->open = false; }

void gxds_web_server_on_request(gxds_web_server *s, gxds_str bytes, gxds_time now) {
  if (s->open) s->form->on_request(s, bytes, now);
}

bool gxds_web_server_was_sent(gxds_web_server *s) { return s->open && s->form->was_sent(s); }

bool gxds_web_server_next_fetch(gxds_web_server *s, gxds_time now, gxds_web_request *out) {
  return s->open && now >= s->not_before && s->form->next_fetch(s, now, out);
}

void gxds_web_server_on_fetched(gxds_web_server *s, const gxds_web_response *response,
                                gxds_time now) {
  if (response->retry_after > 0 && response->code >= 400) {
    const bool capped = response->retry_after > GXDS_WEB_WAIT_MAX;
    s->not_before = gxds_time_after(now, capped ? GXDS_WEB_WAIT_MAX : response->retry_after);
  }
  if (s->open) s->form->on_fetched(s, response, now);
}

bool gxds_web_server_next_response(gxds_web_server *s, gxds_time now, gxds_str *out) {
  return s->open && s->form->next_response(s, now, out);
}

static bool take(gxds_str *from, gxds_str *to) {
  if (from->size == 0) return false;
  *to = *from;
  *from = gxds_str_of(NULL, 0);
  return true;
}

bool gxds_web_server_take_end(gxds_web_server *s, gxds_str *why) { return take(&s->end, why); }

bool gxds_web_server_take_log(gxds_web_server *s, gxds_str *line) { return take(&s->log, line); }

gxds_time gxds_web_server_deadline(const gxds_web_server *s) {
  if (!s->open) return GXDS_TIME_NEVER;
  gxds_time fetch = s->form->fetch_deadline(s);
  if (fetch < s->not_before) fetch = s->not_before;
  const gxds_time response =
      s->form->response_deadline ? s->form->response_deadline(s) : GXDS_TIME_NEVER;
  return fetch < response ? fetch : response;
}

/* ---- for the forms ---- */

gxds_web_request gxds_web_server_new_fetch(gxds_web_server *s, const char *path) {
  return (gxds_web_request){.id = ++s->last_fetch,
                            .path = gxds_str_dup(gxds_str_z(path)),
                            .size_max = GXDS_WEB_RESPONSE_MAX};
}

void gxds_web_server_end(gxds_web_server *s, gxds_str path, const char *format, ...) {
  gxds_text text = {0};
  gxds_text message = {0};
  GXDS_TEXT_ADD_ARGS(&message, format);
  gxds_text_addf(&text, "%.*s%.*s: ", GXDS_STR_ARG(s->server->uri), GXDS_STR_ARG(path));
  gxds_text_add_untrusted(&text, gxds_text_str(&message), GXDS_WEB_ERROR_MAX);
  gxds_text_fini(&message);
  gxds_str_free(&s->end);
  s->end = gxds_text_take(&text);
  s->open = false;
}

/* Adds the first line of the server's response, if it is text for people and not HTML. */
static void add_quote(const gxds_web_response *response, gxds_text *out) {
  gxds_str line = response->body;
  const char *end = line.size ? memchr(line.data, '\n', line.size) : NULL;
  if (end) line.size = (size_t)(end - line.data);
  if (line.size == 0 || line.data[0] == '<') return;
  gxds_text_add_z(out, ": ");
  gxds_text_add_untrusted(out, line, GXDS_WEB_QUOTE_MAX);
}

bool gxds_web_server_is_good(gxds_web_server *s, gxds_str path, const gxds_web_response *response,
                             bool may_be_unchanged) {
  if (response->code == 200 || (response->code == 304 && may_be_unchanged)) return true;
  if (response->code == 0) {
    gxds_web_server_end(s, path, "%.*s", GXDS_STR_ARG(response->error));
    return false;
  }
  gxds_text quote = {0};
  add_quote(response, &quote);
  const bool redirects = response->code >= 300 && response->code < 400 && response->code != 304;
  gxds_web_server_end(s, path, "expected the HTTP status 200%s, found %d%s%s",
                      may_be_unchanged ? " or 304" : "", response->code,
                      redirects ? " (redirects are not followed)" : "",
                      quote.data ? quote.data : "");
  gxds_text_fini(&quote);
  return false;
}

gxds_time gxds_web_server_next_poll(gxds_web_server *s, const gxds_web_response *response,
                                    gxds_time now) {
  gxds_duration max_age = response->max_age;
  if (max_age > GXDS_WEB_WAIT_MAX) max_age = GXDS_WEB_WAIT_MAX;
  const gxds_duration delay =
      max_age > s->server->refresh_delay ? max_age : s->server->refresh_delay;
  /* Jitter delays a poll by up to a fifth. So clients that started together do not poll together
   * for long. Polls are never earlier, so no client polls while its response is fresh. */
  const gxds_duration jitter = (gxds_duration)((double)delay * 0.2 * gxds_random_unit(&s->random));
  return gxds_time_after(now, delay + jitter);
}
