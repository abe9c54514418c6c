/* Reads YAML text into nodes. libyaml parses it, and scalars get their types by the core schema of
 * YAML 1.2. Pure; any thread. */
#ifndef GRPC_XDS_FILES_YAML_READER_H_
#define GRPC_XDS_FILES_YAML_READER_H_

#include "files/node.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls on_document for each document of the stream, in order; the nodes live in the arena. If
 * there are errors, adds them with their lines and returns false. It may have called on_document
 * for the documents before the first error. An alias becomes the anchored node itself. The tags of
 * the core schema (!!str, !!int, …) and "!" are supported; other tags are errors. */
bool gxds_yaml_read(gxds_str text, struct upb_Arena *arena, gxds_file_errors *errors,
                    void (*on_document)(void *arg, const gxds_file_node *root), void *arg);

#ifdef __cplusplus
}
#endif

#endif
