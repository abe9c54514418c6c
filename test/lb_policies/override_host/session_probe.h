/* The session tables of override_host for tests in C++, which can't read their headers: what is
 * held is a number. */
#ifndef GRPC_XDS_TEST_LB_POLICIES_OVERRIDE_HOST_SESSION_PROBE_H_
#define GRPC_XDS_TEST_LB_POLICIES_OVERRIDE_HOST_SESSION_PROBE_H_

#include "resources/endpoints.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_session_table gxds_session_table;

/* The table in place of before (NULL: none), which is given up. let_go: is told the numbers. */
gxds_session_table *session_probe_update(gxds_session_table *take_before,
                                         const gxds_endpoints *endpoints, uint8_t health,
                                         void (*let_go)(void *arg, int number), void *arg);
void session_probe_unref(gxds_session_table *t); /* NULL is allowed */
/* From now on that is held for the endpoint at that address. */
void session_probe_hold(gxds_session_table *t, const gxds_address *address, int number);
/* What is held for it; 0: nothing; -1: there is no such endpoint. */
int session_probe_held(const gxds_session_table *t, const gxds_address *address);
/* One that holds nothing there; t stays. */
gxds_session_table *session_probe_without(const gxds_session_table *t, const gxds_address *address);
/* The port of the endpoint's first address; -1: it is nowhere. */
int session_probe_first_port(const gxds_session_table *t, const gxds_address *address);

#ifdef __cplusplus
}
#endif

#endif
