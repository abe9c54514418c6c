/* upb.h beside this file explains these headers. */
#ifndef GRPC_XDS_HOST_GRPC_1_83_COMPAT_UPB_MSG_INTERNAL_H_
#define GRPC_XDS_HOST_GRPC_1_83_COMPAT_UPB_MSG_INTERNAL_H_

#include "upb/message/internal/message.h"
#include "upb/upb.h"

/* Must be last. */
#include "upb/port/def.inc"

static inline bool _upb_Message_AddUnknown(void *message, const char *data, size_t size,
                                           upb_Arena *arena) {
  return UPB_PRIVATE(_upb_Message_AddUnknown)((upb_Message *)message, data, size, arena,
                                              kUpb_AddUnknown_Copy);
}

#include "upb/port/undef.inc"

#endif
