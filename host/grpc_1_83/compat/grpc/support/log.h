/* Implements the log functions of 1.51 with the log of 1.83, which is abseil's and takes whole
 * messages. */
#ifndef GRPC_XDS_HOST_GRPC_1_83_COMPAT_GRPC_SUPPORT_LOG_H_
#define GRPC_XDS_HOST_GRPC_1_83_COMPAT_GRPC_SUPPORT_LOG_H_

#include_next <grpc/support/log.h>

#ifdef __cplusplus
extern "C" {
#endif

void gpr_log(const char *file, int line, gpr_log_severity severity, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Zero if messages of this severity are not printed. */
int gpr_should_log(gpr_log_severity severity);

#ifdef __cplusplus
}
#endif

#endif
