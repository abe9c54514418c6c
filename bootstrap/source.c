#include "bootstrap/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"

static gxds_status load_file(const char *path, const char *where, gxds_text *text) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return gxds_status_make(errno == ENOENT ? GXDS_NOT_FOUND : GXDS_UNAVAILABLE,
                            "cannot open the xDS bootstrap %s: %s", where, strerror(errno));
  }
  const int error = gxds_text_add_file(text, fd, GXDS_BOOTSTRAP_SIZE_MAX) ? 0 : errno;
  close(fd);
  if (error != 0) {
    return gxds_status_make(GXDS_UNAVAILABLE, "cannot read the xDS bootstrap from %s: %s", where,
                            strerror(error));
  }
  if (text->size > GXDS_BOOTSTRAP_SIZE_MAX) {
    return gxds_status_make(GXDS_INVALID_ARGUMENT,
                            "the xDS bootstrap in %s is larger than the %zu bytes allowed", where,
                            GXDS_BOOTSTRAP_SIZE_MAX);
  }
  return gxds_status_ok();
}

gxds_status gxds_bootstrap_find(const gxds_host *host, gxds_str target, gxds_str *out,
                                gxds_str *where) {
  *out = gxds_str_of(NULL, 0);
  *where = gxds_str_of(NULL, 0);
  if (host && host->target_bootstrap && host->target_bootstrap(target, out)) {
    *where = gxds_str_dup(gxds_str_z("gRPC's own bootstrap for this target"));
    return gxds_status_ok();
  }
  const char *path = secure_getenv("GRPC_XDS_BOOTSTRAP");
  const char *config = secure_getenv("GRPC_XDS_BOOTSTRAP_CONFIG");
  gxds_text text = {0};
  gxds_text place = {0};
  gxds_status status = gxds_status_ok();
  if (path) {
    gxds_text_addf(&place, "file %s (GRPC_XDS_BOOTSTRAP)", path);
    status = load_file(path, place.data, &text);
  } else if (config) {
    gxds_text_add_z(&place, "environment variable GRPC_XDS_BOOTSTRAP_CONFIG");
    gxds_text_add_z(&text, config);
  } else if (host && host->fallback_bootstrap && host->fallback_bootstrap(out)) {
    *where = gxds_str_dup(gxds_str_z("gRPC's own fallback bootstrap"));
    return gxds_status_ok();
  } else {
    status = gxds_status_make(GXDS_NOT_FOUND,
                              "Environment variables GRPC_XDS_BOOTSTRAP or "
                              "GRPC_XDS_BOOTSTRAP_CONFIG not defined: the first would name the "
                              "file of the xDS bootstrap, the second hold its JSON");
  }
  if (gxds_status_is_ok(&status)) {
    *out = gxds_text_take(&text);
    *where = gxds_text_take(&place);
  }
  gxds_text_fini(&text);
  gxds_text_fini(&place);
  return status;
}
