/* Makes messages of clients safe for the host's decoder (base/wire.h). Pure; for tools/serve/. */
#ifndef GRPC_XDS_TOOLS_SERVE_WIRE_INPUT_H_
#define GRPC_XDS_TOOLS_SERVE_WIRE_INPUT_H_

#include <stdint.h>

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

struct upb_Arena;

/* Makes a padded copy of bytes in the arena, for a _parse function. False if the bytes are not a
 * message. */
bool gxds_serve_pad(gxds_str bytes, struct upb_Arena *arena, gxds_str *out);

/* Parses bytes as a message of that type, which lives in the arena; NULL if they are none. In C
 * only. */
#define GXDS_SERVE_PARSE(type, bytes, arena)                                                       \
  (__extension__({                                                                                 \
    gxds_str padded_;                                                                              \
    gxds_serve_pad((bytes), (arena), &padded_) ? type##_parse(padded_.data, padded_.size, (arena)) \
                                               : NULL;                                             \
  }))

/* Splits a DiscoveryRequest into its resource_names, which a client repeats in each ACK, and the
 * rest. *rest is the request without the names, padded as above. *names is a hash of the names in
 * their order: lists with equal hashes count as equal. False if bytes are not a message. */
bool gxds_serve_part_names(gxds_str bytes, struct upb_Arena *arena, gxds_str *rest,
                           uint64_t *names);

#ifdef __cplusplus
}
#endif

#endif
