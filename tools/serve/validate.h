/* Finds the resources of a set that clients will refuse. A control plane for development must be
 * able to serve these, so that NACKs can be tried. So `xds serve` only warns. */
#ifndef GRPC_XDS_TOOLS_SERVE_VALIDATE_H_
#define GRPC_XDS_TOOLS_SERVE_VALIDATE_H_

#include "files/file_set.h"
#include "tools/command/validator.h"
#include "tools/serve/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls emit with a WARNING for each resource that clients will refuse. emit takes ownership of the
 * event's contents. There is no new warning for resources that previous (may be NULL) shares with
 * the set. */
void gxds_serve_validate(const gxds_validator *v, const gxds_file_set *set,
                         const gxds_file_set *previous,
                         void (*emit)(void *arg, gxds_serve_event *take_event), void *arg);

#ifdef __cplusplus
}
#endif

#endif
