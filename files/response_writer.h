/* gxds_response_writer: makes the bytes of one state-of-the-world DiscoveryResponse, resource by
 * resource. Lives in the caller's struct, from init to finish. Confined. */
#ifndef GRPC_XDS_FILES_RESPONSE_WRITER_H_
#define GRPC_XDS_FILES_RESPONSE_WRITER_H_

#include "files/file_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The nonce of a response as text. Owned by the caller. */
gxds_str gxds_nonce_text(uint64_t nonce);
/* Whether text is that nonce. False for nonce 0: there was no response yet. */
bool gxds_nonce_is(uint64_t nonce, gxds_str text);

struct envoy_service_discovery_v3_DiscoveryResponse;
struct upb_Arena;

/* The caller may set more fields of the response, in its arena. The rest is private. */
typedef struct gxds_response_writer {
  struct upb_Arena *arena;
  struct envoy_service_discovery_v3_DiscoveryResponse *response;
  gxds_text errors;
} gxds_response_writer;

/* version and nonce are borrowed: valid until finish. */
void gxds_response_writer_init(gxds_response_writer *w, gxds_file_type type, gxds_str version,
                               gxds_str nonce);
/* Adds a resource of that type. It is borrowed: valid until finish. */
void gxds_response_writer_add(gxds_response_writer *w, const gxds_file_resource *resource);
/* Adds an error for that name (xRFC TP3): NOT_FOUND with this text. */
void gxds_response_writer_add_missing(gxds_response_writer *w, gxds_str name, gxds_str message);
/* Returns the bytes of the response, and ends the writer. The caller frees them with
 * gxds_str_free(). */
gxds_str gxds_response_writer_finish(gxds_response_writer *w);

#ifdef __cplusplus
}
#endif

#endif
