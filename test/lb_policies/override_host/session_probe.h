/* Access to the session tables of override_host for tests in C++, which cannot include their
 * headers. Here a held endpoint is a number. */
#ifndef GRPC_XDS_TEST_LB_POLICIES_OVERRIDE_HOST_SESSION_PROBE_H_
#define GRPC_XDS_TEST_LB_POLICIES_OVERRIDE_HOST_SESSION_PROBE_H_

#include "resources/endpoints.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_session_table gxds_session_table;

/* Makes the next table, and takes ownership of the last one (NULL: none). let_go is called with the
 * numbers of held endpoints that are released. */
gxds_session_table *session_probe_update(gxds_session_table *take_before,
                                         const gxds_endpoints *endpoints, uint8_t health,
                                         void (*let_go)(void *arg, int number), void *arg);
void session_probe_unref(gxds_session_table *t); /* NULL is allowed */
/* Holds this number for the endpoint at that address. */
void session_probe_hold(gxds_session_table *t, const gxds_address *address, int number);
/* The held number; 0: nothing is held; -1: no endpoint has that address. */
int session_probe_held(const gxds_session_table *t, const gxds_address *address);
/* A table that holds nothing at that address. t stays as it is. */
gxds_session_table *session_probe_without(const gxds_session_table *t, const gxds_address *address);
/* The port of the endpoint's first address; -1: the endpoint is not found. */
int session_probe_first_port(const gxds_session_table *t, const gxds_address *address);

#ifdef __cplusplus
}
#endif

#endif
