// In end-to-end tests our seams run inside the host, which is not instrumented. The host orders
// accesses with its serializer's and counters' atomics and with absl::Mutex. The thread sanitizer
// does not see these, so every hand-over looks like a race. Reports with the host on one of the two
// stacks are therefore suppressed here. The policies, the resolver and the engine have their own
// tests without suppressions. These tests still check the reactor's thread, the data path's
// counters, and deadlocks.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:libgrpc.so\n"
         "race:libgrpc++.so\n"
         "race:libabsl_\n"
         // Much of grpc++ is in headers, which are compiled into the test.
         "race:grpc::\n"
         "race:grpc_core::\n"
         // The C library frees a thread's storage when a new thread reuses its stack.
         "race:_dl_deallocate_tls\n";
}

// The leak checker does not see memory that belongs to a thread that is just ending, as gRPC's own
// threads may be after a test: OpenSSL's random generators of that thread. It sees gRPC's other
// OpenSSL objects through the gRPC structs that own them. c-ares 1.18 itself leaks a copy of the
// name "localhost".
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libcrypto.so\n"
         "leak:libcares.so\n";
}
