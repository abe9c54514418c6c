/* gxds_mailbox: how policies and RPCs send messages to the dependency manager of their channel. It
 * is mutable and counted by reference, because call trackers and policies may outlive the resolver.
 * Any thread, never blocks. It has no effect once the resolver has closed it. */
#ifndef GRPC_XDS_XDS_RESOLVER_MAILBOX_H_
#define GRPC_XDS_XDS_RESOLVER_MAILBOX_H_

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_mailbox gxds_mailbox;

/* Adds a reference, which the caller owns. */
gxds_mailbox *gxds_mailbox_ref(gxds_mailbox *m);
void gxds_mailbox_unref(gxds_mailbox *m); /* NULL is allowed */

/* A74: a cds policy for a dynamic cluster subscribes to it. Each is ended by one unsubscribe. */
void gxds_mailbox_cluster_subscribe(gxds_mailbox *m, gxds_str cluster);
void gxds_mailbox_cluster_unsubscribe(gxds_mailbox *m, gxds_str cluster);

/* ---- For the owner (the resolver's side, and tests) ---- */

typedef enum gxds_mail_kind {
  GXDS_MAIL_SUBSCRIBE,
  GXDS_MAIL_UNSUBSCRIBE,
  GXDS_MAIL_CLUSTER_UNUSED, /* the last hold on a cluster ended (cluster_ref.h) */
} gxds_mail_kind;

typedef struct gxds_mail {
  gxds_mail_kind kind;
  gxds_str cluster;       /* owned by the mail */
  struct gxds_mail *next; /* private */
} gxds_mail;

typedef struct gxds_mailbox_owner {
  /* The empty mailbox got a mail: arrange a call of gxds_mailbox_take() soon on the owner's thread.
   * This runs on the thread that posted, which may hold the host's locks, so it must only send a
   * message. The mailbox is valid during the call; take a reference to keep it. */
  void (*wake)(void *arg, gxds_mailbox *m);
  /* The mailbox was destroyed, on any thread. May be NULL. */
  void (*gone)(void *arg);
  void *arg;
} gxds_mailbox_owner;

/* The caller owns the returned reference. */
gxds_mailbox *gxds_mailbox_create(gxds_mailbox_owner owner);
/* Any thread. No effect once the mailbox is closed. */
void gxds_mailbox_post(gxds_mailbox *m, gxds_mail_kind kind, gxds_str cluster);
/* Takes all mail, the oldest first, linked by next. The caller ends each with gxds_mail_destroy().
 * NULL if there is none. One thread. */
gxds_mail *gxds_mailbox_take(gxds_mailbox *m);
void gxds_mail_destroy(gxds_mail *mail);
/* Drops all mail in it, and all that comes later, without calling wake. One thread. */
void gxds_mailbox_close(gxds_mailbox *m);

#ifdef __cplusplus
}
#endif

#endif
