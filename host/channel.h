/* What a host does for policies in C: it has channels, whose serializers policies run under, stands
 * above the policies that it made, and below those that have a policy of the host's as a child. The
 * host in a program is host/grpc_common with the folder of its gRPC. */
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

/* A timer of the host's; what the words are is the host's matter. */
typedef struct gxds_lb_timer {
  intptr_t words[2];
} gxds_lb_timer;

typedef enum gxds_lb_severity { GXDS_LB_INFO, GXDS_LB_ERROR } gxds_lb_severity;

typedef struct gxds_lb_channel_ops {
  void (*destroy)(gxds_lb_channel *c);
  gxds_time (*now)(const gxds_lb_channel *c);
  uint64_t (*random_seed)(gxds_lb_channel *c);
  /* work(arg) runs under the serializer, after what that does now. Under the serializer. */
  void (*run_later)(gxds_lb_channel *c, void (*work)(void *arg), void *arg);
  /* The same, from any thread and under whatever locks; never runs it from here. */
  void (*post)(gxds_lb_channel *c, void (*work)(void *arg), void *arg);
  /* work(arg) runs under the serializer when that time has passed. Under the serializer, while the
   * channel has a policy. */
  gxds_lb_timer (*timer_start)(gxds_lb_channel *c, gxds_duration delay, void (*work)(void *arg),
                               void *arg);
  /* False: it is too late, the work will be done. As above. */
  bool (*timer_cancel)(gxds_lb_channel *c, gxds_lb_timer timer);
  void (*log)(gxds_lb_severity severity, gxds_str line);
  /* Whether GRPC_TRACE has that word. Any thread; asked often. */
  bool (*traces)(const char *word);
  gxds_lb_parse_list *parse_list;
} gxds_lb_channel_ops;

/* What the policies of one channel share. Counted by reference: any thread. */
struct gxds_lb_channel { /* first in the host's own object */
  gxds_ref refs;
  const gxds_lb_channel_ops *ops;
  /* The pace at which its leaf policies connect (lb_policies/pace): theirs, under the serializer.
   * NULL: there is none, as before the first of them and after the last. */
  struct gxds_channel_pace *pace;
  /* A94: the connections of its clusters, which count (lb_policies/cluster_impl/connections.h):
   * theirs, under the serializer. NULL: there is none. */
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

/* Who stands above a policy: the host, or a parent in C. */
typedef struct gxds_lb_parent_ops {
  void (*publish)(gxds_lb_parent *p, grpc_connectivity_state state, const gxds_status *status,
                  gxds_picker *take_picker);
  gxds_subchannel *(*subchannel)(gxds_lb_parent *p, const gxds_lb_address *address,
                                 const gxds_args *args);
  void (*reresolve)(gxds_lb_parent *p);
  /* An event for the channel's trace (channelz). */
  void (*add_event)(gxds_lb_parent *p, gxds_lb_severity severity, gxds_str line);
  /* What is known of the labels of metrics, in place of what is in *out. Borrowed: valid until the
   * next update of any policy above. */
  void (*label)(gxds_lb_parent *p, gxds_metric_labels *out);
} gxds_lb_parent_ops;
struct gxds_lb_parent {
  const gxds_lb_parent_ops *ops;
};

struct gxds_tls; /* resources/tls.h */

/* How a cluster's connections are secured, in the host's terms (A29, A74). One owner, which ends it
 * before the policy whose it is has ended. */
typedef struct gxds_cluster_security gxds_cluster_security;
typedef struct gxds_cluster_security_ops {
  /* Takes the configuration into force, for handshakes from now on. Not OK: nothing is changed. */
  gxds_status (*update)(gxds_cluster_security *s, const struct gxds_tls *tls);
  void (*destroy)(gxds_cluster_security *s);
} gxds_cluster_security_ops;
struct gxds_cluster_security { /* first in the host's own object */
  const gxds_cluster_security_ops *ops;
};

typedef struct gxds_lb_root_ops {
  /* A policy that is not in C, below this parent (borrowed: valid until the policy ends). NULL:
   * there is none of that name. */
  gxds_hosts_policy *(*policy_create)(gxds_lb_root *r, gxds_str name, gxds_lb_parent *parent,
                                      const gxds_args *args);
  /* Whether the channel's credentials are the host's XdsCredentials, or made with them. */
  bool (*has_xds_credentials)(const gxds_args *args);
  gxds_cluster_security *(*security_create)(gxds_lb_root *r, gxds_str cluster);
  /* The args, with what credentials look for that speak for a cluster, or secure its connections
   * (security: NULL: none). The caller owns the returned reference. */
  const gxds_args *(*args_of_cluster)(const gxds_args *args, gxds_str cluster,
                                      const gxds_cluster_security *security);
  /* Those, with what the handshake of a connection asks for (A101: SNI). The caller owns the
   * returned reference. NULL: the host finds it by the configuration and the address. */
  const gxds_args *(*args_of_server)(const gxds_args *args, gxds_str server_name);
} gxds_lb_root_ops;

/* The top of one tree: the host's side of a policy in C that the host made. It outlives all
 * policies of the tree that have not ended. */
struct gxds_lb_root { /* first in the host's own object */
  gxds_lb_parent above;
  const gxds_lb_root_ops *ops;
  gxds_lb_channel *channel; /* a reference */
};

/* A policy of the host's, or of the program's, as a child. One owner. */
typedef struct gxds_hosts_policy_ops {
  gxds_status (*update)(gxds_hosts_policy *p, const gxds_lb_update *update);
  void (*exit_idle)(gxds_hosts_policy *p);
  void (*reset_backoff)(gxds_hosts_policy *p);
  void (*end)(gxds_hosts_policy *p); /* its parent hears nothing more */
} gxds_hosts_policy_ops;
struct gxds_hosts_policy { /* first in the host's own object */
  const gxds_hosts_policy_ops *ops;
};

#ifdef __cplusplus
}
#endif

#endif
