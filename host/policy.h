/* gxds_policy: a load-balancing policy in C, and the functions that it may call.
 *
 * A policy is a gxds_policy_type (a table of functions that is never freed) and, for each instance,
 * an object of the type's own. A policy gets updates from its parent. It publishes a state and a
 * picker to its parent, makes subchannels and has children. It cannot tell whether its parent, or a
 * child, is a policy in C or one of the host's. Calls between policies in C run only C code.
 *
 * Everything here is confined to the channel's serializer, except where a comment says otherwise. A
 * function of the policy may be called while another one runs: for example, a child reports while
 * it is updated. Work that must not run at once goes through gxds_policy_set_deadline() or a
 * gxds_poker.
 *
 * A life:  create ─► (update, exit_idle, child_state, on_deadline, poked …)* ─► end ─► destroy
 * end() may be called while another function of the policy runs. destroy() never is: the memory
 * stays until the serializer has done its present work. After end() only destroy() is called, and
 * requests of the policy have no effect. A loop must check gxds_policy_ended(). */
#ifndef GRPC_XDS_HOST_POLICY_H_
#define GRPC_XDS_HOST_POLICY_H_

#include <grpc/impl/codegen/connectivity_state.h>
#include <stdint.h>

#include "base/errors.h"
#include "base/time.h"
#include "host/addresses.h"
#include "host/args.h"
#include "host/lb_config.h"
#include "host/pick.h"
#include "host/subchannel.h"
#include "metrics/policy_counts.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gxds_cluster_entry; /* xds_resolver/cluster_map.h */
struct gxds_config;        /* xds_resolver/config.h: the snapshot */
struct gxds_mailbox;       /* xds_resolver/mailbox.h */
struct json_t;             /* jansson's */

typedef struct gxds_policy gxds_policy;

/* All fields are borrowed: valid during the call. A policy that passes an update on to its child
 * replaces config, and every other field that it decides for the child. */
typedef struct gxds_lb_update {
  gxds_lb_config *config;
  const gxds_addresses *addresses; /* NULL: there are none; addresses_status is the reason */
  gxds_status addresses_status;    /* not OK when addresses is NULL */
  const gxds_args *args;
  gxds_str note;                      /* the resolution note (A74); may be empty */
  const struct gxds_config *snapshot; /* A74; NULL: not below the xds resolver */
  struct gxds_mailbox *mailbox;       /* NULL: not below the xds resolver */
  /* E5: an entry of the cluster to use in place of the snapshot's; NULL: use the snapshot's. */
  const struct gxds_cluster_entry *entry;
} gxds_lb_update;

typedef struct gxds_policy_type {
  const char *name;
  const char *trace;    /* the word in GRPC_TRACE that turns on the policy's trace; NULL: none */
  const char *log_name; /* the name at the start of its log lines; NULL: name */
  /* The policy's name in errors of its config: "errors validating TITLE LB policy config". NULL:
   * name. */
  const char *title;
  bool needs_config; /* a service config that only names the policy is refused */

  /* Makes a config from its JSON form. The caller owns the returned reference. On errors adds all
   * of them to errors, and returns NULL. json is NULL if a service config only names the policy and
   * needs_config is false. parse_list parses the configs of children (gxds_lb_parse_child()). Any
   * thread. */
  gxds_lb_config *(*parse)(const struct json_t *json, gxds_lb_parse_list *parse_list,
                           gxds_errors *errors);
  /* In place of parse, for policy types that share one function, which gets the type. If it is set,
   * parse is NULL. */
  gxds_lb_config *(*parse_of)(const struct gxds_policy_type *type, const struct json_t *json,
                              gxds_errors *errors);

  /* args: the channel's when the policy was made; borrowed, valid during the call. */
  void *(*create)(gxds_policy *p, const gxds_args *args);
  /* A status that is not OK goes to the resolver: the policy refused the update, or can't use it.
   */
  gxds_status (*update)(void *self, const gxds_lb_update *update);
  void (*exit_idle)(void *self);     /* NULL: nothing to be done */
  void (*reset_backoff)(void *self); /* NULL: nothing to be done */
  /* Ends the policy. It ends its children and subchannels before it returns. */
  void (*end)(void *self);
  void (*destroy)(void *self);

  void (*on_deadline)(void *self); /* NULL: the policy never sets a deadline */
  /* gxds_poker_poke() was called. NULL: the policy is never poked. */
  void (*poked)(void *self, uint64_t number, gxds_str text);

  /* For policies with children: a child reports its state. child is the child's token. */
  void (*child_state)(void *self, uint64_t child, grpc_connectivity_state state,
                      const gxds_status *status, gxds_picker *take_picker);
  /* A child asks for a subchannel. If this is NULL, it gets one from gxds_policy_subchannel(). */
  gxds_subchannel *(*child_subchannel)(void *self, uint64_t child, const gxds_lb_address *address,
                                       const gxds_args *args);
  /* Whether a child's request for new addresses is passed on. NULL means yes. */
  bool (*child_reresolve)(void *self, uint64_t child);
  /* Sets in *out those metric labels that this policy adds for the child and the policies below it.
   * They stay the same as long as the child lives. Borrowed: gxds_metric_labels says how long they
   * are valid. May be NULL. */
  void (*child_label)(void *self, uint64_t child, gxds_metric_labels *out);

  /* If not NULL, the policy cannot be configured by JSON, and has no parse function. The text is
   * the reason: the error is "NAME cannot be configured: " and this text. */
  const char *unconfigurable;
} gxds_policy_type;

