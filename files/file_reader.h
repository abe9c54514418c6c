/* One resource file → the resources in it. */
#ifndef GRPC_XDS_FILES_FILE_READER_H_
#define GRPC_XDS_FILES_FILE_READER_H_

#include "files/file_set.h"
#include "files/node.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Resources as they are found; each entry holds a reference. */
typedef struct gxds_file_found {
  gxds_file_entry *entries;
  size_t count;
  size_t capacity;
} gxds_file_found;

void gxds_file_found_fini(gxds_file_found *f);

/* Told of a resource, which the callee owns, and what it is made of (borrowed: valid during the
 * call; NULL in a binary file; in one of protobuf's text form scalars have a line alone). */
typedef void (*gxds_file_found_fn)(void *arg, gxds_file_resource *take_resource,
                                   const gxds_file_node *node);

/* Calls found for each resource of a file. Adds what is wrong in the file to errors. name:
 * borrowed, valid as long as the errors' current file. */
void gxds_file_read_each(const gxds_schema *schema, gxds_str name, gxds_str bytes,
                         gxds_file_found_fn found, void *arg, gxds_file_errors *errors);

/* What a DiscoveryResponse says of itself. Owned; gxds_file_response_fini() ends it. */
typedef struct gxds_file_response {
  gxds_str type_url;
  gxds_str version;
  gxds_str nonce;
} gxds_file_response;
void gxds_file_response_fini(gxds_file_response *r);

/* The same of JSON that is a DiscoveryResponse, perhaps without resources, and nothing else. *out
 * is empty when it says nothing, and of no use when there are errors. */
void gxds_file_read_response(const gxds_schema *schema, gxds_str json, gxds_file_response *out,
                             gxds_file_found_fn found, void *arg, gxds_file_errors *errors);

/* As gxds_file_read_each(), into a list. name: borrowed, valid as long as the entries too. */
void gxds_file_read(const gxds_schema *schema, gxds_str name, gxds_str bytes,
                    gxds_file_found *found, gxds_file_errors *errors);

/* What may be around a resource in a DiscoveryResponse. */
#define GXDS_FILE_WRAPPER_TYPE_URL "type.googleapis.com/envoy.service.discovery.v3.Resource"

/* The type of a resource by its type URL, which must be that of the response when this says one
 * (empty: it does not); GXDS_FILE_TYPE_COUNT when it is none of ours, or not that, as is then said
 * of the field at. */
gxds_file_type gxds_file_check_type(gxds_str type_url, gxds_str response_type, uint32_t line,
                                    const gxds_path *at, gxds_file_errors *errors);

/* What the wrapper around a resource says of its names: borrowed. All zero: there is none. */
typedef struct gxds_file_wrapper {
  gxds_str name; /* empty: it says nothing */
  const gxds_str *aliases;
  size_t alias_count;
} gxds_file_wrapper;

/* Whether a resource's name is set, and is that of the wrapper around it when this has one, and
 * whether its aliases can be such; what is wrong is said of the resource at. */
bool gxds_file_check_names(const gxds_file_type_info *info, gxds_str name,
                           const gxds_file_wrapper *wrapper, uint32_t line, const gxds_path *at,
                           gxds_file_errors *errors);

/* Copies name, bytes and aliases. The caller owns the returned reference. (file_set.c) */
gxds_file_resource *gxds_file_resource_create(gxds_file_type type, gxds_str name, gxds_str bytes,
                                              const gxds_str *aliases, size_t alias_count);

/* A set of these entries, which are sorted by type, then name, and taken: *take is empty after it.
 * The caller owns the returned reference. (file_set.c) */
const gxds_file_set *gxds_file_set_of(gxds_file_found *take);

#ifdef __cplusplus
}
#endif

#endif
