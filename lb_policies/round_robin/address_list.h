/* gxds_address_list: the addresses of an update as endpoints_policy.h takes them, for any parent's
 * list: xDS or not. Each address counts once, where it comes first (A48, A58); of an endpoint of
 * several addresses, all together (A61). Confined. */
#ifndef GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ADDRESS_LIST_H_
#define GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ADDRESS_LIST_H_

#include "lb_policies/round_robin/endpoints_policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In its policy's own object; zero-initialised is empty. */
typedef struct gxds_address_list {
  const gxds_addresses *from; /* a reference; NULL before the first update */
  uint32_t count;
  gxds_endpoint *endpoints; /* what each is known by is no address */
  size_t *places;           /* of each in from */
  bool named;               /* private: some have a hostname, or a proxy */
  bool several;             /* likewise: some have several addresses */
  gxds_text keys;           /* likewise: the addresses as text */
  struct gxds_address_key *keyed;
  struct gxds_address_key *by_key;
} gxds_address_list;

/* What round_robin.h, which knows addresses alone, tells an endpoint apart by in place of its own:
 * a hash of all that a subchannel is made of, as text. It is long enough that no two are ever the
 * same. */
gxds_address gxds_endpoint_identity(gxds_str text);

void gxds_address_list_fini(gxds_address_list *l);
/* Passes the addresses of the update on to e, whose list this is. Without addresses what is known
 * goes on being used. */
GXDS_MUST_USE gxds_status gxds_address_list_update(gxds_address_list *l, gxds_endpoints_policy *e,
                                                   const gxds_lb_update *update);
/* The address at that place of the endpoints, and as text: all addresses of an endpoint that has
 * several, in any order. Borrowed: valid until the next update. */
gxds_lb_address gxds_address_list_at(const gxds_address_list *l, uint32_t position);
gxds_str gxds_address_list_key_at(const gxds_address_list *l, uint32_t position);
/* Whether the list has that address. */
bool gxds_address_list_has_key(const gxds_address_list *l, gxds_str key);

#ifdef __cplusplus
}
#endif

#endif