static inline const char *gxds_policy_type_title(const gxds_policy_type *type) {
  return type->title ? type->title : type->name;
}

/* --- Functions that a policy may call --- */

/* Publishes the policy's state, and the picker that picks from now on. status: borrowed; NULL means
 * OK. */
void gxds_policy_publish(gxds_policy *p, grpc_connectivity_state state, const gxds_status *status,
                         gxds_picker *take_picker);
/* Publishes TRANSIENT_FAILURE with a picker that fails each RPC with that status (borrowed). */
void gxds_policy_publish_failure(gxds_policy *p, const gxds_status *status);
/* Like gxds_policy_publish_failure(), but takes ownership of the status. */
void gxds_policy_fail(gxds_policy *p, gxds_status take_status);
/* Like gxds_policy_publish_failure(), for a policy that was given no endpoints. The message must
 * contain the note of the update, which says why. cluster_impl then does not add the note again. */
void gxds_policy_publish_empty(gxds_policy *p, const gxds_status *status);
/* The status of a leaf that was given no endpoints. note is the note of its update. */
GXDS_MUST_USE gxds_status gxds_policy_empty_status(gxds_str note);
/* Publishes the state (IDLE or CONNECTING), and a picker that makes RPCs wait. The first RPC that
 * waits asks the policy to exit idle. */
void gxds_policy_publish_queue(gxds_policy *p, grpc_connectivity_state state);
/* Asks for new addresses. */
void gxds_policy_reresolve(gxds_policy *p);
/* Asks the parent for a subchannel to that endpoint. The caller owns the returned reference; NULL
 * if none can be made. */
gxds_subchannel *gxds_policy_subchannel(gxds_policy *p, const gxds_lb_address *address,
                                        const gxds_args *args);
/* The metrics of that kind for p to count. Their labels are the target of the channel, and the
 * labels that the policies above p set. Call it when p is made: the labels stay the same as long as
 * p lives. Borrowed: valid until the process ends. */
gxds_policy_counts *gxds_policy_counts_for(const gxds_policy *p, gxds_counting kind);
/* Like gxds_policy_counts_for(), with this locality as a label (gxds_metric_locality(); empty:
 * none), for a p that counts several localities. Only before p ends. */
gxds_policy_counts *gxds_policy_counts_in(const gxds_policy *p, gxds_counting kind,
                                          gxds_str locality);
gxds_time gxds_policy_now(const gxds_policy *p);
/* A new seed at each call. A simulated host, which can repeat a run, gives the same seeds again. */
uint64_t gxds_policy_random_seed(const gxds_policy *p);
/* Sets the policy's one deadline: on_deadline() is called once, at that time or a little later, and
 * never from within this call. A later call replaces the deadline; GXDS_TIME_NEVER clears it. */
