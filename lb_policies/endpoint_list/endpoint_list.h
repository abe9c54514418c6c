/* Lists of endpoints that policies give their children: the endpoints of the snapshot, or a
 * selection of another list. Any thread. */
#ifndef GRPC_XDS_LB_POLICIES_ENDPOINT_LIST_ENDPOINT_LIST_H_
#define GRPC_XDS_LB_POLICIES_ENDPOINT_LIST_ENDPOINT_LIST_H_

#include "host/addresses.h"
#include "host/args.h"
#include "resources/endpoints.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The endpoint with that index. Borrowed: valid as long as locality. */
gxds_lb_address gxds_locality_address(const gxds_locality *locality, uint32_t index);
/* Like gxds_locality_address(), but without the endpoint's proxy if with_proxies is false (A86). */
gxds_lb_address gxds_locality_address_for(const gxds_locality *locality, uint32_t index,
                                          bool with_proxies);

/* Adds the address as text: "10.0.0.1:80". */
void gxds_lb_address_render(const gxds_lb_address *address, gxds_text *out);

/* Adds all addresses of an endpoint as text, which identifies the endpoint (A61). The text does not
 * depend on their order. For a single address, the text is that address. */
void gxds_lb_address_render_set(const gxds_lb_address *address, gxds_text *out);

/* Adds the other parts that identify an endpoint's subchannel: its hostname (A81) and its proxy
 * (A86). Adds nothing if it has neither. */
void gxds_lb_address_render_names(const gxds_lb_address *address, gxds_text *out);

/* The endpoint's address with that index: 0 is the first address, more_count the last. ip must be
 * set. Borrowed: valid as long as address. */
static inline const gxds_address *gxds_lb_address_ip(const gxds_lb_address *address,
                                                     uint32_t index) {
  return index == 0 ? &address->ip : &address->more[index - 1];
}

/* A86: whether a policy with these args reaches endpoints through their proxies. If not, proxies
 * are ignored. */
bool gxds_args_want_proxies(const gxds_args *args);

/* The endpoints of a locality, or of all localities of a priority (NULL: none), in order. The list
 * has its own references. The caller owns the returned reference. */
const gxds_addresses *gxds_locality_addresses(const gxds_locality *locality);
const gxds_addresses *gxds_priority_addresses(const gxds_priority *priority);
/* Like gxds_locality_addresses(), for a policy with these args. The addresses have no proxies if
 * gxds_args_want_proxies() is false. */
const gxds_addresses *gxds_locality_addresses_for(const gxds_locality *locality,
                                                  const gxds_args *args);
const gxds_addresses *gxds_priority_addresses_for(const gxds_priority *priority,
                                                  const gxds_args *args);

/* The addresses of `from` at those places, in that order. Takes ownership of take_places, an array
 * of count places from gxds_calloc(), or NULL if count is 0. The caller owns the returned
 * reference. */
const gxds_addresses *gxds_addresses_select(const gxds_addresses *from, size_t *take_places,
                                            size_t count);

#ifdef __cplusplus
}
#endif

#endif
