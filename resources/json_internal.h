/* Writes JSON in the form that the host reads, piece by piece. The functions add to *out. */
#ifndef GRPC_XDS_RESOURCES_JSON_INTERNAL_H_
#define GRPC_XDS_RESOURCES_JSON_INTERNAL_H_

#include "base/text.h"
#include "base/time.h"
#include "upb/upb.h"

struct google_protobuf_Struct;
struct google_protobuf_Value;

/* Adds a duration, which is never negative: "1.500000000s". */
void gxds_json_add_duration(gxds_text *out, gxds_duration d);

/* Adds a number with that many significant digits. The decimal separator is a point in every
 * locale. */
void gxds_json_add_number(gxds_text *out, double number, int digits);
/* Adds an object, such as {"a":1,"b":[true]}, with the names in the order of their bytes. NULL is
 * {}. Returns NULL, or a static text that names the part that JSON can't express. scratch is used
 * to sort the names. */
const char *gxds_json_add_struct(gxds_text *out, const struct google_protobuf_Struct *in,
                                 upb_Arena *scratch);

/* Like gxds_json_add_struct(), for a value. */
const char *gxds_json_add_value(gxds_text *out, const struct google_protobuf_Value *in,
                                upb_Arena *scratch);

#endif
