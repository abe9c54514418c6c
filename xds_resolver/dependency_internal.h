/* The parts of the dependency manager and how they are connected. Only the files dependency_*.c
 * include this. dependency_settle.c explains each step that uses them.
 *
 *   root ── node ──┬── node …        (an aggregate's members: by name)
 *                  └── use ── source (the endpoints of a leaf; several nodes may use one)
 *
 * A node is a wanted cluster. Its entry is the cluster in the snapshot: what the node shows. If the
 * latest resource needs something that is awaited, the node shows the resource before it, and uses
 * the sources of both. A source is an EDS resource or a DNS name. */
#ifndef GRPC_XDS_XDS_RESOLVER_DEPENDENCY_INTERNAL_H_
#define GRPC_XDS_XDS_RESOLVER_DEPENDENCY_INTERNAL_H_

#include <utlist.h>

#include "base/check.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/ref.h"
#include "xds_resolver/dependency_manager.h"
#include "xds_resolver/note.h"

/* A37: the most clusters on a path from a root to a leaf, both included. */
#define GXDS_AGGREGATE_DEPTH_MAX 16

typedef enum gxds_presence {
  GXDS_REQUESTED, /* nothing is known yet */
  GXDS_PRESENT,   /* resource */
  GXDS_FAILED,    /* error; there is no resource, or the resource must not be used */
} gxds_presence;

typedef enum gxds_subject_kind {
  GXDS_SUBJECT_LISTENER,
  GXDS_SUBJECT_ROUTE_CONFIG,
  GXDS_SUBJECT_NODE,
  GXDS_SUBJECT_EDS, /* this and the next: a gxds_source */
  GXDS_SUBJECT_DNS,
} gxds_subject_kind;

/* A name that several subjects share: most clusters call their endpoints as themselves. */
typedef struct gxds_shared_name {
  gxds_ref refs;
  uint32_t size;
  char text[];
} gxds_shared_name;

/* A watched resource or DNS name, and what is known of it. The first member of gxds_node and
 * gxds_source. */
typedef struct gxds_subject {
  gxds_index_link by_token;
  gxds_index_link by_name; /* not for a listener or a route configuration */
  uint64_t token;
  const gxds_shared_name *name; /* a reference */
  const gxds_error *from; /* the server that sent resource; borrowed from the manager's origins */
  union {                 /* a reference; read these with the functions below */
    const gxds_resource *resource; /* PRESENT */
    const gxds_error *error;       /* FAILED: why */
  } known;
  const gxds_error *ambient; /* a reference to the ambient error; NULL if there is none */
  uint8_t kind;              /* gxds_subject_kind */
  uint8_t presence;          /* gxds_presence */
  bool is_listed;            /* a source: it is in the manager's list of idle sources */
} gxds_subject;

typedef struct gxds_node gxds_node;
typedef struct gxds_source gxds_source;

/* A node's use of a source. Unused if source is NULL. */
typedef struct gxds_use {
  gxds_node *node;
  gxds_source *source;
  struct gxds_use *prev; /* in the source's list */
  struct gxds_use *next;
} gxds_use;

struct gxds_source {
  gxds_subject subject;
  gxds_use *uses;
  const gxds_error *warning; /* an oddity of the endpoints; NULL if there is none */
  gxds_source *next;         /* in the manager's list of idle sources */
};

/* How a walk goes from a node to others. */
typedef enum gxds_walk_kind {
  GXDS_WALK_SHOWN,  /* over the lists of aggregates that nodes show */
  GXDS_WALK_LATEST, /* over the lists of their latest resources */
  GXDS_WALK_BOTH,
} gxds_walk_kind;

/* What gxds_nodes_judge() found out about a node in the graph; zero for the others. The words are
 * those of dependency_settle.c. */
