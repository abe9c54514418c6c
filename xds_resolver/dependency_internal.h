/* The parts of the dependency manager and what they are to each other. Only the files
 * dependency_*.c include this.
 *
 *   root ── node ──┬── node …        (an aggregate's children: by name)
 *                  └── use ── source (the endpoints of a leaf; several nodes may use one)
 *
 * A node is a cluster that is wanted; its entry is what the snapshot says of it: the last state in
 * which all below it was there. Where its latest resource needs something that is awaited, the
 * entry stays that of the resource before, and both keep what they use. Below an aggregate that
 * waits so every entry but an error stays as it is (the node is kept), whoever else shows it. A
 * source is an EDS resource or a DNS name. */
#ifndef GRPC_XDS_XDS_RESOLVER_DEPENDENCY_INTERNAL_H_
#define GRPC_XDS_XDS_RESOLVER_DEPENDENCY_INTERNAL_H_

#include <utlist.h>

#include "base/check.h"
#include "base/hash_table.h"
#include "base/memory.h"
#include "xds_resolver/dependency_manager.h"
#include "xds_resolver/note.h"

/* A37: clusters on any way from a root to a leaf, both included. */
#define GXDS_AGGREGATE_DEPTH_MAX 16

typedef enum gxds_presence {
  GXDS_REQUESTED, /* nothing is known yet */
  GXDS_PRESENT,   /* resource */
  GXDS_FAILED,    /* error says why there is no resource, or why it must not be used */
} gxds_presence;

typedef enum gxds_subject_kind {
  GXDS_SUBJECT_LISTENER,
  GXDS_SUBJECT_ROUTE_CONFIG,
  GXDS_SUBJECT_NODE,
  GXDS_SUBJECT_SOURCE,
} gxds_subject_kind;

/* A watched resource or DNS name, and what is known of it. It stands first in the structs of its
 * kinds. */
typedef struct gxds_subject {
  uint8_t kind;                   /* gxds_subject_kind */
  uint8_t presence;               /* gxds_presence */
  bool renewed;                   /* there was an event since it was last processed */
  const gxds_resource_type *type; /* NULL: a DNS name */
  gxds_str name;                  /* owned */
  const gxds_error *from; /* the server that sent resource; borrowed from the manager's origins */
  uint64_t token;
  const gxds_resource *resource; /* PRESENT: a reference */
  const gxds_error *error;       /* FAILED: the reason. This and the next are references */
  const gxds_error *ambient;     /* an error although the resource stays in use; NULL: none */
  UT_hash_handle by_token;
} gxds_subject;

typedef struct gxds_node gxds_node;
typedef struct gxds_source gxds_source;

/* A node's use of a source; idle when source is NULL. */
typedef struct gxds_use {
  gxds_node *node;
  gxds_source *source;
  struct gxds_use *prev; /* of the source's */
  struct gxds_use *next;
} gxds_use;

struct gxds_source {
  gxds_subject subject;
  gxds_use *uses;
  const gxds_error *warning; /* a warning about the endpoints; NULL: none */
  bool idle;                 /* in the manager's list of sources without uses */
  UT_hash_handle by_name;
  gxds_source *next_idle;
};

struct gxds_node {
  gxds_subject subject;
  const gxds_cluster_entry *entry; /* a reference; NULL until all that it needs is there */
  const gxds_cluster_entry
      *mapped;      /* the published map's entry, borrowed from the map; NULL: none */
  gxds_use shown;   /* leaf: the source of the entry's endpoints */
  gxds_use awaited; /* leaf: the source that the latest resource needs, while it has no endpoints
                       yet or the node is kept */

  /* Why the cluster is needed, apart from aggregates. */
  uint32_t subscriptions;
  bool held;
  bool in_published; /* a route of the published root names it */
  bool in_candidate;

