/* Functions for the maps of protobuf messages. upb's own differ between gRPC 1.51 and 1.83. */
#ifndef GRPC_XDS_BASE_UPB_H_
#define GRPC_XDS_BASE_UPB_H_

#include "upb/upb.h"

/* Steps to the next entry of a map field. type is the type of the message, and entry the type of
 * the field's entries in 1.51. at is a size_t that starts as kUpb_Map_Begin. The expression is true
 * if *key and *value were set, and false at the end. */
#if __has_include("upb/mini_table/message.h")
#define GXDS_MAP_NEXT(type, field, entry, message, at, key, value) \
  (type##_##field##_next((message), (key), (value), (at)))
#else
#define GXDS_MAP_NEXT(type, field, entry, message, at, key, value)         \
  (__extension__({                                                         \
    const type##_##entry *entry_ = type##_##field##_next((message), (at)); \
    if (entry_) {                                                          \
      *(key) = type##_##entry##_key(entry_);                               \
      *(value) = type##_##entry##_value(entry_);                           \
    }                                                                      \
    entry_ != NULL;                                                        \
  }))
#endif

#endif
