/* One response while it is being applied. Only xds_client/ includes this. */
#ifndef GRPC_XDS_XDS_CLIENT_RESPONSE_INTERNAL_H_
#define GRPC_XDS_XDS_CLIENT_RESPONSE_INTERNAL_H_

#include "upb/upb.h"
#include "xds_client/client_internal.h"

/* A name that was in the response. Allocated in the arena. */
typedef struct gxds_seen_name {
  gxds_str name;
  UT_hash_handle hh;
} gxds_seen_name;

typedef struct gxds_application {
  gxds_client *c;
  gxds_conn *conn;
  size_t type;
  const gxds_response *response;
  gxds_time now;
  upb_Arena *arena;
  gxds_seen_name *unsolicited; /* names in this response that were not requested from this server */
  gxds_entry
      *looked_up; /* the entry that was looked up last: a resource's name is looked up several
                     times, and then not parsed and hashed again; NULL if there is none */
  size_t error_count;
  size_t listed_count; /* how many of these are listed in errors */
  gxds_text errors;
  bool any_valid;
} gxds_application;

static inline const gxds_resource_type *gxds_application_type(const gxds_application *a) {
  return a->c->types[a->type];
}

/* Adds an error to the NACK. name is the resource's, or empty if it can't be read. */
void gxds_application_add_error(gxds_application *a, size_t index, gxds_str name, gxds_str message);
/* The entry of that canonical name; NULL if it is not subscribed to on this server. */
gxds_entry *gxds_application_find(const gxds_application *a, gxds_str canonical);
/* True if the name is new in this response; otherwise adds an error. e is the name's entry, or NULL
 * if it was not requested from this server. */
bool gxds_application_check_first(gxds_application *a, size_t index, gxds_entry *e,
                                  gxds_str canonical);
/* Accepts, confirms, renews or rejects the response's resource of that index. */
void gxds_application_apply_resource(gxds_application *a, size_t index);

#endif
