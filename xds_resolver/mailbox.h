/* gxds_mailbox: how policies and RPCs send messages to the dependency manager of their channel. Any
 * thread; never blocks. Does nothing once the resolver has closed it. It is mutable, but counted by
 * reference, because call trackers and policies outlive the resolver. */
#ifndef GRPC_XDS_XDS_RESOLVER_MAILBOX_H_
#define GRPC_XDS_XDS_RESOLVER_MAILBOX_H_

#include "base/mpsc_list.h"
#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_mailbox gxds_mailbox;

/* Takes another reference. The caller owns the returned reference. */
gxds_mailbox *gxds_mailbox_ref(gxds_mailbox *m);
void gxds_mailbox_unref(gxds_mailbox *m); /* m may be NULL */

/* A74: the cds policy of a dynamic cluster subscribes to the cluster. Each subscribe needs one
 * unsubscribe. */
void gxds_mailbox_cluster_subscribe(gxds_mailbox *m, gxds_str cluster);
void gxds_mailbox_cluster_unsubscribe(gxds_mailbox *m, gxds_str cluster);

/* ---- For the owner (the resolver's side, and tests) ---- */

typedef enum gxds_mail_kind {
  GXDS_MAIL_SUBSCRIBE,
  GXDS_MAIL_UNSUBSCRIBE,
  GXDS_MAIL_CLUSTER_UNUSED, /* the last hold on a cluster ended (cluster_ref.h) */
} gxds_mail_kind;

typedef struct gxds_mail {
  gxds_mpsc_link link; /* private */
  gxds_mail_kind kind;
  gxds_str cluster; /* owned by the mail */
} gxds_mail;

typedef struct gxds_mailbox_owner {
  /* Called when mail comes into an empty box. The owner must call gxds_mailbox_take() soon, on its
   * own thread. The callback runs on the thread that posted, which may hold the host's locks, so it
   * must only post a message. m is borrowed: valid during the call; to keep it, take a
   * reference. */
  void (*wake)(void *arg, gxds_mailbox *m);
  /* Called when the box is freed, on any thread. May be NULL. */
  void (*gone)(void *arg);
  void *arg;
} gxds_mailbox_owner;

/* The caller owns the returned reference. */
gxds_mailbox *gxds_mailbox_create(gxds_mailbox_owner owner);
/* Adds a mail; cluster is copied. Does nothing once the box is closed. Any thread. */
void gxds_mailbox_post(gxds_mailbox *m, gxds_mail_kind kind, gxds_str cluster);
/* Removes and returns all mail, oldest first; NULL if there is none. The caller frees each with
 * gxds_mail_destroy(). Only on the owner's thread. */
gxds_mail *gxds_mailbox_take(gxds_mailbox *m);
/* The mail after this one, among those that were taken together; NULL: this is the last. */
gxds_mail *gxds_mail_next(const gxds_mail *mail);
void gxds_mail_destroy(gxds_mail *mail);
/* Drops all mail in the box, and all mail that is posted later. wake is no longer called. Only on
 * the owner's thread. */
void gxds_mailbox_close(gxds_mailbox *m);

#ifdef __cplusplus
}
#endif

#endif
