/* One RPC with gRPC's public C API, shared by the small programs here. */
#ifndef GRPC_XDS_TEST_PLUGIN_PROGRAMS_CALL_H_
#define GRPC_XDS_TEST_PLUGIN_PROGRAMS_CALL_H_

/* Calls "/a/b" on an insecure channel to the target and prints "code N: details". Has its own
 * grpc_init() and grpc_shutdown(). Any thread. */
void call_once(const char *target);

#endif
