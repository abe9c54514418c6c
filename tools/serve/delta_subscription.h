/* gxds_delta_subscription: what one client of incremental xDS asked for of one type, by names or
 * aliases, and what it has. Pure walks over this and the current resources say what is due. Lives
 * in the caller's struct; confined. */
#ifndef GRPC_XDS_TOOLS_SERVE_DELTA_SUBSCRIPTION_H_
#define GRPC_XDS_TOOLS_SERVE_DELTA_SUBSCRIPTION_H_

#include "files/file_set.h"
#include "tools/serve/changes.h"
#include "tools/serve/event.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_delta_entry {
  gxds_str name;    /* owned */
  bool named;       /* asked for by name; else it came with "*" */
  bool again;       /* asked for or needed again, so it is sent even if the client has it */
  bool look;        /* something may be due of it: see gxds_due */
  bool sent;        /* on this stream */
  bool told_absent; /* the client knows that there is no such resource */
  bool has;         /* the client has a resource of that name, of version: */
  uint64_t version; /* 0: a version that is not ours */
} gxds_delta_entry;

typedef struct gxds_delta_subscription {
  gxds_file_type type;
  bool requested;            /* a request of the type has come */
  bool wildcard;             /* everything is asked for */
  gxds_delta_entry *entries; /* sorted by name */
  size_t count;
  size_t held; /* entries of which the client has a resource */
  gxds_due due;
  bool odd_names;   /* some are not canonical: any change may be of them */
  bool may_be_gone; /* a resource that the client has may not exist any more */
} gxds_delta_subscription;

/* A name in a request. */
typedef struct gxds_delta_name {
  gxds_str name;  /* borrowed, like the version */
  bool subscribe; /* else it is only among the initial versions */
  bool initial;   /* version is of initial_resource_versions */
  gxds_str version;
} gxds_delta_name;

void gxds_delta_subscription_init(gxds_delta_subscription *s, gxds_file_type type);
void gxds_delta_subscription_fini(gxds_delta_subscription *s);

/* Takes a request (borrowed, any order, duplicates allowed; names is sorted in place): what it asks
 * for and has at first, then what it gives up. Names that were not asked for are no error there.
 * "*", and a first request that asks for nothing, mean everything. What is asked for, new or again,
 * becomes names of *added, what is given up names of *dropped. */
void gxds_delta_subscription_update(gxds_delta_subscription *s, gxds_delta_name *names,
                                    size_t count, gxds_str *unsubscribed, size_t unsubscribed_count,
                                    gxds_serve_event *added, gxds_serve_event *dropped);

/* Marks a name to be sent again even if it has not changed. False if the client does not have it.
 */
bool gxds_delta_subscription_send_again(gxds_delta_subscription *s, gxds_str name);

/* A new set has these changes. True: something may be due. */
bool gxds_delta_subscription_on_changes(gxds_delta_subscription *s,
                                        const gxds_set_changes *changes);

typedef struct gxds_delta_response {
  const gxds_file_resource **resources; /* sorted by name; each a reference */
  size_t count;
  gxds_str *removed; /* as they were asked for; owned */
  size_t removed_count;
} gxds_delta_response;

void gxds_delta_response_fini(gxds_delta_response *r);

/* Bytes of resources after which a response ends, so that it fits a client's limit (4 MiB unless
 * the client says otherwise). */
#define GXDS_DELTA_RESPONSE_BYTES ((size_t)3 << 20)

/* True: something came, changed, is asked for again or does not exist; *out is the response, which
 * counts as sent, and there may be more. with_removals: also what the client has and that does not
 * exist any more. */
bool gxds_delta_subscription_take(gxds_delta_subscription *s, const gxds_file_set *set,
                                  bool with_removals, gxds_delta_response *out);
/* Whether the client has a resource that does not exist any more. */
bool gxds_delta_subscription_removal_due(gxds_delta_subscription *s, const gxds_file_set *set);

/* GXDS_CHECKs. set: the current one; NULL: none yet. */
void gxds_delta_subscription_validate(const gxds_delta_subscription *s, const gxds_file_set *set);

#ifdef __cplusplus
}
#endif

#endif
