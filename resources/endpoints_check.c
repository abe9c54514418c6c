#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "envoy/config/core/v3/address.upb.h"
#include "envoy/config/core/v3/base.upb.h"
#include "envoy/config/core/v3/health_check.upb.h"
#include "envoy/config/endpoint/v3/endpoint_components.upb.h"
#include "envoy/type/v3/percent.upb.h"
#include "google/protobuf/struct.upb.h"
#include "google/protobuf/wrappers.upb.h"
#include "resources/additional_addresses_internal.h"
#include "resources/address_internal.h"
#include "resources/address_set_internal.h"
#include "resources/endpoints_internal.h"
#include "resources/host_rewrite.h"
#include "resources/http_proxy_internal.h"
#include "resources/lb_metadata_internal.h"

typedef envoy_config_endpoint_v3_LocalityLbEndpoints locality_message;
typedef envoy_config_endpoint_v3_LbEndpoint endpoint_message;
typedef envoy_config_endpoint_v3_ClusterLoadAssignment_Policy_DropOverload drop_message;

typedef struct checker {
  gxds_errors *errors;
  gxds_endpoint *endpoints; /* the endpoints of all localities that are read; the indexes in
                               `addresses` refer to this array */
  size_t endpoint_count;
  size_t endpoint_capacity;
  gxds_str *hash_keys; /* indexed like endpoints; NULL until an endpoint has a hash key */
  gxds_str *hostnames; /* indexed like endpoints; may be NULL too */
  gxds_str *metadata;  /* indexed like endpoints; may be NULL too */
  gxds_str *proxies;   /* indexed like endpoints; may be NULL too */
  gxds_str proxy;      /* the proxy of the current locality; empty: none */
  bool wants_metadata; /* E5 */
  gxds_more_addresses more;
  size_t known_more_count; /* the number of further addresses in known localities (A61) */
  upb_Arena *scratch;
  gxds_address_set addresses;              /* of the localities that are read */
  bool priority_seen[GXDS_PRIORITIES_MAX]; /* also set for a locality with errors, so that its
                                              priority does not count as a gap */
} checker;

bool gxds_endpoint_address_check(const envoy_config_core_v3_Address *address,
                                 const gxds_path *at_address, gxds_errors *errors,
                                 gxds_address *out) {
  if (!address) return gxds_errors_add(errors, at_address, "field not present"), false;
  const envoy_config_core_v3_SocketAddress *socket =
      envoy_config_core_v3_Address_socket_address(address);
  const gxds_path *at_socket = GXDS_FIELD(at_address, "socket_address");
  if (!socket) return gxds_errors_add(errors, at_socket, "field not present"), false;
  uint32_t port = envoy_config_core_v3_SocketAddress_port_value(socket);
  if (port > UINT16_MAX) {
    gxds_errors_add(errors, GXDS_FIELD(at_socket, "port_value"), "invalid port");
    return false;
  }
  gxds_str ip = gxds_pb_str(envoy_config_core_v3_SocketAddress_address(socket));
  if (gxds_address_parse(ip, (uint16_t)port, out)) return true;
  gxds_text shown = {0};
  gxds_host_port_render(ip, port, &shown);
  gxds_errors_add(errors, at_socket, "Failed to parse address:%.*s",
                  GXDS_STR_ARG(gxds_text_str(&shown)));
  gxds_text_fini(&shown);
  return false;
}

/* Reads the first address of an endpoint. False after an error. */
static bool check_address(const envoy_config_endpoint_v3_Endpoint *endpoint, const gxds_path *at,
                          gxds_errors *errors, gxds_address *out) {
  if (!endpoint) return gxds_errors_add(errors, at, "field not present"), false;
  return gxds_endpoint_address_check(envoy_config_endpoint_v3_Endpoint_address(endpoint),
                                     GXDS_FIELD(at, "address"), errors, out);
}

static __attribute__((noinline)) void add_duplicate(const gxds_address *address,
                                                    const gxds_path *at, gxds_errors *errors) {
  gxds_text uri = {0};
  gxds_address_render_uri(address, &uri);
  gxds_errors_add(errors, at, "duplicate endpoint address \"%.*s\"",
                  GXDS_STR_ARG(gxds_text_str(&uri)));
  gxds_text_fini(&uri);
}

