/* A resolver in C: a gxds_resolver_type (a table of functions that is never freed) and, for each
 * channel, an object of the type's own. The host makes an object for each channel whose target has
 * the type's scheme, and passes the object's reports to the channel.
 *
 * Everything here is confined to the channel's serializer, except where a comment says otherwise.
 *
 * A life:  create ─► start ─► (drain, reresolve, reset_backoff …)* ─► shutdown ─► destroy
 * The host keeps the object as long as one of these needs it: its owner, until shutdown; the link,
 * until gone(); and work that schedule() asked for. */
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

/* A result for the channel, in place of the one before. All fields are borrowed: valid during the
 * call. There are no addresses: the policies find them in the snapshot. */
typedef struct gxds_resolution {
  gxds_status failure;        /* if not OK, the channel can't be used, and nothing else is set */
  const char *service_config; /* JSON that is valid until the process ends: equal pointers mean
                                 equal configs */
  gxds_str note;              /* the resolution note (A74); may be empty */
  const struct gxds_config *snapshot; /* A74; NULL: none */
  struct gxds_mailbox *mailbox;       /* NULL: none */
  gxds_config_selector *selector;     /* NULL: none */
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
  /* Whether the channel has a trace (channelz), to which add_event() adds. */
  bool (*has_trace)(gxds_resolver_channel *c);
  void (*add_event)(gxds_resolver_channel *c, gxds_resolver_severity severity, gxds_str line);
  /* severity is INFO or ERROR. */
  void (*log)(gxds_resolver_severity severity, gxds_str line);
  /* Whether GRPC_TRACE has the word "xds_resolver". */
  bool (*traces)(void);
} gxds_resolver_channel_ops;
struct gxds_resolver_channel { /* first in the host's own object */
  const gxds_resolver_channel_ops *ops;
  const void *resolver_id; /* identifies the resolver in the host's log */
};

/* The target of a channel. Borrowed: valid as long as the resolver. */
typedef struct gxds_resolver_target {
  gxds_str uri;                     /* the whole URI; for the log */
  gxds_str authority;               /* the authority of the URI; may be empty */
  gxds_str path;                    /* the path of the URI, decoded, with its leading slash */
  const char *data_plane_authority; /* the authority that the program set; NULL: none */
  const char *bootstrap_json; /* the bootstrap to use in place of the environment's; NULL: none */
  const void *args;           /* the channel's arguments in the host's own form, for DNS */
  const gxds_host *services;
} gxds_resolver_target;

/* The functions through which the reactor calls the host. */
typedef struct gxds_resolver_link gxds_resolver_link;
struct gxds_resolver_link { /* first in the host's own object */
  /* Asks the host to call drain() soon, and never from within this call. Called on the reactor. */
  void (*schedule)(gxds_resolver_link *l);
  /* The link is no longer used. Called on the reactor. */
  void (*gone)(gxds_resolver_link *l);
  /* The arguments of the channels to the xDS servers. Borrowed: valid until gone(). */
  const grpc_channel_args *client_args;
};

typedef struct gxds_resolver_type {
  const char *scheme;
  /* Checks the path of a URI. Returns NULL if it is valid, otherwise an error text. The host logs
   * this text and then the URI. Any thread. */
  const char *(*check)(gxds_str path);
  /* The authority of a channel whose program sets none. The caller frees it with gxds_str_free().
   * Any thread. */
  gxds_str (*default_authority)(gxds_str path);
  /* channel: borrowed, valid as long as the object. */
  void *(*create)(gxds_resolver_channel *channel, const gxds_resolver_target *target);
  /* Starts the resolver. If this returns false, the resolver has reported the error, and does not
   * use the link. */
  bool (*start)(void *self, gxds_resolver_link *link);
  void (*drain)(void *self);
  void (*reresolve)(void *self);
  void (*reset_backoff)(void *self);
  /* From now on the resolver reports nothing. */
  void (*shutdown)(void *self);
  /* Any thread. */
  void (*destroy)(void *self);
} gxds_resolver_type;

#ifdef __cplusplus
}
#endif

#endif
