/* Lets a program implement its own load-balancing policies, in C, for any channel of gRPC C-core.
 *
 * A program fills a grpc_xds_policy_type, and passes it to grpc_xds_register_policy() before the
 * first grpc_init(). Then it can configure the policy like gRPC's own: in a service config
 * ({"loadBalancingConfig": [{"my.policy": {…}}]}), or in an xDS Cluster's load_balancing_policy
 * (gRFC A52: a TypedStruct whose type_url is "type.googleapis.com/my.policy"). This header includes
 * no header of gRPC, and a program needs to link only libgrpc_xds for it.
 *
 * A policy is a leaf: it gets addresses, makes a subchannel to each address that it uses, and
 * publishes a state and a picker. The picker chooses a subchannel for each RPC. There is one policy
 * object for each channel, or for each priority or locality of a cluster.
 *
 *   create ─► update ─► (update, subchannel_state, exit_idle, on_deadline, woken …)* ─► destroy
 *
 * Threads. The functions of a policy run under the channel's serializer: one at a time, and they
 * must not block. A policy calls the functions of this header there. grpc_xds_policy_publish() may
 * call another function of the same policy, exit_idle() or update(), before it returns. So publish
 * last. Functions whose comment says "any thread" may run on any thread, also under locks.
 *
 * Errors. A status is one of gRPC's status codes (grpc/status.h; 0: OK) and a message. The side
 * that passes a status keeps the message, and the other side copies it at once. When memory runs
 * out, the process ends.
 *
 * Versions. Structs and tables only ever grow at their end, by a new GRPC_XDS_POLICY_VERSION. A
 * newer library serves programs of every older version; an older one refuses newer programs. */
#ifndef GRPC_XDS_POLICY_H_
#define GRPC_XDS_POLICY_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grpc_xds/grpc_xds.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. */
#define GRPC_XDS_POLICY_VERSION 1

/* The library makes these objects. A program only has pointers to them. */
typedef struct grpc_xds_policy grpc_xds_policy;               /* the library's side of one policy */
typedef struct grpc_xds_subchannel grpc_xds_subchannel;       /* a connection to one address */
typedef struct grpc_xds_waker grpc_xds_waker;                 /* wakes a policy from any thread */
typedef struct grpc_xds_call grpc_xds_call;                   /* an RPC for which a picker picks */
typedef struct grpc_xds_finish grpc_xds_finish;               /* how an attempt ended */
typedef struct grpc_xds_config_errors grpc_xds_config_errors; /* the errors of a config */

/* gRPC's connectivity states, with gRPC's numbers. */
typedef enum grpc_xds_state {
  GRPC_XDS_IDLE = 0,
  GRPC_XDS_CONNECTING = 1,
  GRPC_XDS_READY = 2,
  GRPC_XDS_TRANSIENT_FAILURE = 3
} grpc_xds_state;

typedef struct grpc_xds_status {
  int code;            /* one of gRPC's codes, 0 is OK; any other number counts as 2, UNKNOWN */
  const char *message; /* borrowed; NULL means empty */
} grpc_xds_status;

/* Borrowed bytes, not zero-terminated. */
typedef struct grpc_xds_bytes {
  const char *data;
  size_t size;
} grpc_xds_bytes;

typedef struct grpc_xds_locality {
  const char *region; /* this and the next two: zero-terminated, never NULL */
  const char *zone;
  const char *sub_zone;
  uint32_t weight; /* the locality's weight within its priority */
} grpc_xds_locality;

typedef struct grpc_xds_address {
  const char *text;     /* "10.0.0.1:80", "[::1]:80", "unix:/path" */
  uint32_t weight;      /* load_balancing_weight; 1 if the endpoint has none */
  const char *hash_key; /* gRFC A76: the key of the endpoint's place on a ring; "" if its address is
                           the key */
  const grpc_xds_locality *locality; /* NULL if the endpoint has no locality, as outside of xDS */
} grpc_xds_address;

/* All fields are borrowed: valid during update(), and config until the next update() has returned.
 */
typedef struct grpc_xds_update {
  void *config; /* what parse() returned. Other policies may use it at the same time: don't change
                   it */
  const grpc_xds_address *const *addresses; /* in the resolver's order; there may be none */
  size_t address_count;
  const char *note; /* the resolver's note on the addresses (gRFC A74); may be "". Below an xDS
                       cluster the library adds it to the status of a failed pick that lacks it */
} grpc_xds_update;

typedef enum grpc_xds_picked_kind {
  GRPC_XDS_PICKED_QUEUE,    /* the RPC waits for another picker */
  GRPC_XDS_PICKED_COMPLETE, /* the RPC goes to the subchannel */
  GRPC_XDS_PICKED_FAIL,     /* the RPC fails with the status, but waits if it is wait-for-ready */
  GRPC_XDS_PICKED_DROP      /* the RPC fails with the status even if it is wait-for-ready */
} grpc_xds_picked_kind;

