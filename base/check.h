/* GXDS_CHECK: aborts if one of our own invariants is broken. It also checks in release builds.
 * Bytes from the network must never be able to make it fail. */
#ifndef GRPC_XDS_BASE_CHECK_H_
#define GRPC_XDS_BASE_CHECK_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Prints where and what to stderr and aborts. Any thread. */
__attribute__((noreturn, cold)) void gxds_check_failed(const char *file, int line,
                                                       const char *condition);

#ifdef __cplusplus
}
#endif

#define GXDS_CHECK(condition) \
  (__builtin_expect(!!(condition), 1) ? (void)0 : gxds_check_failed(__FILE__, __LINE__, #condition))

#endif
