/* gxds_endpoints: a validated envoy.config.endpoint.v3.ClusterLoadAssignment (A27, A61, A76, A81,
 * A86). Immutable, shared: any thread. Localities are counted on their own: an update shares each
 * locality that did not change with the resource before it, so "did it change?" is a pointer
 * comparison. */
#ifndef GRPC_XDS_RESOURCES_ENDPOINTS_H_
#define GRPC_XDS_RESOURCES_ENDPOINTS_H_

#include "base/address.h"
#include "xds_client/resource_type.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sockaddr_storage;

typedef enum gxds_health {
  GXDS_HEALTH_UNKNOWN,
  GXDS_HEALTH_HEALTHY,
  GXDS_HEALTH_DRAINING,
} gxds_health;

typedef struct gxds_endpoint {
  gxds_address address;
  uint8_t health;  /* gxds_health; endpoints in any other state are left out */
  uint32_t weight; /* load_balancing_weight; 1 when absent; never 0 */
} gxds_endpoint;

/* An endpoint with an IPv4 address and a weight of at most 255, in a third of the memory. */
typedef struct gxds_small_endpoint {
  uint8_t ip[4];
  uint16_t port;
  uint8_t health;
  uint8_t weight;
} gxds_small_endpoint;

typedef struct gxds_locality gxds_locality;

/* Data that the endpoints of only few localities have. Each list has an item for each endpoint. It
 * is NULL if all items are empty. */
typedef struct gxds_locality_rare {
  const gxds_str *hash_keys; /* see gxds_locality_hash_key() */
  const gxds_str *hostnames; /* see gxds_locality_hostname() */
  const gxds_str *proxies;   /* see gxds_locality_proxy() */
  const gxds_str *metadata;  /* E5: as in lb_metadata.h; NULL also if metadata was not decoded */
  /* This and more_ends are NULL if no endpoint has more than one address; see gxds_locality_more().
   */
  const gxds_address *more;  /* first all further addresses of one endpoint, then those of the
                                next */
  const uint32_t *more_ends; /* for each endpoint, the index in `more` after its last address */
  /* A55: the locality's endpoints in DRAINING, which serve only their existing sessions. They are
   * in a separate locality with the same name, to which this is a reference; NULL: there are
   * none. */
  const gxds_locality *draining;
} gxds_locality_rare;

/* Kept small: a mesh may have a hundred thousand. */
struct gxds_locality {
  gxds_ref refs;
  bool is_small; /* the endpoints are in list.small, otherwise in list.full */
  gxds_str region;
  gxds_str zone;
  gxds_str sub_zone;
  uint32_t weight; /* never 0: a locality without weight is left out (A27) */
  uint32_t endpoint_count;
  union {
    const gxds_endpoint *full;
    const gxds_small_endpoint *small;
  } list;                         /* read by gxds_locality_endpoint() */
  const gxds_locality_rare *rare; /* NULL: the locality has no such data */
};                                /* one allocation, except rare->draining */

typedef struct gxds_priority {
  const gxds_locality *const *localities; /* ordered by name */
  size_t locality_count;
} gxds_priority;

typedef struct gxds_drop_category {
  gxds_str name;
  uint32_t per_million; /* 0 … 1,000,000 */
} gxds_drop_category;

/* The fingerprint of a locality in the message that it came from: see endpoints_known_internal.h.
 */
typedef struct gxds_locality_print {
  uint64_t low;
  uint64_t high;
  uint32_t place; /* the index among the resource's localities, in order of priority and name */
  uint32_t priority : 8;
  uint32_t written : 24; /* how many endpoints the message has, including those that are left out */
} gxds_locality_print;

typedef struct gxds_endpoints {
  gxds_resource base;
  const gxds_priority *priorities;
  const gxds_drop_category *drops; /* in the order of the resource */
  uint32_t drop_count;
  uint16_t priority_count;
  bool drop_all : 1;     /* a drop category drops all RPCs */
  bool has_metadata : 1; /* E5: the server has lb_subsets, so metadata was decoded */
  bool has_prints : 1;   /* private: the resource was decoded from a message, and the fingerprints
                            of all localities, sorted, are behind the priorities */
} gxds_endpoints;

