/* gxds_ads_subscription: what one client asked for of one type, and what it was sent. Pure walks
 * over this and the current resources say what is due. Lives in the caller's struct; confined. */
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
  bool named;                     /* asked for by name; else it came with "*" */
  bool again;                     /* it must be sent again although the client has it */
  bool look;                      /* something may be due of it: see gxds_due */
  const gxds_file_resource *sent; /* what the client was last sent; a reference; NULL: nothing */
} gxds_ads_entry;

typedef struct gxds_ads_subscription {
  gxds_file_type type;
  bool requested;          /* a request of the type has come */
  bool wildcard;           /* everything is asked for */
  bool named_ever;         /* a request had names: from then on an empty list means no resources */
  bool answered;           /* a response was made */
  gxds_ads_entry *entries; /* sorted by name */
  size_t count;
  gxds_due due;
  bool odd_names;   /* some are not canonical: any change may be of them */
  bool may_be_gone; /* a resource that the client has may not exist any more */
} gxds_ads_subscription;

/* LDS and CDS: responses carry all, and what is absent from one is deleted. */
bool gxds_ads_type_is_full_state(gxds_file_type type);

void gxds_ads_subscription_init(gxds_ads_subscription *s, gxds_file_type type);
void gxds_ads_subscription_fini(gxds_ads_subscription *s);

/* The list of names of the latest request (borrowed; any order, duplicates allowed). What was asked
 * for anew becomes names of *added, what is not asked for any more names of *dropped. */
void gxds_ads_subscription_update(gxds_ads_subscription *s, const gxds_str *names, size_t count,
                                  gxds_serve_event *added, gxds_serve_event *dropped);

/* A new set has these changes. True: something may be due. */
bool gxds_ads_subscription_on_changes(gxds_ads_subscription *s, const gxds_set_changes *changes);

typedef struct gxds_ads_response {
  const gxds_file_resource **resources; /* sorted by name; each a reference */
  size_t count;
  const gxds_file_resource **changed; /* of these, what the client did not have; borrowed */
  size_t changed_count;
  size_t kept; /* of these, the ones that do not exist any more and are still in the response */
  gxds_str *removed; /* names that the client had and that are not in it; owned */
  size_t removed_count;
} gxds_ads_response;

void gxds_ads_response_fini(gxds_ads_response *r);

/* Marks a name to be sent again even if it has not changed. False if the client was never sent it.
 */
bool gxds_ads_subscription_send_again(gxds_ads_subscription *s, gxds_str name);

/* True: there is something that came or changed; *out is the response, and counts as sent. What
 * was removed is kept in it. */
bool gxds_ads_subscription_take_update(gxds_ads_subscription *s, const gxds_file_set *set,
                                       gxds_ads_response *out);
/* Whether the client has a resource that does not exist any more and that a response can delete. */
bool gxds_ads_subscription_removal_due(gxds_ads_subscription *s, const gxds_file_set *set);
/* Makes the response that deletes them, which counts as sent. Only if a removal is due. */
void gxds_ads_subscription_take_removal(gxds_ads_subscription *s, const gxds_file_set *set,
                                        gxds_ads_response *out);

/* GXDS_CHECKs. set: the current one; NULL: none yet. */
void gxds_ads_subscription_validate(const gxds_ads_subscription *s, const gxds_file_set *set);

#ifdef __cplusplus
}
#endif

#endif
