/* Helpers that the decoders of this folder share: they decode messages, copy strings, and decode
 * the parts of the protocol that several resources contain. Confined to one decode call.
 *
 * A decoder has two arenas: scratch holds the message and is freed when the call ends; the other
 * becomes the resource's own. */
#ifndef GRPC_XDS_RESOURCES_COMMON_INTERNAL_H_
#define GRPC_XDS_RESOURCES_COMMON_INTERNAL_H_

#include "base/check.h"
#include "base/errors.h"
#include "base/time.h"
#include "base/upb.h"
#include "google/protobuf/any.upb.h"
#include "google/protobuf/duration.upb.h"
#include "xds_client/resource_type.h"

struct envoy_config_core_v3_ConfigSource;
struct envoy_type_v3_FractionalPercent;
struct google_protobuf_Struct;

/* Decodes bytes. NULL if they cannot be decoded (malformed, invalid UTF-8, nested too deeply).
 * Borrowed: valid as long as scratch. */
void *gxds_message_decode(gxds_str bytes, const upb_MiniTable *table, upb_Arena *scratch);
#define GXDS_DECODE(type, bytes, scratch) \
  ((const type *)gxds_message_decode((bytes), &type##_msginit, (scratch)))

/* Zeroed memory for count items, valid as long as the arena. */
void *gxds_arena_calloc(upb_Arena *arena, size_t count, size_t size);

static inline bool gxds_str_is(gxds_str s, const char *z) {
  return gxds_str_equal(s, gxds_str_z(z));
}

/* The beginning of s, short enough to quote in an error message: the peer decides how long its
 * strings are. It never cuts a character in two, because the error is sent back in a proto3 string.
 */
gxds_str gxds_quoted(gxds_str s);
#define GXDS_QUOTED(s) GXDS_STR_ARG(gxds_quoted(s))

/* A copy of a header's name in lower case, as the keys of metadata are. Valid as long as the arena.
 */
gxds_str gxds_header_name_dup(upb_Arena *arena, gxds_str name);

/* "Can't parse Listener resource." */
GXDS_MUST_USE gxds_status gxds_resource_unparsable(const char *message_name);

/* Whether the resource comes over the same stream (ads) or from the same server (self). */
bool gxds_config_source_is_ads_or_self(const struct envoy_config_core_v3_ConfigSource *source);

/* Decodes a duration, which is never negative. A duration that is too long becomes the longest
 * possible one. Returns 0 after an error. */
gxds_duration gxds_duration_decode(const google_protobuf_Duration *in, const gxds_path *at,
                                   gxds_errors *errors);

/* Decodes a fraction to millionths, at most 1,000,000. If the denominator is unknown, adds
 * unknown_text as an error at its path. */
uint32_t gxds_fraction_decode(const struct envoy_type_v3_FractionalPercent *in, const gxds_path *at,
                              const char *unknown_text, gxds_errors *errors);

/* A link "name[text]" of a path. The host writes the contents of an Any or a map in this way.
 * Borrowed: valid as long as up and scratch. */
gxds_path gxds_bracketed_link(const gxds_path *up, const char *name, gxds_str text,
                              upb_Arena *scratch);

/* The content of an Any: a message, or a TypedStruct that names another type. */
typedef struct gxds_extension {
  gxds_str type;     /* the type URL without its host; borrowed: valid as long as the message */
  gxds_str value;    /* the serialized message; empty for a TypedStruct */
  bool typed_struct; /* the Any holds a TypedStruct, so value is empty even if the type is known */
  const struct google_protobuf_Struct *structure; /* the contents of a TypedStruct; may be NULL,
                                                     which means {} */
  /* The path of its fields: "…value[type]"; borrowed: valid as long as this and scratch. */
  const gxds_path *at;
  gxds_path links[2]; /* private */
} gxds_extension;

/* Opens an Any. If any is NULL (the field is not present), or if a TypedStruct cannot be decoded,
 * adds an error at its path and returns false. A malformed type URL is also an error, but then the
 * function returns true, and *out is an extension of an unknown type. *out must not move
 * afterwards. */
bool gxds_extension_open(const google_protobuf_Any *any, const gxds_path *at, upb_Arena *scratch,
                         gxds_errors *errors, gxds_extension *out);

#endif
