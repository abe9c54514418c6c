/* The parts of the dependency manager and how they are connected. Only the files dependency_*.c
 * include this. dependency_settle.c explains each step that uses them.
 *
 *   root ── node ──┬── node …        (an aggregate's members: by name)
 *                  └── use ── source (the endpoints of a leaf; several nodes may use one)
 *
 * A node is a wanted cluster. Its entry is what the node shows: the cluster in the snapshot. If the
 * latest resource needs something that is still awaited, the node shows the previous resource, and
 * uses the sources of both resources. A source is an EDS resource or a DNS name. */
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
  GXDS_PRESENT,   /* has a resource */
  GXDS_FAILED,    /* has an error: there is no resource, or the resource must not be used */
} gxds_presence;

typedef enum gxds_subject_kind {
  GXDS_SUBJECT_LISTENER,
  GXDS_SUBJECT_ROUTE_CONFIG,
  GXDS_SUBJECT_NODE,
  GXDS_SUBJECT_EDS, /* this and the next: a gxds_source */
  GXDS_SUBJECT_DNS,
} gxds_subject_kind;

/* A name that several subjects share. Most clusters have endpoints with the same name as the
 * cluster. */
typedef struct gxds_shared_name {
  gxds_ref refs;
  uint32_t size;
  char text[];
} gxds_shared_name;

/* A watched resource or DNS name, and what is known of it. The first member of gxds_node and
 * gxds_source. */
typedef struct gxds_subject {
  gxds_index_link by_token;        /* its hash is the token: see gxds_subject_token() */
  gxds_index_link by_name;         /* not for a listener or a route configuration */
  const gxds_shared_name *name;    /* a reference */
  union {                          /* a reference; read with the functions below */
    const gxds_resource *resource; /* PRESENT */
    const gxds_error *error;       /* FAILED: why */
  } known;
  const gxds_error *ambient; /* a reference to the ambient error; NULL if there is none */
  uint8_t kind;              /* gxds_subject_kind */
  uint8_t presence;          /* gxds_presence */
  bool is_listed;            /* for a source: it is in the manager's list of idle sources */
  uint32_t origin;           /* the server that sent resource: see gxds_subject_origin() */
} gxds_subject;

typedef struct gxds_node gxds_node;
typedef struct gxds_source gxds_source;

/* A node's use of a source. Unused if source is NULL. */
typedef struct gxds_use {
  gxds_node *node;
  gxds_source *source;
  struct gxds_use *prev; /* the neighbours in the source's list of uses */
  struct gxds_use *next;
} gxds_use;

struct gxds_source {
  gxds_subject subject;
  gxds_use *uses;
  const gxds_error *warning; /* a warning about the endpoints; NULL if there is none */
  gxds_source *next;         /* in the manager's list of idle sources */
};

/* Which lists a walk follows from one node to others. */
typedef enum gxds_walk_kind {
  GXDS_WALK_SHOWN,  /* the lists of the aggregates that nodes show */
  GXDS_WALK_LATEST, /* the lists of the nodes' latest resources */
  GXDS_WALK_BOTH,
} gxds_walk_kind;

/* What gxds_nodes_judge() found out about a node in the graph; zero for the others. The words are
 * those of dependency_settle.c. */
typedef struct gxds_judgement {
  uint8_t walked;     /* the gxds_walk_bit() of each kind of walk that reached the node */
  bool has_list : 1;  /* the node's entry or its latest resource, or both, are an aggregate */
  bool is_member : 1; /* the node is named in a list that a walk followed */
  bool kept : 1;      /* an aggregate that is WAITING or kept shows the node */
  /* The rest is only for nodes with a list. */
  bool ready : 1;   /* the latest resource is an aggregate, and READY */
  bool renewed : 1; /* the node was evaluated since then */
  uint8_t height;   /* the height of the latest resource above its deepest leaf, in clusters; 0 if
                       it is TOO_DEEP, or not an aggregate */
} gxds_judgement;

struct gxds_node {
  gxds_subject subject;
  const gxds_cluster_entry *entry; /* what the node shows; a reference; NULL: nothing yet */
  gxds_use shown;                  /* the source of the entry's endpoints */
  gxds_use *awaited; /* the source that the latest resource needs, if the entry does not use it;
                        NULL if there is none */

  /* The reasons why the node is a root. */
  uint32_t subscriptions;
  bool held : 1;
  bool in_published : 1; /* a route of the published root names it */
  bool in_candidate : 1;

  bool in_map : 1;     /* the published map has its entry */
  bool dirty : 1;      /* the entry may be out of date */
  bool is_changed : 1; /* the node is in the manager's list of changed nodes */
  bool is_leaf : 1;    /* the node is in the list of leaves that is being made */
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
  /* Errors with code GXDS_OK. Each names a server that has sent something; the first names none,
   * for things that do not come from a server. Owned. There are few of them. */
  const gxds_error **origins;
  uint32_t origin_count;
  gxds_load_store *load_store;

  /* What is watched, and what is known of it. */
  gxds_index subjects; /* everything that is watched, by token */
  gxds_subject listener;
  gxds_subject *route_config;     /* NULL if the routes are inline in the listener, or if there is
                                     no listener */
  gxds_subject *old_route_config; /* the published root's route configuration, while another one is
                                     awaited */
  gxds_index nodes_by_name;
  gxds_node *nodes;
  gxds_index sources; /* all sources, by name */