/* The result of a pick. The library passes it zeroed to pick(): a zeroed result is QUEUE. */
typedef struct grpc_xds_picked {
  grpc_xds_picked_kind kind;
  grpc_xds_subchannel *subchannel; /* COMPLETE: borrowed from the picker */
  void *attempt;          /* COMPLETE: the argument of attempt_started(), attempt_finished() and
                             attempt_destroy(); NULL: they are not called */
  grpc_xds_status status; /* FAIL, DROP: not OK; the message is the picker's, or static */
} grpc_xds_picked;

/* A policy type is a table of functions. The comment of a function says if it may be NULL. The
 * functions may be called until the process ends. */
typedef struct grpc_xds_policy_type {
  uint32_t version; /* GRPC_XDS_POLICY_VERSION */
  const char *name; /* the name in configs: "my.policy"; copied */

  /* --- Any thread --- */

  /* Makes the config from its JSON. json is an object as zero-terminated text, borrowed during the
   * call. It is "{}" when a service config only names the policy. Adds every error to errors. If
   * there is one, the config is refused, its author gets the errors, and the last good config stays
   * in use. Unknown fields should be ignored, as gRPC does. May return NULL. If parse is NULL, any
   * config is accepted, and the config of an update is NULL. */
  void *(*parse)(const char *json, grpc_xds_config_errors *errors);
  void (*config_destroy)(void *config); /* frees a config that is not NULL; may be NULL */

  /* --- Under the serializer. self: what create() made --- */

  /* policy is borrowed until destroy() has returned. Don't publish in create(): that ends the
   * process. The first update() follows soon. */
  void *(*create)(grpc_xds_policy *policy);
  /* Gives the policy a new config and a new list of all addresses, which replace the previous ones.
   * It is called even if only the config changed, or nothing. The first call comes when the
   * resolver has found addresses; until then the resolver's error is published. A status that is
   * not OK tells the resolver that the policy can't use the update, for example because there are
   * no addresses. */
  grpc_xds_status (*update)(void *self, const grpc_xds_update *update);
  /* The state of one of the policy's subchannels changed. tag is the tag that the subchannel was
   * made with. status says why it is in TRANSIENT_FAILURE, else it is OK; it is borrowed during the
   * call. A subchannel stays in TRANSIENT_FAILURE until its backoff is over. Then it is IDLE, and
   * connects only when the policy asks for it. The policy may destroy the subchannel here. */
  void (*subchannel_state)(void *self, void *tag, grpc_xds_state state,
                           const grpc_xds_status *status);
  /* An RPC waits, or the program wants a connection: leave IDLE. May be NULL if the policy is never
   * IDLE. */
  void (*exit_idle)(void *self);
  /* The network changed: connect again at once (grpc_xds_subchannel_reset_backoff). May be NULL. */
  void (*reset_backoff)(void *self);
  void (*on_deadline)(void *self); /* the deadline of grpc_xds_policy_set_deadline() has come */
  void (*woken)(void *self, uint64_t number); /* grpc_xds_waker_wake() was called */
  /* The policy ends, and must destroy its subchannels. No other function of the policy is called
   * any more; the library may stop calling them shortly before this call. */
  void (*destroy)(void *self);

  /* --- Any thread, several at a time: mutable fields of a picker must be atomic --- */

  /* Picks for one RPC, with a picker that was published. It runs in every RPC, under locks of the
   * channel. So it must be quick, and may call only the functions for calls and those for any
   * thread. */
  void (*pick)(void *picker, const grpc_xds_call *call, grpc_xds_picked *out);
  void (*picker_destroy)(
      void *picker); /* frees the picker, perhaps long after the policy's end; may be NULL */

  /* The attempt started; the attempt finished; the object `attempt` must be freed. The calls come
   * in this order, on one thread at a time. attempt_destroy() always comes; the other two may not.
   * The policy may no longer exist then, so everything that they need must be in attempt. Each may
   * be NULL. */
  void (*attempt_started)(void *attempt);
  void (*attempt_finished)(void *attempt, const grpc_xds_finish *finish);
  void (*attempt_destroy)(void *attempt);
} grpc_xds_policy_type;

