/* plane: the logic of a simulated control plane for one client's stream, in delta and in state of
 * the world: which resources a request asks for, what is sent for it, and whether the client is
 * current. It has no queue, time or network: fleet.h has.
 *
 * It sends what the client lacks, by what the client says it has. In delta that is by the version
 * of each resource. In state of the world it is by the version_info of the first request of a type:
 * if that is the version of the type, nothing is sent until something changes. A plane that
 * trusts_versions is false for sends everything again on each stream, as go-control-plane does for
 * subscriptions by name. `xds serve` is not used here because it has one list of streams that it
 * searches, and because in state of the world it takes no notice of version_info.
 *
 * Confined to one thread. */
#ifndef GRPC_XDS_TEST_FLEET_PLANE_H_
#define GRPC_XDS_TEST_FLEET_PLANE_H_

#include "base/text.h"
#include "files/file_set.h"

/* Of one type, for one client. */
#define PLANE_NAMES_MAX 16

typedef struct plane {
  const gxds_file_set *set; /* owned: one reference */
  bool delta;
  bool trusts_versions;
} plane;

/* Of one type on a stream. */
typedef struct plane_type {
  bool requested;
  bool outstanding;               /* a response was not answered */
  bool refused;                   /* the last answer was a NACK */
  uint16_t asked;                 /* a bit for each resource of the set */
  uint32_t nonce;                 /* of the last response; 0: none */
  uint64_t sent[PLANE_NAMES_MAX]; /* the version that the client has or was sent; 0: none */
} plane_type;

/* Zero-initialised is a new stream. */
typedef struct plane_stream {
  plane_type types[GXDS_FILE_TYPE_COUNT];
} plane_stream;

/* What a request was. */
typedef struct plane_request {
  gxds_file_type type;
  bool nack;
} plane_request;

/* Takes one request. The bytes are from our own engine: it aborts if they are no request. */
plane_request plane_take(const plane *p, plane_stream *s, gxds_str bytes);
/* The next response of that type. False: there is nothing to send, or an answer is awaited. out:
 * empty, the caller's. */
bool plane_respond(const plane *p, plane_stream *s, gxds_file_type type, gxds_text *out);
/* Whether the client asked for all resources of the set, has them as they are, and accepted them.
 */
bool plane_is_current(const plane *p, const plane_stream *s);

#endif
