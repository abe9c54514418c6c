#include "web/json.h"

#include <locale.h>

#include "base/check.h"
#include "base/memory.h"
#include "upb/decode.h"
#include "upb/def.h"
#include "upb/json_encode.h"
#include "upb/reflection.h"

static bool write_message(const gxds_schema *schema, const upb_MessageDef *m, gxds_str bytes,
                          upb_Arena *arena, gxds_text *out, gxds_text *error) {
  upb_Message *message = upb_Message_New(m, arena);
  if (upb_Decode(bytes.size ? bytes.data : "", bytes.size, message, upb_MessageDef_MiniTable(m),
                 NULL, 0, arena) != kUpb_DecodeStatus_Ok) {
    gxds_text_addf(error, "is no %s", upb_MessageDef_FullName(m));
    return false;
  }
  upb_Status status;
  upb_Status_Clear(&status);
  const upb_DefPool *pool = gxds_schema_pool(schema);
  const size_t size =
      upb_JsonEncode(message, m, pool, upb_JsonEncode_UseProtoNames, NULL, 0, &status);
  if (size == (size_t)-1) {
    gxds_text_add_z(error, upb_Status_ErrorMessage(&status));
    return false;
  }
  char *json = gxds_calloc(size + 1, 1);
  upb_JsonEncode(message, m, pool, upb_JsonEncode_UseProtoNames, json, size + 1, &status);
  gxds_text_add(out, gxds_str_of(json, size));
  gxds_free(json);
  return true;
}

bool gxds_web_json_write(const gxds_schema *schema, const char *message, gxds_str bytes,
                         gxds_text *out, gxds_text *error) {
  gxds_str url = gxds_str_format("type.googleapis.com/%s", message);
  const upb_MessageDef *m = gxds_schema_find(schema, url);
  gxds_str_free(&url);
  GXDS_CHECK(m != NULL);
  /* upb prints numbers in the locale of the thread. */
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  GXDS_CHECK(c != (locale_t)0);
  locale_t before = uselocale(c);
  upb_Arena *arena = upb_Arena_New();
  const bool ok = write_message(schema, m, bytes, arena, out, error);
  upb_Arena_Free(arena);
  uselocale(before);
  freelocale(c);
  return ok;
}
