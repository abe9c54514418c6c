#include "tools/serve/rest/responses.h"

#include <jansson.h>
#include <xxhash.h>

#include "base/memory.h"
#include "files/response_writer.h"
#include "json/json.h"
#include "web/json.h"
#include "web/paths.h"

void gxds_rest_response_fini(gxds_rest_response *a) {
  gxds_str_free(&a->body);
  if (a->has_event) gxds_serve_event_fini(&a->event);
}

gxds_file_type gxds_rest_type_of(const char *url) {
  gxds_file_type type = 0;
  while (type < GXDS_FILE_TYPE_COUNT && strcmp(url, gxds_web_rest_paths[type]) != 0) type++;
  return type;
}

static gxds_rest_response with_text(unsigned code, const char *text) {
  return (gxds_rest_response){.code = code, .body = gxds_str_dup(gxds_str_z(text))};
}

/* Finds a field by either of its names in proto3 JSON. */
static const json_t *field(const json_t *object, const char *name, const char *json_name) {
  const json_t *value = json_object_get(object, name);
  return value ? value : json_object_get(object, json_name);
}

/* The entries that the request names, each once, in the order of the request. If it names none: all
 * entries. */
typedef struct selection {
  const gxds_file_entry **entries;
  size_t count;
  uint64_t hash; /* a hash of the names and of their resources */
} selection;

static void select_entry(selection *s, const gxds_file_entry *entry) {
  s->entries[s->count++] = entry;
  s->hash = XXH3_64bits_withSeed(entry->resource->name.data, entry->resource->name.size,
                                 s->hash ^ entry->resource->version);
}

static selection select_entries(const gxds_file_set *set, gxds_file_type type,
                                const json_t *names) {
  const size_t count = json_array_size(names);
  const gxds_file_list *list = &set->types[type];
  selection s = {.entries = gxds_calloc(count ? count : list->count, sizeof(void *))};
  for (size_t i = 0; i < count; i++) {
    const gxds_str name = gxds_json_text(json_array_get(names, i));
    const gxds_file_entry *entry = gxds_file_set_find(set, type, name);
    s.hash = XXH3_64bits_withSeed(name.data ? name.data : "", name.size, s.hash);
    if (entry) select_entry(&s, entry);
  }
  for (size_t i = 0; count == 0 && i < list->count; i++) select_entry(&s, &list->entries[i]);
  return s;
}

static gxds_str write_response(gxds_file_type type, const selection *s, gxds_str version) {
  gxds_response_writer w;
  gxds_response_writer_init(&w, type, version, gxds_str_of(NULL, 0));
  for (size_t i = 0; i < s->count; i++) gxds_response_writer_add(&w, s->entries[i]->resource);
  return gxds_response_writer_finish(&w);
}

static void add_push_event(gxds_rest_response *a, const selection *s) {
  a->event.kind = GXDS_SERVE_PUSH;
  for (size_t i = 0; i < s->count; i++) {
    gxds_serve_event_add_name(&a->event, s->entries[i]->resource->name);
  }
}

static gxds_rest_response respond(const gxds_schema *schema, gxds_file_type type,
                                  const selection *s, gxds_str version) {
  gxds_rest_response a = {.code = 200};
  gxds_text json = {0};
  gxds_text error = {0};
  gxds_str bytes = write_response(type, s, version);
  if (gxds_web_json_write(schema, "envoy.service.discovery.v3.DiscoveryResponse", bytes, &json,
                          &error)) {
    a.body = gxds_text_take(&json);
    a.has_event = true;
    add_push_event(&a, s);
  } else { /* a binary file may contain something that has no JSON form */
    a.code = 500;
    a.body = gxds_text_take(&error);
  }
  gxds_str_free(&bytes);
  gxds_text_fini(&json);
  gxds_text_fini(&error);
  return a;
}

static void add_nack_event(gxds_rest_response *a, const json_t *request, const json_t *error) {
  a->event.kind = GXDS_SERVE_NACK;
  a->has_event = true;
  a->event.detail = gxds_str_dup(gxds_json_text(json_object_get(error, "message")));
  a->event.version = gxds_str_dup(gxds_json_text(field(request, "version_info", "versionInfo")));
}

/* Requests that find nothing new emit no event: there is one every few seconds. */
static gxds_rest_response respond_to(const gxds_schema *schema, const gxds_file_set *set,
                                     gxds_file_type type, const json_t *request) {
  selection s = select_entries(set, type, field(request, "resource_names", "resourceNames"));
  gxds_text version = {0};
  gxds_file_version_render(s.hash, &version);
  const gxds_str known = gxds_json_text(field(request, "version_info", "versionInfo"));
  const json_t *error = field(request, "error_detail", "errorDetail");
  gxds_rest_response a;
  if (gxds_str_equal(known, gxds_text_str(&version))) {
    a = with_text(304, "");
  } else {
    a = respond(schema, type, &s, gxds_text_str(&version));
  }
  if (json_is_object(error)) {
    if (a.has_event) gxds_serve_event_fini(&a.event);
    add_nack_event(&a, request, error);
  } else if (a.has_event) {
    a.event.version = gxds_str_dup(gxds_text_str(&version));
  }
  if (a.has_event) {
    a.event.type = &gxds_file_types[type];
    a.event.node =
        gxds_str_dup(gxds_json_text(json_object_get(json_object_get(request, "node"), "id")));
  }
  gxds_text_fini(&version);
  gxds_free(s.entries);
  return a;
}

gxds_rest_response gxds_rest_respond(const gxds_schema *schema, const gxds_file_set *set,
                                     gxds_file_type type, gxds_str json) {
  if (!set) return with_text(503, "no good state of the files is there yet");
  json_error_t error;
  json_t *request = json_loadb(json.data ? json.data : "", json.size, 0, &error);
  if (!json_is_object(request)) {
    json_decref(request);
    return with_text(400, request ? "expected a DiscoveryRequest" : error.text);
  }
  gxds_rest_response a = respond_to(schema, set, type, request);
  json_decref(request);
  return a;
}

gxds_dir_files gxds_rest_files_of(const gxds_file_set *set) {
  gxds_dir_files files = {.items = gxds_calloc(GXDS_FILE_TYPE_COUNT, sizeof *files.items),
                          .count = GXDS_FILE_TYPE_COUNT};
  for (gxds_file_type t = 0; t < GXDS_FILE_TYPE_COUNT; t++) {
    const gxds_file_list *list = &set->types[t];
    gxds_response_writer w;
    gxds_response_writer_init(&w, t, gxds_str_of(NULL, 0), gxds_str_of(NULL, 0));
    for (size_t i = 0; i < list->count; i++) {
      gxds_response_writer_add(&w, list->entries[i].resource);
    }
    files.items[t] = (gxds_file_input){gxds_str_format("%s.pb", gxds_file_types[t].message),
                                       gxds_response_writer_finish(&w)};
  }
  return files;
}
