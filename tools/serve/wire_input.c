#include "tools/serve/wire_input.h"

#include <xxhash.h>

#include "base/check.h"
#include "base/text.h"
#include "base/upb.h"
#include "base/wire.h"

static gxds_str pad_whole(gxds_str bytes, upb_Arena *arena) {
  char *padded = gxds_arena_alloc(arena, bytes.size + GXDS_WIRE_PADDING_SIZE);
  gxds_wire_pad(bytes, padded);
  return gxds_str_of(padded, bytes.size + GXDS_WIRE_PADDING_SIZE);
}

bool gxds_serve_pad(gxds_str bytes, upb_Arena *arena, gxds_str *out) {
  if (!gxds_wire_is_whole(bytes)) return false;
  *out = pad_whole(bytes, arena);
  return true;
}

/* DiscoveryRequest.resource_names */
enum { kResourceNames = 3 };

/* Hashes consecutive names in one call. */
static void end_run(XXH3_state_t *state, gxds_str *run) {
  XXH3_64bits_update(state, run->data, run->size);
  run->size = 0;
}

/* False if bytes are not whole fields. */
static bool part(gxds_str bytes, XXH3_state_t *names, gxds_text *others) {
  gxds_str run = gxds_str_of(bytes.data, 0);
  gxds_wire_field field;
  while (bytes.size > 0) {
    if (!gxds_wire_next(&bytes, &field)) return false;
    if (field.number != kResourceNames || !field.has_size) {
      gxds_text_add(others, field.whole);
      continue;
    }
    if (field.whole.data != run.data + run.size) {
      end_run(names, &run);
      run.data = field.whole.data;
    }
    run.size += field.whole.size;
  }
  end_run(names, &run);
  return true;
}

bool gxds_serve_part_names(gxds_str bytes, upb_Arena *arena, gxds_str *rest, uint64_t *names) {
  XXH3_state_t *state = XXH3_createState();
  GXDS_CHECK(state != NULL);
  XXH3_64bits_reset(state);
  gxds_text others = {0};
  const bool whole = part(bytes, state, &others);
  if (whole) {
    *names = XXH3_64bits_digest(state);
    *rest = pad_whole(gxds_text_str(&others), arena);
  }
  XXH3_freeState(state);
  gxds_text_fini(&others);
  return whole;
}
