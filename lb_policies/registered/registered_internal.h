/* Declarations that the files of lb_policies/registered/ share. Private. "The program's" refers to
 * grpc_xds/policy.h; each handle of that header is the first member of a struct here. */
#ifndef GRPC_XDS_LB_POLICIES_REGISTERED_REGISTERED_INTERNAL_H_
#define GRPC_XDS_LB_POLICIES_REGISTERED_REGISTERED_INTERNAL_H_

#include "grpc_xds/policy.h"
#include "host/policy.h"

extern const grpc_xds_policy_api gxds_registered_api;

typedef struct gxds_registered_type {
  gxds_policy_type base; /* first */
  grpc_xds_policy_type program;
} gxds_registered_type;

typedef struct gxds_registered_policy {
  grpc_xds_policy base;                /* first */
  const grpc_xds_policy_type *program; /* borrowed: valid until the process ends */
  gxds_policy *inner;
  void *self;            /* the program's */
  bool created;          /* self is there */
  grpc_xds_waker *waker; /* a reference */

  /* References to parts of the last update. */
  gxds_lb_config *config;
  const gxds_addresses *addresses; /* NULL before the first addresses */
  const gxds_args *args;

  /* A list of the subchannels that the program has not destroyed yet. */
  struct gxds_registered_subchannel *subchannels;
} gxds_registered_policy;

/* An address of an update, as the program sees it. */
typedef struct gxds_registered_address {
  grpc_xds_address base; /* first */
  gxds_lb_address address;
  gxds_str identity; /* all that identifies a subchannel except the channel's args; owned */
} gxds_registered_address;

/* --- registered_config.c --- */

gxds_lb_config *gxds_registered_parse(const gxds_policy_type *type, const struct json_t *json,
                                      gxds_errors *errors);
void *gxds_registered_config(gxds_lb_config *c);
void gxds_registered_config_error(grpc_xds_config_errors *e, const char *field,
                                  const char *message);

/* --- registered_update.c --- */

/* An update as the program sees it. The addresses must outlive it. */
typedef struct gxds_registered_update {
  grpc_xds_update base; /* first */
  gxds_registered_address *addresses;
  const grpc_xds_address **pointers;
  size_t locality_count;
  grpc_xds_locality **localities;
  gxds_text note;
} gxds_registered_update;

void gxds_registered_update_init(gxds_registered_update *u, const gxds_addresses *addresses,
                                 gxds_lb_config *config, gxds_str note);
void gxds_registered_update_fini(gxds_registered_update *u);

/* --- registered_subchannel.c --- */

grpc_xds_subchannel *gxds_registered_subchannel_create(grpc_xds_policy *p,
                                                       const grpc_xds_address *address, void *tag);
bool gxds_registered_subchannel_fits(const grpc_xds_subchannel *s, const grpc_xds_address *address);
void gxds_registered_subchannel_connect(grpc_xds_subchannel *s);
void gxds_registered_subchannel_reset_backoff(grpc_xds_subchannel *s);
void gxds_registered_subchannel_destroy(grpc_xds_subchannel *s);
grpc_xds_subchannel *gxds_registered_subchannel_ref(grpc_xds_subchannel *s);
void gxds_registered_subchannel_unref(grpc_xds_subchannel *s);
/* Borrowed: valid as long as s. */
gxds_subchannel *gxds_registered_subchannel_inner(grpc_xds_subchannel *s);
/* Called when the policy ends: removes its subchannels from its list, so that they report nothing
 * more to it. */
void gxds_registered_subchannels_forget(gxds_registered_policy *p);

/* --- registered_picker.c --- */

/* Makes a picker from the program's picker, and takes ownership of that. The caller owns the
 * returned reference. */
gxds_picker *gxds_registered_picker_create(const grpc_xds_policy_type *program, void *take_picker);
grpc_xds_bytes gxds_registered_call_path(const grpc_xds_call *c);
bool gxds_registered_call_header(const grpc_xds_call *c, const char *name, grpc_xds_bytes *value);
void *gxds_registered_call_alloc(const grpc_xds_call *c, size_t size);
int gxds_registered_finish_code(const grpc_xds_finish *f);
bool gxds_registered_finish_trailer(const grpc_xds_finish *f, const char *name,
                                    grpc_xds_bytes *value);

/* --- registered_waker.c --- */

/* Takes its own reference to the poker. The caller owns the returned reference. */
grpc_xds_waker *gxds_registered_waker_create(gxds_poker *poker);
grpc_xds_waker *gxds_registered_waker_ref(grpc_xds_waker *w);
void gxds_registered_waker_unref(grpc_xds_waker *w);
void gxds_registered_waker_wake(grpc_xds_waker *w, uint64_t number);

/* --- */

/* Converts a status with which the program's policy explains a failure: the result is never OK. */
gxds_status gxds_registered_failure(const grpc_xds_status *status);

#endif
