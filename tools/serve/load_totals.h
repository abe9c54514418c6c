/* gxds_load_totals: the sums of the load that each client reported for each locality. Lives in the
 * caller's struct; zero-initialised, it is empty. One thread. */
#ifndef GRPC_XDS_TOOLS_SERVE_LOAD_TOTALS_H_
#define GRPC_XDS_TOOLS_SERVE_LOAD_TOTALS_H_

#include "tools/serve/event.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_load_total {
  gxds_str key; /* owned */
  uint64_t successful;
  uint64_t error;
  uint64_t issued;
} gxds_load_total;

typedef struct gxds_load_totals {
  gxds_load_total *items; /* sorted by key */
  size_t count;
  size_t capacity;
} gxds_load_totals;

void gxds_load_totals_fini(gxds_load_totals *t);
/* Adds the load of a client, and fills in the load's totals. `client` is the client's node id, so
 * that the totals continue after a reconnect, or its address if it has no id. A sum that would
 * overflow stays at UINT64_MAX. limit is the most totals that are kept; further loads are not added
 * up. */
void gxds_load_totals_add(gxds_load_totals *t, gxds_str client, gxds_serve_load *load,
                          size_t limit);

#ifdef __cplusplus
}
#endif

#endif