/* A61: reads the additional addresses of the next endpoint. False after an error; an address that
 * was seen before is an error. */
static bool check_more(checker *c, const envoy_config_endpoint_v3_Endpoint *in, const gxds_path *up,
                       const gxds_path *at) {
  const size_t first = c->more.count;
  if (!gxds_more_addresses_read(&c->more, in, at, c->scratch, c->errors)) return false;
  bool ok = true;
  c->addresses.more = c->more.list;
  for (size_t i = first; i < c->more.count; i++) {
    if (gxds_address_set_add(&c->addresses, GXDS_ADDRESS_SET_MORE + (uint32_t)i)) continue;
    add_duplicate(&c->more.list[i], up, c->errors);
    ok = false;
  }
  return ok;
}

/* A76: the string "hash_key" in the metadata of "envoy.lb". Empty if there is none, or if it is not
 * a string. */
static gxds_str hash_key_of(const endpoint_message *in) {
  const gxds_str none = {NULL, 0};
  const envoy_config_core_v3_Metadata *metadata = envoy_config_endpoint_v3_LbEndpoint_metadata(in);
  google_protobuf_Struct *fields = NULL;
  google_protobuf_Value *value = NULL;
  if (!metadata ||
      !envoy_config_core_v3_Metadata_filter_metadata_get(
          metadata, upb_StringView_FromString("envoy.lb"), &fields) ||
      !google_protobuf_Struct_fields_get(fields, upb_StringView_FromString("hash_key"), &value) ||
      !google_protobuf_Value_has_string_value(value)) {
    return none;
  }
  return gxds_pb_str(google_protobuf_Value_string_value(value));
}

/* A81: the endpoint's hostname. A hostname that cannot be an authority is ignored. It is not an
 * error, because the field is also used for names that people read. */
static gxds_str hostname_of(const envoy_config_endpoint_v3_Endpoint *in) {
  gxds_str hostname = gxds_pb_str(envoy_config_endpoint_v3_Endpoint_hostname(in));
  return gxds_authority_is_valid(hostname) ? hostname : gxds_str_of(NULL, 0);
}

/* E5: the endpoint's metadata in its canonical form. */
static gxds_str metadata_of(const checker *c, const endpoint_message *in, const gxds_path *at) {
  return gxds_metadata_render(gxds_lb_metadata_in(envoy_config_endpoint_v3_LbEndpoint_metadata(in)),
                              NULL, GXDS_FIELD(at, "metadata"), c->scratch, c->scratch, c->errors);
}

/* A86: the endpoint's own proxy, or else the proxy of its locality. */
static gxds_str proxy_of(const checker *c, const endpoint_message *in, const gxds_path *at) {
  const gxds_str proxy = gxds_http_proxy_in(envoy_config_endpoint_v3_LbEndpoint_metadata(in),
                                            GXDS_FIELD(at, "metadata"), c->scratch, c->errors);
  return proxy.size > 0 ? proxy : c->proxy;
}

/* Sets one of the names of the next endpoint. Makes the list when the first name is set, because
 * most endpoints have none. */
static void set_name(const checker *c, gxds_str **names, gxds_str name) {
  if (name.size == 0) return;
  if (!*names) *names = gxds_arena_calloc(c->scratch, c->endpoint_capacity, sizeof **names);
  (*names)[c->endpoint_count] = name;
}

/* The names of the endpoints from `first` on. NULL if none of them has one. */
static const gxds_str *names_from(const checker *c, const gxds_str *names, size_t first) {
  for (size_t i = first; names && i < c->endpoint_count; i++) {
    if (names[i].size) return &names[first];
  }
  return NULL;
}

