/* gxds_serve_output: the lines that `xds serve` prints. A thread of its own writes them, so that a
 * reader that stops reading does not stop the server. Up to 16 MB wait for the reader. Further
 * events are left out; a warning in their place has their number. */
#ifndef GRPC_XDS_TOOLS_SERVE_OUTPUT_H_
#define GRPC_XDS_TOOLS_SERVE_OUTPUT_H_

#include "tools/serve/event.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_serve_output gxds_serve_output;

/* Starts the thread. fd is borrowed. */
gxds_serve_output *gxds_serve_output_start(int fd, bool json);
/* Any thread. It never waits for the reader. */
void gxds_serve_output_print(gxds_serve_output *o, const gxds_serve_event *event);
/* Writes what waits, but gives up if the reader reads nothing for a second. False if lines were
 * lost by that or by an error; the first error was printed at once. */
bool gxds_serve_output_stop(gxds_serve_output *o);

#ifdef __cplusplus
}
#endif

#endif
