/* gxds_address: an IP address and a port. A plain value. */
#ifndef GRPC_XDS_BASE_ADDRESS_H_
#define GRPC_XDS_BASE_ADDRESS_H_

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Packed, so that an endpoint takes 24 bytes, not 28. */
typedef struct __attribute__((packed)) gxds_address {
  uint8_t ip[16]; /* in network order; an IPv4 address uses the first four bytes */
  uint16_t port;  /* host order */
  uint8_t is_ipv6;
} gxds_address;

/* Whether both have the same IP address and port. */
static inline bool gxds_address_equal(const gxds_address *a, const gxds_address *b) {
  return a->port == b->port && a->is_ipv6 == b->is_ipv6 &&
         memcmp(a->ip, b->ip, a->is_ipv6 ? 16 : 4) == 0;
}

#endif
