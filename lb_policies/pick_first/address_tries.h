/* The addresses of a list of endpoints, each for itself, as pick_first tries them (A61). Private to
 * pick_first. */
#ifndef GRPC_XDS_LB_POLICIES_PICK_FIRST_ADDRESS_TRIES_H_
#define GRPC_XDS_LB_POLICIES_PICK_FIRST_ADDRESS_TRIES_H_

#include "host/addresses.h"

/* Zero-initialised is empty. */
typedef struct gxds_address_tries {
  const gxds_addresses *from; /* a reference; NULL: empty */
  gxds_lb_address *list;      /* of one address each; borrow: of from */
  uint32_t count;
  gxds_str text; /* all that connections are made of, in order: what lists are compared by. Owned */
} gxds_address_tries;

/* Those of the endpoints in order, one endpoint's after the other's, then the families in turns. */
gxds_address_tries gxds_address_tries_of(const gxds_addresses *from);
void gxds_address_tries_fini(gxds_address_tries *t);

#endif
