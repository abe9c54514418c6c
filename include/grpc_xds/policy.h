/* Load-balancing policies of a program's own, in C, for any channel of gRPC C-core.
 *
 * A program fills a grpc_xds_policy_type, gives it to grpc_xds_register_policy() before the first
 * grpc_init(), and names the policy where gRPC's own are named: in a service config
 * ({"loadBalancingConfig": [{"my.policy": {…}}]}), or in an xDS Cluster's load_balancing_policy
 * (gRFC A52: a TypedStruct whose type_url is "type.googleapis.com/my.policy"). This header needs
 * nothing of gRPC's, and a program links libgrpc_xds alone for it.
 *
 * A policy is a leaf: it gets addresses, makes a subchannel to each that it wants to use, and gives
 * the channel a state and a picker, which chooses a subchannel for each RPC. There is one object of
 * it for each channel, or for each priority or locality of a cluster.
 *
 *   create ─► update ─► (update, subchannel_state, exit_idle, on_deadline, woken …)* ─► destroy
 *
 * Threads. The functions of a policy, and what it may call, run under the channel's serializer: one
 * at a time, and they must not block. What a function reports by grpc_xds_policy_publish() may call
 * another function of the same policy, exit_idle() or update(), before that returns: publish last.
 * What is said to be for any thread may be used on any, also under locks.
 *
 * Errors. A status is a number of gRPC's (grpc/status.h; 0: OK) and a message. Whoever gives one
 * keeps the message, which is copied at once. When memory runs out the process ends.
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

/* What the library makes: only ever behind pointers. */
typedef struct grpc_xds_policy grpc_xds_policy;         /* one policy, as the library has it */
typedef struct grpc_xds_subchannel grpc_xds_subchannel; /* a connection to one address */
typedef struct grpc_xds_waker grpc_xds_waker;           /* by what others wake a policy */
typedef struct grpc_xds_call grpc_xds_call;             /* an RPC that is picked for */
typedef struct grpc_xds_finish grpc_xds_finish;         /* how an attempt ended */
typedef struct grpc_xds_config_errors grpc_xds_config_errors; /* what is wrong with a config */

/* gRPC's connectivity states, by its numbers. */
typedef enum grpc_xds_state {
  GRPC_XDS_IDLE = 0,
  GRPC_XDS_CONNECTING = 1,
  GRPC_XDS_READY = 2,
  GRPC_XDS_TRANSIENT_FAILURE = 3
} grpc_xds_state;

typedef struct grpc_xds_status {
  int code;            /* 0: OK, else gRPC's; what is none of its numbers counts as 2, UNKNOWN */
  const char *message; /* borrow; NULL: empty */
} grpc_xds_status;

/* Bytes of somebody else's; not zero-terminated. */
typedef struct grpc_xds_bytes {
  const char *data;
  size_t size;
} grpc_xds_bytes;

typedef struct grpc_xds_locality {
  const char *region; /* zero-terminated, never NULL, as are the other two */
  const char *zone;
  const char *sub_zone;
  uint32_t weight; /* of the locality among those of its priority */
} grpc_xds_locality;

typedef struct grpc_xds_address {
  const char *text;                  /* "10.0.0.1:80", "[::1]:80", "unix:/path" */
  uint32_t weight;                   /* load_balancing_weight; 1 when nothing is said */
  const char *hash_key;              /* gRFC A76: what it is on a ring; "": its address */
  const grpc_xds_locality *locality; /* NULL: none is known, as outside of xDS */
} grpc_xds_address;

/* All of it is borrowed: valid during update(); config: until the next update() has returned. */
typedef struct grpc_xds_update {
  void *config; /* what parse() made of it; others may have it at the same time: don't change it */
  const grpc_xds_address *const *addresses; /* in the order of the resolver; may be none */
  size_t address_count;
  const char *note; /* what the resolver has to say of them (gRFC A74); may be "" */
} grpc_xds_update;

typedef enum grpc_xds_picked_kind {
  GRPC_XDS_PICKED_QUEUE,    /* the RPC waits for another picker */
  GRPC_XDS_PICKED_COMPLETE, /* it goes to the subchannel */
  GRPC_XDS_PICKED_FAIL,     /* it fails with the status; one that waits for ready waits */
  GRPC_XDS_PICKED_DROP      /* it fails with the status in any case */
} grpc_xds_picked_kind;

/* What a pick came to. The library makes it, zeroed: that is QUEUE. */
typedef struct grpc_xds_picked {
  grpc_xds_picked_kind kind;
  grpc_xds_subchannel *subchannel; /* COMPLETE: borrow, of the picker */
  void *attempt; /* COMPLETE: what attempt_started() and the others hear; NULL: they don't */
  grpc_xds_status status; /* FAIL, DROP: not OK; the message is the picker's, or static */
} grpc_xds_picked;

/* A policy: a table of functions. A function that may be NULL says so. What they are is used until
 * the process ends. */
