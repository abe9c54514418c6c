/* gxds_bootstrap: the parsed bootstrap (gRFC A27, A47, A71). Immutable, shared by reference count:
 * any thread.
 *
 * Parsing is pure: bytes go in, and a bootstrap or all errors in it come out. bootstrap/source.h
 * decides where the bytes come from (file, environment, channel argument). */
#ifndef GRPC_XDS_BOOTSTRAP_BOOTSTRAP_H_
#define GRPC_XDS_BOOTSTRAP_BOOTSTRAP_H_

#include "base/errors.h"
#include "base/host.h"
#include "base/ref.h"
#include "base/status.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a web server serves: a server with an http: or https: URI (our own extension,
 * docs/web.md). */
typedef enum gxds_web_form {
  GXDS_WEB_NONE,  /* the server is not a web server, but a gRPC server or a directory */
  GXDS_WEB_REST,  /* xDS over REST-JSON, polled */
  GXDS_WEB_FILES, /* resource files, listed in an index */
} gxds_web_form;

/* The default of "refresh_delay": the time between two polls of a web server, if neither the server
 * nor the bootstrap sets one. */
#define GXDS_WEB_REFRESH_DEFAULT (30 * GXDS_SECOND)
/* The bounds of "refresh_delay". A shorter delay would not be polling any more; a delay of more
 * than a day is a typing error. */
#define GXDS_WEB_REFRESH_MIN (GXDS_SECOND / 10)
#define GXDS_WEB_REFRESH_MAX (86400 * GXDS_SECOND)

/* The features of a server, X(name, note): each is a string in "server_features" and a member of
 * gxds_bootstrap_server. note: the warning of `xds lint`; NULL: none. */
#define GXDS_SERVER_FEATURES(X)                                                           \
  X(delta, NULL)                             /* incremental xDS */                        \
  X(fail_on_data_errors, NULL)               /* A88 */                                    \
  X(resource_timer_is_transient_error, NULL) /* A88 */                                    \
  X(trusted_xds_server, NULL)                /* A81 */                                    \
  X(endpoint_weights, NULL) /* our own: round_robin uses the weights of endpoints (E3) */ \
  X(lb_subsets, NULL)       /* our own: the server's clusters may have subsets (E5) */    \
  X(ignore_resource_deletion, "has no effect any more (A88): it is now what is always done")

/* Features that choose web_form of gxds_bootstrap_server, and have no member of their own. */
#define GXDS_WEB_FEATURES(X) \
  X(rest, NULL)              \
  X(files, NULL)

/* One xDS server. Two equal structs (gxds_bootstrap_server_equal()) are the same server, because
 * the authorities of A47 may list a server again. This is so even if they are in different
 * bootstraps. */
typedef struct gxds_bootstrap_server {
  gxds_str uri;        /* "host:port", any gRPC target, "file:///directory", or the http: or https:
                          URL of a web server, without a slash at its end; never empty */
  gxds_str directory;  /* the percent-decoded path, if uri is a file: URI; otherwise empty */
  gxds_str creds_type; /* the type of the first supported entry of channel_creds; empty for a file:
                          URI */
  gxds_str creds_config_json; /* the "config" of that entry, as JSON text; empty if there is none */
  const gxds_str *jwt_token_files; /* A97: the paths of the call_creds of type jwt_token_file, all
                                      of which apply; each is zero-terminated and not empty */
  size_t jwt_token_file_count;
#define X(name, note) bool name;
  GXDS_SERVER_FEATURES(X)
#undef X
  gxds_web_form web_form;      /* GXDS_WEB_NONE unless uri is an http: or https: URI */
  gxds_duration refresh_delay; /* only if web_form is set */
} gxds_bootstrap_server;

typedef struct gxds_bootstrap_authority {
  gxds_str name;                                   /* first: the authorities are sorted by it */
  gxds_str client_listener_resource_name_template; /* never empty: A47's default if unset */
  const gxds_bootstrap_server *const *servers;     /* the authority's own servers, or else the
                                                      top-level list */
  size_t server_count;
  bool fallback_on_reachability_only; /* A95: falls back to the next server even if all resources
                                         are cached */
} gxds_bootstrap_authority;

typedef struct gxds_bootstrap_certificate_provider {
  gxds_str instance_name; /* first: the providers are sorted by it */
  gxds_str plugin_name;
  gxds_str config_json;         /* the "config" in the form that gRPC's provider takes; empty if
                                   there is none */
  bool has_ca_certificate_file; /* the provider's config has "ca_certificate_file"; if not, a
                                   file_watcher may have SPIFFE bundles (A87) */
} gxds_bootstrap_certificate_provider;