extern const gxds_resource_type gxds_endpoints_type;

/* Limits: a message of the transport's greatest size holds more than this only if it is hostile. */
/* The most endpoints of one resource, and the most additional addresses. */
#define GXDS_ENDPOINTS_MAX 1000000u
/* A61: the most additional addresses of one endpoint. While none can be reached, the client tries
 * all of them at the same time. */
#define GXDS_ADDITIONAL_ADDRESSES_MAX 64u
#define GXDS_PRIORITIES_MAX 128u /* the protocol's own limit: priorities are 0 … 127 */

/* Makes a locality of count zeroed endpoints in list.full, which the caller fills in before it
 * shares the locality. (Logical DNS makes its own.) Strings are copied. The caller owns the
 * returned reference. */
gxds_locality *gxds_locality_create(gxds_str region, gxds_str zone, gxds_str sub_zone,
                                    uint32_t weight, size_t count);
/* Makes a copy of everything in *l except the count of references. Its endpoints are small if they
 * can be. The caller owns the returned reference. */
const gxds_locality *gxds_locality_copy(const gxds_locality *l);
/* Makes a copy with that weight and only the endpoints at these places, in this order, and none in
 * DRAINING. The caller owns the returned reference. */
const gxds_locality *gxds_locality_select(const gxds_locality *l, const uint32_t *places,
                                          size_t count, uint32_t weight);
const gxds_locality *gxds_locality_ref(const gxds_locality *l);
void gxds_locality_unref(const gxds_locality *l);
/* The endpoint with that index. Endpoints are read only by this function, except by the maker of
 * the locality. */
static inline gxds_endpoint gxds_locality_endpoint(const gxds_locality *l, uint32_t index) {
  if (!l->is_small) return l->list.full[index];
  const gxds_small_endpoint *small = &l->list.small[index];
  gxds_endpoint e = {{{small->ip[0], small->ip[1], small->ip[2], small->ip[3]}, small->port, 0},
                     small->health,
                     small->weight};
  return e;
}
/* The item of that endpoint in a list of gxds_locality_rare; empty: none. */
static inline gxds_str gxds_locality_item(const gxds_str *list, uint32_t index) {
  return list ? list[index] : gxds_str_of(NULL, 0);
}
/* A76: the key of that endpoint's place on a ring; empty: its address is the key. Borrowed: valid
 * as long as l. */
static inline gxds_str gxds_locality_hash_key(const gxds_locality *l, uint32_t index) {
  return gxds_locality_item(l->rare ? l->rare->hash_keys : NULL, index);
}
/* A81: the hostname of that endpoint, with or without a port, which is a valid authority. Empty:
 * the endpoint has none. Borrowed: valid as long as l. */
static inline gxds_str gxds_locality_hostname(const gxds_locality *l, uint32_t index) {
  return gxds_locality_item(l->rare ? l->rare->hostnames : NULL, index);
}
/* A86: the address of the HTTP proxy through which that endpoint is reached, if its cluster wants
 * that: "10.0.0.1:3128". Empty: the endpoint has none. Borrowed: valid as long as l. */
static inline gxds_str gxds_locality_proxy(const gxds_locality *l, uint32_t index) {
  return gxds_locality_item(l->rare ? l->rare->proxies : NULL, index);
}
/* A61: the further addresses of that endpoint, *count of them, in the order of the resource.
 * Borrowed: valid as long as l. */
