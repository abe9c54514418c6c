/* One RPC by gRPC's public C API: what small programs here have in common. */
#ifndef GRPC_XDS_TEST_PLUGIN_PROGRAMS_CALL_H_
#define GRPC_XDS_TEST_PLUGIN_PROGRAMS_CALL_H_

/* Calls "/a/b" on an insecure channel to the target and prints "code N: details". Between its own
 * grpc_init() and grpc_shutdown(). Any thread. */
void call_once(const char *target);

#endif
