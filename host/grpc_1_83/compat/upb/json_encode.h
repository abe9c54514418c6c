/* upb.h beside this file explains these headers. */
#ifndef GRPC_XDS_HOST_GRPC_1_83_COMPAT_UPB_JSON_ENCODE_H_
#define GRPC_XDS_HOST_GRPC_1_83_COMPAT_UPB_JSON_ENCODE_H_

#include "upb/json/encode.h"
#include "upb/upb.h"

#define upb_JsonEncode(message, ...) upb_JsonEncode((const upb_Message *)(message), __VA_ARGS__)

#endif
