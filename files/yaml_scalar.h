/* Resolves a plain scalar of YAML by the core schema of YAML 1.2 (section 10.3.2). Pure; any
 * thread. */
#ifndef GRPC_XDS_FILES_YAML_SCALAR_H_
#define GRPC_XDS_FILES_YAML_SCALAR_H_

#include "files/node.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of a plain scalar. Sets *canonical to the text of its node: numbers are in JSON's syntax
 * (0x1F → 31, +1. → 1.0, .inf → Infinity). Anything else is a string, unchanged: "yes", "no", "on",
 * "off" and 1_000 are strings, unlike in YAML 1.1. */
gxds_file_node_kind gxds_yaml_resolve(gxds_str plain, gxds_text *canonical);

#ifdef __cplusplus
}
#endif

#endif
