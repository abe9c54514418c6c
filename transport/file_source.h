/* gxds_file_source: a "file://" server of the bootstrap: a directory of resource files (files/),
 * read and watched on a thread of its own, that answers one engine as an xDS server would.
 *
 * A state of the directory counts as a whole or not at all: one with errors replaces nothing. Until
 * the first good one the source has failed, as a channel that can't connect; so it has while the
 * system has no descriptors or inotify instances left, which is tried every second. Confined: the
 * reactor's thread. */
#ifndef GRPC_XDS_TRANSPORT_FILE_SOURCE_H_
#define GRPC_XDS_TRANSPORT_FILE_SOURCE_H_

#include "transport/source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* directory is copied. events and arg are borrowed: valid as long as the source. on_failed means
 * that there is no good state yet. on_log reports that the files have errors and the last good
 * state stays in use, or that they are good again. A stream never ends by itself. */
gxds_source *gxds_file_source_create(gxds_str directory, const gxds_source_events *events,
                                     void *arg);

#ifdef __cplusplus
}
#endif

#endif