static inline const gxds_address *gxds_locality_more(const gxds_locality *l, uint32_t index,
                                                     uint32_t *count) {
  *count = 0;
  const gxds_locality_rare *rare = l->rare;
  if (!rare || !rare->more) return NULL;
  const uint32_t begin = index > 0 ? rare->more_ends[index - 1] : 0;
  *count = rare->more_ends[index] - begin;
  return &rare->more[begin];
}
/* A61: how many further addresses all endpoints of the locality have. */
static inline uint32_t gxds_locality_more_count(const gxds_locality *l) {
  return l->rare && l->rare->more ? l->rare->more_ends[l->endpoint_count - 1] : 0;
}
/* A55: see gxds_locality_rare. Borrowed: valid as long as l. */
static inline const gxds_locality *gxds_locality_draining(const gxds_locality *l) {
  return l->rare ? l->rare->draining : NULL;
}
/* E5: the metadata of that endpoint, as in lb_metadata.h; empty: none. Borrowed: valid as long as
 * l. */
static inline gxds_str gxds_locality_metadata(const gxds_locality *l, uint32_t index) {
  return gxds_locality_item(l->rare ? l->rare->metadata : NULL, index);
}
/* Whether endpoint i of a and endpoint k of b are equal in everything. */
bool gxds_locality_endpoint_equal(const gxds_locality *a, uint32_t i, const gxds_locality *b,
                                  uint32_t k);
/* A range of indexes. Outside of it, the endpoints of two localities are equal in everything. */
typedef struct gxds_locality_stretch {
  uint32_t start;      /* the first index, in both lists */
  uint32_t end_before; /* the index after the range, before and after the change */
  uint32_t end_after;
} gxds_locality_stretch;
/* Finds what changed. NULL stands for no endpoints. Endpoints in DRAINING are ignored. Costs
 * nothing if both are the same object. */
gxds_locality_stretch gxds_locality_changed(const gxds_locality *before,
                                            const gxds_locality *after);
/* Whether both have the same name, weight and endpoints, including those in DRAINING. */
bool gxds_locality_equal(const gxds_locality *a, const gxds_locality *b);
/* Whether both have the same endpoints in the same order, with the same addresses, hash keys,
 * hostnames, proxies and metadata. Endpoints in DRAINING are ignored. */
bool gxds_locality_endpoints_equal(const gxds_locality *a, const gxds_locality *b);
int gxds_locality_compare_name(const gxds_locality *a, const gxds_locality *b);
/* Adds the name as the host prints it: {region="r", zone="z", sub_zone="s"}. */
void gxds_locality_render_name(const gxds_locality *l, gxds_text *out);

/* The number of endpoints in all priorities; 0 for NULL. */
size_t gxds_endpoints_count(const gxds_endpoints *e);
/* The locality of that priority that has the same name as `like`; NULL if there is none. e may be
 * NULL. Borrowed: valid as long as e. */
const gxds_locality *gxds_endpoints_locality(const gxds_endpoints *e, size_t priority,
                                             const gxds_locality *like);

/* Makes a resource with one priority that has one locality, for logical DNS. Takes ownership of the
 * reference to the locality. The caller owns the returned reference. */
const gxds_endpoints *gxds_endpoints_of_locality(const gxds_locality *take_locality);

/* Makes a resource with those priorities, and without drop categories. Takes ownership of the
 * references to the localities, but not of the lists. The caller owns the returned reference. */
const gxds_endpoints *gxds_endpoints_of_priorities(const gxds_priority *priorities, size_t count);

/* "1.2.3.4:80" or "[::1]:80". */
void gxds_address_render(const gxds_address *a, gxds_text *out);
/* Reads the same form. Returns false if the text has another form; then *out is undefined. */
bool gxds_address_read(gxds_str text, gxds_address *out);

/* Converts an address to a struct sockaddr. Sets all bytes of *out, and returns how many of them
 * belong to the address. */
size_t gxds_address_to_sockaddr(const gxds_address *a, struct sockaddr_storage *out);
/* Converts a struct sockaddr_in or sockaddr_in6. False for another family; then *out is empty. */
bool gxds_address_of_sockaddr(const void *sockaddr, gxds_address *out);

#ifdef __cplusplus
}
#endif

#endif