  bool dirty;   /* in the list of nodes to process when settling */
  bool due;     /* in the list of nodes whose entry must be renewed, as soon as they are not kept */
  bool kept;    /* an aggregate that waits uses the node, so its entry stays */
  bool changed; /* in the list of nodes whose entry changed since settling began */
  bool is_aggregate;    /* in the list of aggregates */
  bool under_aggregate; /* an aggregate names it */
  bool settled; /* while aggregates are resolved: the node and all below it follow the latest
                   resources */
  bool wanted; /* while aggregates are resolved: there is another reason to keep it than an old list
                  of an aggregate */
  int height;  /* while aggregates are resolved: the number of clusters down to the deepest leaf; 0:
                  too many */
  gxds_node *next_dirty;
  gxds_node *next_due;
  gxds_node *next_changed;
  uint64_t mark;      /* the mark of the last walk that reached it */
  uint64_t leaf_mark; /* the mark of the last list of leaves that it was put on */

  UT_hash_handle by_name;
  gxds_node *prev; /* all nodes, in the order of creation */
  gxds_node *next;
  gxds_node *prev_aggregate;
  gxds_node *next_aggregate;
};

/* A listener with its route configuration and virtual host. */
typedef struct gxds_root {
  bool set;
  const gxds_listener *listener; /* references */
  const gxds_route_config *route_config;
  const gxds_virtual_host *virtual_host;
  const gxds_names *names;     /* the clusters of its routes */
  const gxds_plugins *plugins; /* of its routes; NULL: none */
} gxds_root;

typedef struct gxds_dependency_queued {
  gxds_dependency_action action; /* owns what is in it */
  struct gxds_dependency_queued *prev;
  struct gxds_dependency_queued *next;
} gxds_dependency_queued;

struct gxds_dependency_manager {
  gxds_str data_plane_authority;
  const gxds_error **origins; /* each with code GXDS_OK: one for each server that sent anything; the
                                 first is for what comes from no server. Owned, few */
  size_t origin_count;
  gxds_load_store *load_store;

  /* What is known. */
  gxds_subject *subjects; /* by token: everything that is watched */
  gxds_subject listener;
  gxds_subject *route_config;     /* NULL: inline, or no listener */
  gxds_subject *old_route_config; /* the published root's, while another root is awaited */
  gxds_node *nodes_by_name;
  gxds_node *nodes;
  gxds_node *aggregates;
  gxds_source *eds;
  gxds_source *dns;

  /* What came of it. */
  gxds_root published;
  gxds_root candidate;
  size_t candidate_missing; /* how many of its clusters have no entry yet */
  const gxds_cluster_map *map;
  /* The last published snapshot; NULL: none, or the channel failed since. */
  const gxds_config *config;
  gxds_status
      failure; /* the last failure that was reported; OK: none, or a snapshot was published since */
  /* The names of the plugins' children that RPCs hold; NULL: none. */
  const gxds_names *held_plugins;

  /* What settle() has to do. */
  bool root_dirty;
  bool grown;     /* more may be wanted: walk */
  bool shrunk;    /* less may be needed than before: walk, and drop the rest */
  bool map_dirty; /* the set of clusters in the map may have changed */
  bool aggregates_dirty;
  gxds_node *dirty;
  gxds_node *due; /* after settling: nodes that are kept although their resource changed */
  gxds_node *changed;
  gxds_source *idle;

  uint64_t last_token;
  uint64_t last_mark;
  gxds_dependency_queued *actions;
  gxds_dependency_queued *taken; /* the action that the owner has now */
};

/* ---- subjects and actions (dependency_manager.c) ---- */

/* Starts watching. Everything in s but kind, type and name must be zero. Strings are copied. */
void gxds_subject_start(gxds_dependency_manager *m, gxds_subject *s, gxds_subject_kind kind,
                        const gxds_resource_type *type, gxds_str name);
void gxds_subject_stop(gxds_dependency_manager *m, gxds_subject *s);
/* Adds an action of that kind, zeroed but for it. */
gxds_dependency_action *gxds_dependency_add_action(gxds_dependency_manager *m,
                                                   gxds_dependency_action_kind kind);
/* UNAVAILABLE "CDS resource NAME: WHY", whatever the code of why (A88: codes of the control plane
 * are not those of RPCs). */
GXDS_MUST_USE gxds_status gxds_subject_failure(const gxds_subject *s);
/* The same for a resource that was received but that we refuse: the text is `what`, then `about`,
 * which is escaped. */