/* False if endpoints in that state are left out. */
static bool check_health(const endpoint_message *in, gxds_health *out) {
  switch (envoy_config_endpoint_v3_LbEndpoint_health_status(in)) {
    case envoy_config_core_v3_UNKNOWN:
      *out = GXDS_HEALTH_UNKNOWN;
      return true;
    case envoy_config_core_v3_HEALTHY:
      *out = GXDS_HEALTH_HEALTHY;
      return true;
    case envoy_config_core_v3_DRAINING:
      *out = GXDS_HEALTH_DRAINING;
      return true;
    default:
      return false;
  }
}

/* Adds one endpoint to the array. False if it is left out, because one of its addresses can't be
 * used. */
static bool check_endpoint(checker *c, const endpoint_message *in, gxds_health health,
                           const gxds_path *at) {
  gxds_endpoint *out = &c->endpoints[c->endpoint_count];
  out->health = (uint8_t)health;
  out->weight = 1;
  const google_protobuf_UInt32Value *weight =
      envoy_config_endpoint_v3_LbEndpoint_load_balancing_weight(in);
  if (weight) {
    out->weight = google_protobuf_UInt32Value_value(weight);
    if (out->weight == 0) {
      gxds_errors_add(c->errors, GXDS_FIELD(at, "load_balancing_weight"), "must be greater than 0");
    }
  }
  const envoy_config_endpoint_v3_Endpoint *endpoint =
      envoy_config_endpoint_v3_LbEndpoint_endpoint(in);
  const gxds_path *at_endpoint = GXDS_FIELD(at, "endpoint");
  if (!check_address(endpoint, at_endpoint, c->errors, &out->address)) return false;
  if (!gxds_address_set_add(&c->addresses, (uint32_t)c->endpoint_count)) {
    add_duplicate(&out->address, at, c->errors);
    return false;
  }
  if (gxds_more_addresses_has(endpoint) && !check_more(c, endpoint, at, at_endpoint)) return false;
  gxds_more_addresses_end(&c->more, c->endpoint_count, c->endpoint_capacity, c->scratch);
  set_name(c, &c->hash_keys, hash_key_of(in));
  set_name(c, &c->hostnames, hostname_of(endpoint));
  set_name(c, &c->proxies, proxy_of(c, in, at));
  if (c->wants_metadata) set_name(c, &c->metadata, metadata_of(c, in, at));
  c->endpoint_count++;
  return true;
}

static void set_rare(const checker *c, gxds_locality *view, const gxds_locality_rare *rare) {
  gxds_locality_rare *copy = gxds_arena_calloc(c->scratch, 1, sizeof *copy);
  *copy = *rare;
  view->rare = copy;
}

/* Adds either the endpoints in DRAINING or all others. Sets *more if it skipped endpoints of the
 * other kind. Returns the sum of the weights. */
static uint64_t check_some_endpoints(checker *c, const locality_message *in, bool draining,
                                     const gxds_path *at, gxds_locality *view, bool *more) {
  size_t count = 0;
  const endpoint_message *const *list =
      envoy_config_endpoint_v3_LocalityLbEndpoints_lb_endpoints(in, &count);
  const size_t first = c->endpoint_count;
  view->list.full = &c->endpoints[first];
  uint64_t weights = 0;
  for (size_t i = 0; i < count; i++) {
    gxds_health health;
    if (!check_health(list[i], &health)) continue;
    if ((health == GXDS_HEALTH_DRAINING) != draining) {
      *more = true;
      continue;
    }
    if (!check_endpoint(c, list[i], health, GXDS_ITEM(at, "lb_endpoints", i))) continue;
    weights += view->list.full[view->endpoint_count++].weight;
  }
  gxds_locality_rare rare = {.hash_keys = names_from(c, c->hash_keys, first),
                             .hostnames = names_from(c, c->hostnames, first),
                             .proxies = names_from(c, c->proxies, first),
                             .metadata = names_from(c, c->metadata, first)};
  gxds_more_addresses_view(&c->more, first, c->endpoint_count, c->scratch, &rare);
  if (gxds_locality_rare_is_used(&rare)) set_rare(c, view, &rare);
  return weights;
}

