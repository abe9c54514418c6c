/* gxds_file_set: one state of a directory of resource files, checked, sorted by type, then name.
 *
 * A JSON or YAML file has any number of resources of the four types. Each resource is an object
 * with "@type", in proto3 JSON form. The file is one resource, a list of resources, {"resources":
 * [...]}, or a whole DiscoveryResponse (which is the same with more fields). In YAML each document
 * may be any of these. Other files are a DiscoveryResponse in binary or in protobuf's text form; in
 * the text form, resources may also be outside of a response, as "[TYPE URL] {...}". Resources in a
 * response may be wrapped in envoy.service.discovery.v3.Resource. The wrapper's aliases are then
 * other names of the resource (in delta).
 *
 * Sets and resources are immutable and shared by reference count: any thread. A new set shares each
 * resource that did not change with the set before it, so that "did it change?" is a comparison of
 * pointers. */
#ifndef GRPC_XDS_FILES_FILE_SET_H_
#define GRPC_XDS_FILES_FILE_SET_H_

#include "base/ref.h"
#include "files/file_errors.h"
#include "files/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_file_type {
  GXDS_FILE_LISTENER,
  GXDS_FILE_ROUTE_CONFIG,
  GXDS_FILE_CLUSTER,
  GXDS_FILE_ENDPOINTS,
  GXDS_FILE_TYPE_COUNT,
} gxds_file_type;

typedef struct gxds_file_type_info {
  const char *type_url;    /* "type.googleapis.com/envoy.config.listener.v3.Listener" */
  const char *v2_type_url; /* the type's URL in the retired v2 API */
  const char *message;     /* "Listener" */
  const char *short_name;  /* "LDS" */
  const char *name_field;  /* "name", "cluster_name" */
} gxds_file_type_info;

extern const gxds_file_type_info gxds_file_types[GXDS_FILE_TYPE_COUNT];

/* The type with that URL; GXDS_FILE_TYPE_COUNT if it is unknown. */
gxds_file_type gxds_file_type_find(gxds_str type_url);

typedef struct gxds_file_resource {
  gxds_ref refs;
  gxds_file_type type;
  gxds_str name;           /* the canonical form (A47); so are aliases */
  gxds_str bytes;          /* the serialized message */
  const gxds_str *aliases; /* the aliases, in the order of the file */
  size_t alias_count;
  uint64_t version;   /* the XXH3 hash of the bytes and the aliases */
} gxds_file_resource; /* the struct and its contents are one allocation */

/* The most aliases of one resource: our own client refuses more. */
#define GXDS_FILE_ALIASES_MAX 100

const gxds_file_resource *gxds_file_resource_ref(const gxds_file_resource *r);
void gxds_file_resource_unref(const gxds_file_resource *r); /* NULL is allowed */

typedef struct gxds_file_entry {
  const gxds_file_resource *resource;
  gxds_str file; /* the name of the file that has the resource */
  uint32_t line;
} gxds_file_entry;

/* An alias of the resource with that index. */
typedef struct gxds_file_alias {
  gxds_str name; /* first: the aliases are sorted by it; borrowed from the resource */
  size_t index;
} gxds_file_alias;

typedef struct gxds_file_list {
  const gxds_file_entry *entries; /* sorted by name */
  size_t count;
  const gxds_file_alias *aliases; /* sorted by name; none is the name of a resource */
  size_t alias_count;
  uint64_t version; /* the XXH3 hash of all names and versions: equal sets of resources have equal
                       versions */
} gxds_file_list;

typedef struct gxds_file_set {
  gxds_ref refs;
  gxds_file_list types[GXDS_FILE_TYPE_COUNT];
  gxds_str *file_names; /* private */
  size_t file_count;
} gxds_file_set;

/* A file: its name and its contents. The name is for errors, and its ending decides how the file is
 * read: .json, .pb, .binpb, .textproto, .txtpb or .pbtxt. All other files are YAML. */
typedef struct gxds_file_input {
  gxds_str name; /* first: files are sorted by it */
  gxds_str bytes;
} gxds_file_input;

/* The size of the largest file that is read: ten times what 100,000 clusters need. */
#define GXDS_FILE_SIZE_MAX ((size_t)256 << 20)

/* Whether a file of that name is a DiscoveryResponse in binary. */
bool gxds_file_is_binary(gxds_str name);
/* Whether a file of that name is a DiscoveryResponse in protobuf's text form. */
bool gxds_file_is_prototext(gxds_str name);

/* Makes a set of the files' resources; the caller owns the returned reference. If any file has an
 * error, adds all errors to errors, and returns NULL. The result does not depend on the order of
 * the files. previous is the set to share resources with, and may be NULL. */
const gxds_file_set *gxds_file_set_build(const gxds_schema *schema, const gxds_file_input *files,
                                         size_t count, const gxds_file_set *previous,
                                         gxds_file_errors *errors);
/* Makes a set in which the resource of entry has other bytes. entry must be in s. The new set
 * shares everything else with s. bytes are copied. The caller owns the returned reference. */
const gxds_file_set *gxds_file_set_replace(const gxds_file_set *s, const gxds_file_entry *entry,
                                           gxds_str bytes);
const gxds_file_set *gxds_file_set_ref(const gxds_file_set *s);
void gxds_file_set_unref(const gxds_file_set *s); /* NULL is allowed */

/* Finds a resource by any spelling of its name; NULL if there is none. Borrowed: valid as long as
 * the set. */
const gxds_file_entry *gxds_file_set_find(const gxds_file_set *s, gxds_file_type type,
                                          gxds_str name);
/* Like gxds_file_set_find(), but finds a resource by its aliases too. */
const gxds_file_entry *gxds_file_set_find_by_any_name(const gxds_file_set *s, gxds_file_type type,
                                                      gxds_str name);
/* Whether both sets have the same resources. */
bool gxds_file_set_equal(const gxds_file_set *a, const gxds_file_set *b);
/* Adds the version in the form of responses: 16 hexadecimal digits. */
void gxds_file_version_render(uint64_t version, gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
