/* uthash's hash tables, with the project's own memory: instead of <uthash.h>. */
#ifndef GRPC_XDS_BASE_HASH_TABLE_H_
#define GRPC_XDS_BASE_HASH_TABLE_H_

#include "base/check.h"
#include "base/memory.h"

#define uthash_malloc(size) gxds_calloc(1, size)
#define uthash_free(memory, size) gxds_free(memory)
#define uthash_fatal(message) gxds_check_failed(__FILE__, __LINE__, message)

#include <uthash.h>

#endif
