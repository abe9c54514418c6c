/* Decodes additional_addresses (A61). The table of Endpoint in gRPC 1.51 lacks the field, so there
 * it is read from the fields that upb does not know. */
#include "resources/additional_addresses_internal.h"

#include <string.h>

#include "base/wire.h"
#include "envoy/config/core/v3/address.upb.h"
#include "envoy/config/endpoint/v3/endpoint_components.upb.h"
#include "upb/msg.h"

/* The number of the field in Endpoint. */
enum { kAdditionalAddresses = 4 };

/* Makes room for `more` further addresses. False if that would be too many. */
static bool reserve(gxds_more_addresses *m, size_t more, upb_Arena *scratch) {
  if (m->count + more > GXDS_ENDPOINTS_MAX) {
    m->too_many = true;
    return false;
  }
  if (m->count + more <= m->capacity) return true;
  while (m->capacity < m->count + more) m->capacity = m->capacity ? 2 * m->capacity : 16;
  gxds_address *list = gxds_arena_calloc(scratch, m->capacity, sizeof *list);
  if (m->count > 0) memcpy(list, m->list, m->count * sizeof *list);
  m->list = list;
  return true;
}

static bool check_count(size_t index, const gxds_path *at, gxds_errors *errors) {
  if (index != GXDS_ADDITIONAL_ADDRESSES_MAX) return index < GXDS_ADDITIONAL_ADDRESSES_MAX;
  gxds_errors_add(errors, GXDS_FIELD(at, "additional_addresses"), "more than %u addresses",
                  GXDS_ADDITIONAL_ADDRESSES_MAX);
  return false;
}

static bool add(gxds_more_addresses *m, const envoy_config_core_v3_Address *address,
                const gxds_path *at, upb_Arena *scratch, gxds_errors *errors) {
  if (!reserve(m, 1, scratch)) return false;
  if (!gxds_endpoint_address_check(address, GXDS_FIELD(at, "address"), errors,
                                   &m->list[m->count])) {
    return false;
  }
  m->count++;
  return true;
}

#ifdef GXDS_HOST_HAS_ADDITIONAL_ADDRESSES

bool gxds_more_addresses_has(const envoy_config_endpoint_v3_Endpoint *in) {
  size_t count = 0;
  (void)envoy_config_endpoint_v3_Endpoint_additional_addresses(in, &count);
  return count > 0;
}

bool gxds_more_addresses_read(gxds_more_addresses *m, const envoy_config_endpoint_v3_Endpoint *in,
                              const gxds_path *at, upb_Arena *scratch, gxds_errors *errors) {
  size_t count = 0;
  const envoy_config_endpoint_v3_Endpoint_AdditionalAddress *const *list =
      envoy_config_endpoint_v3_Endpoint_additional_addresses(in, &count);
  bool ok = true;
  for (size_t i = 0; i < count; i++) {
    if (!check_count(i, at, errors)) return false;
    ok &= add(m, envoy_config_endpoint_v3_Endpoint_AdditionalAddress_address(list[i]),
              GXDS_ITEM(at, "additional_addresses", i), scratch, errors);
  }
  return ok;
}

#else

static gxds_str unknown_of(const envoy_config_endpoint_v3_Endpoint *in) {
  size_t size = 0;
  const char *data = upb_Message_GetUnknown(in, &size);
  return gxds_str_of(data, size);
}

bool gxds_more_addresses_has(const envoy_config_endpoint_v3_Endpoint *in) {
  return unknown_of(in).size > 0;
}

/* AdditionalAddress has one field, an address, with the same number as the address of Endpoint. So
 * the table of Endpoint decodes it. */
bool gxds_more_addresses_read(gxds_more_addresses *m, const envoy_config_endpoint_v3_Endpoint *in,
                              const gxds_path *at, upb_Arena *scratch, gxds_errors *errors) {
  gxds_str rest = unknown_of(in);
  gxds_str bytes;
  bool ok = true;
  for (size_t i = 0; gxds_wire_next_value(&rest, kAdditionalAddresses, &bytes); i++) {
    if (!check_count(i, at, errors)) return false;
    const gxds_path *at_item = GXDS_ITEM(at, "additional_addresses", i);
    const envoy_config_endpoint_v3_Endpoint *item =
        GXDS_DECODE(envoy_config_endpoint_v3_Endpoint, bytes, scratch);
    if (item) {
      ok &= add(m, envoy_config_endpoint_v3_Endpoint_address(item), at_item, scratch, errors);
    } else {
      gxds_errors_add(errors, at_item, "can't decode AdditionalAddress");
      ok = false;
    }
  }
  return ok;
}

#endif

void gxds_more_addresses_end(gxds_more_addresses *m, size_t endpoint, size_t capacity,
                             upb_Arena *scratch) {
  if (m->count == 0) return;
  if (!m->ends) m->ends = gxds_arena_calloc(scratch, capacity, sizeof *m->ends);
  m->ends[endpoint] = m->count;
}

void gxds_more_addresses_view(const gxds_more_addresses *m, size_t first, size_t end,
                              upb_Arena *scratch, gxds_locality_rare *out) {
  if (!m->ends || end == first) return;
  const size_t begin = first > 0 ? m->ends[first - 1] : 0;
  const size_t count = m->ends[end - 1] - begin;
  if (count == 0) return;
  gxds_address *list = gxds_arena_calloc(scratch, count, sizeof *list);
  uint32_t *ends = gxds_arena_calloc(scratch, end - first, sizeof *ends);
  memcpy(list, &m->list[begin], count * sizeof *list);
  for (size_t i = first; i < end; i++) {
    if (m->ends[i] > begin) ends[i - first] = (uint32_t)(m->ends[i] - begin);
  }
  out->more = list;
  out->more_ends = ends;
}
