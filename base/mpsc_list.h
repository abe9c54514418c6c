/* gxds_mpsc_list: a list to which many threads push items, and from which one consumer takes all of
 * them at once, in the order of the pushes. It uses no locks: no call waits for another thread.
 *
 * Items belong to the caller: the list only links them. An item that was pushed belongs to the list
 * until the consumer takes it; until then nobody else may use or free it. "The consumer" is
 * whichever thread takes, but two threads must not take or close at the same time.
 *
 * Memory order: what a thread did before it pushed an item happens before the consumer uses that
 * item. In addition, pushes and takes are sequentially consistent with the caller's own
 * sequentially consistent atomics. So a producer may push and then check whether the consumer
 * sleeps, and the consumer may mark itself as asleep and then take: one of the two always sees the
 * other. With acquire and release alone, both could miss each other.
 *
 * A push reads no other item, and a take removes all of them. So it does no harm if an item is
 * taken, freed, and its memory pushed again while another push is under way (the ABA problem). */
#ifndef GRPC_XDS_BASE_MPSC_LIST_H_
#define GRPC_XDS_BASE_MPSC_LIST_H_

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The first member of the item's struct, so that a pointer to the link is a pointer to the item. */
typedef struct gxds_mpsc_link {
  struct gxds_mpsc_link *next; /* once the item was taken: the next newer item; NULL: this is the
                                  newest */
} gxds_mpsc_link;

/* Zero-initialised, it is empty and open. It must be empty or closed when its memory ends. */
typedef struct gxds_mpsc_list {
  gxds_mpsc_link *newest; /* private; atomic, but not _Atomic, so that C++ can include this */
} gxds_mpsc_list;

typedef enum gxds_mpsc_pushed {
  GXDS_MPSC_FIRST,  /* the list was empty: the consumer has to be woken */
  GXDS_MPSC_MORE,   /* the list was not empty */
  GXDS_MPSC_CLOSED, /* the list is closed: the item still belongs to the caller */
} gxds_mpsc_pushed;

/* Any thread. Unless the list is closed, takes ownership of the item. */
gxds_mpsc_pushed gxds_mpsc_list_push(gxds_mpsc_list *l, gxds_mpsc_link *take_item);
/* Whether nothing was pushed since the last take. Any thread; the next push may come at once. */
bool gxds_mpsc_list_is_empty(const gxds_mpsc_list *l);

/* The consumer. */

/* Removes and returns all items, oldest first, linked by next; NULL if there are none. The caller
 * owns them. */
gxds_mpsc_link *gxds_mpsc_list_take(gxds_mpsc_list *l);
/* Takes all items as above, and refuses all later pushes. A closed list stays closed; a second call
 * returns NULL. */
gxds_mpsc_link *gxds_mpsc_list_close(gxds_mpsc_list *l);

#ifdef __cplusplus
}
#endif

#endif
