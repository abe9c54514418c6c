/* gxds_resource_name: the parsed name of a resource (A47).
 *
 * An old-style name is any text that does not begin with "xdstp:". A new-style name is a URI:
 *     xdstp://authority/resource.type.Name/id?key=value&…
 * The canonical form of the URI has its context parameters sorted by key (of equal keys the last
 * counts), its percent-encoding normalised and no fragment. So two spellings of one name are one
 * resource. Confined; lives in the caller's struct. */
#ifndef GRPC_XDS_XDS_CLIENT_RESOURCE_NAME_H_
#define GRPC_XDS_XDS_CLIENT_RESOURCE_NAME_H_

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The largest name that is accepted. Names also come from the network (an RDS name in a listener).
 * Real names are host names and URIs of some hundred bytes; 8 KiB is what servers commonly accept
 * for a whole URI. */
#define GXDS_RESOURCE_NAME_BYTES_MAX 8192

typedef struct gxds_resource_name {
  gxds_str canonical; /* borrowed from the text that was parsed, or from storage */
  bool federated;     /* a new-style name, with an authority */
  gxds_str authority; /* owned; empty for an old-style name */
  gxds_str storage;   /* private */
} gxds_resource_name;

/* Parses text; type_url is the type of the resource that it must name. Returns false, and leaves
 * nothing to end, if text is empty, too long or not UTF-8, or if it is a URI that is malformed or
 * of another type. text is borrowed as long as *n is used. */
bool gxds_resource_name_init(gxds_resource_name *n, gxds_str text, gxds_str type_url);
void gxds_resource_name_fini(gxds_resource_name *n);

/* url without its prefix "type.googleapis.com/", if it has that prefix. Borrowed: valid as long as
 * url. */
gxds_str gxds_type_name(gxds_str url);

#ifdef __cplusplus
}
#endif

#endif
