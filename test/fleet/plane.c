#include "test/fleet/plane.h"

#include <envoy/service/discovery/v3/discovery.upb.h>
#include <stdio.h>

#include "base/check.h"
#include "base/upb.h"

static gxds_str view(upb_StringView v) { return gxds_str_of(v.data, v.size); }

/* ---- requests ---- */

static int index_of(const plane *p, gxds_file_type type, gxds_str name) {
  const gxds_file_entry *e = gxds_file_set_find(p->set, type, name);
  return e ? (int)(e - p->set->types[type].entries) : -1;
}

static bool is_version(gxds_str text, uint64_t version) {
  gxds_text rendered = {0};
  gxds_file_version_render(version, &rendered);
  bool equal = gxds_str_equal(text, gxds_text_str(&rendered));
  gxds_text_fini(&rendered);
  return equal;
}

/* False: the answer is for an older response, and says nothing about the last one. */
static bool take_answer(plane_type *t, gxds_str nonce, bool nack) {
  if (nonce.size == 0) return true;
  char last[16];
  snprintf(last, sizeof last, "%u", t->nonce);
  if (!gxds_str_equal(nonce, gxds_str_z(last))) return false;
  t->outstanding = false;
  t->refused = nack;
  return true;
}

static plane_request take_sotw(const plane *p, plane_stream *s, gxds_str bytes, upb_Arena *arena) {
  const envoy_service_discovery_v3_DiscoveryRequest *msg =
      envoy_service_discovery_v3_DiscoveryRequest_parse(bytes.data, bytes.size, arena);
  GXDS_CHECK(msg != NULL);
  gxds_file_type type =
      gxds_file_type_find(view(envoy_service_discovery_v3_DiscoveryRequest_type_url(msg)));
  GXDS_CHECK(type != GXDS_FILE_TYPE_COUNT);
  plane_type *t = &s->types[type];
  bool nack = envoy_service_discovery_v3_DiscoveryRequest_has_error_detail(msg);
  plane_request taken = {type, nack};
  gxds_str nonce = view(envoy_service_discovery_v3_DiscoveryRequest_response_nonce(msg));
  if (!take_answer(t, nonce, nack)) return taken;
  gxds_str version = view(envoy_service_discovery_v3_DiscoveryRequest_version_info(msg));
  bool has_all = !t->requested && p->trusts_versions && version.size > 0 &&
                 is_version(version, p->set->types[type].version);
  size_t count;
  const upb_StringView *names =
      envoy_service_discovery_v3_DiscoveryRequest_resource_names(msg, &count);
  uint16_t subscribed = 0;
  for (size_t i = 0; i < count; i++) {
    int at = index_of(p, type, view(names[i]));
    if (at < 0) continue;
    subscribed = (uint16_t)(subscribed | 1u << at);
    if (has_all) t->sent[at] = p->set->types[type].entries[at].resource->version;
  }
  t->subscribed = subscribed;
  t->requested = true;
  return taken;
}

static void take_claims(const plane *p, plane_type *t, gxds_file_type type,
                        const envoy_service_discovery_v3_DeltaDiscoveryRequest *msg) {
  size_t at = kUpb_Map_Begin;
  upb_StringView name;
  upb_StringView version;
  while (GXDS_MAP_NEXT(envoy_service_discovery_v3_DeltaDiscoveryRequest, initial_resource_versions,
                       InitialResourceVersionsEntry, msg, &at, &name, &version)) {
    int i = index_of(p, type, view(name));
    if (i < 0) continue;
    uint64_t now = p->set->types[type].entries[i].resource->version;
    if (is_version(view(version), now)) t->sent[i] = now;
  }
}

static plane_request take_delta(const plane *p, plane_stream *s, gxds_str bytes, upb_Arena *arena) {
  const envoy_service_discovery_v3_DeltaDiscoveryRequest *msg =
      envoy_service_discovery_v3_DeltaDiscoveryRequest_parse(bytes.data, bytes.size, arena);
  GXDS_CHECK(msg != NULL);
  gxds_file_type type =
      gxds_file_type_find(view(envoy_service_discovery_v3_DeltaDiscoveryRequest_type_url(msg)));
  GXDS_CHECK(type != GXDS_FILE_TYPE_COUNT);
  plane_type *t = &s->types[type];
  bool nack = envoy_service_discovery_v3_DeltaDiscoveryRequest_has_error_detail(msg);
  take_answer(t, view(envoy_service_discovery_v3_DeltaDiscoveryRequest_response_nonce(msg)), nack);
  size_t count;
  const upb_StringView *names =
      envoy_service_discovery_v3_DeltaDiscoveryRequest_resource_names_subscribe(msg, &count);
  for (size_t i = 0; i < count; i++) {
    int at = index_of(p, type, view(names[i]));
    if (at < 0) continue;
    t->subscribed = (uint16_t)(t->subscribed | 1u << at);
    t->sent[at] = 0; /* a client that requests it again is sent it again */
  }
  names = envoy_service_discovery_v3_DeltaDiscoveryRequest_resource_names_unsubscribe(msg, &count);
  for (size_t i = 0; i < count; i++) {
    int at = index_of(p, type, view(names[i]));
    if (at >= 0) t->subscribed = (uint16_t)(t->subscribed & ~(1u << at));
  }
  if (p->trusts_versions) take_claims(p, t, type, msg);
  t->requested = true;
  return (plane_request){type, nack};
}