  /* The result. */
  gxds_root published;
  gxds_root candidate;
  size_t candidate_missing; /* how many of the candidate's clusters have no entry */
  const gxds_cluster_map *map;
  const gxds_config *config; /* the last snapshot; NULL if there was none, or if the channel has
                                failed since */
  gxds_status failure;       /* the last reported failure; OK if there was none, or if a snapshot
                                was published since */
  const gxds_names *held_plugins; /* the names of the children of plugins that RPCs hold; NULL if
                                     there are none */
  const gxds_plugins *plugins;    /* the plugins of the last snapshot, even if the channel has
                                     failed since; NULL if there were none */

  /* What settle() has to do. */
  gxds_node_list changed; /* the changed nodes: those that are dirty, that may be roots for other
                             reasons than before, that may no longer be roots, or that left the
                             graph. After settle(), only kept nodes are left in it */
  gxds_node_list graph;   /* the graph as of the last gxds_nodes_judge(), and after that nodes with
                             new lists */
  bool reshaped;          /* the graph may have changed, or the roots of the snapshot */
  gxds_source *idle;      /* contains all sources without a use, and some that are used again */

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
gxds_subject *gxds_subject_find(const gxds_index *by_name, gxds_subject_kind kind, uint64_t hash,
                                gxds_str name);
/* The subject of a link in such an index. */
static inline gxds_subject *gxds_subject_of_name_link(gxds_index_link *l) {
  return (gxds_subject *)((char *)l - offsetof(gxds_subject, by_name));
}
static inline gxds_str gxds_subject_name(const gxds_subject *s) {
  return gxds_str_of(s->name->text, s->name->size);
}
/* The token in the actions about the subject. */
static inline uint64_t gxds_subject_token(const gxds_subject *s) { return s->by_token.hash; }
/* One of the manager's origins: the server that sent the subject's resource. Borrowed. */
static inline const gxds_error *gxds_subject_origin(const gxds_dependency_manager *m,
                                                    const gxds_subject *s) {
  return m->origins[s->origin];
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
/* Returns UNAVAILABLE "CDS resource NAME: WHY", even if the error has another code, because codes
 * of the control plane are not codes of RPCs (A88). */
GXDS_MUST_USE gxds_status gxds_subject_failure(const gxds_subject *s);
/* Returns UNAVAILABLE in the same form for a resource that the server sent, but that the manager
 * itself can't use. The reason is what, followed by about, which is escaped. */
GXDS_MUST_USE gxds_status gxds_subject_refusal(const gxds_dependency_manager *m,
                                               const gxds_subject *s, const char *what,
                                               gxds_str about);

/* ---- listener and route configuration (dependency_root.c) ---- */

/* Makes the candidate from the present listener and route configuration. There is no candidate
 * while one of these is still awaited, or if both are those of the published root. If they fail, or
 * cannot be used, adds a FAIL action. */
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
gxds_node *gxds_node_get(gxds_dependency_manager *m, gxds_str name); /* makes the node if there is
                                                                        none */
void gxds_node_touch(gxds_dependency_manager *m, gxds_node *node);   /* marks it dirty */
/* Marks a node that may be a root for other reasons than before, or may no longer be a root. */
void gxds_node_changed(gxds_dependency_manager *m, gxds_node *node);
void gxds_nodes_touch_all(gxds_dependency_manager *m);
void gxds_source_touch(gxds_dependency_manager *m,
                       gxds_source *source); /* touches all nodes that use the source */
void gxds_source_warn(const gxds_dependency_manager *m,
                      gxds_source *source); /* updates its warning from its resource */
/* Adds actions to resolve all DNS names again. */
void gxds_sources_reresolve(gxds_dependency_manager *m);
/* The latest resource of the node; NULL if there is none. */
const gxds_cluster *gxds_node_latest(const gxds_node *node);
/* The latest resource, and the resource that the node shows, if it is an aggregate; otherwise
 * NULL. */
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
/* Walks along the lists of nodes, and starts at those of `from` that are roots with a list. Nearest
 * nodes come first. Makes missing nodes. A walk over shown lists leaves out the candidate. Returns
 * the nodes that it reached, each once. */
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

/* Finds out which nodes are in the graph now, and fills in their gxds_judgement. Nodes that left
 * the graph are marked as changed. Returns the nodes with a list. */
gxds_node_list gxds_nodes_judge(gxds_dependency_manager *m);
/* The entry that the node must show now. It depends on the node's resources, on its judgement, and
 * on what the members of its list show. The caller owns the returned reference. NULL: the node
 * stays as it is. */
const gxds_cluster_entry *gxds_node_evaluate(const gxds_dependency_manager *m,
                                             const gxds_node *node);
/* The list whose members gxds_node_evaluate() looks at; NULL if there is none. */
const gxds_cluster *gxds_node_next_list(const gxds_node *node);

/* ---- cluster specifier plugins (dependency_plugins.c) ---- */

/* Sets whether RPCs hold the plugin of that name. A held plugin stays in the snapshot. */
void gxds_dependency_hold_plugin(gxds_dependency_manager *m, gxds_str name, bool held);
bool gxds_dependency_plugin_is_held(const gxds_dependency_manager *m, gxds_str name);
/* The plugins for the next snapshot. If they equal those of the last snapshot, it is the same
 * pointer. The caller owns the returned reference. */
const gxds_plugins *gxds_dependency_plugins(const gxds_dependency_manager *m);

/* ---- the snapshot (dependency_publish.c) ---- */

/* Puts the node's entry into the map, in place of an earlier one. */
void gxds_dependency_map_put(gxds_dependency_manager *m, gxds_node *node);
/* Publishes a snapshot if it differs from the last one. reshaped: whether step 3 ran. */
void gxds_dependency_publish(gxds_dependency_manager *m, bool reshaped);
void gxds_dependency_forget_published(gxds_dependency_manager *m);

#endif
