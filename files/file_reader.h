/* Reads the resources of one resource file. */
#ifndef GRPC_XDS_FILES_FILE_READER_H_
#define GRPC_XDS_FILES_FILE_READER_H_

#include "files/file_set.h"
#include "files/node.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Resources in the order in which they are found. Each entry holds a reference. */
typedef struct gxds_file_found {
  gxds_file_entry *entries;
  size_t count;
  size_t capacity;
} gxds_file_found;

void gxds_file_found_fini(gxds_file_found *f);

/* Called for each resource, which the callee owns. The node is the text that the resource was made
 * from, borrowed during the call. It is NULL for a binary file; in a file in protobuf's text form
 * its scalars have a line but no contents. */
typedef void (*gxds_file_found_fn)(void *arg, gxds_file_resource *take_resource,
                                   const gxds_file_node *node);

/* Calls `found` for each resource of a file. Adds every error in the file to errors. name is
 * borrowed: valid as long as it is the errors' current file. */
void gxds_file_read_each(const gxds_schema *schema, gxds_str name, gxds_str bytes,
                         gxds_file_found_fn found, void *arg, gxds_file_errors *errors);

/* The fields of a DiscoveryResponse besides its resources. Owned; gxds_file_response_fini() ends
 * it. */
typedef struct gxds_file_response {
  gxds_str type_url;
  gxds_str version;
  gxds_str nonce;
} gxds_file_response;
void gxds_file_response_fini(gxds_file_response *r);

/* Reads JSON that must be a DiscoveryResponse, perhaps without resources. Sets *out to the
 * response's other fields; it is empty if there are none. After errors *out is not valid. */
void gxds_file_read_response(const gxds_schema *schema, gxds_str json, gxds_file_response *out,
                             gxds_file_found_fn found, void *arg, gxds_file_errors *errors);

/* Like gxds_file_read_each(), but adds the resources to a list. name is borrowed: valid as long as
 * the entries, and as long as it is the errors' current file. */
void gxds_file_read(const gxds_schema *schema, gxds_str name, gxds_str bytes,
                    gxds_file_found *found, gxds_file_errors *errors);

/* The type of the wrapper that may be around a resource in a DiscoveryResponse. */
#define GXDS_FILE_WRAPPER_TYPE_URL "type.googleapis.com/envoy.service.discovery.v3.Resource"

/* The type of a resource by its type URL. If the response has a type URL (else it is empty), both
 * must be equal. If they differ, or if the type is unknown, adds an error at that path, and returns
 * GXDS_FILE_TYPE_COUNT. */
gxds_file_type gxds_file_check_type(gxds_str type_url, gxds_str response_type, uint32_t line,
                                    const gxds_path *at, gxds_file_errors *errors);

/* The names in the wrapper around a resource, borrowed. All fields are zero if there is no
 * wrapper. */
typedef struct gxds_file_wrapper {
  gxds_str name; /* empty: the wrapper has no name */
  const gxds_str *aliases;
  size_t alias_count;
} gxds_file_wrapper;

/* Checks that a resource has a name, that the name in its wrapper, if there is one, is the same,
 * and that the aliases are valid. Adds errors at the path of the resource. Returns true if there
 * are none. */
bool gxds_file_check_names(const gxds_file_type_info *info, gxds_str name,
                           const gxds_file_wrapper *wrapper, uint32_t line, const gxds_path *at,
                           gxds_file_errors *errors);

/* Copies name, bytes and aliases. The caller owns the returned reference. (file_set.c) */
gxds_file_resource *gxds_file_resource_create(gxds_file_type type, gxds_str name, gxds_str bytes,
                                              const gxds_str *aliases, size_t alias_count);

/* Makes a set of these entries, which must be sorted by type, then name. Takes ownership of them,
 * and leaves *take empty. The caller owns the returned reference. (file_set.c) */
const gxds_file_set *gxds_file_set_of(gxds_file_found *take);

#ifdef __cplusplus
}
#endif

#endif
