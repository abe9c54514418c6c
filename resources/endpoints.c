#include "resources/endpoints.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/search.h"
#include "resources/endpoints_internal.h"
#include "resources/lb_metadata_internal.h"

/* The locality of that priority that equals `wanted`, or NULL. */
static const gxds_locality *find_equal_in(const gxds_priority *p, const gxds_locality *wanted) {
  const size_t at = GXDS_LOWER_BOUND(i, 0, p->locality_count,
                                     gxds_locality_compare_name(wanted, p->localities[i]) > 0);
  const bool is_equal = at < p->locality_count && gxds_locality_equal(wanted, p->localities[at]);
  return is_equal ? p->localities[at] : NULL;
}

/* The locality of the previous resource that equals `wanted`, or NULL. Looks in the same priority
 * first. Then it looks in the others, because a failover moves localities to other priorities. */
static const gxds_locality *find_equal(const gxds_endpoints *previous,
                                       const gxds_checked_locality *wanted) {
  if (!previous) return NULL;
  const gxds_locality *found = NULL;
  if (wanted->priority < previous->priority_count) {
    found = find_equal_in(&previous->priorities[wanted->priority], &wanted->view);
  }
  for (size_t i = 0; !found && i < previous->priority_count; i++) {
    found = find_equal_in(&previous->priorities[i], &wanted->view);
  }
  return found;
}

static const gxds_locality *share_or_copy(const gxds_checked_locality *from,
                                          const gxds_endpoints *previous) {
  const gxds_locality *same = from->known ? from->known : find_equal(previous, from);
  return same ? gxds_locality_ref(same) : gxds_locality_copy(&from->view);
}

/* The layout of a resource in memory: one allocation with the struct, its arrays and its
 * strings. */
typedef struct resource_block {
  gxds_endpoints *resource;
  gxds_priority *priorities;
  gxds_locality_print *prints;
  const gxds_locality **localities;
  gxds_drop_category *drops;
  char *strings;
} resource_block;

static resource_block allocate(size_t priorities, size_t localities, size_t drops, size_t strings) {
  GXDS_CHECK(priorities <= GXDS_PRIORITIES_MAX);
  char *memory = gxds_calloc(1, sizeof(gxds_endpoints) + priorities * sizeof(gxds_priority) +
                                    localities * sizeof(gxds_locality_print) +
                                    localities * sizeof(gxds_locality *) +
                                    drops * sizeof(gxds_drop_category) + strings);
  resource_block b = {.resource = (gxds_endpoints *)memory};
  b.priorities = (gxds_priority *)(memory + sizeof(gxds_endpoints));
  b.prints = (gxds_locality_print *)(b.priorities + priorities);
  b.localities = (const gxds_locality **)(b.prints + localities);
  b.drops = (gxds_drop_category *)(b.localities + localities);
  b.strings = (char *)(b.drops + drops);
  gxds_ref_init(&b.resource->base.refs);
  b.resource->base.type = &gxds_endpoints_type;
  b.resource->priorities = b.priorities;
  b.resource->priority_count = (uint16_t)priorities;
  b.resource->drops = b.drops;
  b.resource->drop_count = (uint32_t)drops;
  return b;
}

static gxds_str put_string(resource_block *b, gxds_str s) {
  if (s.size) memcpy(b->strings, s.data, s.size);
  gxds_str copy = gxds_str_of(b->strings, s.size);
  b->strings += s.size + 1;
  return copy;
}

static const gxds_endpoints *build(const gxds_checked_endpoints *from, bool has_metadata,
                                   const gxds_endpoints *previous) {
  size_t strings = 0;
  for (size_t i = 0; i < from->drop_count; i++) strings += from->drops[i].name.size + 1;
  resource_block b =
      allocate(from->priority_count, from->locality_count, from->drop_count, strings);
  b.resource->has_metadata = has_metadata;
  for (size_t i = 0; i < from->drop_count; i++) {
    b.drops[i].name = put_string(&b, from->drops[i].name);
    b.drops[i].per_million = from->drops[i].per_million;
    if (b.drops[i].per_million == 1000000) b.resource->drop_all = true;
  }
  for (size_t i = 0; i < from->locality_count; i++) {
    const gxds_checked_locality *l = &from->localities[i];
    gxds_priority *p = &b.priorities[l->priority];
    if (p->locality_count++ == 0) p->localities = &b.localities[i];
    b.localities[i] = share_or_copy(l, previous);
    b.prints[i] = l->print;
    b.prints[i].place = (uint32_t)i;
    b.prints[i].priority = l->priority & 0xff;
  }
  if (from->locality_count > 1) {
    qsort(b.prints, from->locality_count, sizeof *b.prints, gxds_locality_print_compare);
  }
  b.resource->has_prints = true;
  return b.resource;
}

static const gxds_endpoints *find_previous(const gxds_decode_context *context, gxds_str name) {
  const gxds_resource *previous =
      context->previous ? context->previous(context->previous_arg, name) : NULL;
  GXDS_CHECK(!previous || previous->type == &gxds_endpoints_type);
  return (const gxds_endpoints *)previous;
}

/* The result of reading a message once. */
typedef struct reading {
  const envoy_config_endpoint_v3_ClusterLoadAssignment *in; /* NULL: the message cannot be
                                                               decoded */
  gxds_checked_endpoints checked;
  gxds_errors errors;
} reading;

