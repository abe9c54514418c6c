/* upb.h beside this file explains these headers. */
#ifndef GRPC_XDS_HOST_GRPC_1_83_COMPAT_UPB_DEF_H_
#define GRPC_XDS_HOST_GRPC_1_83_COMPAT_UPB_DEF_H_

#include "upb/reflection/def.h"
#include "upb/reflection/internal/def_pool.h"
#include "upb/upb.h"

#endif
