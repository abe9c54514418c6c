#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/upb.h"
#include "base/utf8.h"
#include "google/protobuf/struct.upb.h"
#include "resources/common_internal.h"
#include "resources/json_internal.h"

/* Up to this number, a double represents every whole number exactly. */
#define WHOLE_NUMBER_MAX 9007199254740992.0

void gxds_json_add_number(gxds_text *out, double number, int digits) {
  char text[32];
  snprintf(text, sizeof text, "%.*g", digits, number);
  for (char *c = text; *c; c++) {
    if (*c == ',') *c = '.';
  }
  gxds_text_add_z(out, text);
}

static void add_number(gxds_text *out, double number) {
  if (isnan(number)) {
    gxds_text_add_z(out, "\"NaN\"");
  } else if (isinf(number)) {
    gxds_text_add_z(out, number > 0 ? "\"Infinity\"" : "\"-Infinity\"");
  } else if (fabs(number) <= WHOLE_NUMBER_MAX && number == trunc(number)) {
    gxds_text_addf(out, "%.0f", number);
  } else {
    gxds_json_add_number(out, number, 17);
  }
}

static const char *add_list(gxds_text *out, const google_protobuf_ListValue *in,
                            upb_Arena *scratch) {
  size_t count = 0;
  const google_protobuf_Value *const *values = google_protobuf_ListValue_values(in, &count);
  gxds_text_add_z(out, "[");
  for (size_t i = 0; i < count; i++) {
    if (i > 0) gxds_text_add_z(out, ",");
    const char *error = gxds_json_add_value(out, values[i], scratch);
    if (error) return error;
  }
  gxds_text_add_z(out, "]");
  return NULL;
}

/* The recursion is at most as deep as the decoder allows messages to be nested. */
const char *gxds_json_add_value(gxds_text *out, const google_protobuf_Value *in,
                                upb_Arena *scratch) {
  switch (in ? google_protobuf_Value_kind_case(in) : google_protobuf_Value_kind_NOT_SET) {
    case google_protobuf_Value_kind_null_value:
      gxds_text_add_z(out, "null");
      return NULL;
    case google_protobuf_Value_kind_number_value:
      add_number(out, google_protobuf_Value_number_value(in));
      return NULL;
    case google_protobuf_Value_kind_string_value:
      gxds_utf8_add_json(out, gxds_pb_str(google_protobuf_Value_string_value(in)));
      return NULL;
    case google_protobuf_Value_kind_bool_value:
      gxds_text_add_z(out, google_protobuf_Value_bool_value(in) ? "true" : "false");
      return NULL;
    case google_protobuf_Value_kind_struct_value:
      return gxds_json_add_struct(out, google_protobuf_Value_struct_value(in), scratch);
    case google_protobuf_Value_kind_list_value:
      return add_list(out, google_protobuf_Value_list_value(in), scratch);
    default:
      return "No value set in Value proto";
  }
}

typedef struct member {
  gxds_str name; /* first: members are sorted by it */
  const google_protobuf_Value *value;
} member;

const char *gxds_json_add_struct(gxds_text *out, const google_protobuf_Struct *in,
                                 upb_Arena *scratch) {
  size_t count = in ? google_protobuf_Struct_fields_size(in) : 0;
  member *members = gxds_arena_calloc(scratch, count, sizeof *members);
  size_t at_entry = kUpb_Map_Begin;
  for (size_t i = 0; i < count; i++) { /* a map has no order, so its members are sorted below */
    upb_StringView name = {0};
    (void)GXDS_MAP_NEXT(google_protobuf_Struct, fields, FieldsEntry, in, &at_entry, &name,
                        &members[i].value);
    members[i].name = gxds_pb_str(name);
  }
  if (count > 1) qsort(members, count, sizeof *members, gxds_str_compare_items);
  gxds_text_add_z(out, "{");
  for (size_t i = 0; i < count; i++) {
    if (i > 0) gxds_text_add_z(out, ",");
    if (!gxds_str_is_utf8(members[i].name)) return "name of a field is not UTF-8";
    gxds_utf8_add_json(out, members[i].name);
    gxds_text_add_z(out, ":");
    const char *error = gxds_json_add_value(out, members[i].value, scratch);
    if (error) return error;
  }
  gxds_text_add_z(out, "}");
  return NULL;
}
