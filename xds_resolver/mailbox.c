#include "xds_resolver/mailbox.h"

#include <stdatomic.h>

#include "base/memory.h"
#include "base/ref.h"

struct gxds_mailbox {
  gxds_ref refs;
  gxds_mailbox_owner owner;
  _Atomic(gxds_mail *) newest; /* pushed by any thread; &closed_mark if closed */
};

static gxds_mail closed_mark;

gxds_mailbox *gxds_mailbox_create(gxds_mailbox_owner owner) {
  gxds_mailbox *m = GXDS_NEW(gxds_mailbox);
  gxds_ref_init(&m->refs);
  m->owner = owner;
  atomic_init(&m->newest, NULL);
  return m;
}

gxds_mailbox *gxds_mailbox_ref(gxds_mailbox *m) {
  gxds_ref_inc(&m->refs);
  return m;
}

static void destroy_all(gxds_mail *mail) {
  while (mail) {
    gxds_mail *next = mail->next;
    gxds_mail_destroy(mail);
    mail = next;
  }
}

void gxds_mailbox_unref(gxds_mailbox *m) {
  if (!m || !gxds_ref_dec(&m->refs)) return;
  gxds_mail *left = atomic_load_explicit(&m->newest, memory_order_acquire);
  if (left != &closed_mark) destroy_all(left);
  if (m->owner.gone) m->owner.gone(m->owner.arg);
  gxds_free(m);
}

void gxds_mailbox_post(gxds_mailbox *m, gxds_mail_kind kind, gxds_str cluster) {
  gxds_mail *mail = GXDS_NEW(gxds_mail);
  mail->kind = kind;
  mail->cluster = gxds_str_dup(cluster);
  gxds_mail *newest = atomic_load_explicit(&m->newest, memory_order_relaxed);
  do {
    if (newest == &closed_mark) {
      gxds_mail_destroy(mail);
      return;
    }
    mail->next = newest;
  } while (!atomic_compare_exchange_weak_explicit(&m->newest, &newest, mail, memory_order_acq_rel,
                                                  memory_order_relaxed));
  if (!newest) m->owner.wake(m->owner.arg, m);
}

void gxds_mailbox_cluster_subscribe(gxds_mailbox *m, gxds_str cluster) {
  gxds_mailbox_post(m, GXDS_MAIL_SUBSCRIBE, cluster);
}

void gxds_mailbox_cluster_unsubscribe(gxds_mailbox *m, gxds_str cluster) {
  gxds_mailbox_post(m, GXDS_MAIL_UNSUBSCRIBE, cluster);
}

gxds_mail *gxds_mailbox_take(gxds_mailbox *m) {
  /* Only the owner closes the box, so if it is open here, it stays open until the exchange. */
  if (atomic_load_explicit(&m->newest, memory_order_relaxed) == &closed_mark) return NULL;
  gxds_mail *newest = atomic_exchange_explicit(&m->newest, NULL, memory_order_acq_rel);
  gxds_mail *oldest = NULL;
  while (newest) {
    gxds_mail *next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  return oldest;
}

void gxds_mail_destroy(gxds_mail *mail) {
  gxds_str_free(&mail->cluster);
  gxds_free(mail);
}

void gxds_mailbox_close(gxds_mailbox *m) {
  gxds_mail *left = atomic_exchange_explicit(&m->newest, &closed_mark, memory_order_acq_rel);
  if (left != &closed_mark) destroy_all(left);
}
