/* gxds_block: immutable bytes shared by count, for what is large and handed on more than once
 * without a copy. Any thread. */
#ifndef GRPC_XDS_BASE_BLOCK_H_
#define GRPC_XDS_BASE_BLOCK_H_

#include "base/ref.h"
#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_block {
  gxds_ref refs;
  gxds_str bytes; /* owned */
} gxds_block;

/* Of what the text holds, which is empty afterwards. One reference is the caller's. */
const gxds_block *gxds_block_create(gxds_text *take);
/* One reference more, the caller's. Returns b. */
const gxds_block *gxds_block_ref(const gxds_block *b);
/* Drops one; with the last, the bytes go. NULL is allowed. */
void gxds_block_unref(const gxds_block *b);
/* Borrowed: valid as long as the caller's reference. NULL is empty. */
static inline gxds_str gxds_block_str(const gxds_block *b) {
  return b ? b->bytes : gxds_str_of(NULL, 0);
}

#ifdef __cplusplus
}
#endif

#endif
