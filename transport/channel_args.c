#include "transport/channel_args.h"

#include <string.h>

#include "base/memory.h"
#include "base/str.h"

static char *copy_z(const char *z) {
  size_t size = strlen(z) + 1;
  return memcpy(gxds_calloc(size, 1), z, size);
}

static grpc_arg copy_arg(const grpc_arg *from) {
  grpc_arg arg = *from;
  arg.key = copy_z(from->key);
  if (arg.type == GRPC_ARG_STRING) {
    arg.value.string = from->value.string ? copy_z(from->value.string) : NULL;
  } else if (arg.type == GRPC_ARG_POINTER && arg.value.pointer.vtable) {
    arg.value.pointer.p = arg.value.pointer.vtable->copy(from->value.pointer.p);
  }
  return arg;
}

static bool has_key(const grpc_channel_args *args, const char *key) {
  for (size_t i = 0; i < args->num_args; i++) {
    if (strcmp(args->args[i].key, key) == 0) return true;
  }
  return false;
}

grpc_channel_args *gxds_channel_args_create(const grpc_channel_args *base, const grpc_arg *defaults,
                                            size_t default_count) {
  size_t base_count = base ? base->num_args : 0;
  grpc_channel_args *args = GXDS_NEW(grpc_channel_args);
  args->args = gxds_calloc(base_count + default_count, sizeof(grpc_arg));
  for (size_t i = 0; i < base_count; i++) {
    args->args[args->num_args++] = copy_arg(&base->args[i]);
  }
  for (size_t i = 0; i < default_count; i++) {
    if (has_key(args, defaults[i].key)) continue;
    args->args[args->num_args++] = copy_arg(&defaults[i]);
  }
  return args;
}

void gxds_channel_args_destroy(grpc_channel_args *args) {
  if (!args) return;
  for (size_t i = 0; i < args->num_args; i++) {
    grpc_arg *arg = &args->args[i];
    if (arg->type == GRPC_ARG_STRING) {
      gxds_free(arg->value.string);
    } else if (arg->type == GRPC_ARG_POINTER && arg->value.pointer.vtable) {
      arg->value.pointer.vtable->destroy(arg->value.pointer.p);
    }
    gxds_free(arg->key);
  }
  gxds_free(args->args);
  gxds_free(args);
}

static bool equal_pointers(const grpc_arg *a, const grpc_arg *b) {
  if (a->value.pointer.vtable != b->value.pointer.vtable) return false;
  if (a->value.pointer.p == b->value.pointer.p) return true;
  const grpc_arg_pointer_vtable *vtable = a->value.pointer.vtable;
  return vtable && vtable->cmp(a->value.pointer.p, b->value.pointer.p) == 0;
}

static bool equal_strings(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

static bool equal_args(const grpc_arg *a, const grpc_arg *b) {
  if (a->type != b->type || strcmp(a->key, b->key) != 0) return false;
  switch (a->type) {
    case GRPC_ARG_INTEGER:
      return a->value.integer == b->value.integer;
    case GRPC_ARG_STRING:
      return equal_strings(a->value.string, b->value.string);
    case GRPC_ARG_POINTER:
      return equal_pointers(a, b);
  }
  return false;
}

bool gxds_channel_args_equal(const grpc_channel_args *a, const grpc_channel_args *b) {
  size_t count = a ? a->num_args : 0;
  if (count != (b ? b->num_args : 0)) return false;
  for (size_t i = 0; i < count; i++) {
    if (!equal_args(&a->args[i], &b->args[i])) return false;
  }
  return true;
}
