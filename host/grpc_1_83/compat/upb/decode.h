/* See upb/upb.h of this folder. */
#ifndef GRPC_XDS_HOST_GRPC_1_83_COMPAT_UPB_DECODE_H_
#define GRPC_XDS_HOST_GRPC_1_83_COMPAT_UPB_DECODE_H_

#include "upb/upb.h"

#endif
