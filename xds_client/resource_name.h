/* gxds_resource_name: the name of a resource, taken apart as A47 says.
 *
 * An old-style name is any text that does not begin with "xdstp:". A new-style one is a URI,
 *     xdstp://authority/resource.type.Name/id?key=value&…
 * whose canonical form has its context parameters sorted by key (of equal keys the last counts),
 * its percent-encoding normalised and no fragment, so that two spellings of one name are one
 * resource. Confined; lives in the caller's struct. */
#ifndef GRPC_XDS_XDS_CLIENT_RESOURCE_NAME_H_
#define GRPC_XDS_XDS_CLIENT_RESOURCE_NAME_H_

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Names come from the network too (an RDS name in a listener). Real ones are host names and URIs of
 * some hundred bytes; 8 KiB is what servers commonly take for a whole URI. */
#define GXDS_RESOURCE_NAME_BYTES_MAX 8192

typedef struct gxds_resource_name {
  gxds_str canonical; /* borrows the text that was parsed, or storage */
  bool federated;     /* new-style: authority says where it belongs */
  gxds_str authority; /* owned; empty when old-style */
  gxds_str storage;   /* private */
} gxds_resource_name;

/* Takes text apart; type_url is that of the resource type it must name. False, and nothing to end,
 * when it is empty, too long, not UTF-8, or a URI that is malformed or of another type. text is
 * borrowed for as long as *n is used. */
bool gxds_resource_name_init(gxds_resource_name *n, gxds_str text, gxds_str type_url);
void gxds_resource_name_fini(gxds_resource_name *n);

/* url without "type.googleapis.com/", if it begins so. Borrows url. */
gxds_str gxds_type_name(gxds_str url);

#ifdef __cplusplus
}
#endif

#endif