/* Registers the policy with gRPC, for all channels of the process. The type is copied. Call it
 * before the first grpc_init() (in C++: before the first channel, server or credentials), on any
 * thread. Returns GRPC_XDS_OK, or one of these errors; then nothing is registered:
 *   GRPC_XDS_ERROR_POLICY_VERSION  the program was compiled with a newer header than the library's
 *   GRPC_XDS_ERROR_POLICY_INVALID  no name, or a function is NULL that may not be
 *   GRPC_XDS_ERROR_POLICY_EXISTS   there is a policy of that name: gRPC's, ours or the program's
 *   GRPC_XDS_ERROR_TOO_LATE        gRPC was initialised before
 * and those of grpc_xds_plugin_register(), which it calls. */
__attribute__((visibility("default"))) grpc_xds_result grpc_xds_register_policy(
    const grpc_xds_policy_type *type);

/* The library's implementation of the functions below. Programs call the functions below, not this
 * table. */
typedef struct grpc_xds_policy_api {
  uint32_t version; /* the library's */
  void (*publish)(grpc_xds_policy *p, grpc_xds_state state, const grpc_xds_status *status,
                  void *take_picker);
  void (*reresolve)(grpc_xds_policy *p);
  int64_t (*now)(const grpc_xds_policy *p);
  void (*set_deadline)(grpc_xds_policy *p, int64_t deadline);
  void (*log)(const grpc_xds_policy *p, bool is_error, const char *line);
  grpc_xds_waker *(*waker)(grpc_xds_policy *p);
  grpc_xds_waker *(*waker_ref)(grpc_xds_waker *w);
  void (*waker_unref)(grpc_xds_waker *w);
  void (*waker_wake)(grpc_xds_waker *w, uint64_t number);
  grpc_xds_subchannel *(*subchannel_create)(grpc_xds_policy *p, const grpc_xds_address *address,
                                            void *tag);
  bool (*subchannel_fits)(const grpc_xds_subchannel *s, const grpc_xds_address *address);
  void (*subchannel_connect)(grpc_xds_subchannel *s);
  void (*subchannel_reset_backoff)(grpc_xds_subchannel *s);
  void (*subchannel_destroy)(grpc_xds_subchannel *s);
  grpc_xds_subchannel *(*subchannel_ref)(grpc_xds_subchannel *s);
  void (*subchannel_unref)(grpc_xds_subchannel *s);
  grpc_xds_bytes (*call_path)(const grpc_xds_call *c);
  bool (*call_header)(const grpc_xds_call *c, const char *name, grpc_xds_bytes *value);
  void *(*call_alloc)(const grpc_xds_call *c, size_t size);
  int (*finish_code)(const grpc_xds_finish *f);
  bool (*finish_trailer)(const grpc_xds_finish *f, const char *name, grpc_xds_bytes *value);
  void (*config_error)(grpc_xds_config_errors *e, const char *field, const char *message);
} grpc_xds_policy_api;

/* Each of these objects begins with the table; the rest is private to the library. */
struct grpc_xds_policy {
  const grpc_xds_policy_api *api;
};
struct grpc_xds_subchannel {
  const grpc_xds_policy_api *api;
};
struct grpc_xds_waker {
  const grpc_xds_policy_api *api;
};
struct grpc_xds_call {
  const grpc_xds_policy_api *api;
};
struct grpc_xds_finish {
  const grpc_xds_policy_api *api;
};
struct grpc_xds_config_errors {
  const grpc_xds_policy_api *api;
};

/* --- For policies: under the serializer --- */

/* Publishes the policy's state, and the picker that picks from now on. Takes ownership of
 * take_picker. In TRANSIENT_FAILURE status is the reason, and not OK. In other states it is NULL.
 * In READY take_picker must not be NULL. In the other states NULL stands for one of the library's
 * pickers: in IDLE and CONNECTING RPCs wait, and the first RPC that waits causes a call of
 * exit_idle(); in TRANSIENT_FAILURE RPCs fail with the status. */
static inline void grpc_xds_policy_publish(grpc_xds_policy *p, grpc_xds_state state,
                                           const grpc_xds_status *status, void *take_picker) {
  p->api->publish(p, state, status, take_picker);
}
/* Asks the resolver for new addresses, for example when connections fail. */
static inline void grpc_xds_policy_reresolve(grpc_xds_policy *p) { p->api->reresolve(p); }
/* The time of the channel's clock, in nanoseconds since an unspecified moment. It never goes back.
 */
static inline int64_t grpc_xds_policy_now(const grpc_xds_policy *p) { return p->api->now(p); }
/* Sets the policy's one deadline, in the time of grpc_xds_policy_now(). on_deadline() is called
 * once, at that time or a little later, and never from within this call. A later call replaces the
 * deadline; INT64_MAX clears it. */
static inline void grpc_xds_policy_set_deadline(grpc_xds_policy *p, int64_t deadline) {
  p->api->set_deadline(p, deadline);
}
/* Writes a line to gRPC's log, with the policy's name before it, and severity ERROR or INFO.
 * Control characters in it are escaped. */