typedef struct gxds_judgement {
  uint8_t walked;     /* the gxds_walk_bit() of each walk that went over it */
  bool has_list : 1;  /* it is an aggregate by its entry, its latest resource, or both */
  bool is_member : 1; /* a list that a walk went over names it */
  bool kept : 1;      /* shown by an aggregate that is WAITING or kept */
  /* The rest is for nodes with a list. */
  bool ready : 1;   /* the latest resource is an aggregate, and READY */
  bool renewed : 1; /* evaluated since */
  uint8_t height;   /* of the latest resource above its deepest leaf, in clusters; 0 if it is
                       TOO_DEEP, or no aggregate */
} gxds_judgement;

struct gxds_node {
  gxds_subject subject;
  const gxds_cluster_entry *entry; /* what it shows: a reference; NULL: nothing yet */
  gxds_use shown;                  /* the source of the entry's endpoints */
  gxds_use *awaited; /* the source that the latest resource needs, if the entry does not use it;
                        NULL if there is none */

  /* Why it is a root. */
  uint32_t subscriptions;
  bool held : 1;
  bool in_published : 1; /* a route of the published root names it */
  bool in_candidate : 1;

  bool in_map : 1;     /* the published map has its entry */
  bool dirty : 1;      /* the entry may be out of date */
  bool is_changed : 1; /* in the manager's list of changed nodes */
  bool is_leaf : 1;    /* in the list of leaves that is being made */
  gxds_judgement is;

  gxds_node *prev; /* all nodes, in the order of creation */
  gxds_node *next;
};

/* Nodes, borrowed. The owner frees items. */
typedef struct gxds_node_list {
  gxds_node **items;
  size_t count;
  size_t capacity;
} gxds_node_list;

/* A listener with its route configuration and virtual host. */
typedef struct gxds_root {
  bool set;
  const gxds_listener *listener; /* references */
  const gxds_route_config *route_config;
  const gxds_virtual_host *virtual_host;
  const gxds_names *names;     /* the clusters that its routes name */
  const gxds_plugins *plugins; /* the plugins that its routes name; NULL if there are none */
} gxds_root;

typedef struct gxds_dependency_queued {
  gxds_dependency_action action; /* owns everything in it */
  struct gxds_dependency_queued *prev;
  struct gxds_dependency_queued *next;
} gxds_dependency_queued;

struct gxds_dependency_manager {
  gxds_str data_plane_authority;
  /* Errors with code GXDS_OK, each of which names a server that has sent something; the first is
   * for things that come from no server. Owned. There are few. */
  const gxds_error **origins;
  size_t origin_count;
  gxds_load_store *load_store;

  /* What is watched, and what is known of it. */
  gxds_index subjects; /* everything that is watched, by token */
  gxds_subject listener;
  gxds_subject *route_config;     /* NULL if it is inline, or there is no listener */
  gxds_subject *old_route_config; /* the published root's, while another one is awaited */
  gxds_index nodes_by_name;
  gxds_node *nodes;
  gxds_index sources; /* by name */

  /* The result. */
  gxds_root published;
  gxds_root candidate;
  size_t candidate_missing; /* how many of the candidate's clusters have no entry */
  const gxds_cluster_map *map;
  const gxds_config *config; /* the last snapshot; NULL if none, or failed since */
  gxds_status failure;       /* the last reported failure; OK if there is none, or a snapshot was
                                published since */
  const gxds_names *held_plugins; /* the names of the children of plugins that RPCs hold; NULL if
                                     there are none */

  /* What settle() has to do. */
  gxds_node_list changed; /* the nodes that are dirty, or that may be roots for other reasons than
                             before, or none, or out of the graph. After settle(), only those that
                             are kept */
  gxds_node_list graph;   /* as of the last gxds_nodes_judge(), and then nodes with new lists */
  bool reshaped;          /* the graph may have changed, or the roots of the snapshot */
  gxds_source *idle;      /* all that nobody uses; some in it are used again */

  uint64_t last_token;
  gxds_dependency_queued *actions;
  gxds_dependency_queued *taken; /* the action that the owner took last */
};

/* ---- subjects and actions (dependency_manager.c) ---- */

/* The caller owns the returned reference. */
const gxds_shared_name *gxds_shared_name_create(gxds_str name);
/* Initialises *s and watches it. */
void gxds_subject_start(gxds_dependency_manager *m, gxds_subject *s, gxds_subject_kind kind,
                        const gxds_shared_name *take_name);
