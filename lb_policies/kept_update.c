#include "lb_policies/kept_update.h"

#include "xds_resolver/config.h"
#include "xds_resolver/mailbox.h"

void gxds_lb_update_keep(gxds_lb_update *kept, const gxds_lb_update *given) {
  const gxds_lb_update copy = {
      .config = gxds_lb_config_ref(given->config),
      .addresses = given->addresses ? gxds_addresses_ref(given->addresses) : NULL,
      .addresses_status = gxds_status_copy(&given->addresses_status),
      .args = gxds_args_ref(given->args),
      .note = gxds_str_dup(given->note),
      .snapshot = given->snapshot ? gxds_config_ref(given->snapshot) : NULL,
      .mailbox = given->mailbox ? gxds_mailbox_ref(given->mailbox) : NULL,
      .entry = given->entry ? gxds_cluster_entry_ref(given->entry) : NULL,
  };
  gxds_lb_update_forget(kept);
  *kept = copy;
}

void gxds_lb_update_forget(gxds_lb_update *kept) {
  gxds_lb_config_unref(kept->config);
  gxds_addresses_unref(kept->addresses);
  gxds_status_fini(&kept->addresses_status);
  gxds_args_unref(kept->args);
  gxds_str_free(&kept->note);
  gxds_config_unref(kept->snapshot);
  gxds_mailbox_unref(kept->mailbox);
  gxds_cluster_entry_unref(kept->entry);
  *kept = (gxds_lb_update){0};
}
