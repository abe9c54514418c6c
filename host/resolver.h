/* A resolver in C: a gxds_resolver_type (a table of functions, for good) and, for each channel, an
 * object of the type's own. The host makes one for each channel whose target has the type's scheme,
 * and gives what that reports to the channel.
 *
 * Everything here is confined to the channel's serializer, but for what says otherwise.
 *
 * A life:  create ─► start ─► (drain, reresolve, reset_backoff …)* ─► shutdown ─► destroy
 * The host keeps the object until nobody has a use for it: its owner until shutdown, the link
 * until gone(), and work that schedule() asked for. */
#ifndef GRPC_XDS_HOST_RESOLVER_H_
#define GRPC_XDS_HOST_RESOLVER_H_

#include <grpc/impl/codegen/grpc_types.h>

#include "base/host.h"
#include "base/status.h"
#include "host/config_selector.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gxds_config;  /* xds_resolver/config.h: the snapshot */
struct gxds_mailbox; /* xds_resolver/mailbox.h */

/* What the channel does from now on. All of it is borrowed: valid during the call. It has no
 * addresses: the policies find them in the snapshot. */
typedef struct gxds_resolution {
  gxds_status failure;        /* not OK: it has nothing to go on with, and nothing else is set */
  const char *service_config; /* JSON; for good: the same pointer stands for the same config */
  gxds_str note;              /* the resolution note (A74); may be empty */
  const struct gxds_config *snapshot; /* A74; NULL: none */
  struct gxds_mailbox *mailbox;       /* NULL: as above */
  gxds_config_selector *selector;     /* NULL: as above */
} gxds_resolution;

typedef enum gxds_resolver_severity {
  GXDS_RESOLVER_INFO,
  GXDS_RESOLVER_WARNING,
  GXDS_RESOLVER_ERROR
} gxds_resolver_severity;

/* The host's side. */
typedef struct gxds_resolver_channel gxds_resolver_channel;
typedef struct gxds_resolver_channel_ops {
  void (*report)(gxds_resolver_channel *c, const gxds_resolution *r);
  /* Whether the channel has a trace (channelz), and adds an event to it. */
  bool (*has_trace)(gxds_resolver_channel *c);
  void (*add_event)(gxds_resolver_channel *c, gxds_resolver_severity severity, gxds_str line);
  /* INFO, or ERROR. */
  void (*log)(gxds_resolver_severity severity, gxds_str line);
  /* Whether GRPC_TRACE has the word "xds_resolver". */
  bool (*traces)(void);
} gxds_resolver_channel_ops;
struct gxds_resolver_channel { /* first in the host's own object */
  const gxds_resolver_channel_ops *ops;
  const void *resolver_id; /* what the host's log calls the resolver by */
};

/* What a channel is to be resolved to. Borrowed: valid as long as the resolver. */
typedef struct gxds_resolver_target {
  gxds_str uri;                     /* the whole, for those who read the log */
  gxds_str authority;               /* of the URI; may be empty */
  gxds_str path;                    /* of the URI, decoded, with its slash in front */
  const char *data_plane_authority; /* what the program says that it is; NULL: nothing */
  const char *bootstrap_json;       /* in place of the environment's; NULL: none */
  const void *args;                 /* the channel's, as the host has them, for DNS */
  const gxds_host *services;
} gxds_resolver_target;

/* The way back from the reactor. */
typedef struct gxds_resolver_link gxds_resolver_link;
struct gxds_resolver_link { /* first in the host's own object */
  /* drain() is to be called, soon, and never from here. On the reactor. */
  void (*schedule)(gxds_resolver_link *l);
  /* It is not used any more. On the reactor. */
  void (*gone)(gxds_resolver_link *l);
  /* For the client's own channels to its servers. Borrowed: valid until gone(). */
  const grpc_channel_args *client_args;
};

typedef struct gxds_resolver_type {
  const char *scheme;
  /* What is wrong with the path of a URI, in words that the URI follows; NULL: nothing. Any
   * thread. */
  const char *(*check)(gxds_str path);
  /* By what name servers are asked unless the program says otherwise. The caller frees it with
   * gxds_str_free(). Any thread. */
  gxds_str (*default_authority)(gxds_str path);
  /* channel: borrowed, valid as long as the object. */
  void *(*create)(gxds_resolver_channel *channel, const gxds_resolver_target *target);
  /* False: it has reported why not, and the link is not used. */
  bool (*start)(void *self, gxds_resolver_link *link);
  void (*drain)(void *self);
  void (*reresolve)(void *self);
  void (*reset_backoff)(void *self);
  /* Nothing is reported any more. */
  void (*shutdown)(void *self);
  /* Any thread. */
  void (*destroy)(void *self);
} gxds_resolver_type;

#ifdef __cplusplus
}
#endif

#endif