static void check_endpoints_of(checker *c, const locality_message *in, const gxds_path *at,
                               gxds_checked_locality *out) {
  size_t count = 0;
  (void)envoy_config_endpoint_v3_LocalityLbEndpoints_lb_endpoints(in, &count);
  out->print.written = count & 0xffffff; /* at most GXDS_ENDPOINTS_MAX */
  c->proxy = gxds_http_proxy_of_locality(in, at, c->scratch, c->errors);
  bool any_draining = false;
  if (check_some_endpoints(c, in, false, at, &out->view, &any_draining) > UINT32_MAX) {
    gxds_errors_add(c->errors, GXDS_FIELD(at, "lb_endpoints"),
                    "sum of endpoint weights exceeds uint32 max");
  }
  if (!any_draining) return;
  gxds_locality *draining = gxds_arena_calloc(c->scratch, 1, sizeof *draining); /* A55 */
  draining->region = out->view.region;
  draining->zone = out->view.zone;
  draining->sub_zone = out->view.sub_zone;
  draining->weight = out->view.weight;
  (void)check_some_endpoints(c, in, true, at, draining, &any_draining);
  if (draining->endpoint_count == 0) return;
  gxds_locality_rare rare = {0};
  if (out->view.rare) rare = *out->view.rare;
  rare.draining = draining;
  set_rare(c, &out->view, &rare);
}

/* False if the locality is left out: it has no weight, no name, or an invalid priority. */
static bool check_locality(checker *c, const locality_message *in, const gxds_path *at,
                           gxds_checked_locality *out) {
  const google_protobuf_UInt32Value *weight =
      envoy_config_endpoint_v3_LocalityLbEndpoints_load_balancing_weight(in);
  out->view.weight = weight ? google_protobuf_UInt32Value_value(weight) : 0;
  if (out->view.weight == 0) return false; /* A27: a locality without weight gets no load */
  out->priority = envoy_config_endpoint_v3_LocalityLbEndpoints_priority(in);
  if (out->priority < GXDS_PRIORITIES_MAX) {
    c->priority_seen[out->priority] = true;
  } else {
    gxds_errors_add(c->errors, GXDS_FIELD(at, "priority"), "value must be in the range [0, %u]",
                    GXDS_PRIORITIES_MAX - 1);
  }
  const envoy_config_core_v3_Locality *name =
      envoy_config_endpoint_v3_LocalityLbEndpoints_locality(in);
  if (!name) { /* like the host, reports no further errors of this locality */
    gxds_errors_add(c->errors, GXDS_FIELD(at, "locality"), "field not present");
    return false;
  }
  out->view.region = gxds_pb_str(envoy_config_core_v3_Locality_region(name));
  out->view.zone = gxds_pb_str(envoy_config_core_v3_Locality_zone(name));
  out->view.sub_zone = gxds_pb_str(envoy_config_core_v3_Locality_sub_zone(name));
  check_endpoints_of(c, in, at, out);
  return out->priority < GXDS_PRIORITIES_MAX;
}

