/* Decodes StatefulSession with CookieBasedSessionState (A55). The host has no tables of these
 * messages, but it has tables of the messages inside them. So the fields of these messages are read
 * from the bytes. */
#include <string.h>

#include "base/utf8.h"
#include "base/wire.h"
#include "envoy/config/core/v3/extension.upb.h"
#include "envoy/type/http/v3/cookie.upb.h"
#include "resources/http_filters_internal.h"
#include "resources/json_internal.h"

enum {
  SESSION_STATE = 1, /* a field of StatefulSession */
  DISABLED = 1,      /* a field a field of StatefulSessionPerRoute */
  STATEFUL_SESSION = 2,
  COOKIE = 1, /* a field of CookieBasedSessionState */
};

/* The state of the decoder of one filter. */
typedef struct session_decoder {
  upb_Arena *scratch;
  gxds_errors *errors;
  gxds_http_filter_value *out;
} session_decoder;

bool gxds_session_cookie_is_for(const gxds_session_cookie *c, gxds_str path) {
  if (c->path.size == 0) return true;
  if (path.size < c->path.size || memcmp(path.data, c->path.data, c->path.size) != 0) return false;
  return path.size == c->path.size || c->path.data[c->path.size - 1] == '/' ||
         path.data[c->path.size] == '/';
}

gxds_session_cookie gxds_session_cookie_copy(const gxds_session_cookie *c, upb_Arena *arena) {
  if (c->name.size == 0) return (gxds_session_cookie){0};
  return (gxds_session_cookie){gxds_arena_dup(arena, c->name), gxds_arena_dup(arena, c->path),
                               c->ttl};
}

/* RFC 6265: the name of a cookie must be a token. Otherwise the cookie could not be distinguished
 * from others. */
static bool is_token(gxds_str name) {
  for (size_t i = 0; i < name.size; i++) {
    const unsigned char c = (unsigned char)name.data[i];
    if (c <= ' ' || c >= 0x7f || strchr("()<>@,;:\\\"/[]?={}", c)) return false;
  }
  return true;
}

/* The path becomes a part of a header, so only printable characters other than ';' are allowed. */
static bool is_path(gxds_str path) {
  for (size_t i = 0; i < path.size; i++) {
    const unsigned char c = (unsigned char)path.data[i];
    if (c < ' ' || c >= 0x7f || c == ';') return false;
  }
  return true;
}

static void decode_cookie(const session_decoder *d, const envoy_type_http_v3_Cookie *in,
                          const gxds_path *at) {
  gxds_session_cookie *out = &d->out->cookie;
  out->name = gxds_pb_str(envoy_type_http_v3_Cookie_name(in));
  if (out->name.size == 0) {
    gxds_errors_add(d->errors, GXDS_FIELD(at, "name"), "field not present");
  } else if (!is_token(out->name)) {
    gxds_errors_add(d->errors, GXDS_FIELD(at, "name"), "is not a valid name of a cookie: %.*s",
                    GXDS_QUOTED(out->name));
  }
  out->path = gxds_pb_str(envoy_type_http_v3_Cookie_path(in));
  if (!is_path(out->path)) {
    gxds_errors_add(d->errors, GXDS_FIELD(at, "path"), "is not a valid path of a cookie: %.*s",
                    GXDS_QUOTED(out->path));
  }
  const google_protobuf_Duration *ttl = envoy_type_http_v3_Cookie_ttl(in);
  if (ttl) out->ttl = gxds_duration_decode(ttl, GXDS_FIELD(at, "ttl"), d->errors);
}

/* Decodes the extension in session_state. */
static void decode_state(const session_decoder *d, const gxds_extension *state) {
  if (!gxds_str_is(state->type,
                   "envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState")) {
    gxds_errors_add(d->errors, state->at, "unsupported session state type");
    return;
  }
  if (state->typed_struct || !gxds_wire_is_whole(state->value)) {
    gxds_errors_add(d->errors, state->at, "could not parse session state config");
    return;
  }
  const gxds_path *at = GXDS_FIELD(state->at, "cookie");
  gxds_str bytes = gxds_wire_bytes_at(state->value, COOKIE);
  if (!bytes.data) {
    gxds_errors_add(d->errors, at, "field not present");
    return;
  }
  const envoy_type_http_v3_Cookie *cookie =
      GXDS_DECODE(envoy_type_http_v3_Cookie, bytes, d->scratch);
  if (cookie) {
    decode_cookie(d, cookie, at);
  } else {
    gxds_errors_add(d->errors, at, "can't decode Cookie");
  }
}

/* Without session_state, the filter does nothing. */
static void decode_stateful_session(const session_decoder *d, gxds_str message,
                                    const gxds_path *up) {
  gxds_str bytes = gxds_wire_bytes_at(message, SESSION_STATE);
  if (!bytes.data) return;
  const gxds_path *at = GXDS_FIELD(up, "session_state");
  const envoy_config_core_v3_TypedExtensionConfig *state =
      GXDS_DECODE(envoy_config_core_v3_TypedExtensionConfig, bytes, d->scratch);
  if (!state) {
    gxds_errors_add(d->errors, at, "can't decode TypedExtensionConfig");
    return;
  }
  const gxds_path *at_config = GXDS_FIELD(at, "typed_config");
  gxds_extension opened;
  if (gxds_extension_open(envoy_config_core_v3_TypedExtensionConfig_typed_config(state), at_config,
                          d->scratch, d->errors, &opened)) {
    decode_state(d, &opened);
  }
}

/* The two fields are a oneof, so the last one in the message counts. */
static void decode_per_route(const session_decoder *d, gxds_str message, const gxds_path *at) {
  bool enabled = false;
  gxds_str session = {NULL, 0};
  for (gxds_wire_field f; gxds_wire_next(&message, &f);) {
    if (f.number == STATEFUL_SESSION && f.has_size) {
      session = f.value;
      enabled = true;
    } else if (f.number == DISABLED) {
      enabled = false;
    }
  }
  if (enabled) decode_stateful_session(d, session, GXDS_FIELD(at, "stateful_session"));
}

/* Writes the config as JSON, which is shown to people, and compared to find changed configs. */
static void render(const gxds_session_cookie *c, gxds_text *json) {
  gxds_text_add_z(json, "{");
  if (c->name.size > 0) {
    gxds_text_add_z(json, "\"cookie\":");
    gxds_utf8_add_json(json, c->name);
    gxds_text_add_z(json, ",\"path\":");
    gxds_utf8_add_json(json, c->path.size ? c->path : gxds_str_z("/"));
    gxds_text_add_z(json, ",\"ttl\":");
    gxds_json_add_duration(json, c->ttl);
  }
  gxds_text_add_z(json, "}");
}

void gxds_http_stateful_session_decode(const gxds_extension *config, bool is_override,
                                       upb_Arena *scratch, gxds_errors *errors,
                                       gxds_http_filter_value *out) {
  const session_decoder d = {scratch, errors, out};
  if (config->typed_struct || !gxds_wire_is_whole(config->value)) {
    gxds_errors_add(errors, config->at, "could not parse stateful session filter %s",
                    is_override ? "override config" : "config");
    return;
  }
  if (is_override) {
    decode_per_route(&d, config->value, config->at);
  } else {
    decode_stateful_session(&d, config->value, config->at);
  }
  render(&out->cookie, &out->json);
}
