/* Like a language's gRPC extension: a library that is linked to libgrpc and opened late. */
#include "test/plugin/programs/call.h"

void extension_run(const char *target);

__attribute__((visibility("default"))) void extension_run(const char *target) { call_once(target); }