static int by_priority_and_name(const void *a, const void *b) {
  const gxds_checked_locality *x = a;
  const gxds_checked_locality *y = b;
  if (x->priority != y->priority) return x->priority < y->priority ? -1 : 1;
  int order = gxds_locality_compare_name(&x->view, &y->view);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

static void add_duplicate_locality(const gxds_checked_locality *l, const gxds_path *root,
                                   gxds_errors *errors) {
  gxds_locality shown = {.region = gxds_quoted(l->view.region),
                         .zone = gxds_quoted(l->view.zone),
                         .sub_zone = gxds_quoted(l->view.sub_zone)};
  gxds_text name = {0};
  gxds_locality_render_name(&shown, &name);
  gxds_errors_add(errors, GXDS_ITEM(root, "endpoints", l->index),
                  "duplicate locality %.*s found in priority %u",
                  GXDS_STR_ARG(gxds_text_str(&name)), l->priority);
  gxds_text_fini(&name);
}

/* Checks A27's rules about the whole list. The localities are sorted. */
static void check_priorities(checker *c, gxds_checked_endpoints *all) {
  const gxds_path *at = GXDS_FIELD(NULL, "endpoints");
  for (uint32_t i = 0; i < GXDS_PRIORITIES_MAX; i++) {
    if (c->priority_seen[i]) all->priority_count = i + 1;
  }
  uint64_t weights[GXDS_PRIORITIES_MAX] = {0};
  const gxds_checked_locality *previous = NULL;
  for (size_t i = 0; i < all->locality_count; i++) {
    const gxds_checked_locality *l = &all->localities[i];
    if (previous && previous->priority == l->priority &&
        gxds_locality_compare_name(&previous->view, &l->view) == 0) {
      add_duplicate_locality(l, NULL, c->errors);
      continue;
    }
    weights[l->priority] += l->view.weight;
    previous = l;
  }
  for (uint32_t i = 0; i < all->priority_count; i++) {
    if (!c->priority_seen[i]) gxds_errors_add(c->errors, at, "priority %u empty", i);
    if (weights[i] > UINT32_MAX) {
      gxds_errors_add(c->errors, at, "sum of locality weights for priority %u exceeds uint32 max",
                      i);
    }
  }
}

static void check_drop(const drop_message *in, const gxds_path *at, gxds_errors *errors,
                       gxds_drop_category *out) {
  out->name =
      gxds_pb_str(envoy_config_endpoint_v3_ClusterLoadAssignment_Policy_DropOverload_category(in));
  if (out->name.size == 0) {
    gxds_errors_add(errors, GXDS_FIELD(at, "category"), "empty drop category name");
  }
  const gxds_path *at_percentage = GXDS_FIELD(at, "drop_percentage");
  const envoy_type_v3_FractionalPercent *percentage =
      envoy_config_endpoint_v3_ClusterLoadAssignment_Policy_DropOverload_drop_percentage(in);
  if (!percentage) {
    gxds_errors_add(errors, at_percentage, "field not present");
    return;
  }
  out->per_million =
      gxds_fraction_decode(percentage, at_percentage, "unknown denominator type", errors);
}

static void check_drops(const envoy_config_endpoint_v3_ClusterLoadAssignment *in,
                        upb_Arena *scratch, gxds_errors *errors, gxds_checked_endpoints *out) {
  const envoy_config_endpoint_v3_ClusterLoadAssignment_Policy *policy =
      envoy_config_endpoint_v3_ClusterLoadAssignment_policy(in);
  if (!policy) return;
  const drop_message *const *list =
      envoy_config_endpoint_v3_ClusterLoadAssignment_Policy_drop_overloads(policy,
                                                                           &out->drop_count);
  gxds_drop_category *drops = gxds_arena_calloc(scratch, out->drop_count, sizeof *drops);
  const gxds_path *at = GXDS_FIELD(NULL, "policy");
  for (size_t i = 0; i < out->drop_count; i++) {
    check_drop(list[i], GXDS_ITEM(at, "drop_overloads", i), errors, &drops[i]);
  }
  out->drops = drops;
}

/* Whether the locality has an address that a locality that was read has too. */
static bool shares_address(const gxds_address_set *read, const gxds_locality *l) {
  if (read->count == 0) return false;
  for (uint32_t i = 0; i < l->endpoint_count; i++) {
    const gxds_endpoint e = gxds_locality_endpoint(l, i);
    if (gxds_address_set_has(read, &e.address)) return true;
  }
  const size_t more_count = gxds_locality_more_count(l);
  for (size_t i = 0; i < more_count; i++) {
    if (gxds_address_set_has(read, &l->rare->more[i])) return true;
  }
  return false;
}

static void add_known_addresses(checker *c, const gxds_locality *l) {
  c->known_more_count += gxds_locality_more_count(l);
  if (!shares_address(&c->addresses, l)) return;
  gxds_errors_add(c->errors, GXDS_FIELD(NULL, "endpoints"), "duplicate endpoint address");
}

/* Adds a known locality. It is valid by itself, and it has no address of another known locality,
 * because one valid resource had them all. But a locality that was read may have one of its
 * addresses by now. The index of that endpoint in the message is unknown, so the caller reads the
 * whole message again to report exact errors. */
static void add_known(checker *c, const gxds_known_locality *known, gxds_checked_locality *out) {
  const gxds_locality *l = known->locality;
  /* Copies the fields one by one, but not refs, because other threads may change refs at the same
   * time. */
  *out = (gxds_checked_locality){.view = {.is_small = l->is_small,
                                          .region = l->region,
                                          .zone = l->zone,
                                          .sub_zone = l->sub_zone,
                                          .weight = l->weight,
                                          .endpoint_count = l->endpoint_count,
                                          .list = l->list,
                                          .rare = l->rare},
                                 .priority = known->print.priority,
                                 .print = known->print,
                                 .known = l};
  c->priority_seen[known->print.priority] = true;
  add_known_addresses(c, l);
  const gxds_locality *draining = gxds_locality_draining(l);
  if (draining) add_known_addresses(c, draining);
}

/* The number of endpoints in these localities. */
static size_t count_endpoints(const locality_message *const *list, size_t count) {
  size_t total = 0;
  for (size_t i = 0; i < count; i++) {
    size_t in_locality = 0;
    (void)envoy_config_endpoint_v3_LocalityLbEndpoints_lb_endpoints(list[i], &in_locality);
    total += in_locality;
  }
  return total;
}

/* The number of endpoints in the whole message, of which `read` are not in known localities. */
static size_t count_all_endpoints(size_t read, const gxds_known_endpoints *known) {
  size_t total = read;
  for (size_t i = 0; i < known->locality_count; i++) {
    total += known->localities[i].print.written;
  }
  return total;
}

gxds_checked_endpoints gxds_endpoints_check(
    const envoy_config_endpoint_v3_ClusterLoadAssignment *in, const gxds_known_endpoints *known,
    bool wants_metadata, upb_Arena *scratch, gxds_errors *errors) {
  gxds_checked_endpoints out = {0};
  check_drops(in, scratch, errors, &out);
  size_t read = 0;
  const locality_message *const *list =
      envoy_config_endpoint_v3_ClusterLoadAssignment_endpoints(in, &read);
  const size_t endpoints = count_endpoints(list, read);
  const size_t total = count_all_endpoints(endpoints, known);
  const size_t count = read + known->locality_count;
  if (total > GXDS_ENDPOINTS_MAX || count > GXDS_ENDPOINTS_MAX) {
    gxds_errors_add(errors, GXDS_FIELD(NULL, "endpoints"), "more than %u %s", GXDS_ENDPOINTS_MAX,
                    total > GXDS_ENDPOINTS_MAX ? "endpoints" : "localities");
    return out;
  }
  checker c = {.errors = errors,
               .endpoints = gxds_arena_calloc(scratch, endpoints + 1, sizeof *c.endpoints),
               .endpoint_capacity = endpoints,
               .wants_metadata = wants_metadata,
               .scratch = scratch};
  gxds_address_set_init(&c.addresses, c.endpoints, endpoints, known->seed);
  out.localities = gxds_arena_calloc(scratch, count, sizeof *out.localities);
  for (size_t i = 0; i < read; i++) {
    gxds_checked_locality *l = &out.localities[out.locality_count];
    *l = (gxds_checked_locality){.index = (uint32_t)i};
    if (known->prints) l->print = known->prints[i];
    if (check_locality(&c, list[i], GXDS_ITEM(NULL, "endpoints", i), l)) out.locality_count++;
  }
  for (size_t i = 0; i < known->locality_count; i++) {
    add_known(&c, &known->localities[i], &out.localities[out.locality_count++]);
  }
  gxds_address_set_fini(&c.addresses);
  if (c.more.too_many || c.more.count + c.known_more_count > GXDS_ENDPOINTS_MAX) {
    gxds_errors_add(errors, GXDS_FIELD(NULL, "endpoints"), "more than %u additional addresses",
                    GXDS_ENDPOINTS_MAX);
  }
  if (out.locality_count > 1) {
    qsort(out.localities, out.locality_count, sizeof *out.localities, by_priority_and_name);
  }
  check_priorities(&c, &out);
  return out;
}
