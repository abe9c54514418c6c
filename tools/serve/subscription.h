/* gxds_ads_subscription: the subscription of one client to one type, and the resources that it was
 * sent. Pure functions compare it with the current resources to find those that are due. Lives in
 * the caller's struct; confined. */
#ifndef GRPC_XDS_TOOLS_SERVE_SUBSCRIPTION_H_
#define GRPC_XDS_TOOLS_SERVE_SUBSCRIPTION_H_

#include "files/file_set.h"
#include "tools/serve/changes.h"
#include "tools/serve/event.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_ads_entry {
  gxds_str name;                  /* owned */
  bool named;                     /* subscribed to by name; false: it came with "*" */
  bool resend;                    /* the resource must be sent again, although the client has it */
  bool look;                      /* the entry may be due: see gxds_due */
  const gxds_file_resource *sent; /* the resource that the client was last sent; a reference; NULL:
                                     none */
} gxds_ads_entry;

/* Zero-initialised, except for its type, it subscribes to nothing. */
typedef struct gxds_ads_subscription {
  gxds_file_type type;
  bool requested;          /* a request of the type has come */
  bool wildcard;           /* all resources are subscribed to */
  bool named_ever;         /* a request had names; since then an empty list subscribes to nothing */
  bool responded;          /* a response was made */
  gxds_ads_entry *entries; /* sorted by name */
  size_t count;
  gxds_due due;
  bool odd_names;   /* some names are not canonical: any change may concern them */
  bool may_be_gone; /* a resource that the client has may not exist any more */
} gxds_ads_subscription;

void gxds_ads_subscription_fini(gxds_ads_subscription *s);

/* Takes the list of names of the latest request: borrowed, in any order, with or without
 * duplicates. Adds the newly subscribed names to *added, and those that are no longer subscribed to
 * *dropped. */
void gxds_ads_subscription_update(gxds_ads_subscription *s, const gxds_str *names, size_t count,
                                  gxds_serve_event *added, gxds_serve_event *dropped);

/* Call it for a new set with these changes. True if a resource may be due. */
bool gxds_ads_subscription_on_changes(gxds_ads_subscription *s, const gxds_set_changes *changes);

typedef struct gxds_ads_response {
  const gxds_file_resource **resources; /* sorted by name; each a reference */
  size_t count;
  const gxds_file_resource **changed; /* the resources that are new to the client or changed;
                                         borrowed */
  size_t changed_count;
  size_t kept;       /* resources in the response that do not exist any more */
  gxds_str *removed; /* names that the client had and that are not in the response; owned */
  size_t removed_count;
} gxds_ads_response;

void gxds_ads_response_fini(gxds_ads_response *r);

/* Marks a name to be sent again even if it has not changed. False if the client does not have it.
 */
bool gxds_ads_subscription_resend(gxds_ads_subscription *s, gxds_str name);

/* Makes the response with resources that are new or changed. It counts as sent. Removed resources
 * stay in it. False if no response is due. */
bool gxds_ads_subscription_take_update(gxds_ads_subscription *s, const gxds_file_set *set,
                                       gxds_ads_response *out);
/* Whether the client has a resource that does not exist any more and that a response can delete. */
bool gxds_ads_subscription_removal_due(gxds_ads_subscription *s, const gxds_file_set *set);
/* Makes the response that deletes these resources. It counts as sent. Only if a removal is due. */
void gxds_ads_subscription_take_removal(gxds_ads_subscription *s, const gxds_file_set *set,
                                        gxds_ads_response *out);

/* Checks the invariant. set: the current one; NULL: none yet. */
void gxds_ads_subscription_validate(const gxds_ads_subscription *s, const gxds_file_set *set);

#ifdef __cplusplus
}
#endif

#endif
