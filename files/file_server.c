#include "files/file_server.h"

#include <stdio.h>
#include <xxhash.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/upb.h"
#include "envoy/service/discovery/v3/discovery.upb.h"
#include "files/make_before_break.h"
#include "files/request_names.h"
#include "files/response_writer.h"
#include "upb/upb.h"

/* The requests for one type on this stream. */
typedef struct subscription {
  bool requested;
  bool owed; /* the names in the last request differ from those in the request before */
  gxds_request_names names;
  uint64_t shown; /* a hash of the last response's contents; valid if nonce is set */
  uint64_t nonce; /* the nonce of the last response; 0: none */
  bool accepted;  /* the client sent an ACK or a NACK for the last response */
} subscription;

struct gxds_file_server {
  gxds_str directory;
  const gxds_file_set *set;    /* NULL: there is none yet */
  const gxds_file_set *before; /* the state before `set`, for resources that `set` lacks; NULL: no
                                  longer needed */
  gxds_time removal_at;        /* when `before` is dropped */
  uint64_t nonce;
  subscription types[GXDS_FILE_TYPE_COUNT];
};

gxds_file_server *gxds_file_server_create(gxds_str directory) {
  gxds_file_server *s = GXDS_NEW(gxds_file_server);
  s->directory = gxds_str_dup(directory);
  s->removal_at = GXDS_TIME_NEVER;
  return s;
}

void gxds_file_server_open(gxds_file_server *s) {
  for (size_t i = 0; i < GXDS_FILE_TYPE_COUNT; i++) {
    gxds_request_names_fini(&s->types[i].names);
    s->types[i] = (subscription){0};
  }
}

void gxds_file_server_destroy(gxds_file_server *s) {
  if (!s) return;
  gxds_file_server_open(s);
  gxds_file_set_unref(s->set);
  gxds_file_set_unref(s->before);
  gxds_str_free(&s->directory);
  gxds_free(s);
}

void gxds_file_server_set(gxds_file_server *s, const gxds_file_set *set, gxds_time now) {
  gxds_file_set_unref(s->before);
  s->before = s->set;
  s->set = gxds_file_set_ref(set);
  s->removal_at = gxds_time_after(now, GXDS_FILE_REMOVAL_GRACE);
}

void gxds_file_server_on_request(gxds_file_server *s, gxds_str bytes, gxds_time now) {
  upb_Arena *arena = gxds_arena_create();
  const envoy_service_discovery_v3_DiscoveryRequest *request =
      envoy_service_discovery_v3_DiscoveryRequest_parse(bytes.data, bytes.size, arena);
  GXDS_CHECK(request != NULL); /* our own engine encoded the request, so it can be decoded */
  const gxds_str nonce =
      gxds_pb_str(envoy_service_discovery_v3_DiscoveryRequest_response_nonce(request));
  gxds_file_type type = gxds_file_type_find(
      gxds_pb_str(envoy_service_discovery_v3_DiscoveryRequest_type_url(request)));
  if (type < GXDS_FILE_TYPE_COUNT) {
    subscription *t = &s->types[type];
    /* A request with an older nonce was sent before the last response arrived. */
    if (nonce.size == 0 || gxds_nonce_is(t->nonce, nonce)) {
      t->requested = true;
      t->accepted = t->accepted || nonce.size > 0;
      /* If the names changed, a response is due even if no resource changed. The client may have
       * unsubscribed a name and subscribed it again, and then it does not have the resource any
       * more. */
      if (gxds_request_names_take(&t->names, request)) t->owed = true;
    }
    if (s->before) s->removal_at = gxds_time_after(now, GXDS_FILE_REMOVAL_GRACE);
  }
  upb_Arena_Free(arena);
}

/* ---- responses ---- */

static const gxds_file_resource *find(const gxds_file_server *s, gxds_file_type type,
                                      gxds_str name) {
  const gxds_file_entry *e = gxds_file_set_find(s->set, type, name);
  if (!e && s->before) e = gxds_file_set_find(s->before, type, name);
  return e ? e->resource : NULL;
}

static uint64_t hash_of(const gxds_file_server *s, gxds_file_type type) {
  const subscription *t = &s->types[type];
  uint64_t hash = 0;
  for (size_t i = 0; i < t->names.count; i++) {
    const gxds_file_resource *r = find(s, type, t->names.items[i]);
    hash = XXH3_64bits_withSeed(t->names.items[i].data, t->names.items[i].size,
                                hash + (r ? r->version : 1));
  }
  return hash;
}

static gxds_str make_response(gxds_file_server *s, gxds_file_type type, uint64_t hash) {
  subscription *t = &s->types[type];
  gxds_text version = {0};
  gxds_text missing = {0};
  gxds_file_version_render(hash, &version);
  t->nonce = ++s->nonce;
  t->shown = hash;
  t->owed = false;
  t->accepted = false;
  gxds_str nonce = gxds_nonce_text(t->nonce);
  gxds_text_addf(&missing, "no file in %.*s has a %s of that name", GXDS_STR_ARG(s->directory),
                 gxds_file_types[type].message);
  gxds_response_writer w;
  gxds_response_writer_init(&w, type, gxds_text_str(&version), nonce);
  for (size_t i = 0; i < t->names.count; i++) {
    const gxds_file_resource *r = find(s, type, t->names.items[i]);
    if (r) {
      gxds_response_writer_add(&w, r);
    } else {
      gxds_response_writer_add_missing(&w, t->names.items[i], gxds_text_str(&missing));
    }
  }
  gxds_str bytes = gxds_response_writer_finish(&w);
  gxds_text_fini(&version);
  gxds_str_free(&nonce);
  gxds_text_fini(&missing);
  return bytes;
}

static bool next_type(const gxds_file_server *s, gxds_file_type *out, uint64_t *hash) {
  for (size_t i = 0; i < GXDS_FILE_TYPE_COUNT; i++) {
    const gxds_file_type type = gxds_file_update_order[i];
    const subscription *t = &s->types[type];
    if (!t->requested || t->names.count == 0) continue;
    *out = type;
    *hash = hash_of(s, type);
    if (t->owed || t->nonce == 0 || t->shown != *hash) return true;
  }
  return false;
}

/* Whether the last response of each type got an ACK or a NACK. */
static bool is_settled(const gxds_file_server *s) {
  for (size_t i = 0; i < GXDS_FILE_TYPE_COUNT; i++) {
    if (s->types[i].nonce && !s->types[i].accepted) return false;
  }
  return true;
}

bool gxds_file_server_next(gxds_file_server *s, gxds_time now, gxds_str *out) {
  if (!s->set) return false;
  if (s->before && now >= s->removal_at && is_settled(s)) {
    gxds_file_set_unref(s->before);
    s->before = NULL;
  }
  gxds_file_type type;
  uint64_t hash;
  if (!next_type(s, &type, &hash)) return false;
  *out = make_response(s, type, hash);
  return true;
}

gxds_time gxds_file_server_deadline(const gxds_file_server *s) {
  return s->before && is_settled(s) ? s->removal_at : GXDS_TIME_NEVER;
}
