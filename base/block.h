/* gxds_block: immutable bytes, counted by reference, for large data that several owners share
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

/* Makes a block of the text's contents, and leaves the text empty. The caller owns the returned
 * reference. */
const gxds_block *gxds_block_create(gxds_text *take);
/* Adds a reference, which the caller owns. Returns b. */
const gxds_block *gxds_block_ref(const gxds_block *b);
/* Gives up a reference; the last one frees the bytes. b may be NULL. */
void gxds_block_unref(const gxds_block *b);
/* The bytes of b; empty if b is NULL. Borrowed: valid as long as the caller's reference. */
static inline gxds_str gxds_block_str(const gxds_block *b) {
  return b ? b->bytes : gxds_str_of(NULL, 0);
}

#ifdef __cplusplus
}
#endif

#endif
