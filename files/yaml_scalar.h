/* What a plain scalar of YAML stands for, by the core schema of YAML 1.2 (section 10.3.2). Pure;
 * any thread. */
#ifndef GRPC_XDS_FILES_YAML_SCALAR_H_
#define GRPC_XDS_FILES_YAML_SCALAR_H_

#include "files/node.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of a plain scalar; canonical is what the node's text shall be: numbers in JSON's
 * syntax (0x1F → 31, +1. → 1.0, .inf → Infinity). Anything else is a string, as it stands; "yes",
 * "no", "on", "off" and 1_000 are strings, unlike in YAML 1.1. */
gxds_file_node_kind gxds_yaml_resolve(gxds_str plain, gxds_text *canonical);

#ifdef __cplusplus
}
#endif

#endif