void gxds_policy_set_deadline(gxds_policy *p, gxds_time deadline);
/* Whether end() was called. True also while end() runs. */
bool gxds_policy_ended(const gxds_policy *p);
/* The type of p. */
const gxds_policy_type *gxds_policy_type_of(const gxds_policy *p);
/* The channel (host/channel.h), which is the same for all its policies. Borrowed: valid as long as
 * p. */
struct gxds_lb_channel *gxds_policy_channel(const gxds_policy *p);
/* The host's object at the top of the tree that p is in. Borrowed: valid as long as p has not
 * ended. */
struct gxds_lb_root *gxds_policy_root(const gxds_policy *p);

/* Parses a list with the channel's gxds_lb_parse_list (host/lb_config.h). */
gxds_lb_config *gxds_policy_parse_list(const gxds_policy *p, gxds_str json, gxds_status *why);

/* The state's name in gRPC: "READY". */
const char *gxds_lb_state_name(grpc_connectivity_state state);
/* Whether GRPC_TRACE has the type's word. Ask before making a text for a line. */
bool gxds_policy_traces(const gxds_policy *p);
/* Logs the line "[LOG_NAME 0x…] TEXT" if GRPC_TRACE has the type's word. Control characters are
 * escaped. The functions with "log" in their names log in any case. A line of
 * gxds_policy_log_error() begins with "grpc_xds: ". */
__attribute__((format(printf, 2, 3))) void gxds_policy_trace(const gxds_policy *p,
                                                             const char *format, ...);
/* Logs a child's new state if GRPC_TRACE has the type's word. */
void gxds_policy_trace_child(const gxds_policy *p, uint64_t token, grpc_connectivity_state state,
                             const gxds_status *status);
__attribute__((format(printf, 2, 3))) void gxds_policy_log(const gxds_policy *p, const char *format,
                                                           ...);
__attribute__((format(printf, 2, 3))) void gxds_policy_log_error(const gxds_policy *p,
                                                                 const char *format, ...);

/* --- Children --- */

/* A child: the policy that the config of its updates names. If an update names another policy, the
 * child makes the new policy beside the old one. The new policy replaces the old one when it
 * reports any state but CONNECTING (gRPC's graceful switch). One owner: the parent. */
typedef struct gxds_lb_child gxds_lb_child;
/* token identifies the child to its parent. */
gxds_lb_child *gxds_lb_child_create(gxds_policy *parent, uint64_t token);
/* Ends the child, which reports nothing more. c may be NULL. */
void gxds_lb_child_end(gxds_lb_child *c);
/* Returns the child policy's status for the update. A report of the child during the call may make
 * the parent end c. */
GXDS_MUST_USE gxds_status gxds_lb_child_update(gxds_lb_child *c, const gxds_lb_update *update);
void gxds_lb_child_exit_idle(gxds_lb_child *c);
void gxds_lb_child_reset_backoff(gxds_lb_child *c);

/* --- Pokes: for pickers, which have no pointer to their policy --- */

/* A gxds_poker lets any thread notify a policy at any time, even when the policy has ended. Counted
 * by reference. */
typedef struct gxds_poker gxds_poker;
/* Borrowed: valid as long as p. */
gxds_poker *gxds_policy_poker(gxds_policy *p);
gxds_poker *gxds_poker_ref(gxds_poker *k);
void gxds_poker_unref(gxds_poker *k); /* NULL is allowed */
/* Causes a call of poked() under the serializer, never from within this call. Any thread, under any
 * locks. text is copied. */
void gxds_poker_poke(gxds_poker *k, uint64_t number, gxds_str text);

/* --- For hosts --- */

/* Makes a policy at the top of a tree. One owner: the host. */
gxds_policy *gxds_policy_create(const gxds_policy_type *type, struct gxds_lb_root *root,
                                const gxds_args *args);
GXDS_MUST_USE gxds_status gxds_policy_update(gxds_policy *p, const gxds_lb_update *update);
void gxds_policy_exit_idle(gxds_policy *p);
void gxds_policy_reset_backoff(gxds_policy *p);
void gxds_policy_end(gxds_policy *p); /* NULL is allowed */

#ifdef __cplusplus
}
#endif

#endif
