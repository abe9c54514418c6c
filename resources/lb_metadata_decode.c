#include <stdlib.h>

#include "base/upb.h"
#include "base/utf8.h"
#include "envoy/config/core/v3/base.upb.h"
#include "google/protobuf/struct.upb.h"
#include "resources/json_internal.h"
#include "resources/lb_metadata_internal.h"

const google_protobuf_Struct *gxds_lb_metadata_in(const envoy_config_core_v3_Metadata *in) {
  google_protobuf_Struct *fields = NULL;
  if (!in || !envoy_config_core_v3_Metadata_filter_metadata_get(
                 in, upb_StringView_FromString("envoy.lb"), &fields)) {
    return NULL;
  }
  return fields;
}

gxds_str gxds_metadata_name(gxds_str name, upb_Arena *arena) {
  gxds_text text = {0};
  gxds_utf8_add_json(&text, name);
  gxds_str copy = gxds_arena_dup(arena, gxds_text_str(&text));
  gxds_text_fini(&text);
  return copy;
}

typedef struct member {
  gxds_str name; /* the name in JSON, with quotes */
  const google_protobuf_Value *value;
  bool is_over;
} member;

/* Orders members by name. Of two members with the same name, the one from `over` comes first, and
 * only the first is used. */
static int compare(const void *a, const void *b) {
  const member *x = a;
  const member *y = b;
  const int order = gxds_str_compare(x->name, y->name);
  return order ? order : (int)y->is_over - (int)x->is_over;
}

static size_t size_of(const google_protobuf_Struct *in) {
  return in ? google_protobuf_Struct_fields_size(in) : 0;
}

static size_t gather(const google_protobuf_Struct *in, bool is_over, upb_Arena *scratch,
                     member *out) {
  const size_t count = size_of(in);
  size_t at_entry = kUpb_Map_Begin;
  for (size_t i = 0; i < count; i++) {
    upb_StringView name = {0};
    (void)GXDS_MAP_NEXT(google_protobuf_Struct, fields, FieldsEntry, in, &at_entry, &name,
                        &out[i].value);
    out[i].name = gxds_metadata_name(gxds_pb_str(name), scratch);
    out[i].is_over = is_over;
  }
  return count;
}

/* Writes sorted members. Returns NULL, or a static text that says what is wrong. */
static const char *render(const member *members, size_t count, upb_Arena *scratch, gxds_text *out) {
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && gxds_str_equal(members[i].name, members[i - 1].name)) continue;
    gxds_text_add_z(out, out->size ? "," : "{");
    gxds_text_add(out, members[i].name);
    gxds_text_add_z(out, ":");
    const char *error = gxds_json_add_value(out, members[i].value, scratch);
    if (error) return error;
  }
  if (count > 0) gxds_text_add_z(out, "}");
  return NULL;
}

gxds_str gxds_metadata_render(const google_protobuf_Struct *in, const google_protobuf_Struct *over,
                              const gxds_path *at, upb_Arena *arena, upb_Arena *scratch,
                              gxds_errors *errors) {
  gxds_str result = {NULL, 0};
  size_t count = size_of(in) + size_of(over);
  if (count == 0) return result;
  member *members = gxds_arena_calloc(scratch, count, sizeof *members);
  count = gather(in, false, scratch, members);
  count += gather(over, true, scratch, members + count);
  qsort(members, count, sizeof *members, compare);
  gxds_text text = {0};
  const char *error = render(members, count, scratch, &text);
  if (error) {
    gxds_errors_add(errors, at, "%s", error);
  } else if (text.size > GXDS_LB_METADATA_BYTES_MAX) {
    gxds_errors_add(errors, at, "envoy.lb has more than %u bytes, written as JSON",
                    GXDS_LB_METADATA_BYTES_MAX);
  } else {
    result = gxds_arena_dup(arena, gxds_text_str(&text));
  }
  gxds_text_fini(&text);
  return result;
}
