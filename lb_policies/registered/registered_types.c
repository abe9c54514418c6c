#include "lb_policies/registered/registered_types.h"

#include <pthread.h>

#include "base/memory.h"
#include "lb_policies/registered/registered_policy.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* These three are guarded by the mutex. */
static const gxds_policy_type **types;
static size_t type_count;
static bool closed;

static bool is_whole(const grpc_xds_policy_type *t) {
  return t->name && *t->name && t->create && t->update && t->subchannel_state && t->destroy &&
         t->pick;
}

static bool is_known(const char *name) {
  for (size_t i = 0; i < type_count; i++) {
    if (strcmp(types[i]->name, name) == 0) return true;
  }
  return false;
}

static grpc_xds_result add(const grpc_xds_policy_type *type) {
  if (closed) return GRPC_XDS_ERROR_TOO_LATE;
  if (is_known(type->name)) return GRPC_XDS_ERROR_POLICY_EXISTS;
  types = gxds_realloc(types, type_count + 1, sizeof(*types));
  types[type_count++] = gxds_registered_policy_type(type);
  return GRPC_XDS_OK;
}

grpc_xds_result gxds_registered_types_add(const grpc_xds_policy_type *type,
                                          bool (*is_taken)(const char *name)) {
  /* The version is checked first, because the rest of a newer struct is not known. */
  if (type->version > GRPC_XDS_POLICY_VERSION) return GRPC_XDS_ERROR_POLICY_VERSION;
  if (type->version == 0 || !is_whole(type)) return GRPC_XDS_ERROR_POLICY_INVALID;
  if (is_taken(type->name)) return GRPC_XDS_ERROR_POLICY_EXISTS;
  pthread_mutex_lock(&mutex);
  const grpc_xds_result result = add(type);
  pthread_mutex_unlock(&mutex);
  return result;
}

size_t gxds_registered_types_close(void) {
  pthread_mutex_lock(&mutex);
  closed = true;
  const size_t count = type_count;
  pthread_mutex_unlock(&mutex);
  return count;
}

/* Needs no lock, because the list is closed, and so no longer changes. */
const gxds_policy_type *gxds_registered_types_at(size_t index) { return types[index]; }