/* Ends the watch. gxds_subject_fini() follows. */
void gxds_subject_stop(gxds_dependency_manager *m, const gxds_subject *s);
/* Forgets and frees the contents of s. */
void gxds_subject_fini(gxds_dependency_manager *m, gxds_subject *s);
/* Finds a subject of that kind by name; hash is that of the name. NULL if there is none. */
gxds_subject *gxds_subject_find(const gxds_index *by_name, gxds_subject_kind kind, uint32_t hash,
                                gxds_str name);
/* The subject of a link in such an index. */
static inline gxds_subject *gxds_subject_of_name_link(gxds_index_link *l) {
  return (gxds_subject *)((char *)l - offsetof(gxds_subject, by_name));
}
static inline gxds_str gxds_subject_name(const gxds_subject *s) {
  return gxds_str_of(s->name->text, s->name->size);
}
/* NULL for a DNS name. */
const gxds_resource_type *gxds_subject_type(const gxds_subject *s);
/* NULL unless it is PRESENT. */
static inline const gxds_resource *gxds_subject_resource(const gxds_subject *s) {
  return s->presence == GXDS_PRESENT ? s->known.resource : NULL;
}
/* NULL unless it is FAILED. */
static inline const gxds_error *gxds_subject_error(const gxds_subject *s) {
  return s->presence == GXDS_FAILED ? s->known.error : NULL;
}
/* Adds an action of that kind; its other fields are zero. Borrowed: valid until the owner takes it.
 */
gxds_dependency_action *gxds_dependency_add_action(gxds_dependency_manager *m,
                                                   gxds_dependency_action_kind kind);
/* Returns UNAVAILABLE "CDS resource NAME: WHY", whatever the code of the error is, because codes of
 * the control plane are not codes of RPCs (A88). */
GXDS_MUST_USE gxds_status gxds_subject_failure(const gxds_subject *s);
/* Returns UNAVAILABLE in the same form for a resource that the server sent, but that the manager
 * itself can't use. The reason is what, followed by about, which is escaped. */
GXDS_MUST_USE gxds_status gxds_subject_refusal(const gxds_subject *s, const char *what,
                                               gxds_str about);

/* ---- listener and route configuration (dependency_root.c) ---- */

/* Brings the candidate up to date with the listener and the route configuration. There is none as
 * long as one of them is requested, or if they are those of the published root. If they fail, or
 * can't be used, adds a FAIL action. */
void gxds_root_update(gxds_dependency_manager *m);
/* Adds the ambient errors of listener and route configuration, which are reported with every
 * cluster (A88). */
void gxds_root_add_ambient(const gxds_dependency_manager *m, gxds_note *note);
/* The resource that the published routes come from, as "RDS resource NAME (xDS server S) (node
 * ID:N)". The caller frees it. */
gxds_str gxds_root_route_source(const gxds_dependency_manager *m);
/* Makes the candidate the published root, if all its clusters have entries. */
void gxds_root_promote(gxds_dependency_manager *m);
/* Stops watching the old route configuration, if the published root does not use it any more. */
void gxds_root_drop_old(gxds_dependency_manager *m);
void gxds_root_fini(gxds_dependency_manager *m);

/* ---- clusters and their endpoints (dependency_graph.c) ---- */

/* The node of that name; NULL if there is none. */
gxds_node *gxds_node_find(const gxds_dependency_manager *m, gxds_str name);
gxds_node *gxds_node_get(gxds_dependency_manager *m, gxds_str name); /* made if there is none */
void gxds_node_touch(gxds_dependency_manager *m, gxds_node *node);   /* marks it dirty */
/* Marks a node that may be a root for other reasons than before, or not be one any more. */
void gxds_node_changed(gxds_dependency_manager *m, gxds_node *node);
void gxds_nodes_touch_all(gxds_dependency_manager *m);
void gxds_source_touch(gxds_dependency_manager *m,
                       gxds_source *source); /* touches all nodes that use it */