typedef struct grpc_xds_policy_type {
  uint32_t version; /* GRPC_XDS_POLICY_VERSION */
  const char *name; /* as configs name it: "my.policy"; copied */

  /* --- Any thread --- */

  /* Makes the config of its JSON: an object, as zero-terminated text (borrowed: valid during the
   * call), "{}" when a service config only names the policy. What is wrong goes to errors, all of
   * it: then the config is refused, who wrote it hears of it, and what was in force stays. Fields
   * that it does not know it should ignore, as gRPC does. May return NULL. parse NULL: any config
   * will do, and an update's config is NULL. */
  void *(*parse)(const char *json, grpc_xds_config_errors *errors);
  void (*config_destroy)(void *config); /* of one that is not NULL; NULL: nothing to be done */

  /* --- Under the serializer. self: what create() made --- */

  /* policy: borrowed, valid until destroy() has returned. Nothing is published from here, which
   * would end the process: the first update() comes soon. */
  void *(*create)(grpc_xds_policy *policy);
  /* The config, and all addresses, in place of those before: also when only the config changed, or
   * nothing did. Not before the resolver has found addresses: until then its error is published.
   * Not OK: the update is of no use (there are no addresses), and the resolver hears of it. */
  grpc_xds_status (*update)(void *self, const grpc_xds_update *update);
  /* The state of a subchannel of self's, named by the tag that it was made with; status: why it is
   * in TRANSIENT_FAILURE, else OK (borrowed, valid during the call). It stays in TRANSIENT_FAILURE
   * until its backoff is over, and is IDLE then: it connects only when it is told to. The
   * subchannel may be destroyed here. */
  void (*subchannel_state)(void *self, void *tag, grpc_xds_state state,
                           const grpc_xds_status *status);
  /* An RPC waits, or the program wants a connection: leave IDLE. NULL: it never is IDLE. */
  void (*exit_idle)(void *self);
  /* The network changed: try again at once (grpc_xds_subchannel_reset_backoff). NULL: it does not.
   */
  void (*reset_backoff)(void *self);
  void (*on_deadline)(void *self);            /* that of grpc_xds_policy_set_deadline() */
  void (*woken)(void *self, uint64_t number); /* by grpc_xds_waker_wake() */
  /* The policy is no more; subchannel_state() and the others are not called any more, perhaps for a
   * moment already. Its subchannels are to be destroyed. */
  void (*destroy)(void *self);

  /* --- Any thread, several at a time: what changes in a picker must be atomic --- */

  /* Chooses for an RPC, by a picker that was published. In every RPC, under locks of the channel:
   * it must be quick, and call nothing but what is for calls and any thread. */
  void (*pick)(void *picker, const grpc_xds_call *call, grpc_xds_picked *out);
  void (*picker_destroy)(void *picker); /* perhaps long after the policy's end. NULL: nothing */

  /* An attempt started; it ended; it is no more. Of these the first two may be left out, in this
   * order, the last comes in any case. One thread at a time. They know no policy: what they need is
   * in attempt. Each may be NULL. */
  void (*attempt_started)(void *attempt);
  void (*attempt_finished)(void *attempt, const grpc_xds_finish *finish);
  void (*attempt_destroy)(void *attempt);
} grpc_xds_policy_type;

/* Makes the policy known to gRPC, for all channels of the process. The type is copied. Before the
 * first grpc_init() (in C++: before the first channel, server or credentials), from any thread.
 * GRPC_XDS_OK, or nothing is registered:
 *   GRPC_XDS_ERROR_POLICY_VERSION  the program was compiled with a newer header than the library's
 *   GRPC_XDS_ERROR_POLICY_INVALID  no name, or a function is NULL that may not be
 *   GRPC_XDS_ERROR_POLICY_EXISTS   there is a policy of that name: gRPC's, ours or the program's
 *   GRPC_XDS_ERROR_TOO_LATE        gRPC was initialised before
 * and those of grpc_xds_plugin_register(), which it calls. */
__attribute__((visibility("default"))) grpc_xds_result grpc_xds_register_policy(
    const grpc_xds_policy_type *type);

/* The library's side of the functions below. Programs call those. */
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

/* Each begins so; the rest is the library's. */
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

/* --- What a policy may do: under the serializer --- */

/* Its state, and the picker by which RPCs are picked for from now on, which the library owns then.
 * status: why, in TRANSIENT_FAILURE (not OK); else NULL. take_picker: never NULL in READY. NULL: of
 * the library's, by which RPCs wait, and the first that does calls exit_idle() (IDLE, CONNECTING),
 * or fail with the status (TRANSIENT_FAILURE). */
static inline void grpc_xds_policy_publish(grpc_xds_policy *p, grpc_xds_state state,
                                           const grpc_xds_status *status, void *take_picker) {
  p->api->publish(p, state, status, take_picker);
}
/* Asks the resolver for new addresses: when connections fail. */
static inline void grpc_xds_policy_reresolve(grpc_xds_policy *p) { p->api->reresolve(p); }
/* The channel's clock: nanoseconds since some moment, never going back. */
static inline int64_t grpc_xds_policy_now(const grpc_xds_policy *p) { return p->api->now(p); }
/* on_deadline() is called once at that time of grpc_xds_policy_now() or a little later, never from
 * here, unless another is set before; INT64_MAX: not at all. A policy has one. */
