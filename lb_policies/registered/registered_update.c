#include "base/memory.h"
#include "lb_policies/endpoint_list/endpoint_list.h"
#include "lb_policies/registered/registered_internal.h"
#include "resources/endpoints.h"

/* A zero-terminated copy. */
static const char *copy_of(gxds_str s) { return gxds_str_dup(s).data; }
static void free_copy(const char *copy) {
  gxds_str s = gxds_str_z(copy);
  gxds_str_free(&s);
}

static const grpc_xds_locality *add_locality(gxds_registered_update *u, const gxds_locality *from) {
  grpc_xds_locality *l = GXDS_NEW(grpc_xds_locality);
  l->region = copy_of(from->region);
  l->zone = copy_of(from->zone);
  l->sub_zone = copy_of(from->sub_zone);
  l->weight = from->weight;
  u->localities = gxds_realloc(u->localities, u->locality_count + 1, sizeof(*u->localities));
  u->localities[u->locality_count++] = l;
  return l;
}

static void fill_address(gxds_registered_address *a, const gxds_addresses *list, size_t index) {
  a->address = gxds_addresses_at(list, index);
  gxds_text text = {0};
  gxds_addresses_render_key(list, index, &text);
  a->base.text = copy_of(gxds_text_str(&text));
  if (a->address.more_count > 0) { /* A61 */
    gxds_text_clear(&text);
    gxds_lb_address_render_set(&a->address, &text);
  }
  gxds_text_add_z(&text, " ");
  gxds_addresses_render_detail(list, index, &text);
  a->identity = gxds_text_take(&text);
  a->base.weight = a->address.weight;
  a->base.hash_key = copy_of(a->address.hash_key);
}

void gxds_registered_update_init(gxds_registered_update *u, const gxds_addresses *addresses,
                                 gxds_lb_config *config, gxds_str note) {
  *u = (gxds_registered_update){0};
  u->addresses = gxds_calloc(addresses->count, sizeof *u->addresses);
  u->pointers = gxds_calloc(addresses->count, sizeof(*u->pointers));
  for (size_t i = 0; i < addresses->count; i++) {
    gxds_registered_address *a = &u->addresses[i];
    fill_address(a, addresses, i);
    u->pointers[i] = &a->base;
    /* The addresses of a locality are one after the other. */
    const gxds_locality *locality = a->address.locality;
    if (i > 0 && locality == u->addresses[i - 1].address.locality) {
      a->base.locality = u->addresses[i - 1].base.locality;
    } else if (locality) {
      a->base.locality = add_locality(u, locality);
    }
  }
  gxds_text_add(&u->note, note);
  u->base.config = gxds_registered_config(config);
  u->base.addresses = u->pointers;
  u->base.address_count = addresses->count;
  u->base.note = u->note.data ? u->note.data : "";
}

void gxds_registered_update_fini(gxds_registered_update *u) {
  for (size_t i = 0; i < u->base.address_count; i++) {
    free_copy(u->addresses[i].base.text);
    free_copy(u->addresses[i].base.hash_key);
    gxds_str_free(&u->addresses[i].identity);
  }
  for (size_t i = 0; i < u->locality_count; i++) {
    free_copy(u->localities[i]->region);
    free_copy(u->localities[i]->zone);
    free_copy(u->localities[i]->sub_zone);
    gxds_free(u->localities[i]);
  }
  gxds_free((void *)u->localities);
  gxds_free((void *)u->pointers);
  gxds_free(u->addresses);
  gxds_text_fini(&u->note);
}
