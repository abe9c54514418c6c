#include "base/mpsc_list.h"

#include <stddef.h>

/* Stands for all items of a closed list. */
static gxds_mpsc_link closed_mark;

gxds_mpsc_pushed gxds_mpsc_list_push(gxds_mpsc_list *l, gxds_mpsc_link *take_item) {
  gxds_mpsc_link *newest = __atomic_load_n(&l->newest, __ATOMIC_RELAXED); /* the exchange below
                                                                             checks it */
  do {
    if (newest == &closed_mark) return GXDS_MPSC_CLOSED;
    take_item->next = newest;
  } while (!__atomic_compare_exchange_n(&l->newest, &newest, take_item, true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED));
  return newest ? GXDS_MPSC_MORE : GXDS_MPSC_FIRST;
}

bool gxds_mpsc_list_is_empty(const gxds_mpsc_list *l) {
  const gxds_mpsc_link *newest = __atomic_load_n(&l->newest, __ATOMIC_SEQ_CST);
  return !newest || newest == &closed_mark;
}

static gxds_mpsc_link *oldest_first(gxds_mpsc_link *newest) {
  gxds_mpsc_link *oldest = NULL;
  while (newest) {
    gxds_mpsc_link *next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  return oldest;
}

/* Only the consumer closes the list, and only it calls this, so a relaxed load is enough. */
static bool is_closed(const gxds_mpsc_list *l) {
  return __atomic_load_n(&l->newest, __ATOMIC_RELAXED) == &closed_mark;
}

gxds_mpsc_link *gxds_mpsc_list_take(gxds_mpsc_list *l) {
  if (is_closed(l)) return NULL;
  return oldest_first(__atomic_exchange_n(&l->newest, NULL, __ATOMIC_SEQ_CST));
}

gxds_mpsc_link *gxds_mpsc_list_close(gxds_mpsc_list *l) {
  if (is_closed(l)) return NULL;
  return oldest_first(__atomic_exchange_n(&l->newest, &closed_mark, __ATOMIC_SEQ_CST));
}
