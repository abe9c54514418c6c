// End to end, the thread sanitizer sees our seams run inside the host, which is not instrumented:
// it orders them by its serializer's and its counters' atomics and by absl::Mutex, none of which
// the sanitizer sees, so every hand-over looks like a race. Whatever has the host on one of its two
// stacks is therefore not looked at here; the policies, the resolver and the engine are, without
// this, in their own tests. What is left to see here: the reactor's thread, the data path's
// counters, deadlocks.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:libgrpc.so\n"
         "race:libgrpc++.so\n"
         "race:libabsl_\n"
         // grpc++ is for a good part in headers, compiled into the test.
         "race:grpc::\n"
         "race:grpc_core::\n"
         // The C library frees a thread's storage when a new thread takes its stack over.
         "race:_dl_deallocate_tls\n";
}

// The leak checker does not see what hangs on a thread that is just ending, as gRPC's own may be
// when a test has passed: OpenSSL's random generators of that thread. What gRPC has of OpenSSL is
// seen by the structs of gRPC that own it. c-ares 1.18 itself leaks a copy of the name "localhost".
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libcrypto.so\n"
         "leak:libcares.so\n";
}
