#include "xds_resolver/method_configs.h"

#include <inttypes.h>

#include "base/hash_table.h"
#include "base/memory.h"
#include "base/text.h"

typedef struct entry {
  gxds_str text;
  gxds_duration timeout;
  size_t number;
  UT_hash_handle by_text;
} entry;

struct gxds_method_configs {
  entry *by_text;
  entry **by_number;
  size_t count;
  size_t capacity;
  gxds_text scratch;
};

gxds_method_configs *gxds_method_configs_create(void) { return GXDS_NEW(gxds_method_configs); }

void gxds_method_configs_destroy(gxds_method_configs *m) {
  if (!m) return;
  HASH_CLEAR(by_text, m->by_text);
  for (size_t i = 0; i < m->count; i++) {
    gxds_str_free(&m->by_number[i]->text);
    gxds_free(m->by_number[i]);
  }
  gxds_free(m->by_number);
  gxds_text_fini(&m->scratch);
  gxds_free(m);
}

/* Adds the name of the next member of the method config. */
static void add_name(gxds_text *json, const char *name) { gxds_text_addf(json, ",\"%s\":", name); }

/* The host gives the n-th filter of a kind the n-th item of the kind's list. */
static void add_filters(gxds_text *json, const gxds_method_config *c, gxds_http_filter_kind kind,
                        const char *name) {
  bool any = false;
  for (size_t i = 0; i < c->filter_count; i++) {
    const gxds_http_filter *f = &c->filters[i];
    if (f->kind != kind) continue;
    if (any) {
      gxds_text_add_z(json, ",");
    } else {
      add_name(json, name);
      gxds_text_add_z(json, "[");
    }
    any = true;
    gxds_text_add(json, gxds_http_filter_config(f, c->overrides, 3));
  }
  if (any) gxds_text_add_z(json, "]");
}

/* The host counts in milliseconds, and would treat less than one millisecond as no limit. */
static gxds_duration to_milliseconds(gxds_duration d) {
  return d / GXDS_MILLISECOND * GXDS_MILLISECOND +
         (d % GXDS_MILLISECOND && d < INT64_MAX - GXDS_MILLISECOND ? GXDS_MILLISECOND : 0);
}

static gxds_str render(gxds_text *json, const gxds_method_config *c, gxds_duration timeout) {
  gxds_text_clear(json);
  gxds_text_add_z(json, "{\"methodConfig\":[{\"name\":[{}]");
  size_t empty = json->size;
  if (timeout > 0) {
    add_name(json, "timeout");
    gxds_text_addf(json, "\"%" PRId64 ".%09" PRId64 "s\"", timeout / GXDS_SECOND,
                   timeout % GXDS_SECOND);
  }
  if (c->retry_policy) {
    add_name(json, "retryPolicy");
    gxds_retry_policy_render_json(c->retry_policy, json);
  }
  add_filters(json, c, GXDS_HTTP_FILTER_FAULT, "faultInjectionPolicy");
  if (json->size == empty) return gxds_str_of(NULL, 0);
  gxds_text_add_z(json, "}]}");
  return gxds_text_str(json);
}

static entry *find(const gxds_method_configs *m, gxds_str text) {
  entry *e = NULL;
  HASH_FIND(by_text, m->by_text, text.data, text.size, e);
  return e;
}

static size_t add(gxds_method_configs *m, gxds_str text, gxds_duration timeout) {
  entry *e = GXDS_NEW(entry);
  e->text = gxds_str_dup(text);
  e->timeout = timeout;
  e->number = m->count;
  HASH_ADD_KEYPTR(by_text, m->by_text, e->text.data, e->text.size, e);
  GXDS_MAKE_ROOM(m->by_number, m->count, m->capacity, 8);
  m->by_number[m->count] = e;
  return m->count++;
}

size_t gxds_method_configs_add(gxds_method_configs *m, const gxds_method_config *c) {
  gxds_duration timeout = to_milliseconds(c->timeout);
  gxds_str text = render(&m->scratch, c, timeout);
  if (text.size == 0) return GXDS_NO_METHOD_CONFIG;
  entry *e = find(m, text);
  return e ? e->number : add(m, text, timeout);
}

size_t gxds_method_configs_count(const gxds_method_configs *m) { return m->count; }

gxds_str gxds_method_configs_text(const gxds_method_configs *m, size_t number) {
  return m->by_number[number]->text;
}

gxds_duration gxds_method_configs_timeout(const gxds_method_configs *m, size_t number) {
  return m->by_number[number]->timeout;
}

size_t gxds_method_configs_find(const gxds_method_configs *m, gxds_str text) {
  entry *e = find(m, text);
  return e ? e->number : GXDS_NO_METHOD_CONFIG;
}
