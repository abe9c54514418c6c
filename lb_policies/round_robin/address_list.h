/* gxds_address_list: the addresses of an update in the form that endpoints_policy.h takes, for the
 * list of any parent, xDS or not. Each address counts once, at its first place (A48, A58). An
 * endpoint with several addresses counts as one (A61). Only under the channel's serializer. */
#ifndef GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ADDRESS_LIST_H_
#define GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ADDRESS_LIST_H_

#include "lb_policies/round_robin/endpoints_policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lives in the policy's own object; zero-initialised, it is empty. */
typedef struct gxds_address_list {
  const gxds_addresses *from; /* a reference; NULL before the first update */
  uint32_t count;
  gxds_endpoint *endpoints; /* their addresses are identities: see gxds_endpoint_identity() */
  size_t *places;           /* the place of each endpoint in `from` */
  bool named;               /* private: some endpoints have a hostname or a proxy */
  bool several;             /* private: some endpoints have several addresses */
  gxds_text keys;           /* private: the addresses as text */
  struct gxds_address_key *keyed;
  struct gxds_address_key *by_key;
} gxds_address_list;

/* The identity of an endpoint for round_robin.h, which compares addresses only: a hash of a text
 * with all that identifies the subchannel. The hash is so long that two different texts never have
 * the same one. */
gxds_address gxds_endpoint_identity(gxds_str text);

void gxds_address_list_fini(gxds_address_list *l);
/* Gives the addresses of the update to e, the policy that this list belongs to. If the update has
 * no addresses, the last ones stay in use. */
GXDS_MUST_USE gxds_status gxds_address_list_update(gxds_address_list *l, gxds_endpoints_policy *e,
                                                   const gxds_lb_update *update);
/* The address at that place of the endpoints. Borrowed: valid until the next update. The next
 * function returns it as text; for an endpoint with several addresses, all of them in any order. */
gxds_lb_address gxds_address_list_at(const gxds_address_list *l, uint32_t position);
gxds_str gxds_address_list_key_at(const gxds_address_list *l, uint32_t position);
/* Whether the list has that address. */
bool gxds_address_list_has_key(const gxds_address_list *l, gxds_str key);

#ifdef __cplusplus
}
#endif

#endif
