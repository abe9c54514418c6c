/* The loader's log: lines at severity ERROR in gRPC's log, or in its format on standard error while
 * the host cannot log yet. Any thread. */
#ifndef GRPC_XDS_PLUGIN_LOADER_LOG_H_
#define GRPC_XDS_PLUGIN_LOADER_LOG_H_

#include <stdarg.h>

#include "plugin/host_library.h"

/* Logs "grpc_xds: not registered: " and the text, which is printf's. host may be NULL. */
void gxds_loader_log_error(const gxds_host_library *host, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
/* Like gxds_loader_log_error(), with printf()'s variable arguments, and without a host. */
void gxds_loader_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