/* The client feature for resources in a wrapper (A30). All other client features in the node are
 * about the client; this one is about ADS. */
#define GXDS_FEATURE_OF_ADS "xds.config.resource-in-sotw"

typedef struct gxds_bootstrap {
  gxds_ref refs;
  const gxds_bootstrap_server *const *servers; /* xds_servers, in order; at least one */
  size_t server_count;
  gxds_str node_id;
  gxds_str node; /* the serialized Node message for the first request of a stream: the bootstrap's
                    node with user_agent_name, user_agent_version and client_features */
  gxds_str node_without_id; /* the bootstrap's node, serialized, without its id: equal nodes give
                               equal bytes */
  gxds_str client_default_listener_resource_name_template; /* "%s" when absent */
  const gxds_bootstrap_authority *authorities;             /* sorted by name */
  size_t authority_count;
  const gxds_bootstrap_certificate_provider *certificate_providers; /* sorted by instance_name */
  size_t certificate_provider_count;
  gxds_str resource_cache_dir; /* the directory in which accepted resources are kept; empty if they
                                  are not kept */
  bool resource_cache_by_node_id; /* resources in the cache directory are used only by a client with
                                     the node id of the client that wrote them */
  bool shared_stream; /* the value of "shared_stream": channels of all targets share an XdsClient,
                         and so one stream to a server. Without that field: true if no list of
                         servers has a server to fall back to. Otherwise each target must be able to
                         fall back by itself (A71) */
  gxds_str content;   /* the whole bootstrap as canonical JSON text: equal for equal bootstraps */
  struct upb_Arena *arena; /* private: owns all of the above */
} gxds_bootstrap;

/* Parses JSON text. All errors are reported; unknown fields are ignored. On OK, the caller owns the
 * returned reference in *out. A failure has the status INVALID_ARGUMENT and the message "errors
 * validating JSON: [field:a.b error:…; field:c error:…] (a.b line 3, c line 7)", in the host's
 * words if the host has the same error, or "JSON parse error at line L, column C: …". host is
 * borrowed: valid during the call. errors may be NULL. Otherwise it must be empty; it gets the
 * errors of the fields, and the caller ends it with gxds_errors_fini(). */
GXDS_MUST_USE gxds_status gxds_bootstrap_parse(gxds_str json, const gxds_host *host,
                                               const gxds_bootstrap **out, gxds_errors *errors);
const gxds_bootstrap *gxds_bootstrap_ref(const gxds_bootstrap *b);
void gxds_bootstrap_unref(const gxds_bootstrap *b); /* b may be NULL */

/* Whether the server is a gRPC server, which needs a channel, and not a directory or a web server.
 */
static inline bool gxds_bootstrap_server_is_grpc(const gxds_bootstrap_server *s) {
  return s->directory.size == 0 && s->web_form == GXDS_WEB_NONE;
}
/* True if URI, credentials and features are equal. */
bool gxds_bootstrap_server_equal(const gxds_bootstrap_server *a, const gxds_bootstrap_server *b);
/* A copy of the server that does not depend on the bootstrap. The caller ends it with
 * gxds_bootstrap_server_fini(). */
gxds_bootstrap_server gxds_bootstrap_server_copy(const gxds_bootstrap_server *s);
void gxds_bootstrap_server_fini(gxds_bootstrap_server *s);
/* The authority of that name; NULL if there is none. Borrowed: valid as long as b. */
const gxds_bootstrap_authority *gxds_bootstrap_find_authority(const gxds_bootstrap *b,
                                                              gxds_str name);
/* The name of the listener resource to request (A47). target_authority is the authority of the xds:
 * URI ("" if it has none), path its path without the leading slash. The caller frees *out with
 * gxds_str_free(). Fails if the bootstrap lacks the authority. */
GXDS_MUST_USE gxds_status gxds_bootstrap_listener_name(const gxds_bootstrap *b,
                                                       gxds_str target_authority, gxds_str path,
                                                       gxds_str *out);
/* The default data-plane authority of a channel, if its program sets none: it chooses the virtual
 * host, and is the ":authority" of RPCs (A47). path is the path of the xds: URI, decoded, without
 * the leading slash; every byte that may not be in an authority, such as "/", is percent-encoded.
 * The caller frees the result with gxds_str_free(). */
gxds_str gxds_data_plane_authority(gxds_str path);

#ifdef __cplusplus
}
#endif

#endif
