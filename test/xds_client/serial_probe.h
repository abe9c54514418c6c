/* Access to the serial of responses for tests in C++, which cannot include the engine's internal
 * headers. */
#ifndef GRPC_XDS_TEST_XDS_CLIENT_SERIAL_PROBE_H_
#define GRPC_XDS_TEST_XDS_CLIENT_SERIAL_PROBE_H_

#include "xds_client/client.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The serial of the last response. */
void serial_probe_set(gxds_client *c, uint32_t serial);

#ifdef __cplusplus
}
#endif

#endif