static inline void grpc_xds_policy_log(const grpc_xds_policy *p, bool is_error, const char *line) {
  p->api->log(p, is_error, line);
}

/* --- Subchannels --- */

/* Makes a subchannel to an address of the current update. The policy owns it, and destroys it with
 * grpc_xds_subchannel_destroy(). It does not connect yet. subchannel_state() reports its state,
 * with that tag: the present state soon, but never during this call. Another subchannel or another
 * channel may already have a connection to the address; then it is shared. Returns NULL if no
 * subchannel can be made. */
static inline grpc_xds_subchannel *grpc_xds_subchannel_create(grpc_xds_policy *p,
                                                              const grpc_xds_address *address,
                                                              void *tag) {
  return p->api->subchannel_create(p, address, tag);
}
/* Whether grpc_xds_subchannel_create() would make the same subchannel for this address of the
 * current update. If so, the policy can keep s. Weights may differ. */
static inline bool grpc_xds_subchannel_fits(const grpc_xds_subchannel *s,
                                            const grpc_xds_address *address) {
  return s->api->subchannel_fits(s, address);
}
/* Asks the subchannel to connect once its backoff is over. Has no effect if it is connected. */
static inline void grpc_xds_subchannel_connect(grpc_xds_subchannel *s) {
  s->api->subchannel_connect(s);
}
/* Ends the subchannel's backoff. */
static inline void grpc_xds_subchannel_reset_backoff(grpc_xds_subchannel *s) {
  s->api->subchannel_reset_backoff(s);
}
/* Gives up the subchannel. Its state is not reported any more. The connection ends unless a picker
 * still has a reference. s may be NULL. */
static inline void grpc_xds_subchannel_destroy(grpc_xds_subchannel *s) {
  if (s) s->api->subchannel_destroy(s);
}
/* For pickers, which hold references to the subchannels that they pick. Any thread. */
static inline grpc_xds_subchannel *grpc_xds_subchannel_ref(grpc_xds_subchannel *s) {
  return s->api->subchannel_ref(s);
}
static inline void grpc_xds_subchannel_unref(grpc_xds_subchannel *s) {
  if (s) s->api->subchannel_unref(s);
}

/* --- Wakers: for pickers and other threads, which must not call the policy --- */

/* The caller owns the returned reference. Under the serializer. */
static inline grpc_xds_waker *grpc_xds_policy_waker(grpc_xds_policy *p) { return p->api->waker(p); }
/* This function and the next two: any thread. */
static inline grpc_xds_waker *grpc_xds_waker_ref(grpc_xds_waker *w) { return w->api->waker_ref(w); }
static inline void grpc_xds_waker_unref(grpc_xds_waker *w) {
  if (w) w->api->waker_unref(w);
}
/* Causes one call of woken() with that number: soon, under the serializer, and never from within
 * this call. There is no call if the policy has ended. */
static inline void grpc_xds_waker_wake(grpc_xds_waker *w, uint64_t number) {
  w->api->waker_wake(w, number);
}

/* --- Calls: during pick() --- */

/* "/package.Service/Method". Borrowed: valid during pick(). */
static inline grpc_xds_bytes grpc_xds_call_path(const grpc_xds_call *c) {
  return c->api->call_path(c);
}
/* Looks up a header of the request by its lower-case name. False: the request does not have it.
 * *value is borrowed: valid until the next call of this function. */
static inline bool grpc_xds_call_header(const grpc_xds_call *c, const char *name,
                                        grpc_xds_bytes *value) {
  return c->api->call_header(c, name, value);
}
/* Memory for picked.attempt that lives as long as the RPC. It is not zeroed. Don't free it. */
static inline void *grpc_xds_call_alloc(const grpc_xds_call *c, size_t size) {
  return c->api->call_alloc(c, size);
}

/* --- Ends of attempts: during attempt_finished() --- */

/* The status code of the attempt, as gRPC numbers it. */
static inline int grpc_xds_finish_code(const grpc_xds_finish *f) { return f->api->finish_code(f); }
/* Like grpc_xds_call_header(), for a trailer of the response. */
static inline bool grpc_xds_finish_trailer(const grpc_xds_finish *f, const char *name,
                                           grpc_xds_bytes *value) {
  return f->api->finish_trailer(f, name, value);
}

/* --- Configs: during parse() --- */

/* Adds an error. field is the path of the field ("endpoints[2].weight"), or NULL if the error is
 * not about one field. Both texts are copied. */
static inline void grpc_xds_config_error(grpc_xds_config_errors *e, const char *field,
                                         const char *message) {
  e->api->config_error(e, field, message);
}

#ifdef __cplusplus
}
#endif

#endif