/* Reads a message, and takes known localities from the previous resource. False if it took any and
 * the message has an error: then read the message again without a previous resource. */
static bool read_on_top(gxds_str bytes, const gxds_endpoints *previous, bool wants_metadata,
                        upb_Arena *scratch, reading *out) {
  *out = (reading){0};
  gxds_known_endpoints known = gxds_endpoints_split(bytes, previous, scratch);
  out->in = GXDS_DECODE(envoy_config_endpoint_v3_ClusterLoadAssignment, known.rest, scratch);
  if (out->in) {
    size_t count = 0;
    (void)envoy_config_endpoint_v3_ClusterLoadAssignment_endpoints(out->in, &count);
    /* upb found a different number of localities than the split did, so a fingerprint can't be
     * assigned to its locality: no fingerprint is kept. */
    if (count != known.print_count) known.prints = NULL;
    out->checked = gxds_endpoints_check(out->in, &known, wants_metadata, scratch, &out->errors);
  }
  return known.locality_count == 0 || (out->in && out->errors.count == 0);
}

static gxds_status decode(const gxds_decode_context *context, gxds_str bytes, gxds_decoded *out) {
  *out = (gxds_decoded){0};
  upb_Arena *scratch = gxds_arena_create();
  const gxds_endpoints *previous = find_previous(context, gxds_endpoints_name_in(bytes));
  const bool wants_metadata = gxds_lb_subsets_are_on(context);
  /* E5: metadata is decoded only for a server with the feature lb_subsets. So parts of the previous
   * resource cannot be shared if it was decoded differently. */
  if (previous && previous->has_metadata != wants_metadata) previous = NULL;
  reading r;
  if (!read_on_top(bytes, previous, wants_metadata, scratch, &r)) {
    gxds_errors_fini(&r.errors);
    upb_Arena_Free(scratch);
    scratch = gxds_arena_create();
    GXDS_CHECK(read_on_top(bytes, NULL, wants_metadata, scratch, &r));
  }
  if (!r.in) {
    upb_Arena_Free(scratch);
    return gxds_resource_unparsable("ClusterLoadAssignment");
  }
  gxds_str name = gxds_pb_str(envoy_config_endpoint_v3_ClusterLoadAssignment_cluster_name(r.in));
  out->name = gxds_str_dup(name);
  gxds_status status = gxds_errors_status(&r.errors, "errors parsing EDS resource");
  if (gxds_status_is_ok(&status)) {
    out->resource = &build(&r.checked, wants_metadata, previous)->base;
  }
  out->errors = r.errors;
  upb_Arena_Free(scratch);
  return status;
}

static void destroy(gxds_resource *resource) {
  gxds_endpoints *e = (gxds_endpoints *)resource;
  for (size_t i = 0; i < e->priority_count; i++) {
    const gxds_priority *p = &e->priorities[i];
    for (size_t j = 0; j < p->locality_count; j++) gxds_locality_unref(p->localities[j]);
  }
  gxds_free(e);
}

const gxds_resource_type gxds_endpoints_type = {
    .type_url = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
    .v2_type_url = "type.googleapis.com/envoy.api.v2.ClusterLoadAssignment",
    .short_name = "EDS",
    .all_resources_required_in_sotw = false,
    .decode = decode,
    .destroy = destroy,
};

size_t gxds_endpoints_count(const gxds_endpoints *e) {
  size_t count = 0;
  for (size_t i = 0; e && i < e->priority_count; i++) {
    const gxds_priority *p = &e->priorities[i];
    for (size_t j = 0; j < p->locality_count; j++) count += p->localities[j]->endpoint_count;
  }
  return count;
}

const gxds_locality *gxds_endpoints_locality(const gxds_endpoints *e, size_t priority,
                                             const gxds_locality *like) {
  if (!e || priority >= e->priority_count) return NULL;
  const gxds_priority *p = &e->priorities[priority];
  const size_t at = GXDS_LOWER_BOUND(i, 0, p->locality_count,
                                     gxds_locality_compare_name(like, p->localities[i]) > 0);
  const bool is_there =
      at < p->locality_count && gxds_locality_compare_name(like, p->localities[at]) == 0;
  return is_there ? p->localities[at] : NULL;
}

const gxds_endpoints *gxds_endpoints_of_locality(const gxds_locality *take_locality) {
  resource_block b = allocate(1, 1, 0, 0);
  b.localities[0] = take_locality;
  b.priorities[0] = (gxds_priority){.localities = b.localities, .locality_count = 1};
  return b.resource;
}

const gxds_endpoints *gxds_endpoints_of_priorities(const gxds_priority *priorities, size_t count) {
  size_t localities = 0;
  for (size_t i = 0; i < count; i++) localities += priorities[i].locality_count;
  resource_block b = allocate(count, localities, 0, 0);
  for (size_t i = 0; i < count; i++) {
    const size_t size = priorities[i].locality_count * sizeof *b.localities;
    if (size > 0) memcpy(b.localities, priorities[i].localities, size);
    b.priorities[i] = (gxds_priority){b.localities, priorities[i].locality_count};
    b.localities += priorities[i].locality_count;
  }
  return b.resource;
}
