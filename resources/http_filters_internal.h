/* HTTP filters (A39) as messages name them: the list of a listener (http_filters.c), the maps of
 * virtual hosts, routes and weighted clusters (http_filter_overrides.c), and the kinds of filters,
 * which both use (http_filter_type.c, http_fault.c, http_stateful_session.c). */
#ifndef GRPC_XDS_RESOURCES_HTTP_FILTERS_INTERNAL_H_
#define GRPC_XDS_RESOURCES_HTTP_FILTERS_INTERNAL_H_

#include "base/upb.h"
#include "resources/common_internal.h"
#include "resources/listener.h"

struct envoy_extensions_filters_network_http_connection_manager_v3_HttpConnectionManager;

/* A decoded config. json belongs to the caller; the rest is borrowed from the message and scratch.
 */
typedef struct gxds_http_filter_value {
  gxds_text json;
  gxds_session_cookie cookie;
} gxds_http_filter_value;

/* The properties of a kind of filter. Static. */
typedef struct gxds_http_filter_type {
  gxds_http_filter_kind kind;
  const char *config;          /* the type of its message in a listener */
  const char *override_config; /* the type of its message in a typed_per_filter_config */
  bool on_clients;
  bool terminal;
  /* Checks the config of a listener's filter, or an override. The caller has zeroed *out. */
  void (*decode)(const gxds_extension *config, bool is_override, upb_Arena *scratch,
                 gxds_errors *errors, gxds_http_filter_value *out);
} gxds_http_filter_type;

/* The kind whose config, or override, is a message of this type; NULL if it is unknown. */
const gxds_http_filter_type *gxds_http_filter_type_find(gxds_str message, bool is_override);

/* The decode function of the fault filter (A33). */
void gxds_http_fault_decode(const gxds_extension *config, bool is_override, upb_Arena *scratch,
                            gxds_errors *errors, gxds_http_filter_value *out);

/* The decode function of the stateful session filter (A55). */
void gxds_http_stateful_session_decode(const gxds_extension *config, bool is_override,
                                       upb_Arena *scratch, gxds_errors *errors,
                                       gxds_http_filter_value *out);

/* Copies the cookie, with its texts in arena. */
gxds_session_cookie gxds_session_cookie_copy(const gxds_session_cookie *c, upb_Arena *arena);

/* Checks the http_filters of an HttpConnectionManager, and sets the filters of out, copied to
 * out->arena. at is the path of the HttpConnectionManager. */
void gxds_http_filters_decode(
    const struct envoy_extensions_filters_network_http_connection_manager_v3_HttpConnectionManager
        *in,
    const gxds_path *at, upb_Arena *scratch, gxds_errors *errors, gxds_listener *out);

/* An entry of a typed_per_filter_config. */
typedef struct gxds_http_filter_entry {
  gxds_str name;
  const google_protobuf_Any *value;
} gxds_http_filter_entry;

/* Checks the entries, in any order, and returns those that gRPC uses, copied to arena. at is the
 * path of the message that has the map. */
gxds_http_filter_overrides gxds_http_filter_overrides_decode(const gxds_http_filter_entry *entries,
                                                             size_t count, const gxds_path *at,
                                                             upb_Arena *arena, upb_Arena *scratch,
                                                             gxds_errors *errors);

/* Sets *out to the overrides of a message of type m, which has them in a map field. Three messages
 * have the same map, each with its own functions. */
#define GXDS_HTTP_FILTER_OVERRIDES(m, in, at, arena, scratch, errors, out)                       \
  do {                                                                                           \
    size_t count_ = m##_typed_per_filter_config_size(in);                                        \
    gxds_http_filter_entry *entries_ = gxds_arena_calloc((scratch), count_, sizeof *entries_);   \
    size_t next_ = kUpb_Map_Begin;                                                               \
    for (size_t i_ = 0; i_ < count_; i_++) {                                                     \
      upb_StringView name_ = {0};                                                                \
      (void)GXDS_MAP_NEXT(m, typed_per_filter_config, TypedPerFilterConfigEntry, (in), &next_,   \
                          &name_, &entries_[i_].value);                                          \
      entries_[i_].name = gxds_pb_str(name_);                                                    \
    }                                                                                            \
    *(out) =                                                                                     \
        gxds_http_filter_overrides_decode(entries_, count_, (at), (arena), (scratch), (errors)); \
  } while (0)

#endif
