#include "test/xds_client/serial_probe.h"

#include "xds_client/client_internal.h"

void serial_probe_set(gxds_client *c, uint32_t serial) { c->response_serial = serial; }
