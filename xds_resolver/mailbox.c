#include "xds_resolver/mailbox.h"

#include "base/memory.h"
#include "base/ref.h"

struct gxds_mailbox {
  gxds_ref refs;
  gxds_mailbox_owner owner;
  gxds_mpsc_list mail;
};

gxds_mailbox *gxds_mailbox_create(gxds_mailbox_owner owner) {
  gxds_mailbox *m = GXDS_NEW(gxds_mailbox);
  gxds_ref_init(&m->refs);
  m->owner = owner;
  return m;
}

gxds_mailbox *gxds_mailbox_ref(gxds_mailbox *m) {
  gxds_ref_inc(&m->refs);
  return m;
}

static void destroy_all(gxds_mpsc_link *oldest) {
  for (gxds_mail *mail = (gxds_mail *)oldest; mail;) {
    gxds_mail *next = gxds_mail_next(mail);
    gxds_mail_destroy(mail);
    mail = next;
  }
}

void gxds_mailbox_unref(gxds_mailbox *m) {
  if (!m || !gxds_ref_dec(&m->refs)) return;
  destroy_all(gxds_mpsc_list_take(&m->mail));
  if (m->owner.gone) m->owner.gone(m->owner.arg);
  gxds_free(m);
}

void gxds_mailbox_post(gxds_mailbox *m, gxds_mail_kind kind, gxds_str cluster) {
  gxds_mail *mail = GXDS_NEW(gxds_mail);
  mail->kind = kind;
  mail->cluster = gxds_str_dup(cluster);
  const gxds_mpsc_pushed pushed = gxds_mpsc_list_push(&m->mail, &mail->link);
  if (pushed == GXDS_MPSC_CLOSED) gxds_mail_destroy(mail);
  if (pushed == GXDS_MPSC_FIRST) m->owner.wake(m->owner.arg, m);
}

void gxds_mailbox_cluster_subscribe(gxds_mailbox *m, gxds_str cluster) {
  gxds_mailbox_post(m, GXDS_MAIL_SUBSCRIBE, cluster);
}

void gxds_mailbox_cluster_unsubscribe(gxds_mailbox *m, gxds_str cluster) {
  gxds_mailbox_post(m, GXDS_MAIL_UNSUBSCRIBE, cluster);
}

gxds_mail *gxds_mailbox_take(gxds_mailbox *m) { return (gxds_mail *)gxds_mpsc_list_take(&m->mail); }

gxds_mail *gxds_mail_next(const gxds_mail *mail) { return (gxds_mail *)mail->link.next; }

void gxds_mail_destroy(gxds_mail *mail) {
  gxds_str_free(&mail->cluster);
  gxds_free(mail);
}

void gxds_mailbox_close(gxds_mailbox *m) { destroy_all(gxds_mpsc_list_close(&m->mail)); }
