/* gxds_file_source: a "file://" server of the bootstrap, which is a directory of resource files
 * (files/). The source's own thread reads and watches the directory. To its one engine, it behaves
 * like an xDS server.
 *
 * A state of the directory is used as a whole or not at all: a state with errors does not replace
 * the last good one. Until the first good state, the source reports a failure, like a channel that
 * can't connect. It also does so while the system has no file descriptors or inotify instances
 * left; then it tries again every second. Confined: the reactor's thread. */
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
