/* gxds_status: how an operation ended, in gRPC's codes. Must be used. OK carries no message.
 * The holder owns the message and ends it with gxds_status_fini(). */
#ifndef GRPC_XDS_BASE_STATUS_H_
#define GRPC_XDS_BASE_STATUS_H_

#include "base/str.h"
#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gRPC's status codes with their numbers, for code that does not include grpc/status.h. */
typedef enum gxds_code {
  GXDS_OK = 0,
  GXDS_CANCELLED = 1,
  GXDS_UNKNOWN = 2,
  GXDS_INVALID_ARGUMENT = 3,
  GXDS_DEADLINE_EXCEEDED = 4,
  GXDS_NOT_FOUND = 5,
  GXDS_ALREADY_EXISTS = 6,
  GXDS_PERMISSION_DENIED = 7,
  GXDS_RESOURCE_EXHAUSTED = 8,
  GXDS_FAILED_PRECONDITION = 9,
  GXDS_ABORTED = 10,
  GXDS_OUT_OF_RANGE = 11,
  GXDS_UNIMPLEMENTED = 12,
  GXDS_INTERNAL = 13,
  GXDS_UNAVAILABLE = 14,
  GXDS_DATA_LOSS = 15,
  GXDS_UNAUTHENTICATED = 16,
} gxds_code;
#define GXDS_CODE_MAX GXDS_UNAUTHENTICATED

typedef struct gxds_status {
  gxds_code code;
  gxds_str message; /* owned, zero-terminated; empty when OK */
} gxds_status;

#define GXDS_MUST_USE __attribute__((warn_unused_result))

static inline bool gxds_status_is_ok(const gxds_status *s) { return s->code == GXDS_OK; }
GXDS_MUST_USE gxds_status gxds_status_ok(void);
/* code must not be OK. Control characters in the message become \xNN, because it is shown in logs
 * and on terminals, and names in it come from the network. */
__attribute__((format(printf, 2, 3))) GXDS_MUST_USE gxds_status gxds_status_make(gxds_code code,
                                                                                 const char *format,
                                                                                 ...);
/* An UNAVAILABLE status: the text, and after it the cause as gxds_status_render() writes it. */
GXDS_MUST_USE gxds_status gxds_status_of_cause(const char *text, const gxds_status *cause);
GXDS_MUST_USE gxds_status gxds_status_copy(const gxds_status *s);
bool gxds_status_equal(const gxds_status *a, const gxds_status *b);
/* Frees the message; *s is OK afterwards. */
void gxds_status_fini(gxds_status *s);
/* Frees the status in *to, and puts `take` in its place. Takes ownership of `take`. */
void gxds_status_set(gxds_status *to, gxds_status take);
/* "OK", or "UNAVAILABLE: message", as absl::Status prints it. */
void gxds_status_render(const gxds_status *s, gxds_text *out);
/* "UNAVAILABLE"; an unknown number gives "UNKNOWN". Static. */
const char *gxds_code_name(gxds_code code);

#ifdef __cplusplus
}
#endif

#endif
