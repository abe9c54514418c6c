/* gxds_mailbox: how policies and RPCs speak to the dependency manager of their channel. Counted by
 * reference, any thread, never blocks; inert once the resolver closed it. One of the two mutable
 * things that are counted, because call trackers and policies outlive the resolver. */
#ifndef GRPC_XDS_XDS_RESOLVER_MAILBOX_H_
#define GRPC_XDS_XDS_RESOLVER_MAILBOX_H_

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_mailbox gxds_mailbox;

/* One more reference, the caller's. */
gxds_mailbox *gxds_mailbox_ref(gxds_mailbox *m);
void gxds_mailbox_unref(gxds_mailbox *m); /* NULL is allowed */

/* A74: a cds policy for a dynamic cluster subscribes to it. Each is ended by one unsubscribe. */
void gxds_mailbox_cluster_subscribe(gxds_mailbox *m, gxds_str cluster);
void gxds_mailbox_cluster_unsubscribe(gxds_mailbox *m, gxds_str cluster);

/* ---- For the owner (the resolver's side, and tests) ---- */

typedef enum gxds_mail_kind {
  GXDS_MAIL_SUBSCRIBE,
  GXDS_MAIL_UNSUBSCRIBE,
  GXDS_MAIL_CLUSTER_UNUSED, /* the last holder of a cluster let go of it (cluster_ref.h) */
} gxds_mail_kind;

typedef struct gxds_mail {
  gxds_mail_kind kind;
  gxds_str cluster;       /* owned by the mail */
  struct gxds_mail *next; /* private */
} gxds_mail;

typedef struct gxds_mailbox_owner {
  /* The first mail lies in an empty box: have gxds_mailbox_take() called, soon, where the owner
   * lives. Called on the thread that posted, which may hold the host's locks: it must only post a
   * message. The box lives during the call; for later, take a reference. */
  void (*wake)(void *arg, gxds_mailbox *m);
  /* The box is gone, on any thread. NULL: not interested. */
  void (*gone)(void *arg);
  void *arg;
} gxds_mailbox_owner;

/* The caller owns the returned reference. */
gxds_mailbox *gxds_mailbox_create(gxds_mailbox_owner owner);
/* Any thread. Nothing happens once the box is closed. */
void gxds_mailbox_post(gxds_mailbox *m, gxds_mail_kind kind, gxds_str cluster);
/* All mail so far, oldest first, linked by next and given to the caller, who ends each with
 * gxds_mail_destroy(). NULL: none. One thread. */
gxds_mail *gxds_mailbox_take(gxds_mailbox *m);
void gxds_mail_destroy(gxds_mail *mail);
/* Throws away what is in it and whatever comes later; wake is not called for mail that comes
 * later. One thread. */
void gxds_mailbox_close(gxds_mailbox *m);

#ifdef __cplusplus
}
#endif

#endif
