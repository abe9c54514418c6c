#include "host/child_errors.h"

void gxds_child_errors_add(gxds_child_errors *e, gxds_str child, gxds_status take_status) {
  if (e && !gxds_status_is_ok(&take_status)) {
    gxds_text_addf(&e->text, "%schild %.*s: ", e->text.size > 0 ? "; " : "", GXDS_STR_ARG(child));
    gxds_status_render(&take_status, &e->text);
  }
  gxds_status_fini(&take_status);
}

gxds_status gxds_child_errors_take(gxds_child_errors *e) {
  gxds_status status = gxds_status_ok();
  if (e->text.size > 0) {
    status = gxds_status_make(GXDS_UNAVAILABLE, "errors from children: [%.*s]",
                              GXDS_STR_ARG(gxds_text_str(&e->text)));
  }
  gxds_text_fini(&e->text);
  return status;
}
