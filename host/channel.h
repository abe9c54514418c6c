/* The host's side of policies in C. A host has channels, and the policies run under the channels'
 * serializers. The host is the parent of the policies that it made. One of its own policies may be
 * the child of a policy in C. In a program the host is host/grpc_common, together with the folder
 * for the version of gRPC. */
#ifndef GRPC_XDS_HOST_CHANNEL_H_
#define GRPC_XDS_HOST_CHANNEL_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_lb_channel gxds_lb_channel;
typedef struct gxds_lb_parent gxds_lb_parent;
typedef struct gxds_lb_root gxds_lb_root;
typedef struct gxds_hosts_policy gxds_hosts_policy;

/* Identifies a timer of the host. Only the host knows what the two words mean. */
typedef struct gxds_lb_timer {
  intptr_t words[2];
} gxds_lb_timer;

typedef enum gxds_lb_severity { GXDS_LB_INFO, GXDS_LB_ERROR } gxds_lb_severity;

typedef struct gxds_lb_channel_ops {
  void (*destroy)(gxds_lb_channel *c);
  gxds_time (*now)(const gxds_lb_channel *c);
  uint64_t (*random_seed)(gxds_lb_channel *c);
  /* Runs work(arg) under the serializer, after the work that the serializer is doing now. Call it
   * under the serializer. */
  void (*run_later)(gxds_lb_channel *c, void (*work)(void *arg), void *arg);
  /* Like run_later(), but may be called on any thread and under any locks. Never runs the work from
   * within the call. */
  void (*post)(gxds_lb_channel *c, void (*work)(void *arg), void *arg);
  /* Runs work(arg) under the serializer when that time has passed. Call it under the serializer,
   * while the channel has a policy. */
  gxds_lb_timer (*timer_start)(gxds_lb_channel *c, gxds_duration delay, void (*work)(void *arg),
                               void *arg);
  /* Cancels the timer. False if it is too late, and the work will run. Call it under the
   * serializer. */
  bool (*timer_cancel)(gxds_lb_channel *c, gxds_lb_timer timer);
  void (*log)(gxds_lb_severity severity, gxds_str line);
  /* Whether GRPC_TRACE has that word. Any thread. It is called often, so it must be cheap. */
  bool (*traces)(const char *word);
  gxds_lb_parse_list *parse_list;
} gxds_lb_channel_ops;

/* The state that the policies of one channel share. Counted by reference: any thread. */
struct gxds_lb_channel { /* first in the host's own object */
  gxds_ref refs;
  const gxds_lb_channel_ops *ops;
  /* The pace at which the channel's leaf policies connect (lb_policies/pace). They use it under the
   * serializer. NULL while the channel has no leaf policy. */
  struct gxds_channel_pace *pace;
  /* The limits on the channel's connections (lb_policies/pace/limits.h). NULL: the default limits.
   * The host may set it before it makes a policy. Borrowed: valid as long as the channel. */
  const struct gxds_connect_limits *limits;
  /* A94: the place where the channel's clusters count their connections
   * (lb_policies/cluster_impl/connections.h). They use it under the serializer. NULL while no
   * cluster uses it. */
  struct gxds_connection_place *connections;
};
static inline gxds_lb_channel *gxds_lb_channel_ref(gxds_lb_channel *c) {
  gxds_ref_inc(&c->refs);
  return c;
}
/* NULL is allowed. */
static inline void gxds_lb_channel_unref(gxds_lb_channel *c) {
  if (c && gxds_ref_dec(&c->refs)) c->ops->destroy(c);
}

/* The parent of a policy: the host, or a policy in C. */
typedef struct gxds_lb_parent_ops {
  void (*publish)(gxds_lb_parent *p, grpc_connectivity_state state, const gxds_status *status,
                  gxds_picker *take_picker);
  gxds_subchannel *(*subchannel)(gxds_lb_parent *p, const gxds_lb_address *address,
                                 const gxds_args *args);
  void (*reresolve)(gxds_lb_parent *p);
  /* An event for the channel's trace (channelz). */
  void (*add_event)(gxds_lb_parent *p, gxds_lb_severity severity, gxds_str line);
  /* Writes the metric labels that the policies above know into *out, and leaves the other labels as
   * they are. Borrowed: valid until the next update of any of these policies. */
  void (*label)(gxds_lb_parent *p, gxds_metric_labels *out);
} gxds_lb_parent_ops;
struct gxds_lb_parent {
  const gxds_lb_parent_ops *ops;
};

struct gxds_tls; /* resources/tls.h */

/* The host's object that secures the connections of a cluster (A29, A74). Its one owner is the
 * cluster's policy, which destroys it before the policy itself ends. */
typedef struct gxds_cluster_security gxds_cluster_security;
typedef struct gxds_cluster_security_ops {
  /* Applies the configuration to all handshakes from now on. If the status is not OK, nothing has
   * changed. */
  gxds_status (*update)(gxds_cluster_security *s, const struct gxds_tls *tls);
  void (*destroy)(gxds_cluster_security *s);
} gxds_cluster_security_ops;
struct gxds_cluster_security { /* first in the host's own object */
  const gxds_cluster_security_ops *ops;
};

typedef struct gxds_lb_root_ops {
  /* Makes a policy that is not in C, below this parent, which is borrowed until the policy ends.
   * NULL if there is no policy of that name. */
  gxds_hosts_policy *(*policy_create)(gxds_lb_root *r, gxds_str name, gxds_lb_parent *parent,
                                      const gxds_args *args);
  /* Whether the channel's credentials are the host's XdsCredentials, or contain them. */
  bool (*has_xds_credentials)(const gxds_args *args);
  gxds_cluster_security *(*security_create)(gxds_lb_root *r, gxds_str cluster);
  /* Returns the args plus the arguments in which credentials find the cluster's name and its
   * security. security may be NULL: none. The caller owns the returned reference. */
  const gxds_args *(*args_of_cluster)(const gxds_args *args, gxds_str cluster,
                                      const gxds_cluster_security *security);
  /* Returns the args plus the server name that a connection's handshake sends (A101: SNI). The
   * caller owns the returned reference. The function is NULL if the host derives the name from the
   * configuration and the address. */
  const gxds_args *(*args_of_server)(const gxds_args *args, gxds_str server_name);
} gxds_lb_root_ops;

/* The top of one tree: the host's side of a policy in C that the host made. It exists as long as
 * any policy of the tree has not ended. */
struct gxds_lb_root { /* first in the host's own object */
  gxds_lb_parent above;
  const gxds_lb_root_ops *ops;
  gxds_lb_channel *channel; /* a reference */
};

/* A child that is one of the host's policies, or of the program's. One owner. */
typedef struct gxds_hosts_policy_ops {
  gxds_status (*update)(gxds_hosts_policy *p, const gxds_lb_update *update);
  void (*exit_idle)(gxds_hosts_policy *p);
  void (*reset_backoff)(gxds_hosts_policy *p);
  void (*end)(gxds_hosts_policy *p); /* ends the policy, which then reports nothing more to the
                                        parent */
} gxds_hosts_policy_ops;
struct gxds_hosts_policy { /* first in the host's own object */
  const gxds_hosts_policy_ops *ops;
};

#ifdef __cplusplus
}
#endif

#endif
