/* Makes messages of clients safe for the host's decoder (base/wire.h). Pure; for tools/serve/. */
#ifndef GRPC_XDS_TOOLS_SERVE_WIRE_INPUT_H_
#define GRPC_XDS_TOOLS_SERVE_WIRE_INPUT_H_

#include <stdint.h>

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

struct upb_Arena;

/* A padded copy of bytes in the arena, to be given to a _parse function. False: they are no
 * message. */
bool gxds_serve_pad(gxds_str bytes, struct upb_Arena *arena, gxds_str *out);

/* Parts a DiscoveryRequest: its resource_names, which a client repeats in each ACK, from all else.
 * *rest is the request without them, padded as above. *names is a hash of them, in their order:
 * lists with equal hashes may be taken for equal. False if bytes are no message. */
bool gxds_serve_part_names(gxds_str bytes, struct upb_Arena *arena, gxds_str *rest,
                           uint64_t *names);

#ifdef __cplusplus
}
#endif

#endif
