/* See upb.h of this folder. */
#ifndef GRPC_XDS_HOST_GRPC_1_83_COMPAT_UPB_UPB_HPP_
#define GRPC_XDS_HOST_GRPC_1_83_COMPAT_UPB_UPB_HPP_

#include "upb/mem/arena.hpp"
#include "upb/upb.h"

#endif
