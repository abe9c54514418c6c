#include "base/block.h"

#include "base/memory.h"

const gxds_block *gxds_block_create(gxds_text *take) {
  gxds_block *b = GXDS_NEW(gxds_block);
  gxds_ref_init(&b->refs);
  b->bytes = gxds_text_take(take);
  return b;
}

const gxds_block *gxds_block_ref(const gxds_block *b) {
  gxds_ref_inc(&b->refs);
  return b;
}

void gxds_block_unref(const gxds_block *b) {
  if (!b || !gxds_ref_dec(&b->refs)) return;
  gxds_block *last = (gxds_block *)b;
  gxds_str_free(&last->bytes);
  gxds_free(last);
}
