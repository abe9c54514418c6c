/* The single addresses of a list of endpoints, in the order in which pick_first tries them (A61).
 * Private to pick_first. */
#ifndef GRPC_XDS_LB_POLICIES_PICK_FIRST_ADDRESS_TRIES_H_
#define GRPC_XDS_LB_POLICIES_PICK_FIRST_ADDRESS_TRIES_H_

#include "host/addresses.h"

/* Zero-initialised, it is empty. */
typedef struct gxds_address_tries {
  const gxds_addresses *from; /* a reference; NULL: empty */
  gxds_lb_address *list;      /* each with one address; borrowed from the list of endpoints */
  uint32_t count;
  gxds_str text; /* everything that identifies the connections, in order, to compare lists; owned */
} gxds_address_tries;

/* Takes the addresses endpoint by endpoint, and then lets the two address families alternate. */
gxds_address_tries gxds_address_tries_of(const gxds_addresses *from);
void gxds_address_tries_fini(gxds_address_tries *t);

#endif