void gxds_source_warn(gxds_source *source);  /* updates its warning from its resource */
/* Asks for all DNS names to be resolved again. */
void gxds_sources_reresolve(gxds_dependency_manager *m);
/* The latest resource of the node; NULL if there is none. */
const gxds_cluster *gxds_node_latest(const gxds_node *node);
/* The same if it is an aggregate, and the aggregate that the node shows; otherwise NULL. */
const gxds_cluster *gxds_node_latest_list(const gxds_node *node);
const gxds_cluster *gxds_node_shown_list(const gxds_node *node);
/* The source that the latest resource needs, as of the last gxds_node_use_sources(). NULL if it
 * needs none. */
gxds_source *gxds_node_needs(const gxds_node *node);
/* Makes the node use the sources of its entry and of its latest resource, and no others. */
void gxds_node_use_sources(gxds_dependency_manager *m, gxds_node *node);
/* Makes the node show that entry, unless it shows an equal one. Takes ownership of the entry. */
void gxds_node_show(gxds_dependency_manager *m, gxds_node *node,
                    const gxds_cluster_entry *take_entry);
/* Walks from those of the nodes that are roots with a list, the nearest nodes first, and makes
 * missing nodes. A walk over shown lists leaves out the candidate. Returns the nodes that it walked
 * over, each once. */
gxds_node_list gxds_nodes_walk(gxds_dependency_manager *m, const gxds_node_list *from,
                               gxds_walk_kind kind);
void gxds_node_list_add(gxds_node_list *list, gxds_node *node);
static inline uint8_t gxds_walk_bit(gxds_walk_kind kind) { return (uint8_t)(1u << kind); }
/* Whether a list leads to the node from a root, or the node is a root with a list. */
static inline bool gxds_node_is_in_graph(const gxds_node *node) {
  return (node->is.walked & gxds_walk_bit(GXDS_WALK_BOTH)) != 0;
}
/* Whether a node is a root, or the last walk of that kind went over it. */
bool gxds_node_is_reached(const gxds_node *node, gxds_walk_kind kind);
/* Ends the watches of changed nodes that are not reached over either kind of lists. */
void gxds_nodes_drop_unreached(gxds_dependency_manager *m);
void gxds_sources_drop_idle(gxds_dependency_manager *m);
void gxds_nodes_fini(gxds_dependency_manager *m);

/* ---- what each node is to show (dependency_evaluate.c) ---- */

/* Finds out which nodes are in the graph now, and what they have to know of each other: see
 * gxds_judgement. Nodes that left the graph are marked as changed. Returns the nodes with a list.
 */
gxds_node_list gxds_nodes_judge(gxds_dependency_manager *m);
/* The entry that the node is to show, by what is known of its resources, by the judgement, and by
 * what the members of its list show. The caller owns the returned reference. NULL: the node stays
 * as it is. */
const gxds_cluster_entry *gxds_node_evaluate(const gxds_dependency_manager *m,
                                             const gxds_node *node);
/* The list whose members gxds_node_evaluate() looks at; NULL if there is none. */
const gxds_cluster *gxds_node_next_list(const gxds_node *node);

/* ---- cluster specifier plugins (dependency_plugins.c) ---- */

/* Sets whether RPCs hold the plugin of that name. A held plugin stays in the snapshot. */
void gxds_dependency_hold_plugin(gxds_dependency_manager *m, gxds_str name, bool held);
bool gxds_dependency_plugin_is_held(const gxds_dependency_manager *m, gxds_str name);
/* The plugins for the next snapshot: the pointer from the last one, if they are equal. The caller
 * owns the returned reference. */
const gxds_plugins *gxds_dependency_plugins(const gxds_dependency_manager *m);

/* ---- the snapshot (dependency_publish.c) ---- */

/* Puts the node's entry into the map, in place of an earlier one. */
void gxds_dependency_map_put(gxds_dependency_manager *m, gxds_node *node);
/* Publishes a snapshot if it differs from the last one. reshaped: whether step 3 ran. */
void gxds_dependency_publish(gxds_dependency_manager *m, bool reshaped);
void gxds_dependency_forget_published(gxds_dependency_manager *m);

#endif
