/* Helpers for protobuf messages: memory, decoding, strings and maps. The functions for maps differ
 * between the upb of gRPC 1.51 and that of 1.83. */
#ifndef GRPC_XDS_BASE_UPB_H_
#define GRPC_XDS_BASE_UPB_H_

#include "base/check.h"
#include "base/str.h"
#include "base/wire.h"
#include "upb/decode.h"
#include "upb/upb.h"

static inline gxds_str gxds_pb_str(upb_StringView s) { return gxds_str_of(s.data, s.size); }
static inline upb_StringView gxds_pb_view(gxds_str s) {
  return upb_StringView_FromDataAndSize(s.data, s.size);
}

static inline upb_Arena *gxds_arena_create(void) {
  upb_Arena *arena = upb_Arena_New();
  GXDS_CHECK(arena != NULL);
  return arena;
}
/* Memory that is valid as long as the arena. It is not zeroed. */
static inline void *gxds_arena_alloc(upb_Arena *arena, size_t size) {
  void *memory = upb_Arena_Malloc(arena, size ? size : 1);
  GXDS_CHECK(memory != NULL);
  return memory;
}
/* A zero-terminated copy that is valid as long as the arena; {NULL, 0} if s is empty. */
static inline gxds_str gxds_arena_dup(upb_Arena *arena, gxds_str s) {
  if (s.size == 0) return gxds_str_of(NULL, 0);
  char *copy = (char *)gxds_arena_alloc(arena, s.size + 1);
  memcpy(copy, s.data, s.size);
  copy[s.size] = 0;
  return gxds_str_of(copy, s.size);
}

/* Copies a serialized message, and frees the arena that it was in. The caller owns the result. */
static inline gxds_str gxds_pb_take(const char *bytes, size_t size, upb_Arena *take_arena) {
  GXDS_CHECK(bytes != NULL);
  const gxds_str out = gxds_str_dup(gxds_str_of(bytes, size));
  upb_Arena_Free(take_arena);
  return out;
}

/* Decodes bytes from the network into message, which is empty and of that table. Returns message,
 * or NULL if they can't be decoded. The bytes are copied to arena first, with padding (wire.h), and
 * message borrows its texts from that copy. */
static inline void *gxds_pb_decode(gxds_str bytes, void *message, const upb_MiniTable *table,
                                   upb_Arena *arena) {
  const size_t size = bytes.size + GXDS_WIRE_PADDING_SIZE;
  char *padded = (char *)gxds_arena_alloc(arena, size);
  GXDS_CHECK(message != NULL);
  gxds_wire_pad(bytes, padded);
  const upb_DecodeStatus status =
      upb_Decode(padded, size, message, table, NULL, kUpb_DecodeOption_AliasString, arena);
  GXDS_CHECK(status != kUpb_DecodeStatus_OutOfMemory);
  return status == kUpb_DecodeStatus_Ok ? message : NULL;
}

/* Steps to the next entry of a map field. type is the type of the message, and entry the type of
 * the field's entries in 1.51. at is a size_t that starts as kUpb_Map_Begin. The expression is true
 * if *key and *value were set, and false at the end. */
#if __has_include("upb/mini_table/message.h")
#define GXDS_MAP_NEXT(type, field, entry, message, at, key, value) \
  (type##_##field##_next((message), (key), (value), (at)))
#else
#define GXDS_MAP_NEXT(type, field, entry, message, at, key, value)         \
  (__extension__({                                                         \
    const type##_##entry *entry_ = type##_##field##_next((message), (at)); \
    if (entry_) {                                                          \
      *(key) = type##_##entry##_key(entry_);                               \
      *(value) = type##_##entry##_value(entry_);                           \
    }                                                                      \
    entry_ != NULL;                                                        \
  }))
#endif

#endif