GXDS_MUST_USE gxds_status gxds_subject_refusal(const gxds_subject *s, const char *what,
                                               gxds_str about);
/* Frees what it holds; s is empty afterwards. */
void gxds_subject_fini(gxds_subject *s);

/* ---- listener and route configuration (dependency_root.c) ---- */

/* Makes a candidate or a failure from what is known of the listener and the route configuration, or
 * neither if they are still awaited. */
void gxds_root_update(gxds_dependency_manager *m);
/* Adds the ambient errors of the listener and the route configuration, which are reported with
 * every cluster (A88). */
void gxds_root_add_ambient(const gxds_dependency_manager *m, gxds_note *note);
/* "RDS resource NAME (xDS server S) (node ID:N)": what the published routes come from. The caller
 * frees it. */
gxds_str gxds_root_route_source(const gxds_dependency_manager *m);
/* If the candidate has all that it needs, makes it the published root. */
void gxds_root_promote(gxds_dependency_manager *m);
/* Drops the former route configuration, which the published root does not need any more. */
void gxds_root_drop_old(gxds_dependency_manager *m);
void gxds_root_fini(gxds_dependency_manager *m);

/* ---- clusters and their endpoints (dependency_graph.c) ---- */

/* NULL: there is none. */
gxds_node *gxds_node_find(const gxds_dependency_manager *m, gxds_str name);
gxds_node *gxds_node_get(gxds_dependency_manager *m, gxds_str name); /* made when there is none */
void gxds_node_touch(gxds_dependency_manager *m, gxds_node *node);   /* to be looked at */
void gxds_nodes_touch_all(gxds_dependency_manager *m);
void gxds_source_touch(gxds_dependency_manager *m, gxds_source *source); /* with all that use it */
void gxds_source_warn(gxds_source *source); /* renews its warning from its resource */
/* The node's latest resource if there is one of that kind; else NULL. */
const gxds_cluster *gxds_node_latest(const gxds_node *node);
bool gxds_node_is_latest_aggregate(const gxds_node *node);
/* Sets the node's entry. Takes ownership of the entry. */
void gxds_node_set_entry(gxds_dependency_manager *m, gxds_node *node,
                         const gxds_cluster_entry *take_entry);
void gxds_node_release_sources(gxds_dependency_manager *m, gxds_node *node);
/* Whether the latest resource is a leaf whose endpoints are not known yet. */
bool gxds_node_awaits(const gxds_node *node);
/* Processes the nodes with events: watches their endpoints, and marks entries that must be renewed.
 */
void gxds_nodes_refresh(gxds_dependency_manager *m);
/* Renews the entries of leaves and of clusters in error, unless they are kept. */
void gxds_nodes_renew(gxds_dependency_manager *m);
/* Marks all needed nodes with a new mark, and makes those that are missing. */
void gxds_nodes_walk(gxds_dependency_manager *m);
/* Drops the nodes that the last walk did not mark. */
void gxds_nodes_drop_unmarked(gxds_dependency_manager *m);
void gxds_sources_drop_idle(gxds_dependency_manager *m);
void gxds_nodes_fini(gxds_dependency_manager *m);

/* ---- aggregates (dependency_aggregate.c) ---- */

/* Decides which nodes are kept, and renews the entries of the others. */
void gxds_aggregates_resolve(gxds_dependency_manager *m);

/* ---- cluster specifier plugins (dependency_plugins.c) ---- */

/* Sets whether RPCs hold the plugin with that name. A held plugin stays in the snapshot. */
void gxds_dependency_hold_plugin(gxds_dependency_manager *m, gxds_str name, bool held);
bool gxds_dependency_plugin_is_held(const gxds_dependency_manager *m, gxds_str name);
/* The plugins for the next snapshot; the last snapshot's own object if they did not change. The
 * caller owns the returned reference. */
const gxds_plugins *gxds_dependency_plugins(const gxds_dependency_manager *m);

/* ---- the snapshot (dependency_publish.c) ---- */

/* Puts changed entries into the map, and publishes a snapshot if anything changed. */
void gxds_dependency_publish(gxds_dependency_manager *m);
void gxds_dependency_forget_published(gxds_dependency_manager *m);

#endif