plane_request plane_take(const plane *p, plane_stream *s, gxds_str bytes) {
  upb_Arena *arena = upb_Arena_New();
  GXDS_CHECK(arena != NULL);
  plane_request taken = p->delta ? take_delta(p, s, bytes, arena) : take_sotw(p, s, bytes, arena);
  upb_Arena_Free(arena);
  return taken;
}

/* ---- responses ---- */

/* Field numbers of the sent messages. */
enum {
  ANY_TYPE_URL = 1,
  ANY_VALUE = 2,
  RESOURCE_VERSION = 1,
  RESOURCE_ANY = 2,
  RESOURCE_NAME = 3,
  SOTW_VERSION = 1,
  SOTW_RESOURCE = 2,
  SOTW_TYPE_URL = 4,
  SOTW_NONCE = 5,
  DELTA_RESOURCE = 2,
  DELTA_TYPE_URL = 4,
  DELTA_NONCE = 5,
};

static void add_field(gxds_text *out, unsigned number, gxds_str value) {
  char head[12] = {(char)(number << 3 | 2)};
  size_t size = 1;
  size_t rest = value.size;
  for (; rest > 0x7f; rest >>= 7) head[size++] = (char)(rest | 0x80);
  head[size++] = (char)rest;
  gxds_text_add(out, gxds_str_of(head, size));
  gxds_text_add(out, value);
}

static void add_version(gxds_text *out, unsigned number, uint64_t version) {
  gxds_text text = {0};
  gxds_file_version_render(version, &text);
  add_field(out, number, gxds_text_str(&text));
  gxds_text_fini(&text);
}

static void add_resource(const plane *p, const gxds_file_resource *r, gxds_text *out) {
  gxds_text any = {0};
  add_field(&any, ANY_TYPE_URL, gxds_str_z(gxds_file_types[r->type].type_url));
  add_field(&any, ANY_VALUE, r->bytes);
  if (p->delta) {
    gxds_text resource = {0};
    add_version(&resource, RESOURCE_VERSION, r->version);
    add_field(&resource, RESOURCE_ANY, gxds_text_str(&any));
    add_field(&resource, RESOURCE_NAME, r->name);
    add_field(out, DELTA_RESOURCE, gxds_text_str(&resource));
    gxds_text_fini(&resource);
  } else {
    add_field(out, SOTW_RESOURCE, gxds_text_str(&any));
  }
  gxds_text_fini(&any);
}

/* A bit for each requested resource of which the client does not have the current version. */
static uint16_t lacks(const plane *p, const plane_type *t, gxds_file_type type) {
  const gxds_file_list *list = &p->set->types[type];
  unsigned out = 0;
  for (size_t i = 0; i < list->count; i++) {
    if ((t->subscribed >> i & 1) && t->sent[i] != list->entries[i].resource->version)
      out |= 1u << i;
  }
  return (uint16_t)out;
}

bool plane_respond(const plane *p, plane_stream *s, gxds_file_type type, gxds_text *out) {
  plane_type *t = &s->types[type];
  const gxds_file_list *list = &p->set->types[type];
  if (!t->requested || t->outstanding) return false;
  uint16_t send = lacks(p, t, type);
  if (send == 0) return false;
  /* In state of the world, an LDS or CDS response deletes every resource that is not in it. */
  if (!p->delta && (type == GXDS_FILE_LISTENER || type == GXDS_FILE_CLUSTER)) send = t->subscribed;
  if (!p->delta) add_version(out, SOTW_VERSION, list->version);
  add_field(out, p->delta ? DELTA_TYPE_URL : SOTW_TYPE_URL,
            gxds_str_z(gxds_file_types[type].type_url));
  for (size_t i = 0; i < list->count; i++) {
    if (!(send >> i & 1)) continue;
    add_resource(p, list->entries[i].resource, out);
    t->sent[i] = list->entries[i].resource->version;
  }
  char nonce[16];
  snprintf(nonce, sizeof nonce, "%u", ++t->nonce);
  add_field(out, p->delta ? DELTA_NONCE : SOTW_NONCE, gxds_str_z(nonce));
  t->outstanding = true;
  return true;
}

bool plane_is_current(const plane *p, const plane_stream *s) {
  for (int i = 0; i < GXDS_FILE_TYPE_COUNT; i++) {
    const plane_type *t = &s->types[i];
    unsigned all = (1u << p->set->types[i].count) - 1;
    if (t->subscribed != all || t->outstanding || t->refused) return false;
    if (lacks(p, t, (gxds_file_type)i)) return false;
  }
  return true;
}
