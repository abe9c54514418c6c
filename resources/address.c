#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/check.h"
#include "resources/address_internal.h"
#include "resources/common_internal.h"

/* Accepts four numbers up to 255. Leading zeros are refused, because some programs read such
 * numbers as octal. */
static bool parse_ipv4(gxds_str s, uint8_t out[4]) {
  const char *at = s.data;
  const char *end = s.data + s.size;
  for (int i = 0; i < 4; i++) {
    if (i > 0 && (at == end || *at++ != '.')) return false;
    unsigned value = 0;
    const char *start = at;
    while (at < end && *at >= '0' && *at <= '9' && at - start < 3) {
      value = 10 * value + (unsigned)(*at++ - '0');
    }
    if (at == start || value > 255 || (at - start > 1 && *start == '0')) return false;
    out[i] = (uint8_t)value;
  }
  return at == end;
}

static bool parse_ipv6(gxds_str s, uint8_t out[16]) {
  if (s.size >= 2 && s.data[0] == '[' && s.data[s.size - 1] == ']') {
    s = gxds_str_of(s.data + 1, s.size - 2);
  }
  char zero_terminated[INET6_ADDRSTRLEN];
  if (s.size >= sizeof zero_terminated || memchr(s.data, 0, s.size)) return false;
  memcpy(zero_terminated, s.data, s.size);
  zero_terminated[s.size] = 0;
  return inet_pton(AF_INET6, zero_terminated, out) == 1;
}

bool gxds_address_parse(gxds_str ip, uint16_t port, gxds_address *out) {
  memset(out, 0, sizeof *out);
  out->port = port;
  if (ip.size == 0) return false;
  if (parse_ipv4(ip, out->ip)) return true;
  out->is_ipv6 = 1;
  return parse_ipv6(ip, out->ip);
}

void gxds_host_port_render(gxds_str host, uint32_t port, gxds_text *out) {
  bool literal = host.size && host.data[0] != '[' && memchr(host.data, ':', host.size);
  gxds_text_addf(out, literal ? "[%.*s]:%u" : "%.*s:%u", GXDS_QUOTED(host), port);
}

/* The address without its port. */
static gxds_str print_ip(const gxds_address *a, char buffer[INET6_ADDRSTRLEN]) {
  GXDS_CHECK(inet_ntop(a->is_ipv6 ? AF_INET6 : AF_INET, a->ip, buffer, INET6_ADDRSTRLEN));
  return gxds_str_z(buffer);
}

void gxds_address_render(const gxds_address *a, gxds_text *out) {
  char buffer[INET6_ADDRSTRLEN];
  gxds_host_port_render(print_ip(a, buffer), a->port, out);
}

void gxds_address_render_uri(const gxds_address *a, gxds_text *out) {
  static const uint8_t v4_mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  char buffer[INET6_ADDRSTRLEN];
  gxds_address shown = *a;
  if (a->is_ipv6 && memcmp(a->ip, v4_mapped, sizeof v4_mapped) == 0) {
    memcpy(shown.ip, a->ip + 12, 4);
    shown.is_ipv6 = 0;
  }
  gxds_str ip = print_ip(&shown, buffer);
  const char *format = shown.is_ipv6 ? "ipv6:%%5B%.*s%%5D:%u" : "ipv4:%.*s:%u";
  gxds_text_addf(out, format, GXDS_STR_ARG(ip), shown.port);
}

size_t gxds_address_to_sockaddr(const gxds_address *a, struct sockaddr_storage *out) {
  memset(out, 0, sizeof *out);
  if (!a->is_ipv6) {
    struct sockaddr_in *in4 = (struct sockaddr_in *)out;
    in4->sin_family = AF_INET;
    in4->sin_port = htons(a->port);
    memcpy(&in4->sin_addr, a->ip, sizeof in4->sin_addr);
    return sizeof *in4;
  }
  struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)out;
  in6->sin6_family = AF_INET6;
  in6->sin6_port = htons(a->port);
  memcpy(&in6->sin6_addr, a->ip, sizeof in6->sin6_addr);
  return sizeof *in6;
}

bool gxds_address_of_sockaddr(const void *sockaddr, gxds_address *out) {
  memset(out, 0, sizeof *out);
  sa_family_t family = ((const struct sockaddr *)sockaddr)->sa_family;
  if (family == AF_INET) {
    const struct sockaddr_in *in4 = sockaddr;
    memcpy(out->ip, &in4->sin_addr, sizeof in4->sin_addr);
    out->port = ntohs(in4->sin_port);
    return true;
  }
  if (family != AF_INET6) return false;
  const struct sockaddr_in6 *in6 = sockaddr;
  memcpy(out->ip, &in6->sin6_addr, sizeof in6->sin6_addr);
  out->port = ntohs(in6->sin6_port);
  out->is_ipv6 = 1;
  return true;
}

bool gxds_address_read(gxds_str text, gxds_address *out) {
  const char *colon = text.size > 0 ? memrchr(text.data, ':', text.size) : NULL;
  if (!colon) return false;
  const gxds_str ip = gxds_str_of(text.data, (size_t)(colon - text.data));
  const bool bracketed = ip.size > 0 && ip.data[0] == '[';
  if (!bracketed && ip.size > 0 && memchr(ip.data, ':', ip.size)) return false;
  const char *end = text.data + text.size;
  unsigned port = 0;
  const char *at = colon + 1;
  if (at == end || end - at > 5) return false;
  for (; at < end; at++) {
    if (*at < '0' || *at > '9') return false;
    port = 10 * port + (unsigned)(*at - '0');
  }
  return port <= UINT16_MAX && gxds_address_parse(ip, (uint16_t)port, out);
}
