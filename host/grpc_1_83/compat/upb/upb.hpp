/* See upb/upb.h of this folder. */
#ifndef GRPC_XDS_HOST_GRPC_1_83_COMPAT_UPB_UPB_HPP_
#define GRPC_XDS_HOST_GRPC_1_83_COMPAT_UPB_UPB_HPP_

#include "upb/upb.h"

namespace upb {

class Arena {
 public:
  Arena() : arena_(upb_Arena_New()) {}
  ~Arena() { upb_Arena_Free(arena_); }
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  upb_Arena *ptr() const { return arena_; }

 private:
  upb_Arena *arena_;
};

}  // namespace upb

#endif
