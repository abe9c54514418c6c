/* Lists of endpoints that policies give their children: those of the snapshot, and some of another
 * list. Any thread. */
#ifndef GRPC_XDS_LB_POLICIES_ENDPOINT_LIST_ENDPOINT_LIST_H_
#define GRPC_XDS_LB_POLICIES_ENDPOINT_LIST_ENDPOINT_LIST_H_

#include "host/addresses.h"
#include "host/args.h"
#include "resources/endpoints.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The endpoint of that number. Borrowed: valid as long as locality. */
gxds_lb_address gxds_locality_address(const gxds_locality *locality, uint32_t index);
/* The same without its proxy, unless proxies are wanted (A86). */
gxds_lb_address gxds_locality_address_for(const gxds_locality *locality, uint32_t index,
                                          bool with_proxies);

/* Adds the address as text: "10.0.0.1:80". */
void gxds_lb_address_render(const gxds_lb_address *address, gxds_text *out);

/* All addresses of an endpoint as text, whatever their order: what it is told apart by (A61). Of
 * one that has a single address it is that. */
void gxds_lb_address_render_set(const gxds_lb_address *address, gxds_text *out);

/* Adds what a subchannel knows of its endpoint beside the addresses, and is told apart by: its
 * hostname (A81) and its proxy (A86). Nothing, if it has neither. */
void gxds_lb_address_render_names(const gxds_lb_address *address, gxds_text *out);

/* The address of that number, which is at most more_count, where ip is set: the first, then the
 * further ones. */
static inline const gxds_address *gxds_lb_address_ip(const gxds_lb_address *address,
                                                     uint32_t index) {
  return index == 0 ? address->ip : &address->more[index - 1];
}

/* A86: whether a policy with these args is to reach endpoints through their proxies. Where not, a
 * proxy is no part of an endpoint. */
bool gxds_args_want_proxies(const gxds_args *args);

/* The endpoints of a locality, or of all localities of a priority (NULL: none), in order. The list
 * has references of its own. The caller owns the returned reference. */
const gxds_addresses *gxds_locality_addresses(const gxds_locality *locality);
const gxds_addresses *gxds_priority_addresses(const gxds_priority *priority);
/* The same for a policy with these args: without proxies, where they are not wanted. */
const gxds_addresses *gxds_locality_addresses_for(const gxds_locality *locality,
                                                  const gxds_args *args);
const gxds_addresses *gxds_priority_addresses_for(const gxds_priority *priority,
                                                  const gxds_args *args);

/* The addresses of from at those places, in that order. take_places: count of them, from
 * gxds_calloc(); NULL when there are none. The caller owns the returned reference. */
const gxds_addresses *gxds_addresses_select(const gxds_addresses *from, size_t *take_places,
                                            size_t count);

#ifdef __cplusplus
}
#endif

#endif
