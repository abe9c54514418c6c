#include "lrs/lingering.h"

#include "lrs/load_store_internal.h"

_Atomic uint32_t gxds_lingering_generation;

static struct {
  pthread_mutex_t lock; /* taken under a store's, or alone */
  gxds_locality_load *first;
} list = {.lock = PTHREAD_MUTEX_INITIALIZER};

void gxds_lingering_add(gxds_locality_load *take_l) {
  pthread_mutex_lock(&list.lock);
  take_l->next_lingering = list.first;
  list.first = take_l;
  pthread_mutex_unlock(&list.lock);
}

/* Takes those out of the list whose RPCs are over; they stay in memory. */
static gxds_locality_load *take_settled(void) {
  gxds_locality_load *settled = NULL;
  pthread_mutex_lock(&list.lock);
  for (gxds_locality_load **place = &list.first; *place;) {
    gxds_locality_load *l = *place;
    if (gxds_locality_load_in_progress(l) > 0) {
      place = &l->next_lingering;
      continue;
    }
    *place = l->next_lingering;
    l->next_lingering = settled;
    settled = l;
  }
  pthread_mutex_unlock(&list.lock);
  return settled;
}

void gxds_lingering_settle(void) {
  for (gxds_locality_load *l; (l = take_settled()) != NULL;) {
    while (l) {
      gxds_locality_load *next = l->next_lingering;
      if (!gxds_load_store_settle(l)) atomic_fetch_add(&gxds_lingering_generation, 1);
      l = next;
    }
  }
}

void gxds_lingering_given_up(void) {
  atomic_fetch_add(&gxds_lingering_generation, 1);
  gxds_lingering_settle();
}