static inline void grpc_xds_policy_set_deadline(grpc_xds_policy *p, int64_t deadline) {
  p->api->set_deadline(p, deadline);
}
/* A line for gRPC's log, with the policy's name before it, of severity ERROR or INFO. Control
 * characters in it are escaped. */
static inline void grpc_xds_policy_log(const grpc_xds_policy *p, bool is_error, const char *line) {
  p->api->log(p, is_error, line);
}

/* --- Subchannels --- */

/* A subchannel to an address of the update that is at work, for the policy to destroy. It does not
 * connect yet. subchannel_state() hears its state with that tag: the present one soon, never during
 * this call (an earlier subchannel, or another channel, may have the connection already). NULL:
 * none can be made. */
static inline grpc_xds_subchannel *grpc_xds_subchannel_create(grpc_xds_policy *p,
                                                              const grpc_xds_address *address,
                                                              void *tag) {
  return p->api->subchannel_create(p, address, tag);
}
/* Whether create() would make the same for an address of the update that is at work: then the
 * policy keeps it. (Weights may differ.) */
static inline bool grpc_xds_subchannel_fits(const grpc_xds_subchannel *s,
                                            const grpc_xds_address *address) {
  return s->api->subchannel_fits(s, address);
}
/* To connect, once its backoff is over. What is connected stays as it is. */
static inline void grpc_xds_subchannel_connect(grpc_xds_subchannel *s) {
  s->api->subchannel_connect(s);
}
/* Its backoff is over now. */
static inline void grpc_xds_subchannel_reset_backoff(grpc_xds_subchannel *s) {
  s->api->subchannel_reset_backoff(s);
}
/* subchannel_state() hears no more of it, and it ends, unless a picker has a reference. NULL is
 * allowed. */
static inline void grpc_xds_subchannel_destroy(grpc_xds_subchannel *s) {
  if (s) s->api->subchannel_destroy(s);
}
/* For pickers, which keep what they pick. Any thread. */
static inline grpc_xds_subchannel *grpc_xds_subchannel_ref(grpc_xds_subchannel *s) {
  return s->api->subchannel_ref(s);
}
static inline void grpc_xds_subchannel_unref(grpc_xds_subchannel *s) {
  if (s) s->api->subchannel_unref(s);
}

/* --- Wakers: for pickers and other threads, which must not call the policy --- */

/* The caller owns the returned reference. Under the serializer. */
static inline grpc_xds_waker *grpc_xds_policy_waker(grpc_xds_policy *p) { return p->api->waker(p); }
/* Any thread, all three. */
static inline grpc_xds_waker *grpc_xds_waker_ref(grpc_xds_waker *w) { return w->api->waker_ref(w); }
static inline void grpc_xds_waker_unref(grpc_xds_waker *w) {
  if (w) w->api->waker_unref(w);
}
/* woken() is called under the serializer with that number, soon, never from here; not at all when
 * the policy is no more. Once for each call of this. */
static inline void grpc_xds_waker_wake(grpc_xds_waker *w, uint64_t number) {
  w->api->waker_wake(w, number);
}

/* --- Calls: while pick() is at work --- */

/* "/package.Service/Method". Borrowed: valid during pick(). */
static inline grpc_xds_bytes grpc_xds_call_path(const grpc_xds_call *c) {
  return c->api->call_path(c);
}
/* A header of the request, by its name in small letters. False: it has none. Borrowed: valid until
 * the next call of this. */
static inline bool grpc_xds_call_header(const grpc_xds_call *c, const char *name,
                                        grpc_xds_bytes *value) {
  return c->api->call_header(c, name, value);
}
/* Memory that lives as long as the RPC, for picked.attempt: nobody frees it. Not zeroed. */
static inline void *grpc_xds_call_alloc(const grpc_xds_call *c, size_t size) {
  return c->api->call_alloc(c, size);
}

/* --- Ends of attempts: while attempt_finished() is at work --- */

/* The status of the attempt, by gRPC's numbers. */
static inline int grpc_xds_finish_code(const grpc_xds_finish *f) { return f->api->finish_code(f); }
/* A trailer of the response, as grpc_xds_call_header(). */
static inline bool grpc_xds_finish_trailer(const grpc_xds_finish *f, const char *name,
                                           grpc_xds_bytes *value) {
  return f->api->finish_trailer(f, name, value);
}

/* --- Configs: while parse() is at work --- */

/* Adds an error. field: its path ("endpoints[2].weight"); NULL: of the whole. Both are copied. */
static inline void grpc_xds_config_error(grpc_xds_config_errors *e, const char *field,
                                         const char *message) {
  e->api->config_error(e, field, message);
}

#ifdef __cplusplus
}
#endif

#endif
