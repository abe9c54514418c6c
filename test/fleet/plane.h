/* plane: the logic of a simulated control plane for one client's stream, in delta and in state of
 * the world: the requested resources, the responses, and whether the client is current. It has no
 * queue, time or network; these are in fleet.h.
 *
 * It sends what the client lacks, by the versions in the client's requests. In delta, each resource
 * has a version. In state of the world, it compares the version_info of the first request of a
 * type: if that is the type's version, it sends nothing until something changes. If trusts_versions
 * is false, it sends everything again on each stream, like go-control-plane for subscriptions by
 * name. `xds serve` is not used here, because it searches one list of all streams, and ignores
 * version_info in state of the world.
 *
 * Confined to one thread. */
#ifndef GRPC_XDS_TEST_FLEET_PLANE_H_
#define GRPC_XDS_TEST_FLEET_PLANE_H_

#include "base/text.h"
#include "files/file_set.h"

/* The most resources of one type. */
#define PLANE_NAMES_MAX 16

typedef struct plane {
  const gxds_file_set *set; /* owned: one reference */
  bool delta;
  bool trusts_versions;
} plane;

/* The state of one type on a stream. */
typedef struct plane_type {
  bool requested;
  bool outstanding;               /* a response has no ACK or NACK yet */
  bool refused;                   /* the last response got a NACK */
  uint16_t subscribed;            /* a bit for each resource of the set */
  uint32_t nonce;                 /* of the last response; 0: none */
  uint64_t sent[PLANE_NAMES_MAX]; /* the version that the client has or was sent; 0: none */
} plane_type;

/* Zero-initialised is a new stream. */
typedef struct plane_stream {
  plane_type types[GXDS_FILE_TYPE_COUNT];
} plane_stream;

/* The kind of a request. */
typedef struct plane_request {
  gxds_file_type type;
  bool nack;
} plane_request;

/* Takes one request. Aborts if the bytes are no request, since they come from our own engine. */
plane_request plane_take(const plane *p, plane_stream *s, gxds_str bytes);
/* Makes the next response of that type. False: there is nothing to send, or the last response has
 * no answer yet. out is empty; the caller owns it. */
bool plane_respond(const plane *p, plane_stream *s, gxds_file_type type, gxds_text *out);
/* Whether the client requested all resources of the set, and has accepted their current versions.
 */
bool plane_is_current(const plane *p, const plane_stream *s);

#endif
