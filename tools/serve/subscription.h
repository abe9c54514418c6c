/* gxds_ads_subscription: the subscription of one client to one type, and the resources that the
 * client has, in SotW or in delta. In delta, names may also be aliases. Pure functions compare it
 * with the current resources to find those that are due. Lives in the caller's struct; confined. */
#ifndef GRPC_XDS_TOOLS_SERVE_SUBSCRIPTION_H_
#define GRPC_XDS_TOOLS_SERVE_SUBSCRIPTION_H_

#include "files/file_set.h"
#include "tools/serve/changes.h"
#include "tools/serve/event.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_ads_entry {
  gxds_str name;     /* owned */
  bool named;        /* subscribed to by name; false: it came with "*" */
  bool again;        /* delta: subscribed to again, so it gets a response even if it is gone */
  bool resend;       /* needed again, so it is sent even if the client has it */
  bool look;         /* the entry may be due: see gxds_due */
  bool sent_removed; /* the client was sent this name as removed */
  bool has;          /* the client has a resource of that name, with this version: */
  uint64_t version;  /* 0: a version that this server did not make */
  const gxds_file_resource *sent; /* that resource, if it was sent on this stream; a reference;
                                     NULL: it was not, or the client does not have it */
} gxds_ads_entry;

/* Zero-initialised, except for its type and delta, it subscribes to nothing. */
typedef struct gxds_ads_subscription {
  gxds_file_type type;
  bool delta;              /* false: SotW */
  bool requested;          /* a request of the type has come */
  bool wildcard;           /* all resources are subscribed to */
  bool named_ever;         /* SotW: a request had names; since then an empty list subscribes to
                              nothing */
  bool responded;          /* a response was made */
  gxds_ads_entry *entries; /* sorted by name */
  size_t count;
  size_t held; /* how many entries have a resource that the client has */
  gxds_due due;
  bool odd_names;   /* some names are not canonical: any change may concern them */
  bool may_be_gone; /* a resource that the client has may not exist any more */
} gxds_ads_subscription;

/* A name in a request. */
typedef struct gxds_ads_name {
  gxds_str name;  /* borrowed, like the version */
  bool subscribe; /* false: the name is only among the initial versions */
  bool initial;   /* version is from initial_resource_versions */
  gxds_str version;
} gxds_ads_name;

void gxds_ads_subscription_fini(gxds_ads_subscription *s);

/* SotW: takes the list of names of the latest request: borrowed, in any order, with or without
 * duplicates. Adds the newly subscribed names to *added, and those that are no longer subscribed to
 * *dropped. */
void gxds_ads_subscription_replace(gxds_ads_subscription *s, const gxds_str *names, size_t count,
                                   gxds_serve_event *added, gxds_serve_event *dropped);

/* Delta: takes a request: first the names that it subscribes to and its initial versions, then the
 * names that it unsubscribes from. Both lists are borrowed, may be in any order and have
 * duplicates, and are sorted in place. To unsubscribe from a name without a subscription is no
 * error. "*", and a first request that subscribes to nothing, subscribe to all resources. Adds the
 * subscribed names, new or again, to *added, and the unsubscribed names to *dropped. */
void gxds_ads_subscription_update(gxds_ads_subscription *s, gxds_ads_name *names, size_t count,
                                  gxds_str *unsubscribed, size_t unsubscribed_count,
                                  gxds_serve_event *added, gxds_serve_event *dropped);

/* Marks a name to be sent again even if it has not changed. False if the client does not have it.
 */
bool gxds_ads_subscription_resend(gxds_ads_subscription *s, gxds_str name);

/* Call it for a new set with these changes. True if a resource may be due. */
bool gxds_ads_subscription_on_changes(gxds_ads_subscription *s, const gxds_set_changes *changes);

typedef struct gxds_ads_response {
  const gxds_file_resource **resources; /* sorted by name, each once; each a reference */
  size_t count;
  const gxds_file_resource **changed; /* the resources that are new to the client, changed or sent
                                         again; borrowed */
  size_t changed_count;
  size_t kept;       /* SotW: resources in the response that do not exist any more */
  gxds_str *removed; /* the names, as in the subscription, of resources that do not exist (any
                        more); owned */
  size_t removed_count;
} gxds_ads_response;

void gxds_ads_response_fini(gxds_ads_response *r);

/* Bytes of resources after which a response in delta ends, so that it fits a client's limit (by
 * default 4 MiB). */
#define GXDS_DELTA_RESPONSE_BYTES ((size_t)3 << 20)

/* Makes the next response, which counts as sent; in delta there may be more. It has resources that
 * are new, changed, or subscribed to again. In delta, it also has names that do not exist.
 * removals: also resources that the client has and that do not exist any more; without it, they
 * stay in a SotW response. False if no response is due. */
bool gxds_ads_subscription_take(gxds_ads_subscription *s, const gxds_file_set *set, bool removals,
                                gxds_ads_response *out);
/* Whether the client has a resource that does not exist any more and that a response can delete. */
bool gxds_ads_subscription_removal_due(gxds_ads_subscription *s, const gxds_file_set *set);

/* Checks the invariant. set: the current one; NULL: none yet. */
void gxds_ads_subscription_validate(const gxds_ads_subscription *s, const gxds_file_set *set);

#ifdef __cplusplus
}
#endif

#endif
