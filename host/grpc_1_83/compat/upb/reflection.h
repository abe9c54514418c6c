/* upb.h beside this file explains these headers. */
#ifndef GRPC_XDS_HOST_GRPC_1_83_COMPAT_UPB_REFLECTION_H_
#define GRPC_XDS_HOST_GRPC_1_83_COMPAT_UPB_REFLECTION_H_

#include "upb/def.h"
#include "upb/reflection/message.h"

/* In 1.51 these functions take message definitions (upb_MessageDef). The functions of 1.83 with the
 * same names take mini tables. */
#define upb_Message_New(def, arena) upb_Message_New(upb_MessageDef_MiniTable(def), (arena))
#define upb_Message_Get upb_Message_GetFieldByDef
#define upb_Message_Set upb_Message_SetFieldByDef
#define upb_Message_WhichOneof upb_Message_WhichOneofByDef

#endif
