/* IP addresses as endpoints carry them. Pure functions. */
#ifndef GRPC_XDS_RESOURCES_ADDRESS_INTERNAL_H_
#define GRPC_XDS_RESOURCES_ADDRESS_INTERNAL_H_

#include "resources/endpoints.h"

/* Reads an IPv4 address in dotted form, or an IPv6 address with or without brackets. Zones are not
 * supported. False if the text is neither. All bytes of *out are set. */
bool gxds_address_parse(gxds_str ip, uint16_t port, gxds_address *out);

/* Adds host:port as error messages show it. A host with a colon gets brackets unless it has them.
 */
void gxds_host_port_render(gxds_str host, uint32_t port, gxds_text *out);

/* Adds the address as the host prints it: "ipv4:1.2.3.4:80", "ipv6:%5B::1%5D:80". */
void gxds_address_render_uri(const gxds_address *a, gxds_text *out);

#endif
